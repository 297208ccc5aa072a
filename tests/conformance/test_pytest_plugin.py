"""`pytest --allotment`: one test for each family of clauses, and nothing at all without it."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.runs.families import FAMILIES

FAKES = Path(__file__).parent / "wire" / "fakes"
# A cache that nobody reads, and a plug-in of Hypothesis that takes longer to start than the rest.
WITHOUT = ["-p", "no:cacheprovider", "-p", "no:hypothesispytest"]
MODEL = "allotment_conformance.zoo.variants:Served"


def run(folder: Path, *words: str) -> tuple[int, str]:
    """pytest in a process and folder of its own: its status, and what it says."""
    command = [sys.executable, "-m", "pytest", *WITHOUT, "--color=no", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def served(*features: str, **told: Any) -> str:
    """The command line of a model with a profile or fault, and these features."""
    behaves = {"behave": {"features": features}, **told}
    return shlex.join([sys.executable, str(FAKES / "served.py"), json.dumps(behaves)])


def test_right_adapter_passes_a_test_for_each_family(tmp_path: Path) -> None:
    status, told = run(tmp_path, "--allotment", MODEL, "--allotment-cases", "20", "-v", "-rs")
    assert 0 == status, told
    for family in FAMILIES:
        skipped = family in ("CANCEL", "MODE")
        assert f"allotment::{family} {'SKIPPED' if skipped else 'PASSED'}" in told
    assert "allotment::canary PASSED" in told
    assert "allotment::drawn-cases PASSED" in told
    assert "allotment::stop PASSED" in told
    assert f"collected {len(FAMILIES) + 3} items" in told
    assert "no answer shows it" in told


def test_families_that_are_not_claimed_are_skipped(tmp_path: Path) -> None:
    status, told = run(tmp_path, "--allotment", served(), "--allotment-cases", "20", "-rs", "-v")
    assert 0 == status, told
    assert "allotment::SHARED SKIPPED" in told
    assert "not claimed: no rusage" in told
    assert "allotment::PLAN PASSED" in told


def test_program_that_ends_badly_fails_the_test_of_its_end(tmp_path: Path) -> None:
    status, told = run(tmp_path, "--allotment", served(end="stop-status"), "-k", "SEQ or stop")
    assert 1 == status
    assert "1 failed, 1 passed" in told
    assert "It does not end well: crash: after `stop` it ended with status 6" in told


def test_wrong_program_fails_with_its_counterexample(tmp_path: Path) -> None:
    wrong = served("select", variant="no rollback")
    status, told = run(tmp_path, "--allotment", wrong, "-k", "UNDO or SELECT or canary")
    assert 1 == status
    assert "1 failed, 2 passed" in told
    assert "FAILED allotment::UNDO - Found in directed case" in told
    assert "UNDO-1: failed plan leaves nothing" in told
    assert "Traceback" not in told
    assert "pytest_plugin.py" not in told


def test_program_that_fails_is_told_and_stopped(tmp_path: Path) -> None:
    status, told = run(
        tmp_path, "--allotment", served(fault="error", on="withdraw"), "-k", "SESSION"
    )
    assert 1 == status
    assert "error: no idea" in told
    program = f"{served()}; touch {shlex.quote(str(tmp_path / 'ended'))}"
    assert 0 == run(tmp_path, "--allotment", shlex.join(["sh", "-c", program]), "-k", "SEQ")[0]
    assert (tmp_path / "ended").exists()


@pytest.mark.parametrize(
    ("adapter", "words"),
    [
        ("./no-such-program", "no-such-program"),
        ("no_such_module:Adapter", "there is no module 'no_such_module'"),
        (served(declare={"name": ""}), "`name` is empty"),
    ],
)
def test_adapter_that_cannot_be_asked_is_told(adapter: str, words: str, tmp_path: Path) -> None:
    status, told = run(tmp_path, "--allotment", adapter, "-k", "PLAN or WANT")
    assert 1 == status
    assert "2 failed" in told
    assert words in told
    assert "Traceback" not in told


def test_program_that_does_not_start_is_tried_once(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    program = ["sh", "-c", f"echo started >> {shlex.quote(str(starts))}"]
    status, told = run(tmp_path, "--allotment", shlex.join(program), "-k", "PLAN or HOST or WANT")
    assert 1 == status
    assert "3 failed" in told
    assert "crash: it ended with status 0" in told
    assert ["started"] == starts.read_text(encoding="utf-8").splitlines()


def test_no_adapter_is_a_usage_error(tmp_path: Path) -> None:
    status, told = run(tmp_path, "--allotment", " ")
    assert 4 == status
    assert "--allotment: name a program, or module:Name" in told


def test_words_with_an_open_quote_are_refused(tmp_path: Path) -> None:
    status, told = run(tmp_path, "--allotment", "./adapter 'one")
    assert 4 == status
    assert "--allotment: No closing quotation: ./adapter 'one" in told


OWN_TEST = """
import sys

def test_nothing_of_the_kit_is_there():
    ours = [name for name in sys.modules if name.startswith("allotment_")]
    assert sorted(ours) == ["allotment_conformance", "allotment_conformance.pytest_plugin"]
    assert not {"msgspec", "hypothesis", "rich"} & set(sys.modules)
"""


def test_runs_without_the_option_are_left_alone(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(OWN_TEST)
    status, told = run(tmp_path, "-v", "test_own.py")
    assert 0 == status, told
    assert "collected 1 item\n" in told


def test_own_tests_run_beside(tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text("def test_one():\n    pass\n")
    status, told = run(tmp_path, "--allotment", MODEL, "-k", "SEQ or one")
    assert 0 == status, told
    assert "2 passed" in told
