"""`allotment check` at the command line: what it prints, writes, and how it leaves."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from allotment_conformance.cli import main
from allotment_conformance.counterexample import predecessors
from allotment_conformance.engines.all_directed import ALL_DIRECTED
from allotment_conformance.wire import session_processes
from allotment_conformance.wire.messages import Json, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_model.clauses import CLAUSES

FAKES = Path(__file__).parents[1] / "wire" / "fakes"
ALLOTMENT = [sys.executable, "-c", "from allotment_conformance.cli import main; exit(main())"]
ORACLE = [*ALLOTMENT, "oracle"]
PATIENT = ["--start-timeout", "120", "--answer-timeout", "120", "--stop-timeout", "120"]

MOST_KILLS = 8
"""Each costs a new start, which takes a second on a busy machine."""

SECONDS_OF_SEARCH = 0.2
"""Where a program fails at its hundredth case only, the ninety-nine before it are looked for until
the time is up; that is tested elsewhere."""

Checked = tuple[int, str, dict[str, Any]]
Check = Callable[..., Checked]


def served(*features: str, **told: Any) -> list[str]:
    """The command of a model with a profile or fault, and these features.

    Who declares none is asked a hundred directed cases instead of eight hundred.
    """
    behave = {"features": features, **told.pop("behave", {})}
    return [sys.executable, str(FAKES / "served.py"), json.dumps({**told, "behave": behave})]


def fake(*words: str) -> list[str]:
    """The command of a program that knows no jobs."""
    return [sys.executable, "-I", "-S", str(FAKES / "fake.py"), *words]


@pytest.fixture
def checked(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    probing_once: None,
    judging_once: None,
    canary_once: None,
) -> Check:
    """Runs a check in this process: its status, what it printed, what it wrote."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(predecessors, "SECONDS", SECONDS_OF_SEARCH)

    def run(program: list[str], *options: str, cases: int = 0, processes: int = 1) -> Checked:
        words = ["--cases", str(cases), "--processes", str(processes), "--json", "out.json"]
        status = main(["check", *words, *PATIENT, *options, "--", *program])
        result = json.loads(Path("out.json").read_text())
        assert ("allotment-check/1", status) == (result["format"], result["exit_status"])
        return status, capsys.readouterr().out, result

    return run


def directed_cases(result: dict[str, Any]) -> int:
    """How many of them whoever was checked can be asked."""
    profile = read_profile(result["profile"])
    return sum(one.can_be_asked(profile) for one in ALL_DIRECTED)


def is_reported_as_printed(run: Checked, capsys: pytest.CaptureFixture[str]) -> None:
    """The stream that a check has written makes the report that it has printed."""
    status, printed, result = run
    assert status == main(["report", "run.ndjson"])
    reported = capsys.readouterr().out.partition("\nFound in ")[0].rstrip()
    if result["end"] == "not started":
        assert "NOT STARTED: crash" in reported
        assert "at the start: crash: it ended with status 5" in reported
    else:
        assert printed.startswith(reported)
    assert status == main(["report", "run.ndjson", "--format", "junit"])
    root = ElementTree.fromstring(capsys.readouterr().out)
    assert (status != 0) is ({"0"} != {root.get("failures"), root.get("errors")})


