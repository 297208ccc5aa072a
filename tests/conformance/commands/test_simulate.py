"""`allotment simulate` at the command line: what it prints and how it leaves."""

import json
import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.model_adapter import ModelAdapter

MODEL = "allotment_conformance.wire.model_adapter:ModelAdapter"
RUN_MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"
WORDS = ["simulate", "sample", "--hosts", "5x3", "--adapter", MODEL]

ALLOCATORS = '''"""Allocators that leave the straight path."""

from dataclasses import replace
from time import sleep

from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.rules import SPEC


class Strict(ModelAdapter):
    """Exactly enough is not enough."""

    def __init__(self):
        super().__init__(replace(SPEC, fits=lambda wanted, left: wanted < left))


class Slow(ModelAdapter):
    """Stops for a while in its tenth session."""

    sessions = 0

    def run(self, case):
        self.sessions += 1
        if self.sessions == 10:
            print("waiting", flush=True)
            sleep(60)
        return super().run(case)
'''


@pytest.fixture
def allocators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the module `odd_allocators` importable, here and in processes started from here."""
    (tmp_path / "odd_allocators.py").write_text(ALLOCATORS)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)


def test_piped_report_is_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(WORDS)
    printed = capsys.readouterr()
    figures = {line[:40].strip(): line.split()[-1] for line in printed.out.splitlines()}
    assert "160" == figures["read"]
    assert figures["utilisation"].endswith("%")
    assert "\x1b" not in printed.out
    assert "" == printed.err


def test_built_in_allocator_agrees_with_the_model(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["simulate", "sample", "--hosts", "5x3", "--mem", "4000", "--against-model"])
    printed = capsys.readouterr().out
    assert "allotment-indexed" in printed
    assert printed.rstrip().endswith("none")


def test_figures_are_written_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "figures.json"
    assert 0 == main([*WORDS, "--json", str(file), "--limit-jobs", "20", "--every", "600"])
    figures = json.loads(file.read_text())
    assert (20, "complete") == (figures["jobs_read"], figures["ending"])
    assert figures["waits"]["largest"] >= figures["waits"]["mean"] > 0


@pytest.mark.usefixtures("allocators")
def test_wrong_allocator_leaves_a_case_that_shows_it(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "sample", "--hosts", "5x3", "--adapter", "odd_allocators:Strict"]
    assert 1 == main([*words, "--against-model", "--case", "found.json"])
    printed = capsys.readouterr().out
    assert "expected" in printed
    assert "actual" in printed
    assert "found.json" in printed
    case = json.loads(Path("found.json").read_text())
    wrong = load_adapter("odd_allocators:Strict")
    assert wrong.run(case) != ModelAdapter().run(case)
    assert 2 == len(case["events"])


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate", "absent.swf", "--hosts", "5x3"], "absent.swf"),
        (["simulate", "sample", "--hosts", "five"], "'five'"),
        (["simulate", "sample"], "--hosts"),
        ([*WORDS, "--every", "0"], "--every"),
        ([*WORDS, "--json", "absent/figures.json"], "absent"),
        ([*WORDS, "--against-model", "--case", "."], "'.'"),
        (["simulate", "sample", "--hosts", "5x3", "--adapter", "nowhere:Adapter"], "nowhere"),
    ],
)
def test_bad_input_is_explained(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(words)
    printed = capsys.readouterr()
    assert said in printed.err
    assert "" == printed.out


@pytest.mark.usefixtures("allocators")
def test_interrupt_prints_what_there_is() -> None:
    words = ["simulate", "sample", "--hosts", "5x3", "--adapter", "odd_allocators:Slow"]
    with subprocess.Popen(
        [sys.executable, "-c", RUN_MAIN, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert "waiting\n" == process.stdout.readline()
        process.send_signal(signal.SIGINT)
        printed, complaint = process.communicate(timeout=60)
    assert (130, "") == (process.returncode, complaint)
    assert "unsettled: interrupted" in printed


def test_terminal_gets_a_table() -> None:
    reading, writing = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", RUN_MAIN, *WORDS],
        stdout=writing,
        stderr=writing,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(writing)
    printed = _read_to_the_end(reading).decode()
    assert 0 == process.wait(timeout=60)
    assert "│" in printed
    assert "160/160" in printed


def _read_to_the_end(descriptor: int) -> bytes:
    """What comes from a terminal until its other end is closed, which Linux calls an error."""
    read = b""
    try:
        while chunk := os.read(descriptor, 65_536):
            read += chunk
    except OSError:
        pass
    os.close(descriptor)
    return read
