"""`allotment smoke`: whether a program is alive, and what it declares."""

import sys
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.verdict.smoke import smoke
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
    assert "job j is dispatched: 1 slot on A: as the specification says" in printed
    assert "stop: ends with status 0" in printed


@pytest.mark.parametrize(
    ("mode", "told"),
    [
        ("start-exit", "start: crash: it ended with status 5"),
        ("exit", "run: crash: it ended with status 3"),
        ("well", "run: accepted; accepted: which is not right"),
        ("stop-status", "stop: crash: after `stop` it ended with status 6"),
    ],
)
def test_what_goes_wrong_is_told(mode: str, told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 1 == main(["smoke", "--", sys.executable, "-I", "-S", FAKE, mode])
    assert told in capsys.readouterr().out


def test_silence_is_told() -> None:
    limits = Limits(answer_seconds=0.1)
    seen = smoke((sys.executable, "-I", "-S", FAKE, "silence"), limits)
    assert ["run: timeout: no answer to a case within 0.1 s"] == [
        line for line in seen.lines() if line.startswith("run")
    ]
