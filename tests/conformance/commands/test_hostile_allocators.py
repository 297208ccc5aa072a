"""Allocators that hang, end their process, or meddle with what they are given.

Runs of what hangs wait and do next to nothing, so they are begun first, each in a process of its
own, and looked at last.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.cli import main
from allotment_conformance.report.summary import read

# One worker begins the runs that wait.
pytestmark = pytest.mark.xdist_group("hostile")

ALLOCATORS = '''"""Allocators that do what an allocator should not."""

import ctypes
import os
from time import sleep

from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.variants import Served

FIVE = 5


def is_meant(case):
    """Whether this is one of the few cases that end badly."""
    return len(case.get("cluster", {}).get("hosts", [])) >= FIVE


class Few(Served):
    """Declares no features: it is asked a hundred directed cases instead of eight hundred."""

    def __init__(self):
        super().__init__(features="")


class Hanging(Few):
    cases = 0

    def run(self, case):
        self.cases += 1
        while self.cases == 10:
            sleep(0.1)
        return super().run(case)


class Ending(Few):
    def run(self, case):
        if is_meant(case):
            os._exit(0)
        return super().run(case)


class Faulting(Few):
    def run(self, case):
        if is_meant(case):
            ctypes.string_at(0)
        return super().run(case)


class EndingSecond(Few):
    """Ends its process at the second case that withdraws a job."""

    cases = 0

    def run(self, case):
        self.cases += any(event["event"] == "withdraw" for event in case["events"])
        if self.cases == 2:
            os._exit(7)
        return super().run(case)


class EndingOnce(Few):
    """Ends its process at the third case; once, since it leaves a mark."""

    cases = 0

    def run(self, case):
        self.cases += 1
        if self.cases == 3 and not os.path.exists("mark"):
            open("mark", "w").close()
            os._exit(7)
        return super().run(case)


class EndingAtStart(Few):
    def start(self):
        os._exit(7)


class HangingAtStart(Few):
    def start(self):
        sleep(600)


class Meddling(Few):
    def run(self, case):
        answers = super().run(case)
        for event in case["events"]:
            event.clear()
        case.clear()
        return answers


class Tired(Few):
    """Wrong in its twentieth case; hangs when it is asked that one again."""

    cases = 0
    wrong = None

    def run(self, case):
        self.cases += 1
        while case == self.wrong:
            sleep(0.1)
        answers = super().run(case)
        if self.cases == 20:
            self.wrong = case
            answers[0] = {"answer": "refused", "code": "not-running"}
        return answers


class WrongLater(Few):
    """Wrong in its third case, and from then on."""

    cases = 0

    def run(self, case):
        self.cases += 1
        answers = super().run(case)
        if self.cases >= 3:
            answers[0] = {"answer": "refused", "code": "not-running"}
        return answers


class Lazy(Few):
    def run(self, case):
        return (answer for answer in super().run(case))


class Leaking(ModelAdapter):
    kept = []

    def run(self, case):
        self.kept.append(bytearray(os.urandom(100_000)))
        return super().run(case)


class Forgetful(ModelAdapter):
    """Cannot go on with the scheduler of the case before."""

    def run(self, case):
        assert "cluster" in case, "where is the cluster?"
        return super().run(case)


class EndingInTheMiddle(ModelAdapter):
    def run(self, case):
        if any(event.get("job") == "j60" for event in case["events"]):
            os._exit(0)
        return super().run(case)
'''
MODULE = "hostile_allocators"

RUN_MAIN = """
import sys
from pathlib import Path
from time import monotonic

from allotment_conformance.cli import main
from allotment_conformance.report import progress

