"""`allotment simulate` at the command line: what it prints and how it leaves."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.report import progress
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.model_adapter import ModelAdapter

MODEL = "allotment_conformance.wire.model_adapter:ModelAdapter"
RUN_MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"
WORDS = ["simulate", "sample", "--hosts", "5x3", "--adapter", MODEL]

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"
NODES = str(EXAMPLES / "nodes.csv")

ALLOCATORS = '''"""Allocators that leave the straight path."""

from dataclasses import replace
from time import sleep

from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.rules import SPEC


class Strict(ModelAdapter):
    """Exactly enough is not enough."""

    def __init__(self):
        super().__init__(replace(SPEC, fits=lambda wanted, left: wanted < left))


class Raising(ModelAdapter):
    """Does not get through a run."""

    def run(self, case):
        raise RuntimeError("out of order")


class RaisingHalf(ModelAdapter):
    """Says half of a character about it."""

    def run(self, case):
        raise RuntimeError("half \\ud800")


class Half(ModelAdapter):
    """Answers with half of a character."""

    def run(self, case):
        return [{**one, "\\ud800": 1} for one in super().run(case)]


class Mute(ModelAdapter):
    """Says nothing."""

    def run(self, case):
        return None


class Slow(ModelAdapter):
    """Stops for a while in its tenth session."""

    sessions = 0

    def run(self, case):
        self.sessions += 1
        if self.sessions == 10:
            print("waiting", flush=True)
            for _ in range(1200):  # A signal just before a sleep is seen after it.
                sleep(0.05)
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
    assert 0 == main([*WORDS, "--json", str(file), "--limit-jobs", "20", "--cycle", "600"])
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


def test_no_room_for_what_is_sent_is_told_with_the_folder(tmp_path: Path) -> None:
    code = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); {RUN_MAIN}"
    ended = subprocess.run(
        [sys.executable, "-c", code, "simulate", "sample", "--hosts", "5x3"],
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert 2 == ended.returncode
    assert f"a temporary file in {tmp_path}, which cannot be written: File too la" in ended.stderr
    assert "another folder by TMPDIR" in ended.stderr
    assert "unsettled: no room" in ended.stdout
    assert re.search(r"placed +[1-9]", ended.stdout)


@pytest.mark.usefixtures("allocators")
def test_case_of_an_earlier_run_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", "sample", "--hosts", "5x3", "--adapter", "odd_allocators:Strict"]
    for name in ("found.json", "found-2.json"):
        (tmp_path / name).write_text("of an earlier run", encoding="utf-8")
    assert 1 == main([*words, "--against-model", "--case", str(tmp_path / "found.json")])
    assert "found-3.json" in capsys.readouterr().out
    assert json.loads((tmp_path / "found-3.json").read_text())["events"]
    for name in ("found.json", "found-2.json"):
        assert "of an earlier run" == (tmp_path / name).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["simulate", "absent.swf", "--hosts", "5x3"], "absent.swf"),
        (["simulate", "sample", "--hosts", "five"], "'five'"),
        (["simulate", "sample"], "--hosts"),
        (["simulate", "sample", "--hosts", "1000000x3"], "1 to 999,999 hosts"),
        ([*WORDS, "--cycle", "0"], "--cycle"),
        ([*WORDS, "--cycle", "1000000000000"], "--cycle"),
        ([*WORDS, "--every", "2"], "--against-model"),
        ([*WORDS, "--copies", "2"], "pod tables"),
        (["simulate", "pods.csv", "--hosts", "5x3"], "node table"),
        (["simulate", "sample", "--hosts", "nodes.csv", "--mem", "1"], "--mem"),
        (["simulate", "sample", "--hosts", NODES], "'sample' is no pod table"),
        ([*WORDS, "--json", "/proc/figures.json"], "/proc/figures.json"),
        ([*WORDS, "--json", "absent/figures.json"], "absent"),
        ([*WORDS, "--against-model", "--case", "."], ". cannot be written"),
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
    assert "160 of 160 jobs" in printed


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


@pytest.mark.usefixtures("allocators")
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Raising", "it raised RuntimeError: out of order"),
        ("RaisingHalf", r"it raised RuntimeError: half \ud800"),
        ("Half", r'{"answer": "ok", "\ud800": 1}'),
        ("Mute", "NoneType instead of a list"),
    ],
)
def test_failing_allocator_leaves_a_case(
    name: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["simulate", "sample", "--hosts", "5x3", "--adapter", f"odd_allocators:{name}"]
    assert 1 == main([*words, "--case", "found.json"])
    printed = capsys.readouterr()
    assert "The allocator failed at second" in printed.out
    assert said in printed.out
    assert "" == printed.err
    assert 1 <= len(json.loads(Path("found.json").read_text())["events"]) <= 2


def test_run_without_a_fault_leaves_no_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == main([*WORDS, "--limit-jobs", "3"])
    assert [] == list(tmp_path.iterdir())


def test_pod_and_node_tables_are_simulated(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["simulate", str(EXAMPLES / "pods.csv"), "--hosts", NODES]
    assert 0 == main([*words, "--select-every", "3", "--against-model", "--every", "5"])
    printed = capsys.readouterr().out
    assert "of gpu" in printed
    assert printed.rstrip().endswith("none")


def test_broken_table_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("nodes.csv").write_text("sn,cpu_milli,memory_mib,gpu,model\na,1,1,-1,T4\n")
    words = ["simulate", "pods.csv", "--hosts", "nodes.csv", "--json", "figures.json"]
    assert 2 == main(words)
    assert "'nodes.csv', line 2: gpu: '-1' is not a whole number" in capsys.readouterr().err
    assert ["nodes.csv"] == [path.name for path in tmp_path.iterdir()]


def test_lines_tell_of_progress_where_there_is_no_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(progress, "SECONDS_BETWEEN_LINES", 0.0)
    assert 0 == main(WORDS)
    first, *_, last = capsys.readouterr().err.splitlines()
    assert re.fullmatch(r"simulate: +\d+%, \d+ of 160 jobs, 1 decisions", first)
    assert last.startswith("simulate: 100%, 160 of 160 jobs")


def test_full_device_is_told() -> None:
    with open("/dev/full", "w") as full:
        run = [sys.executable, "-c", RUN_MAIN, *WORDS]
        done = subprocess.run(run, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert 2 == done.returncode
    assert ["allotment: the output cannot be written: No space left on device"] == (
        done.stderr.splitlines()[:1]
    )
    assert "Traceback" not in done.stderr


TELL_EACH = """
from allotment_conformance.report import progress
progress.SECONDS_BETWEEN_LINES = 0.0
"""


@pytest.mark.parametrize(("words", "status"), [(WORDS, 0), (["simulate", "no-such"], 2)])
def test_errors_that_nobody_can_hear_change_nothing(words: list[str], status: int) -> None:
    with open("/dev/full", "w") as full:
        run = [sys.executable, "-c", TELL_EACH + RUN_MAIN, *words]
        done = subprocess.run(run, stdout=subprocess.PIPE, stderr=full, text=True, timeout=60)
    assert status == done.returncode
    assert ("Simulated time" in done.stdout) is (status == 0)


def test_reader_that_leaves_is_no_fault() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    run = [sys.executable, "-c", RUN_MAIN, *WORDS]
    done = subprocess.run(run, stdout=writing, stderr=subprocess.PIPE, text=True, timeout=60)
    os.close(writing)
    assert (141, "") == (done.returncode, done.stderr)