def test_oracle_is_exact(checked: Check, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--validate", "--level", "exact", "--ndjson", "run.ndjson"]
    status, printed, result = checked(ORACLE, *words, cases=200)
    assert (0, 0) == (status, result["exit_status"])
    assert {"asked": "exact", "reached": "exact"} == result["level"]
    assert {"exact": result["counts"]["cases"]} == result["outcomes"]
    assert "HOLDS: level exact" in printed
    assert all(clause.id in printed for clause in CLAUSES)
    assert result["stop_failure"] is None
    is_reported_as_printed((status, printed, result), capsys)


@pytest.mark.parametrize(
    ("program", "options"),
    [
        (fake("stop-ignored", "1", "mark"), ["--stop-timeout", "0.2", "--failures", "1"]),
        (fake("start-exit"), []),
    ],
    ids=["stop", "start"],
)
def test_stream_is_reported_as_it_was_printed(
    checked: Check, program: list[str], options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = checked(program, *options, "--ndjson", "run.ndjson", cases=20)
    is_reported_as_printed(run, capsys)


@pytest.mark.parametrize(
    "axes", [{"host_order": "most_free"}, {"cache": "none"}, {"rusage_default": "host"}]
)
def test_oracle_is_exact_under_other_profiles(checked: Check, axes: dict[str, str]) -> None:
    words = [f"--{axis.replace('_', '-')}={value}" for axis, value in axes.items()]
    words += ["--features", "compound,select,rusage"]
    _status, _printed, result = checked([*ORACLE, *words], "--level", "exact", cases=100)
    assert {"exact": directed_cases(result) + 100} == result["outcomes"]
    assert axes.items() <= result["profile"].items()


def test_oracle_is_exact_with_the_features_that_it_is_told_to_declare(checked: Check) -> None:
    few = "rusage,compound,books"
    _status, _printed, result = checked([*ORACLE, "--features", few], "--level", "exact", cases=50)
    assert {"exact"} == set(result["outcomes"])
    assert few.split(",") == result["profile"]["features"]


def places() -> list[Path]:
    """The counterexamples in the working folder."""
    return sorted(Path("counterexamples").iterdir())


def case_in(place: Path) -> dict[str, Any]:
    case: dict[str, Any] = json.loads((place / "case.json").read_text(encoding="utf-8"))
    return case


def test_violation_is_told_with_a_small_case_that_replays(checked: Check) -> None:
    program = served(variant="exactly enough is not enough")
    status, printed, result = checked(program, "--give-up-after", "5")
    assert 1 == status
    assert result["outcomes"]["violation that is safe"] >= 5
    assert "safety" == result["level"]["reached"]
    assert "WANT-4: exactly enough fits" in printed
    assert "FAILS at level permitted" in printed
    first, *_others = result["counterexamples"]
    [place] = (one for one in places() if case_in(one) == first["case"])
    file = str(place / "case.json")
    assert 1 == main(["check", *PATIENT, "--case", file, "--", *program])
    assert 0 == main(["check", *PATIENT, "--case", file, "--", *ORACLE])
    assert 1 == main(["replay", str(place), "--", *program])
    assert 0 == main(["replay", str(place), "--", *ORACLE])
    again = ["--case", file, "--json", "again.json"]
    assert 0 == main(["check", *PATIENT, *again, "--", *ORACLE])
    assert "done" == json.loads(Path("again.json").read_text())["end"]


def test_balanced_pend_fails_where_any_split_is_declared(checked: Check) -> None:
    axes = {"split": "any"}
    status, printed, result = checked(served(behave=axes, declare=axes), cases=0)
    assert 1 == status
    assert "PLAN-11: any split" in printed
    assert "perhaps broken" == {row["id"]: row["verdict"] for row in result["clauses"]}["PLAN-11"]


def test_safe_violation_passes_at_level_safety(
    checked: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    program = served(variant="exactly enough is not enough")
    words = ["--level", "safety", "--ndjson", "run.ndjson"]
    status, printed, result = checked(program, *words, cases=20)
    assert 0 == status
    assert "SAFE: level safety, " in printed
    assert " cases answered otherwise, 1 clause broken" in printed
    is_reported_as_printed((status, printed, result), capsys)


def test_unsafe_violation_fails_at_every_level(checked: Check) -> None:
    program = served("compound", variant="host debits of the attempt not seen")
    status, printed, result = checked(program, "--level", "safety")
    assert 1 == status
    assert result["outcomes"]["violation that is unsafe"] > 0
    assert "takes more than is free" in printed
    assert "not even safety" in printed


def test_drift_is_named(checked: Check, capsys: pytest.CaptureFixture[str]) -> None:
    program = served(behave={"host_order": "most_free"}, declare={"host_order": "listed"})
    status, printed, result = checked(program, "--ndjson", "run.ndjson", cases=20)
    assert 1 == status
    assert {"exact", "profile drift"} == set(result["outcomes"])
    assert ["host_order: declared listed, observed most_free"] == list(result["drifts"])
    assert "observed most_free" in printed
    is_reported_as_printed((status, printed, result), capsys)


def test_permitted_choices_are_not_exact(checked: Check) -> None:
    program = served(behave={"host_order": "most_free"}, declare={"host_order": "unspecified"})
    status, _printed, result = checked(program, "--level", "exact")
    assert (1, "permitted") == (status, result["level"]["reached"])
    assert {"exact", "permitted"} == set(result["outcomes"])


def test_failures_are_counted_apart_and_the_run_goes_on(
    checked: Check, capsys: pytest.CaptureFixture[str]
) -> None:
    program = served(fault="exit", at=50)
    status, printed, result = checked(program, "--ndjson", "run.ndjson", cases=20)
    outcomes, cases = result["outcomes"], result["counts"]["cases"]
    assert 1 == status
    assert {"exact", "crash"} == set(outcomes)
    assert cases == sum(outcomes.values()) == directed_cases(result) + 20
    assert outcomes["crash"] == result["starts"] - 1 >= 2
    assert "out of luck" == result["failures"][0]["stderr"]
    assert "it ended with status 3" in printed
    verdicts = {one["verdict"] for one in result["clauses"]}
    assert "unbroken so far" in verdicts
    assert "holds" not in verdicts
    is_reported_as_printed((status, printed, result), capsys)


def test_case_at_which_a_program_fails_is_made_small(checked: Check) -> None:
    status, printed, result = checked(served(fault="error", on="withdraw"))
    assert 1 == status
    assert {"exact", "error"} == set(result["outcomes"])
    assert "error: no idea" in printed
    withdrawal = {"event": "withdraw", "job": "j"}
    [failing] = result["failing_cases"]
    assert {"cluster": {"hosts": []}, "events": [withdrawal]} == failing["case"]
    assert [failing["case"]] == list(map(case_in, places()))
    assert "error" == failing["outcome"]


def test_silent_program_is_given_up(checked: Check) -> None:
    program = fake("silence", "1")
    status, printed, result = checked(program, "--answer-timeout", "0.05", "--budget", "3000")
    assert 1 == status
    # How many are told depends on which comes first: ten in all, or a program given up.
    assert 8 <= result["outcomes"]["timeout"] <= 10
    assert "the rest was left out" in printed
    assert "; it answered no case\n" in printed
    assert result["level"]["reached"] is None


@pytest.mark.parametrize("processes", [1, 2])
def test_program_that_does_not_stop_is_told_and_ended(
    checked: Check, tmp_path: Path, processes: int
) -> None:
    program = fake("stop-ignored", "1", str(tmp_path / "mark"))
    options = ["--stop-timeout", "0.2", "--give-up-after", "1"]
    status, printed, result = checked(program, *options, cases=150, processes=processes)
    assert 1 == status
    assert "timeout" == result["stop_failure"]["outcome"]
    assert "at the end: timeout: still running 0.2 s after `stop`" in printed
    if session_processes.ARE_SEEN:
        mark = str(tmp_path / "mark").encode()
        lines = [file.read_bytes() for file in Path("/proc").glob("[0-9]*/cmdline")]
        assert not [line for line in lines if mark in line and b"fake.py" in line.split(b"\0")[3]]


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize(
    ("end", "words"),
    [
        ("stop-status", "crash: after `stop` it ended with status 6"),
        ("stop-output", "protocol error: output after stop: 14 bytes that nobody asked for"),
        ("stop-child", "processes left behind: 1 process that it had started went on"),
    ],
)
def test_program_that_ends_badly_behind_its_cases_is_told(
    checked: Check, end: str, words: str, processes: int
) -> None:
    status, printed, result = checked(served(end=end), cases=150, processes=processes)
    assert 1 == status
    assert {"exact"} == set(result["outcomes"])
    assert f"at the end: {words}" in printed
    assert "FAILS at level permitted: the program does not end well; where it answers" in printed


def test_program_that_does_not_start_is_told(checked: Check) -> None:
    status, printed, result = checked(fake("start-exit"))
    assert 1 == status
    assert "NOT STARTED" in printed
    assert ("crash", "it ended with status 5") == (
        result["failure"]["outcome"],
        result["failure"]["words"],
    )


class Unstartable(ModelAdapter):
    """Does not start, and says so in red."""

    def start(self) -> Json:
        raise RuntimeError("\x1b[31mred")


def test_words_that_steer_a_terminal_are_written_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = ["sh", "-c", r"printf '\033[31mred' >&2; exit 3"]
    case = tmp_path / "case.json"
    case.write_text('{"cluster": {"hosts": []}, "events": []}')
    for words in ([], ["--case", str(case)]):
        assert 1 == main(["check", *PATIENT, *words, "--", *program])
        assert "\x1b" not in capsys.readouterr().out
    words = ["verify", f"{__name__}:{Unstartable.__name__}", "--processes", "0"]
    assert 2 == main(words)
    assert r"RuntimeError: \x1b[31mred" in capsys.readouterr().err


@pytest.mark.parametrize(
    "program", [["no-such-program"], fake("start-profile"), fake("start-unsupported")]
)
def test_what_cannot_be_checked_is_refused(
    program: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(["check", *PATIENT, "--", *program])
    assert capsys.readouterr().err.startswith("allotment: ")


def test_case_file_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "case.json"
    for text in ("[1]", "{", '{"events": 1}'):
        file.write_text(text)
        assert 2 == main(["check", *PATIENT, "--case", str(file), "--", *ORACLE])


@pytest.mark.parametrize("words", [["check"], ["verify"]], ids=" ".join)
def test_case_with_a_folder_for_counterexamples_is_refused(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "case.json").write_text(json.dumps({"cluster": {"hosts": []}, "events": []}))
    options = ["--case", str(tmp_path / "case.json"), "--counterexamples", str(tmp_path / "cx")]
    asked = ["--", *ORACLE] if words == ["check"] else []
    assert 2 == main([*words, *options, *asked])
    assert "--counterexamples keeps what is found, and --case runs" in capsys.readouterr().err
    assert not (tmp_path / "cx").exists()


def test_budget_leaves_an_incomplete_check(checked: Check) -> None:
    status, printed, result = checked(ORACLE, "--budget", "0", cases=5000)
    assert (3, "the budget was spent") == (status, result["end"])
    assert "INCOMPLETE" in printed


def test_clauses_that_were_not_exercised_leave_it_incomplete(checked: Check) -> None:
    smallest = {"tasks": 1, "hosts": 1, "amount": 1}
    program = served(declare={"features": [], "declares": [], "largest": smallest})
    status, printed, _result = checked(program)
    assert 3 == status
    assert "not exercised" in printed


def started(folder: Path, *words: str) -> "subprocess.Popen[str]":
    """A check in a process of its own, which leaves its files in a folder."""
    searching = f"import {predecessors.__name__} as search; search.SECONDS = {SECONDS_OF_SEARCH}"
    python, _c, run_main = ALLOTMENT
    return subprocess.Popen(
        [python, "-c", f"{searching}; {run_main}", "check", *PATIENT, *words],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_interrupted_check_tells_what_was_done(tmp_path: Path) -> None:
    out, mark = tmp_path / "out.json", tmp_path / "mark"
    program = served(*MODEL_PROFILE.features, fault="silence", at=120, mark=str(mark))
    words = ["--cases", "100000", "--processes", "1", "--json", str(out)]
    process = started(tmp_path, *words, "--", *program)
    while not mark.exists() and process.poll() is None:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    printed, errors = process.communicate()
    assert 130 == process.returncode, errors
    assert "INCOMPLETE, interrupted" in printed
    result = json.loads(out.read_text())
    assert ("interrupted", {"exact": 100}) == (result["end"], result["outcomes"])


def programs_of(parent: int) -> list[int]:
    """The allocators that run below a process."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            command = (folder / "cmdline").read_bytes()
            if b"served.py" in command and int(fields[1]) == parent:
                found.append(int(folder.name))
    return found


def has_spoken(pid: int) -> bool:
    """Whether a program has written anything; one that dies before, twice, is given up by design.

    Where that cannot be seen, it has.
    """
    try:
        written = re.search(r"^wchar: (\d+)", Path(f"/proc/{pid}/io").read_text(), re.MULTILINE)
    except OSError:
        return True
    return written is None or int(written[1]) > 0


@pytest.mark.skipif(not session_processes.ARE_SEEN, reason="there is no /proc to see processes in")
def test_killing_the_program_at_any_moment_leaves_a_complete_report(tmp_path: Path) -> None:
    out = tmp_path / "out.json"
    words = ["--cases", "600", "--processes", "1", "--give-up-after", "100000", "--json", str(out)]
    process = started(tmp_path, *words, "--", *served())
    draw, kills = random.Random(7), 0
    while process.poll() is None and kills < MOST_KILLS:
        # The first program is only there to say what it declares, and to be stopped at the end.
        for pid in filter(has_spoken, programs_of(process.pid)[1:]):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                kills += 1
        with suppress(subprocess.TimeoutExpired):
            process.wait(draw.uniform(0.05, 0.25))
    printed, errors = process.communicate()
    result = json.loads(out.read_text())
    assert 1 == process.returncode, errors
    cases = directed_cases(result) + 600
    assert result["counts"]["cases"] == sum(result["outcomes"].values()) == cases
    assert {"exact", "crash"} == set(result["outcomes"])
    assert 1 <= result["outcomes"]["crash"] <= kills
    assert "FAILS at level permitted" in printed


@pytest.mark.parametrize(
    ("told", "where"),
    [
        ({"killed": "line", "at": 50}, "case"),
        ({"killed": "behind", "at": 50}, "case"),
        ({"killed": "stop"}, "stop"),
        ({"killed": "start"}, "start"),
    ],
    ids=["within a line", "between two cases", "at the stop", "at the start"],
)
def test_killed_program_leaves_a_complete_report(
    checked: Check, told: dict[str, Any], where: str
) -> None:
    status, printed, result = checked(served(**told), "--ndjson", "run.ndjson")
    assert 1 == status
    assert "SIGKILL" in printed
    records = [json.loads(line) for line in Path("run.ndjson").read_text().splitlines()]
    assert ("started", "ended", 1) == (
        records[0]["kind"],
        records[-1]["kind"],
        records[-1]["exit_status"],
    )
    failures = [one for one in records if one["kind"] == "failure"]
    assert {(where, "crash")} == {(one["at"], one["outcome"]) for one in failures}
    if where == "start":
        return
    outcomes = Counter[str](result["outcomes"])
    assert result["counts"]["cases"] == outcomes.total() == directed_cases(result)
    assert result["starts"] == 1 + outcomes["crash"]
    if where == "stop":
        assert "FAILS at level permitted: the program does not end well; where" in printed
    assert (where == "case") is (outcomes["crash"] > 0)
    assert sorted(clause.id for clause in CLAUSES) == sorted(row["id"] for row in result["clauses"])