progress.SECONDS_BETWEEN_LINES = 0.0
start = monotonic()
status = main()
Path("seconds").write_text(str(monotonic() - start))
sys.exit(status)
"""
"""The command; it tells of its progress at once, and leaves how many seconds it has taken."""

WAITING = {
    "one process": ["Hanging", "--budget", "8", "--processes", "1", "--json", "out.json"],
    "two processes": ["Hanging", "--budget", "8", "--processes", "2", "--json", "out.json"],
    "at the start": ["HangingAtStart", "--budget", "1"],
    "made small": ["Tired", "--cases", "0", "--budget", "8", "--processes", "1"],
    "soak": ["Hanging", "--soak", "1000000", "--budget", "8"],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """A run of what hangs: its process, and the folder that it runs in."""

    process: "subprocess.Popen[str]"
    folder: Path

    def ended(self) -> tuple[int, str, str]:
        """Its status, and what it printed on both streams, once it has ended by itself."""
        out, err = self.process.communicate()
        return self.process.returncode, out, err

    @property
    def seconds(self) -> float:
        """How long it took."""
        return float((self.folder / "seconds").read_text())


@pytest.fixture(scope="module", autouse=True)
def waiting(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mapping[str, Waiting]]:
    """The runs of what hangs, which wait while the other tests are run."""
    modules = tmp_path_factory.mktemp("modules")
    (modules / f"{MODULE}.py").write_text(ALLOCATORS, encoding="utf-8")
    path = os.pathsep.join([str(modules), *filter(None, sys.path)])
    begun = {}
    with ExitStack() as processes:
        for name, (allocator, *words) in WAITING.items():
            folder = tmp_path_factory.mktemp("waiting")
            process = subprocess.Popen(
                [sys.executable, "-c", RUN_MAIN, "verify", f"{MODULE}:{allocator}", *words],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": path},
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            begun[name] = Waiting(process=processes.enter_context(process), folder=folder)
        yield begun
        for one in begun.values():
            one.process.kill()  # Nothing happens to one that was waited for.


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the allocators are, and what is written."""
    (tmp_path / f"{MODULE}.py").write_text(ALLOCATORS, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(path for path in sys.path if path))
    monkeypatch.delitem(sys.modules, MODULE, raising=False)
    return tmp_path


def run(allocator: str, *words: str) -> int:
    return main(["verify", f"{MODULE}:{allocator}", *words])


