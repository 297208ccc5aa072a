"""`allotment report` at the command line: formats, files, and what a killed run has left."""

import io
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest

from allotment_conformance.cli import main
from allotment_conformance.commands import vectors
from allotment_conformance.report.stream import Command, ItemRow, Started
from allotment_conformance.report.summary import read
from allotment_conformance.vectors.export import vectors_for
from allotment_conformance.zoo import roll_call
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.catalogue import MUTANTS
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


@pytest.mark.parametrize("variant", ["", "&variant=no rollback"])
def test_report_is_what_the_run_has_printed(
    variant: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "run.ndjson", tmp_path / "found"
    words = ["--cases", "20", "--processes", "1", "--ndjson", str(path)]
    words += ["--counterexamples", str(folder)]
    status = main(["verify", f"{MODEL}?features={variant}", *words])
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


LEAKS = f"{MODEL}?variant=leak at finish"
PLAIN = {
    "a soak": (0, ["verify", MODEL, "--soak", "60"], 2),
    "a soak that finds": (1, ["verify", LEAKS, "--soak", "500"], 0),
    "a simulation": (0, ["simulate", "sample", "--hosts", "5x3", "--limit-jobs", "20"], 0),
    "vectors": (0, ["vectors", "check", MODEL], 4),
    "vectors of who is wrong": (1, ["vectors", "check", f"{MODEL}?variant=ascending buckets"], 4),
    "the zoo": (0, ["zoo", "--roll-call"], 4),
}
"""The exit status, the words, and how many things are looked at one by one."""


@pytest.mark.parametrize("name", PLAIN)
def test_run_without_clauses_is_written_down_and_reported(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(vectors, "vectors_for", lambda *given: vectors_for(*given)[:4])
    monkeypatch.setattr(roll_call, "MUTANTS", MUTANTS[:3])
    monkeypatch.setattr(roll_call, "CALIBRATION", CALIBRATION[:1])
    status, words, items = PLAIN[name]
    assert status == main([*words, "--ndjson", "run.ndjson"])
    printed = capsys.readouterr().out
    for kind in FORMATS:
        assert status == main(["report", "run.ndjson", "--format", kind])
    capsys.readouterr()
    main(["report", "run.ndjson", "--format", "junit", "-o", "junit.xml"])
    tests = ElementTree.parse("junit.xml").iter("testcase")
    of_items = [one for one in tests if one.get("classname") != "allotment.run"]
    assert items == len(of_items)
    with Path("run.ndjson").open("rb") as file:
        summary = read(file, "run.ndjson")
    assert bool(status) == bool(summary.wrong_items or summary.found)
    assert all(one.place and Path(one.place).exists() for one in summary.found)
    assert all(one.name in printed for one in summary.wrong_items)
    assert (summary.figures is not None) == (items in (0, 2))


def test_stream_of_vectors_that_was_cut_tells_what_was_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [ItemRow(name="a", holds=True), ItemRow(name="b", holds=False, words="wrong")]
    (tmp_path / "cut").write_bytes(text_of([replaced("vectors"), *rows]))
    assert 3 == main(["report", str(tmp_path / "cut")])
    printed = capsys.readouterr().out
    assert "b: wrong\n" in printed
    assert "2 looked at so far, 1 do not hold" in printed


def replaced(command: Command) -> Started:
    """The beginning of a run of that command."""
    first = STREAMS["wrong"][0]
    assert isinstance(first, Started)
    return msgspec.structs.replace(first, command=command)


@pytest.mark.parametrize("words", [["zoo"], ["zoo", "--list"], ["vectors", "export", "out"]])
def test_what_judges_nobody_has_no_stream(words: list[str], tmp_path: Path) -> None:
    path = tmp_path / "run.ndjson"
    assert 2 == main([*words, "--ndjson", str(path)])
    assert not path.exists()
