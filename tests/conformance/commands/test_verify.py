"""`allotment verify` at the command line: what it prints and how it leaves."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.cli import main
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER
from allotment_model.clauses import CLAUSES

MODEL = "allotment_conformance.zoo.variants:Served"
FEW = f"{MODEL}?features="
"""Who declares no features is asked a hundred directed cases instead of eight hundred."""

INT32 = "allotment_conformance.zoo.served:Mutant?name=int32-ledger"
NO_ROLLBACK = f"{FEW}&variant=no rollback"
RUN_MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"
TELL_SOON = "from allotment_conformance.report import progress; progress.SECONDS_BETWEEN_LINES = .1"
"""Before the run: it tells of its progress ten times a second."""

ALLOCATORS = '''"""Allocators that leave the straight path."""

from pathlib import Path
from time import sleep

from allotment_conformance.zoo.variants import Served


class Few(Served):
    """Right, and without features: it is asked a hundred directed cases."""

    def __init__(self):
        super().__init__(features="")


class Slow(Few):
    """Stops for a while in its hundredth case."""

    cases = 0

    def run(self, case):
        self.cases += 1
        if self.cases == 100:
            print("waiting", flush=True)
            for _ in range(1200):  # A signal just before a sleep is seen after it.
                sleep(0.05)
        return super().run(case)


class SlowToStart(Few):
    """Takes a second until it says what it declares."""

    def start(self):
        print("starting", flush=True)
        for _ in range(20):
            sleep(0.05)
        return super().start()


class Breaking(Few):
    """Cannot take a withdrawal."""

    def run(self, case):
        if any(event["event"] == "withdraw" for event in case["events"]):
            raise ZeroDivisionError("nobody withdraws")
        return super().run(case)


class Moody(Few):
    """Gives one wrong answer, once, in whatever process."""

    given = Path(__file__).with_suffix(".given")

    def run(self, case):
        answers = super().run(case)
        if not self.given.exists():
            self.given.touch()
            answers[-1] = {"answer": "refused", "code": "counts"}
        return answers


class Silent(Few):
    """Declares nothing."""

    def start(self):
        return {}
'''


def run(*words: str) -> int:
    return main(["verify", *words])


@pytest.fixture
def allocators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The name of a module with the allocators above."""
    (tmp_path / "odd_allocators.py").write_text(ALLOCATORS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    monkeypatch.delitem(sys.modules, "odd_allocators", raising=False)
    return "odd_allocators"


@pytest.fixture
def written(tmp_path: Path) -> Path:
    """The folder in which counterexamples are written."""
    return tmp_path / "found"


def only(folder: Path) -> Path:
    """The one counterexample of a folder."""
    [place] = folder.iterdir()
    return place


def case_in(folder: Path) -> dict[str, Any]:
    """The case of the only counterexample of a folder."""
    return recorded(only(folder) / "case.json")


@pytest.mark.parametrize("adapter", [MODEL, DEFAULT_ADAPTER])
def test_right_allocator_exits_0_and_json_tells_what_the_table_tells(
    adapter: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    assert 0 == run(adapter, "--cases", "60", "--processes", "1", "--json", str(path))
    printed = capsys.readouterr().out
    assert "HOLDS: " in printed
    assert "broken" not in printed
    for clause in CLAUSES:
        assert f"\n{clause.id} " in printed
    result = recorded(path)
    assert result["canary"]["alive"]
    assert ("done", 0, None) == (
        result["end"],
        result["exit_status"],
        next(iter(result["counterexamples"]), None),
    )
    assert [clause.id for clause in CLAUSES] == [row["id"] for row in result["clauses"]]
    verdicts = {row["id"]: row["verdict"] for row in result["clauses"]}
    assert ("holds", "not claimed", "not checked here") == (
        verdicts["PLAN-1"],
        verdicts["PLAN-11"],
        verdicts["UNDO-2"],
    )
    for row in result["clauses"]:
        assert 0 <= row["exercised"] <= row["probed"]
        assert row["exercised"] or row["verdict"] != "holds"
    assert 60 < result["counts"]["cases"]


def test_wrong_allocator_exits_1_with_a_case(
    written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [NO_ROLLBACK, "--cases", "0", "--counterexamples", str(written), "--failures", "1"]
    assert 1 == run(*words, "--processes", "1")
    printed = capsys.readouterr().out
    assert "UNDO-1" in printed
    assert "job j is dispatched: 2 slots on C, 1 slot on A, 1 slot on B" in printed
    assert f"allotment replay {only(written)} '{NO_ROLLBACK}'" in printed
    assert 2 == len(case_in(written)["events"])


def test_failures_beyond_those_made_small_are_told_in_a_line_each(
    tmp_path: Path, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "result.json"
    words = ["--cases", "0", "--json", str(path), "--counterexamples", str(written)]
    assert 1 == run(INT32, *words, "--failures", "1", "--processes", "1")
    printed = capsys.readouterr().out
    result = recorded(path)
    [shown] = result["counterexamples"]
    others = result["not_made_small"]
    assert others
    assert len(others) + 1 == len({shown["signature"], *(one["signature"] for one in others)})
    for one in others:
        told = f"not made small: {one['signature']}, perhaps {one['clause']}; {one['origin']}"
        assert told in printed


def test_written_case_is_run_again(
    written: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--counterexamples", str(written), "--processes", "1", "--failures", "1"]
    assert 1 == run(NO_ROLLBACK, "--cases", "0", *words)
    capsys.readouterr()
    again = ["--case", str(only(written) / "case.json"), "--json", str(tmp_path / "again.json")]
    assert 1 == run(NO_ROLLBACK, *again)
    assert "job j is pending: capacity, never placeable" in capsys.readouterr().out
    result = recorded(tmp_path / "again.json")
    assert ("stopped at a disagreement", 1) == (result["end"], result["exit_status"])
    assert result["counterexample"] is not None
    assert 0 == run(FEW, *again)
    assert "The allocator agrees on this case.\n" == capsys.readouterr().out
    result = recorded(tmp_path / "again.json")
    assert ("done", 0) == (result["end"], result["exit_status"])
    assert result["counterexample"] is None


def test_spent_budget_exits_3(capsys: pytest.CaptureFixture[str]) -> None:
    assert 3 == run(MODEL, "--budget", "0", "--processes", "1")
    assert "INCOMPLETE, the budget was spent" in capsys.readouterr().out


@pytest.mark.parametrize(
    "words",
    [
        ["nothing"],
        ["no_such_module:Adapter"],
        [f"{MODEL}?variant=no such fault"],
        [f"{MODEL}?cache=large"],
        [f"{MODEL}?features=wings"],
        [f"{MODEL}?colour=red"],
        [MODEL, "--cases", "-1"],
        [MODEL, "--seed", "one"],
        [MODEL, "--processes", "-1"],
        [MODEL, "--soak", "0"],
        [MODEL, "--json", "no/such/folder/file.json"],
        [MODEL, "--ndjson", "no/such/folder/file.ndjson"],
        [MODEL, "--case", "no-such-file.json"],
        [MODEL, "--case", "case.json", "--soak", "10"],
        [MODEL, "--cases", "20000", "--soak", "10"],
        [MODEL, "--json", "same.json", "--ndjson", "same.json"],
        [MODEL, "--case", "case.json", "--ndjson", "run.ndjson"],
    ],
    ids=" ".join,
)
def test_bad_input_exits_2(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run(*words)
    said = capsys.readouterr()
    assert ("", True) == (said.out, bool(said.err))


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"events": []}', '{"events": 1.5}'])
def test_file_without_a_case_exits_2(
    text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "case.json").write_text(text, encoding="utf-8")
    assert 2 == run(MODEL, "--case", str(tmp_path / "case.json"))
    assert "case" in capsys.readouterr().err


def recorded(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_json_holds_the_counterexample(tmp_path: Path, written: Path) -> None:
    path = tmp_path / "result.json"
    words = ["--cases", "0", "--json", str(path), "--counterexamples", str(written)]
    assert 1 == run(NO_ROLLBACK, *words, "--processes", "1")
    shown = recorded(path)["counterexamples"]
    cases = [recorded(place / "case.json") for place in written.iterdir()]
    assert sorted(map(repr, cases)) == sorted(repr(one["case"]) for one in shown)
    assert 1 <= len(shown) <= 3
    assert len(shown) == len({one["signature"] for one in shown})
    shown = shown[0]
    assert ["UNDO-1"] == shown["diagnosis"]["clauses"]
    assert shown["expected"] != shown["actual"]


def test_result_does_not_depend_on_processes(tmp_path: Path) -> None:
    results = []
    for processes in ("1", "2"):
        path = tmp_path / f"{processes}.json"
        words = ["--cases", "150", "--json", str(path), "--processes", processes]
        assert 0 == run(f"{MODEL}?features=compound,cancel,events,books", *words)
        result = recorded(path)
        results.append((result["counts"], result["clauses"]))
    assert results[0] == results[1]


def test_crash_is_a_disagreement(
    allocators: str, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"{allocators}:Breaking", "--cases", "0", "--counterexamples", str(written)]
    assert 1 == run(*words, "--processes", "1")
    printed = capsys.readouterr().out
    assert "ZeroDivisionError: nobody withdraws" in printed
    assert ["withdraw"] == [event["event"] for event in case_in(written)["events"]]


def test_answer_that_does_not_come_again_is_told(
    allocators: str, written: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [f"{allocators}:Moody", "--cases", "0", "--counterexamples", str(written)]
    assert 1 == run(*words, "--processes", "1")
    assert "Asked again, it did not fail in this way." in capsys.readouterr().out


def test_bad_profile_exits_2(allocators: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run(f"{allocators}:Silent")
    assert "not a profile" in capsys.readouterr().err


NEEDS_RUSAGE = f"{DEFAULT_ADAPTER}?features=shared"


@pytest.mark.parametrize(
    "words",
    [
        ["verify", NEEDS_RUSAGE],
        ["verify", NEEDS_RUSAGE, "--soak", "10"],
        ["exhaust", NEEDS_RUSAGE],
        ["simulate", "sample", "--hosts", "5x3", "--adapter", NEEDS_RUSAGE],
        ["gap", "5x3", "sample", "--adapter", NEEDS_RUSAGE],
    ],
    ids=["verify", "soak", "exhaust", "simulate", "gap"],
)
def test_profile_that_contradicts_itself_exits_2(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(words)
    assert "feature 'shared' cannot be asked for without 'rusage'" in capsys.readouterr().err


def test_interrupt_exits_130_with_the_partial_table(allocators: str) -> None:
    words = [f"{allocators}:Slow", "--processes", "1"]
    with subprocess.Popen(
        [sys.executable, "-c", RUN_MAIN, "verify", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert "waiting\n" == process.stdout.readline()
        process.send_signal(signal.SIGINT)
        printed, errors = process.communicate(timeout=30)
    assert 130 == process.returncode
    assert "INCOMPLETE, interrupted" in printed
    assert "\nPLAN-1 " in printed
    assert "unbroken so far" in printed
    assert "holds" not in {line.split()[-1] for line in printed.splitlines() if line.strip()}
    assert "Traceback" not in errors


def is_interrupted(*words: str, after: int) -> None:
    """A verification whose processes all hear Ctrl-C, after so many cases or events, ends well."""
    with subprocess.Popen(
        [sys.executable, "-c", f"{TELL_SOON}; {RUN_MAIN}", "verify", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stderr is not None
        told = 0
        while told < after:
            line = process.stderr.readline()
            progress = re.match(r"verify: +\d+%, ([\d,]+) (cases|events)", line)
            assert progress is not None, line
            told = int(progress[1].replace(",", ""))
        os.killpg(process.pid, signal.SIGINT)
        printed, errors = process.communicate(timeout=60)
    assert 130 == process.returncode
    assert "INCOMPLETE, interrupted" in printed
    assert "Traceback" not in errors


def test_interrupt_reaches_all_processes() -> None:
    is_interrupted(FEW, "--cases", "100000", "--processes", "2", after=100)


def test_soak_that_is_interrupted_before_it_begins_ends_well(allocators: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", RUN_MAIN, "verify", f"{allocators}:SlowToStart", "--soak", "1000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        assert "starting\n" == process.stdout.readline()
        os.killpg(process.pid, signal.SIGINT)
        printed, errors = process.communicate(timeout=60)
    assert (130, "") == (process.returncode, errors)
    assert "INCOMPLETE, interrupted" in printed


def test_interrupted_soak_tells_what_was_done(tmp_path: Path) -> None:
    is_interrupted(MODEL, "--soak", "10000000", "--json", str(tmp_path / "out.json"), after=500)
    assert 100 < recorded(tmp_path / "out.json")["counts"]["decisions"]


def test_soak_accounts_for_every_job(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "soak.json"
    assert 0 == run(DEFAULT_ADAPTER, "--soak", "1500", "--json", str(path))
    printed = capsys.readouterr().out
    assert printed.endswith("\nHOLDS\n")
    counts = recorded(path)["counts"]
    assert counts["accepted"] == counts["finished"] + counts["withdrawn"]
    assert counts["finished"] > 100
    assert 1500 <= counts["events"]


@pytest.mark.parametrize(
    ("features", "words"), [("books", "every book zero"), ("", "books are not declared")]
)
def test_soak_tells_of_books_only_where_they_are_declared(
    features: str, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == run(f"{MODEL}?features={features}", "--soak", "50")
    assert f"SESSION-4: every job ended, {words}: holds" in capsys.readouterr().out


def test_soak_tells_what_does_not_come_again(
    allocators: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "soak.json"
    assert 1 == run(f"{allocators}:Moody", "--soak", "50", "--json", str(path))
    *_before, verdict, event, expected, actual = capsys.readouterr().out.splitlines()
    assert "It does not come again when the same events are sent again." in verdict
    told = (
        "  event     run the session",
        "  expected  no job is tried",
        "  actual    refused: counts",
    )
    assert told == (event, expected, actual)
    assert {
        "event": {"event": "run_session"},
        "expected": {"answer": "ran", "jobs": []},
        "actual": {"answer": "refused", "code": "counts"},
    } == recorded(path)["difference"]


def test_soak_finds_a_leak(written: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--soak", "500", "--counterexamples", str(written)]
    assert 1 == run(f"{MODEL}?variant=leak at finish", *words)
    assert "SESSION-4" in capsys.readouterr().out
    assert 4 == len(case_in(written)["events"])
