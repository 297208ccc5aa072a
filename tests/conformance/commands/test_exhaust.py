"""`allotment exhaust` at the command line: what it prints, keeps, and how it leaves."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from time import sleep
from typing import Any

import pytest
from msgspec.structs import replace

from allotment_conformance.cli import main
from allotment_conformance.commands import state_file
from allotment_conformance.engines.exhaustive.bounds import SMALL, Scope
from allotment_conformance.engines.exhaustive.recount import recount
from allotment_conformance.runs.exhaustion import (
    FEW_CASES,
    Exhaustion,
    Order,
    SliceTally,
    counts,
)
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

SERVED = Path(__file__).parents[1] / "wire" / "fakes" / "served.py"
MODEL = "allotment_conformance.zoo.variants:Served"
E1 = f"{MODEL}?variant=cache filled inside a compound"
RUN_MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"
KEEP_SOON = f"import {state_file.__name__} as kept; kept.SECONDS_BETWEEN_WRITES = 0; {RUN_MAIN}"
"""A state file is written after each share."""

ALLOCATOR = '''"""An allocator that stops in the middle until it is told to go on."""

from pathlib import Path
from time import sleep

from allotment_conformance.wire.model_adapter import ModelAdapter


class Stopping(ModelAdapter):
    """Waits at its five hundredth case while there is no file `go-on`."""

    cases = 0

    def run(self, case):
        self.cases += 1
        told = Path("go-on")
        if self.cases == 500 and not told.exists():
            print("waiting", flush=True)
            while not told.exists():
                sleep(0.05)
        return super().run(case)
'''

SLOW = '''"""An allocator that takes its time as long as it is told to."""

from pathlib import Path
from time import sleep

from allotment_conformance.wire.model_adapter import ModelAdapter


class Slow(ModelAdapter):
    """Takes some thousandths of a second more for a case while there is a file `slow`."""

    def run(self, case):
        if Path("slow").exists():
            sleep(0.004)
        return super().run(case)
'''

WRONG_PROGRAM = '''"""Serves the model with buckets that ascend."""

import sys

from allotment_conformance.wire.serve import serve
from allotment_conformance.zoo.variants import Served



def say(line):
    sys.stdout.buffer.write(line)
    sys.stdout.buffer.flush()


serve(Served(variant="ascending buckets"), sys.stdin.buffer, say)
'''


def run(*words: str) -> int:
    return main(["exhaust", *words])


def recorded(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder, where counterexamples go."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("adapter", [MODEL, DEFAULT_ADAPTER])
def test_right_allocator_exits_0(adapter: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run(adapter, "--slice", "pools", "--slice", "splits", "--processes", "1")
    printed = capsys.readouterr().out
    assert "HOLDS: all cases of 2 slices, recounted; no disagreement" in printed
    assert "1,512 cases run, 1,512 sessions" in printed


def test_stream_is_reported_as_it_was_printed(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--slice", "pools", "--processes", "1", "--ndjson", "run.ndjson"]
    assert 0 == run(MODEL, *words)
    printed = capsys.readouterr().out
    assert 0 == main(["report", "run.ndjson"])
    assert printed.startswith(capsys.readouterr().out)


def test_built_in_allocator_is_asked_if_none_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run("--slice", "count pairs")
    assert "allotment-indexed" in capsys.readouterr().out


def test_program_is_asked_like_any_allocator(capsys: pytest.CaptureFixture[str]) -> None:
    oracle = [sys.executable, "-c", RUN_MAIN, "oracle"]
    assert 0 == run("--slice", "count pairs", "--", *oracle)
    assert "220 cases run" in capsys.readouterr().out


@pytest.mark.parametrize("processes", ["0", "2"])
def test_program_that_ends_badly_behind_its_cases_is_told(
    processes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    served = [sys.executable, str(SERVED), json.dumps({"end": "stop-status"})]
    words = ["--slice", "splits", "--processes", processes, "--json", "result.json"]
    assert 1 == run(*words, "--", *served)
    printed = capsys.readouterr().out
    assert "at the end: crash: after `stop` it ended with status 6" in printed
    assert "FAILS: the program does not end well; no disagreement" in printed
    assert "crash" == recorded(Path("result.json"))["stop_failure"]["outcome"]


def test_wrong_program_is_shown_by_its_smallest_case(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "wrong.py").write_text(WRONG_PROGRAM, encoding="utf-8")
    program = [sys.executable, "wrong.py"]
    assert 1 == run("--slice", "splits", "--", *program)
    printed = capsys.readouterr().out
    assert "smallest in its slice 'splits'" in printed
    [place] = (folder / "counterexamples").iterdir()
    assert f"allotment replay counterexamples/{place.name} -- " in printed
    assert 1 == main(["replay", str(place), "--", *program])


def is_smallest(folder: Path, printed: str, result: dict[str, Any]) -> None:
    """What a run says of the first difference, shows of it, and keeps."""
    assert "smallest in its slice 'compounds'. None of the 135 cases before it" in printed
    assert "11 of them come from it by deleting and lowering" in printed
    assert "CACHE-3" in printed
    [place] = (folder / "counterexamples").iterdir()
    case = recorded(place / "case.json")
    assert [{"name": "A", "capacity": {"slots": 1}}] == case["cluster"]["hosts"]
    assert 2 == sum(event["event"] == "submit" for event in case["events"])
    assert case == result["counterexample"]["case"]
    assert {"slice": "compounds", "before": 135, "below": 11, "not_asked": 0} == result["smallest"]
    assert 136 == result["slices"][0]["counts"]["run"]


def test_difference_is_smallest_and_does_not_depend_on_processes(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = []
    for processes in ("1", "2"):
        words = ["--slice", "compounds", "--processes", processes, "--ndjson", "run.ndjson"]
        assert 1 == run(E1, *words, "--json", f"{processes}.json")
        printed = capsys.readouterr().out
        assert 1 == main(["report", "run.ndjson"])
        assert printed.startswith(capsys.readouterr().out)
        result = recorded(folder / f"{processes}.json")
        is_smallest(folder, printed, result)
        results.append([result[name] for name in ("slices", "smallest", "counterexample")])
    assert results[0] == results[1]
    [place] = (folder / "counterexamples").iterdir()
    assert 1 == main(["replay", str(place), E1])


def test_result_does_not_depend_on_processes(folder: Path) -> None:
    results = []
    for processes in ("1", "2"):
        words = ["--slice", "words", "--slice", "count pairs", "--slice", "refusals"]
        assert 0 == run(MODEL, *words, "--processes", processes, "--json", f"{processes}.json")
        results.append(recorded(folder / f"{processes}.json")["slices"])
    assert results[0] == results[1]
    # With fewer there is only one process, whatever is asked for.
    assert FEW_CASES < sum(one["counts"]["run"] for one in results[0])


def test_profile_keeps_cases_away(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    adapter = f"{DEFAULT_ADAPTER}?features=compound,books"
    assert 0 == run(adapter, "--slice", "compounds", "--slice", "selects", "--json", "r.json")
    compounds, selects = recorded(folder / "r.json")["slices"]
    assert 0 < compounds["counts"]["unclaimed"] < compounds["counts"]["run"] * 10
    assert (9 + 3) // 2 == selects["counts"]["run"], "those without a select"
    assert "cases outside the profile" in capsys.readouterr().out


class OfTwoTasks(ModelAdapter):
    """Takes jobs of up to two tasks, as it declares."""

    def __init__(self) -> None:
        largest = replace(MODEL_PROFILE.largest, tasks=2)
        super().__init__(profile=replace(MODEL_PROFILE, largest=largest))

    def run(self, case: Json) -> list[Json]:
        asked = [event["job"] for event in case["events"] if event["event"] == "submit"]
        assert all(part["tasks"]["max"] <= 2 for job in asked for part in job["request"][0])
        return super().run(case)


def test_case_larger_than_the_profile_is_not_asked(folder: Path) -> None:
    adapter = f"{__name__}:{OfTwoTasks.__name__}"
    assert 0 == run(adapter, "--slice", "splits", "--processes", "0", "--json", "r.json")
    [splits] = recorded(folder / "r.json")["slices"]
    assert 0 < splits["counts"]["run"] < splits["counts"]["unclaimed"]


def test_list_tells_of_each_slice(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == run("--list")
    printed = capsys.readouterr().out
    for bounds in SMALL:
        assert f"{bounds.slice}: " in printed
        assert f"  {recount(bounds).cases:,} cases" in printed
    assert "cache filled inside a compound" in printed


@pytest.mark.parametrize(
    "words",
    [
        ["no_such_module:Adapter"],
        [MODEL, "--scope", "huge"],
        [MODEL, "--slice", "nothing"],
        [MODEL, "--processes", "-1"],
        [MODEL, "--json", "no/such/folder/file.json"],
        [MODEL, "--resume", "no/such/folder/file.json"],
        [MODEL, "--resume", "empty.json"],
        [MODEL, "--resume", "other.json"],
    ],
    ids=" ".join,
)
def test_bad_input_exits_2(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "empty.json").touch()
    (folder / "other.json").write_text("[1]", encoding="utf-8")
    assert 2 == run(*words)
    said = capsys.readouterr()
    assert ("", True) == (said.out, bool(said.err))


def interrupted(folder: Path) -> str:
    """The name of an allocator whose first run was cut short; `state.json` tells how far it was."""
    (folder / "stopping.py").write_text(ALLOCATOR, encoding="utf-8")
    adapter = "stopping:Stopping"
    words = ["exhaust", adapter, "--processes", "1", "--resume", "state.json"]
    with subprocess.Popen(
        [sys.executable, "-c", RUN_MAIN, *words, "--slice", "splits", "--slice", "pools"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([".", *filter(None, sys.path)])},
    ) as process:
        assert process.stdout is not None
        assert "waiting\n" == process.stdout.readline()
        before = (folder / "state.json").stat().st_ino
        process.send_signal(signal.SIGINT)
        while before == (folder / "state.json").stat().st_ino and process.poll() is None:
            sleep(0.05)  # It is written anew when the run is cut, before its processes end.
        (folder / "go-on").touch()
        printed, errors = process.communicate(timeout=60)
    assert 130 == process.returncode
    assert "INCOMPLETE, interrupted: no disagreement so far" in printed
    assert "Traceback" not in errors
    return adapter


def test_interrupted_run_is_continued(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    adapter = interrupted(folder)
    monkeypatch.syspath_prepend(folder)
    kept = recorded(folder / "state.json")
    assert [400, 0] == [one["run"] for one in kept["done"]]
    both = ["--slice", "splits", "--slice", "pools", "--processes", "1"]
    assert 2 == run(adapter, "--slice", "pools", "--resume", "state.json"), "another run"
    assert 0 == run(adapter, *both, "--resume", "state.json", "--json", "continued.json")
    assert 0 == run(adapter, *both, "--json", "whole.json")
    continued, whole = (recorded(folder / f"{name}.json") for name in ("continued", "whole"))
    assert whole["slices"] == continued["slices"]
    assert not (folder / "state.json").exists()


COUNTS = counts(SliceTally(bounds=SMALL[0]))


@pytest.mark.parametrize(
    "done",
    [
        [],
        [{**COUNTS, "finished": True}] * 2,
        [{**COUNTS}],
        [1],
        [{**COUNTS, "finished": False, "cases": -1}],
        [{**COUNTS, "finished": False, "cases": "1"}],
    ],
    ids=["no-slice", "two-slices", "not-finished", "number", "negative", "word"],
)
def test_state_that_is_none_is_refused(done: list[Any], folder: Path) -> None:
    order = Order(adapter=MODEL, scope=Scope.SMALL, slices=SMALL[:1])
    slices = [SliceTally(bounds=bounds) for bounds in order.slices]
    state = Exhaustion(order=order, profile=MODEL_PROFILE, slices=slices)
    file = state_file.StateFile(folder / "state.json")
    file.keep(state, at_once=True)
    damaged = json.dumps({**recorded(file.path), "done": done})
    file.path.write_text(damaged, encoding="utf-8")
    with pytest.raises(state_file.OtherRun, match="it is no such file"):
        file.recall(state)
    assert damaged == file.path.read_text(encoding="utf-8")


def test_killed_run_is_continued(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "slow_allocator.py").write_text(SLOW, encoding="utf-8")
    (folder / "slow").touch()
    monkeypatch.syspath_prepend(folder)
    words = ["slow_allocator:Slow", "--slice", "splits", "--slice", "counts", "--processes", "2"]
    with subprocess.Popen(
        [sys.executable, "-c", KEEP_SOON, "exhaust", *words, "--resume", "state.json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        while not (folder / "state.json").exists() or not done(folder):
            assert process.poll() is None, "it is killed before it comes to its end"
            sleep(0.05)
        process.kill()
        process.communicate(timeout=60)
    (folder / "slow").unlink()
    assert no_process_of(process.pid)
    kept = done(folder)
    assert 0 == run(*words, "--resume", "state.json", "--json", "continued.json")
    assert 0 == run(*words, "--json", "whole.json")
    continued, whole = (recorded(folder / f"{name}.json") for name in ("continued", "whole"))
    assert whole["slices"] == continued["slices"]
    assert 0 < kept < sum(one["counts"]["run"] for one in whole["slices"])


def done(folder: Path) -> int:
    """How many cases a state file says were run."""
    return sum(one["run"] for one in recorded(folder / "state.json")["done"])


def no_process_of(session: int) -> bool:
    """Whether all processes of a session end within some seconds."""
    for _attempt in range(200):
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return True
        sleep(0.05)
    return False
