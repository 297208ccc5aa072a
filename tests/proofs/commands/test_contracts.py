"""`allotment contracts`: what it prints, and what it exits with."""

import json
import signal
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_proofs.commands import contracts as subject
from allotment_proofs.contracts import checking
from allotment_proofs.contracts.checking import Checked, Outcome, all_contracts
from allotment_proofs.contracts.reading import Contract
from house.sources import ROOT

ALLOTMENT = "from allotment_conformance.cli import main; raise SystemExit(main())"
TELLING = """
import subprocess, sys

class Told(subprocess.Popen):
    def __init__(self, *given, **options):
        super().__init__(*given, **options)
        print("CrossHair is run", file=sys.stderr, flush=True)

subprocess.Popen = Told
"""
"""What is run before the command for it to tell that a process has begun."""
QUICK = "reversed_twice_is_reversed_once"


def test_all_contracts_are_confirmed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "contracts.json"
    assert 0 == main(["contracts", "--json", str(path)])
    printed = capsys.readouterr().out
    count = len(all_contracts())
    assert f"{count} confirmed over all paths; 2 of 2 canaries refuted" in printed
    records = json.loads(path.read_text(encoding="utf-8"))
    assert count + 2 == len(records)
    assert {"refuted"} == {one["outcome"] for one in records[:2]}
    assert {"confirmed over all paths"} == {one["outcome"] for one in records[2:]}


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        (Outcome.CONFIRMED, 0),
        (Outcome.NOT_CONFIRMED, 3),
        (Outcome.REFUTED, 1),
        (Outcome.VACUOUS, 1),
        (Outcome.NOT_CHECKED, 1),
    ],
)
def test_each_outcome_has_its_status(
    outcome: Outcome,
    status: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def said(contract: Contract, timeout: float) -> Checked:
        is_planted = contract in checking.canaries()
        told = Outcome.REFUTED if is_planted else outcome
        return Checked(contract=contract, outcome=told, told="so", seconds=0)

    monkeypatch.setattr(checking, "check", said)
    assert status == main(["contracts", QUICK])
    printed = capsys.readouterr().out
    assert f"1 {outcome}; 2 of 2 canaries refuted" in printed
    assert (outcome is not Outcome.CONFIRMED) == (f"{QUICK}: {outcome}: so" in printed)


def test_canary_that_is_not_refuted_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(subject, "canaries", lambda: all_contracts()[:1])
    assert 1 == main(["contracts", QUICK])
    printed = capsys.readouterr().out
    assert "is confirmed over all paths: nothing here counts" in printed
    assert "0 of 1 canaries refuted" in printed


def test_bad_input_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["contracts", "no_such_contract"])
    assert "there is no contract 'no_such_contract'" in capsys.readouterr().err
    assert 2 == main(["contracts", "--timeout", "0"])
    assert 2 == main(["contracts", "--json", str(ROOT)])


def test_missing_crosshair_prints_its_install_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing(_name: str) -> ModuleSpec | None:
        return None

    monkeypatch.setattr(subject, "find_spec", nothing)
    assert 2 == main(["contracts"])
    assert "pip install './allotment[proofs]'" in capsys.readouterr().err


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["contracts", "--help"])
    assert "Example: allotment contracts" in capsys.readouterr().out


def test_interrupt_leaves_with_130() -> None:
    words = [sys.executable, "-c", TELLING + ALLOTMENT, "contracts"]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stderr is not None
    told = process.stderr.readline()
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert b"CrossHair is run\n" == told, errors
    assert 130 == process.returncode, errors
    assert b"Traceback" not in errors
    assert b"INTERRUPTED: 0 of" in output


def test_interrupt_leaves_what_was_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pairs = [one.name for one in all_contracts() if one.is_pair]
    names = pairs[:3]

    def said(contract: Contract, timeout: float) -> Checked:
        if contract.name == names[1]:
            raise KeyboardInterrupt
        is_planted = contract in checking.canaries()
        told = Outcome.REFUTED if is_planted else Outcome.CONFIRMED
        return Checked(contract=contract, outcome=told, told="so", seconds=0)

    monkeypatch.setattr(checking, "check", said)
    assert 130 == main(["contracts", *names])
    assert "INTERRUPTED: 1 of 3 contracts were checked\n" in capsys.readouterr().out
