"""`allotment smoke`: whether a program is alive, and what it declares."""

import json
import sys
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.runs.smoke import smoke
from allotment_conformance.wire.limits import Limits

FAKE = str(Path(__file__).parents[1] / "wire" / "fakes" / "fake.py")
ORACLE = [
    sys.executable,
    "-c",
    "from allotment_conformance.cli import main; exit(main())",
    "oracle",
]


def test_living_program_is_shown_with_its_profile(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["smoke", "--", *ORACLE])
    printed = capsys.readouterr().out
    assert "start: alive" in printed
    assert "host order      listed" in printed
    assert "job j is dispatched: 1 slot on A; accepted; job k is pending: capacity: as" in printed
    assert "stop: ends with status 0" in printed


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("start-exit", "start: crash: it ended with status 5"),
        ("exit", "run: crash: it ended with status 3"),
        ("well", "run: accepted; accepted; accepted; accepted: which is not right"),
        ("stop-status", "stop: crash: after `stop` it ended with status 6"),
    ],
)
def test_what_goes_wrong_is_told(mode: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["smoke", "--", sys.executable, "-I", "-S", FAKE, mode])
    assert told in capsys.readouterr().out


def test_name_that_steers_a_terminal_is_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    served = str(Path(FAKE).with_name("served.py"))
    behaves = json.dumps({"declare": {"name": "\x1b[31mred"}})
    assert 0 == main(["smoke", "--", sys.executable, served, behaves])
    assert r"name            \x1b[31mred" in capsys.readouterr().out


def test_silence_is_told() -> None:
    limits = Limits(answer_seconds=0.1)
    seen = smoke((sys.executable, "-I", "-S", FAKE, "silence"), limits)
    asked = "Does it flush standard output after each line?"
    assert [f"run: timeout: no answer to a case within 0.1 s. {asked}"] == [
        line for line in seen.lines() if line.startswith("run")
    ]


def test_endless_wait_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["smoke", "--answer-timeout", "inf", "--", *ORACLE])
    assert "--answer-timeout" in capsys.readouterr().err


def test_forgotten_flush_is_guessed_within_the_time_that_is_given(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "adapter.py"
    program.write_text(
        "import sys\nout = open(1, 'w')\nfor line in sys.stdin:\n    out.write('{}\\n')\n"
    )
    assert 1 == main(["smoke", "--start-timeout", "0.5", "--", sys.executable, str(program)])
    told = "start: timeout: no answer to `start` within 0.5 s. Does it flush standard output"
    assert told in capsys.readouterr().out


LOOSE = """
import json, sys

PROFILE = {"name": "loose", "version": "1", "features": [], "host_order": "listed",
           "split": "balanced", "cache": "none", "rusage_default": "task", "declares": [],
           "largest": {"tasks": 1, "hosts": 1, "amount": 1}}
OK = {"answer": "ok"}
PLACED = {"job": "j", "answer": "dispatched", "alternative": 0, "parts": [[["A", 1]]]}
WAITS = {"job": "k", "answer": "pending", "reason": "capacity", "never": 0, "cached": False}

for line in sys.stdin:
    asked = json.loads(line)
    if asked["cmd"] == "start":
        said = {"version": 1, "profile": PROFILE}
    elif asked["cmd"] == "run":
        ran = [{"answer": "ran", "jobs": [one]} for one in (PLACED, WAITS)]
        said = {"id": asked["id"], "answers": [OK, ran[0], OK, ran[1]]}
    else:
        break
    print("told to the log", file=sys.stderr)
    print(json.dumps(said), flush=True)
"""


def test_loose_type_shows_at_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program = tmp_path / "adapter.py"
    for never, status in (("0", 1), ("False", 0)):
        program.write_text(LOOSE.replace('"never": 0', f'"never": {never}'))
        assert status == main(["smoke", "--", sys.executable, str(program)])
        told = capsys.readouterr().out
        assert (status == 1) is ("run: protocol error: wrong shape: " in told)
        assert (status == 1) is ("  end of its standard error: told to the log" in told)
