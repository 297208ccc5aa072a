"""`allotment report` at the command line: formats, files, and what a killed run has left."""

import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from allotment_conformance.cli import main
from conformance.report.streams import STREAMS, text_of

MODEL = "allotment_conformance.zoo.variants:Served"
RUN_MAIN = "import sys; from allotment_conformance.cli import main; sys.exit(main())"
FORMATS = ("terminal", "markdown", "junit")


@pytest.fixture
def stream(tmp_path: Path) -> Path:
    """Of a run that found something."""
    path = tmp_path / "run.ndjson"
    path.write_bytes(text_of(STREAMS["wrong"]))
    return path


@pytest.mark.parametrize("variant", ["", "?variant=no rollback"])
def test_report_is_what_the_run_has_printed(
    variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "run.ndjson", tmp_path / "found"
    words = ["--cases", "20", "--processes", "1", "--ndjson", str(path)]
    status = main(["verify", MODEL + variant, *words, "--counterexamples", str(folder)])
    printed = capsys.readouterr().out
    assert (1 if variant else 0) == status == main(["report", str(path)])
    reported = capsys.readouterr().out
    assert reported
    assert printed.startswith(reported)
    assert bool(variant) is ("Found in" in reported)


@pytest.mark.parametrize("name", STREAMS)
@pytest.mark.parametrize("kind", FORMATS)
def test_exit_status_is_that_of_the_run(name: str, kind: str, tmp_path: Path) -> None:
    path, out = tmp_path / "run.ndjson", tmp_path / "out"
    path.write_bytes(text_of(STREAMS[name]))
    last = STREAMS[name][-1]
    status = main(["report", str(path), "--format", kind, "-o", str(out)])
    assert getattr(last, "exit_status", 3) == status
    assert out.read_text(encoding="utf-8")


def killed(path: Path, mark: bytes, *words: str) -> None:
    """Run the kit until its stream has the mark, and kill it."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN_MAIN, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as process:
        while process.poll() is None and not (path.exists() and re.search(mark, path.read_bytes())):
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    assert -signal.SIGKILL == process.returncode


def test_killed_run_is_reported_as_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.ndjson"
    words = [MODEL, "--processes", "1", "--cases", "100000", "--ndjson", str(path)]
    killed(path, rb'"counted".*"cases":[1-9]', "verify", *words)
    assert 3 == main(["report", str(path)])
    told = capsys.readouterr().out
    assert "\nPLAN-1 " in told
    assert "unbroken so far" in told
    assert "holds" not in {line.split()[-1] for line in told.splitlines() if line.strip()}
    assert "INCOMPLETE, the stream ends before the run did" in told
    assert 3 == main(["report", str(path), "--format", "junit"])
    assert "0" != ElementTree.fromstring(capsys.readouterr().out).get("errors")


def test_killed_exhaustion_is_reported_as_incomplete(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "run.ndjson"
    words = [MODEL, "--processes", "1", "--scope", "medium", "--ndjson", str(path)]
    killed(path, rb'"run":[1-9]', "exhaust", *words)
    assert 3 == main(["report", str(path)])
    told = capsys.readouterr().out
    assert "\nsplits " in told
    assert "cases so far that agree" in told


def test_stream_comes_from_standard_input(
    stream: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(stream.read_bytes())))
    assert 1 == main(["report", "-"])
    assert "FAILS at level permitted" in capsys.readouterr().out


def test_what_steers_a_terminal_is_shown_not_sent(
    stream: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 1 == main(["report", str(stream)])
    told = capsys.readouterr().out
    assert "\x1b" not in told
    assert r"\x1b[31m" in told


def test_bad_input_exits_2_and_changes_nothing(
    stream: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken, out = tmp_path / "broken.ndjson", tmp_path / "out.xml"
    broken.write_bytes(stream.read_bytes().replace(b'"counted"', b'"counting"'))
    before = stream.read_bytes()
    for words in (
        [str(broken), "-o", str(out)],
        [str(tmp_path / "nowhere"), "-o", str(out)],
        [str(tmp_path), "-o", str(out)],
        [str(stream), "--format", "pdf", "-o", str(out)],
        [str(stream), "-o", str(tmp_path / "no" / "folder")],
        [str(stream), "-o", str(stream)],
    ):
        assert 2 == main(["report", *words]), words
        said = capsys.readouterr()
        assert ("", True) == (said.out, bool(said.err)), words
    assert before == stream.read_bytes()
    assert not out.exists()
    main(["report", str(broken)])
    assert f"{broken}, line 3: " in capsys.readouterr().err


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
def test_stream_that_cannot_be_written_ends_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--cases", "0", "--processes", "1", "--ndjson", "/dev/full"]
    assert 2 == main(["verify", MODEL, *words])
    assert "/dev/full cannot be written" in capsys.readouterr().err