def recorded(name: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(Path(name).read_text(encoding="utf-8"))
    return found


@pytest.mark.parametrize("processes", ["1", "2"])
@pytest.mark.parametrize(
    ("allocator", "words"),
    [("Ending", "it ended with status 0"), ("Faulting", "it was ended by SIGSEGV")],
)
def test_end_of_the_process_is_a_crash_at_a_case(
    allocator: str, words: str, processes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == run(allocator, "--cases", "500", "--processes", processes, "--json", "out.json")
    printed = capsys.readouterr().out
    place_of_it = "directed case 'thousandth-host'"
    assert f"CRASH: the allocator ended its process at {place_of_it}: {words}" in printed
    assert "\nPLAN-1 " in printed
    assert "Asked again" not in printed
    ended = recorded("out.json")["ended"]
    [place] = Path("counterexamples").iterdir()
    assert recorded(f"{place}/case.json") == ended["case"]
    assert 1 == run(allocator, "--case", f"{place}/case.json", "--json", "again.json")
    assert 1 == main(["replay", str(place)])
    assert words == recorded("again.json")["words"]


def test_crash_after_other_cases_is_kept_with_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == run("EndingSecond", "--cases", "0", "--processes", "1")
    printed = capsys.readouterr().out
    assert "CRASH: the allocator ended its process at directed case '" in printed
    assert "it ended with status 7" in printed
    assert "Fails only after 1 other case, asked before it" in printed
    [place] = Path("counterexamples").iterdir()
    assert 1 == len(json.loads((place / "before.json").read_text()))
    assert 1 == main(["replay", str(place)])


def test_end_at_the_start_is_an_error_of_a_replay(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == run("Ending", "--cases", "0", "--failures", "1")
    [place] = Path("counterexamples").iterdir()
    capsys.readouterr()
    assert 2 == main(["replay", str(place), f"{MODULE}:EndingAtStart"])
    assert capsys.readouterr().out.startswith("ERROR: ")


def test_crash_that_does_not_come_again_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == run("EndingOnce", "--cases", "0", "--processes", "1")
    printed = capsys.readouterr().out
    assert "It did not end its process again, alone or behind some of the last 2 cases" in printed
    assert "Only this case is kept, not those that its process was asked before." in printed
    [place] = Path("counterexamples").iterdir()
    assert not (place / "before.json").exists()


def test_end_at_the_start_exits_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == run("EndingAtStart")
    assert "does not start: it ended with status 7" in capsys.readouterr().err


def test_case_belongs_to_the_allocator() -> None:
    assert 0 == run("Meddling", "--cases", "60", "--processes", "0")


@pytest.mark.parametrize("processes", ["0", "1"])
def test_answers_that_are_no_json_are_malformed(
    processes: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == run("Lazy", "--cases", "0", "--processes", processes)
    assert "generator instead of a list of answers" in capsys.readouterr().out


def test_soak_tells_a_leak(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == run("Leaking", "--soak", "3000")
    printed = capsys.readouterr().out
    assert "MiB is flat: broken" in printed
    assert printed.endswith("\nBROKEN\n")


def test_soak_keeps_a_case_in_parts(capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == run("Forgetful", "--soak", "100")
    assert "1 in a case that goes on, without `cluster`: " in capsys.readouterr().out
    [place] = Path("counterexamples").iterdir()
    assert 1 == len(recorded(f"{place}/case.json")["events"])
    assert not (place / "before.json").exists()


def test_crash_in_a_soak_exits_1_and_keeps_the_case(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--soak", "2000", "--json", "out.json", "--ndjson", "run.ndjson"]
    assert 1 == run("EndingInTheMiddle", *words)
    [told] = read(BytesIO(Path("run.ndjson").read_bytes()), "run.ndjson").unanswered
    assert "crash" == told.outcome
    printed = capsys.readouterr().out
    assert "CRASH: the allocator ended its process after " in printed
    assert "No case is kept" not in printed
    assert 100 < recorded("out.json")["counts"]["events"] < 2000
    [place] = Path("counterexamples").iterdir()
    [event] = recorded(f"{place}/case.json")["events"]
    assert "j60" == event["job"]


def test_crash_in_the_small_world_exits_1(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--slice", "splits", "--counterexamples", "found", "--ndjson", "run.ndjson"]
    source = Path(f"{MODULE}.py")
    source.write_text(source.read_text().replace("FIVE = 5", "FIVE = 2"), encoding="utf-8")
    assert 1 == main(["exhaust", f"{MODULE}:Ending", *words])
    assert "CRASH: the allocator ended its process in slice 'splits'" in capsys.readouterr().out
    [place] = Path("found").iterdir()
    case = recorded(f"{place}/case.json")
    assert 2 == len(case["cluster"]["hosts"])
    told = read(BytesIO(Path("run.ndjson").read_bytes()), "run.ndjson")
    assert [("crash", case)] == [(one.outcome, one.case) for one in told.unanswered]
    assert [(case, str(place))] == [(one.case, one.place) for one in told.found]


def test_difference_after_other_cases_of_the_small_world_comes_with_them(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words = ["--slice", "splits", "--processes", "1"]
    assert 1 == main(["exhaust", f"{MODULE}:WrongLater", *words])
    printed = capsys.readouterr().out
    assert "DISAGREEMENT that comes only after 2 other cases\n" in printed
    assert "Fails only after 2 other cases, asked before it" in printed
    [place] = Path("counterexamples").iterdir()
    assert 2 == len(json.loads((place / "before.json").read_text()))
    assert 1 == main(["replay", str(place)])


@pytest.mark.parametrize("name", ["one process", "two processes"])
def test_hang_is_told_while_it_lasts_and_cut_by_the_budget(
    name: str, waiting: Mapping[str, Waiting]
) -> None:
    status, out, err = waiting[name].ended()
    assert 3 == status
    assert 8 <= waiting[name].seconds < 14
    at_hand = recorded(waiting[name].folder / "out.json")["at_hand"]
    assert at_hand["origin"].startswith("directed case '")
    assert {"cluster", "events", "report"} == set(at_hand["case"])
    told = "INCOMPLETE, the budget was spent: no disagreement so far"
    assert f"{told}, {at_hand['origin']} has run for " in out
    assert "has run for 2 s" in err


def test_hang_at_the_start_exits_2(waiting: Mapping[str, Waiting]) -> None:
    status, _out, err = waiting["at the start"].ended()
    assert 2 == status
    assert waiting["at the start"].seconds < 12
    assert "does not start: it is not ready after" in err


def test_hang_at_a_smaller_case_leaves_the_case_as_it_was_found(
    waiting: Mapping[str, Waiting],
) -> None:
    status, out, _err = waiting["made small"].ended()
    assert 1 == status
    assert "not made small: the budget was spent" in out
    [place] = (waiting["made small"].folder / "counterexamples").iterdir()
    assert recorded(place / "case.json")["events"]


def test_soak_ends_with_its_budget(waiting: Mapping[str, Waiting]) -> None:
    status, out, _err = waiting["soak"].ended()
    assert 3 == status
    assert "the session after these events has run for " in out
