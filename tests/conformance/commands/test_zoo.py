"""`allotment zoo`: who lives there, and who is found."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.commands import zoo
from allotment_conformance.runs import check
from allotment_conformance.runs.pool import Lost
from allotment_conformance.runs.work import shares
from allotment_conformance.verdict import normal
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.zoo import matrix, roll_call
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.catalogue import MUTANTS, mutant
from allotment_conformance.zoo.hunt import ENGINES, Trail, hunt
from allotment_conformance.zoo.matrix import Watch


def hunted(names: Sequence[str], processes: int, watch: Watch | None = None) -> dict[str, Trail]:
    """With one engine, in this process."""
    found = {name: hunt(mutant(name), ["directed"]) for name in names}
    return {
        name: Trail(
            found_after={**dict.fromkeys(ENGINES), **trail.found_after},
            smallest=trail.smallest,
        )
        for name, trail in found.items()
    }


def test_everybody_is_listed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "zoo.json"
    assert 0 == main(["zoo", "--json", str(file)])
    listed = json.loads(file.read_text(encoding="utf-8"))
    assert [one.id for one in MUTANTS] == [one["id"] for one in listed["wrong"]]
    assert [odd.id for odd in CALIBRATION] == [odd["id"] for odd in listed["right"]]
    told = capsys.readouterr().out.splitlines()
    assert len(MUTANTS) + len(CALIBRATION) == len(told)
    [line] = [line for line in told if line.startswith("int32-ledger ")]
    assert "What is in use wraps at 2^31" in line
    assert "AMOUNT-1" in line


def test_one_is_hunted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "matrix", hunted)
    assert 0 == main(["zoo", "no-rollback"])
    assert "| `no-rollback` | rule | UNDO-1 |" in capsys.readouterr().out
    file = tmp_path / "hunted.json"
    assert 1 == main(["zoo", "no-rollback", "hosts-of-three-digits", "--json", str(file)])
    result = json.loads(file.read_text(encoding="utf-8"))
    assert 1 == result["exit_status"]
    found, not_found = (result["hunted"][name] for name in ("no-rollback", "hosts-of-three-digits"))
    assert found["found_after"]["directed"] >= 1
    assert [None] == list(set(not_found["found_after"].values()))


@pytest.mark.parametrize(
    ("cut", "status", "word"),
    [
        (KeyboardInterrupt(), 130, "INTERRUPTED"),
        (Lost("int32-ledger", 0, "it was killed"), 3, "INCOMPLETE"),
    ],
)
def test_those_that_were_hunted_before_a_hunt_was_cut_are_told(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    cut: BaseException,
    status: int,
    word: str,
) -> None:
    def cut_short(names: Sequence[str], processes: int, watch: Watch) -> dict[str, Trail]:
        watch(names[0], hunted(names[:1], processes)[names[0]])
        raise cut

    monkeypatch.setattr(matrix, "matrix", cut_short)
    file = tmp_path / "hunted.json"
    assert status == main(["zoo", "no-rollback", "int32-ledger", "--json", str(file)])
    said = capsys.readouterr().out
    assert "| `no-rollback` |" in said
    assert f"{word}: 1 of 2 were hunted to the end\n" in said
    result = json.loads(file.read_text(encoding="utf-8"))
    assert (status, ["no-rollback"]) == (result["exit_status"], list(result["hunted"]))


def test_names_may_have_blanks_and_a_list_nothing_beside_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(matrix, "matrix", hunted)
    assert 0 == main(["zoo", "no rollback"])
    assert "| `no-rollback` |" in capsys.readouterr().out
    assert 0 == main(["zoo"])
    listed = capsys.readouterr().out
    assert (0, listed) == (main(["zoo", "--list"]), capsys.readouterr().out)
    assert 2 == main(["zoo", "--list", "no-rollback"])
    assert "--list" in capsys.readouterr().err


def test_page_and_cases_are_renewed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrix, "matrix", hunted)
    monkeypatch.setattr(matrix, "MUTANTS", [mutant("no-rollback"), mutant("int32-ledger")])
    kept = tmp_path / "smallest.json"
    monkeypatch.setattr(matrix, "KEPT", kept)
    page = tmp_path / "zoo.md"
    page.write_text(f"{matrix.BEGIN_MARK}\n{matrix.END_MARK}\n", encoding="utf-8")
    assert 0 == main(["zoo", "--update", str(page)])
    assert "| `int32-ledger` | arith-int |" in page.read_text(encoding="utf-8")
    assert 2 + 2 == len(kept.read_text(encoding="utf-8").splitlines())


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    assert 2 == main(["zoo", "unicorn"])
    assert 2 == main(["zoo", "--update", str(tmp_path / "none.md")])


PROGRAM = [sys.executable, "-c", "from allotment_conformance.cli import main; exit(main())"]
PATIENT = ["--start-timeout", "120", "--answer-timeout", "120", "--stop-timeout", "120"]


def check_of(name: str) -> int:
    """What `allotment check` says of one that is served as a program."""
    options = ["--cases", "20", "--processes", "1", "--give-up-after", "1", *PATIENT]
    return main(["check", *options, "--", *PROGRAM, "zoo", "--serve", name])


@pytest.fixture
def checking_a_part(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    probing_once: None,
    judging_once: None,
    canary_once: None,
) -> None:
    """A check asks every fourth share of the cases: they are all asked without a protocol."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(check, "shares", lambda *given: shares(*given)[::4])


def test_one_is_found_over_the_protocol(checking_a_part: None) -> None:
    assert 1 == check_of("no-rollback")


@pytest.mark.parametrize("name", ["extra-fields", "busy-polls"])
def test_odd_one_is_not_flagged_over_the_protocol(checking_a_part: None, name: str) -> None:
    assert 3 == check_of(name)


def test_one_has_to_be_named_to_be_served() -> None:
    assert 2 == main(["zoo", "--serve"])
    assert 2 == main(["zoo", "--serve", "unicorn"])


def test_roll_call_finds_everybody(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["zoo", "--roll-call"])
    assert [f"{len(MUTANTS)} wrong", f"{len(CALIBRATION)} odd"] == [
        " ".join(line.split()[:2]) for line in capsys.readouterr().out.splitlines()
    ]


RIGHT = "2 odd and right ones, flagged: none"
FLAGGED = "2 odd and right ones, flagged: reversals-backwards"


@pytest.mark.parametrize(
    ("part", "name", "broken", "told"),
    [
        (
            Oracle,
            "_agrees",
            lambda self, allowed, given, sent: True,
            ["1 wrong allocators, not found on their smallest case: int32-ledger", RIGHT],
        ),
        (
            normal,
            "events",
            lambda given, hosts, reasons: given,
            ["1 wrong allocators, not found on their smallest case: none", FLAGGED],
        ),
    ],
    ids=["blind", "strict"],
)
def test_roll_call_of_a_broken_kit_names_who_is_misjudged(
    part: object,
    name: str,
    broken: object,
    told: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    odd = [one for one in CALIBRATION if one.id in ("fields-reordered", "reversals-backwards")]
    for module in (roll_call, zoo):
        monkeypatch.setattr(module, "MUTANTS", [mutant("int32-ledger")])
        monkeypatch.setattr(module, "CALIBRATION", odd)
    monkeypatch.setattr(part, name, broken)
    assert 1 == main(["zoo", "--roll-call"])
    assert told == capsys.readouterr().out.splitlines()
