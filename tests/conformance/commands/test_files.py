"""What subcommands read and write: a file that is none is refused before the work."""

import io
import json
import os
import threading
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.commands.files import check_writable, write_result

HOST = {"name": "A", "capacity": {"slots": 1}}
LONG = '{"cluster": {"hosts": []}, "events": [{"event": "run_session", "cancel_at": 77}]}'

READERS = [
    ["explain"],
    ["report"],
    ["vectors", "update"],
    ["verify", "--case"],
    ["check", "--case"],
    ["simulate", "--hosts", "1x1"],
    ["gap", "1x1"],
]
"""The words before the name of a file that is read."""


def words_with(reader: list[str], file: Path | str) -> list[str]:
    """A command line that reads the file."""
    return [*reader, str(file), *(["--", "true"] if reader[0] == "check" else [])]


@pytest.mark.parametrize("reader", READERS, ids=lambda words: words[0])
def test_device_is_no_file(reader: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(words_with(reader, "/dev/zero"))
    said = capsys.readouterr()
    assert ("", True) == (said.out, "is not a regular file" in said.err), said.err


@pytest.mark.parametrize("reader", READERS, ids=lambda words: words[0])
def test_file_without_a_name_is_refused(
    reader: list[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 2 == main(words_with(reader, ""))
    said = capsys.readouterr()
    assert ("", True) == (said.out, "name" in said.err), said.err


def test_pipe_is_read_to_its_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    case = '{"cluster": {"hosts": []}, "events": []}'
    writer = threading.Thread(target=pipe.write_text, args=(case,))
    writer.start()
    assert 0 == main(["explain", str(pipe)])
    writer.join()
    assert "" == capsys.readouterr().err


@pytest.mark.parametrize("command", ["verify", "check", "exhaust"])
@pytest.mark.parametrize("below", ["", "deeper"])
def test_folder_that_is_none_is_refused_before_the_work(
    command: str, below: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "file"
    file.touch()
    words = ["--", "true"] if command == "check" else []
    assert 2 == main([command, "--counterexamples", str(file / below), *words])
    said = capsys.readouterr()
    assert "" == said.out
    assert f"allotment: {file} is not a folder\n" in said.err


@pytest.mark.parametrize("option", ["--counterexamples", "--json", "--ndjson", "--case"])
def test_name_that_is_too_long_is_told(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["verify", option, "x" * 300])
    said = capsys.readouterr()
    assert ("", True) == (said.out, "File name too long" in said.err), said.err


@pytest.mark.parametrize("digits", [4300, 5000])
def test_number_of_any_length_is_told_with_its_place(
    digits: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "case.json"
    file.write_text(LONG.replace("77", "7" * digits))
    assert (0 if digits == 4300 else 2) == main(["explain", str(file)])
    told = (
        f"{file} holds a number of 5,000 digits, at most 4,300 are read - "
        "at `$.events[0].cancel_at`"
    )
    said = capsys.readouterr().err
    assert (digits == 5000) is (told in said)
    assert "sys." not in said


@pytest.mark.parametrize(
    ("cluster", "told"),
    [
        ({"hosts": [HOST, HOST]}, "host of this name stands before it, at `$.cluster.hosts[0]`"),
        ({"hosts": [HOST | {"capacity": {"slots": -1}}]}, "'amount-range' - at `$.cluster.hosts["),
        ({"hosts": [], "pools": {"lic": 1}}, "'unknown-resource' - at `$.cluster.pools.lic`"),
        ({"hosts": [], "resources": {"host": ["slots"]}}, "at `$.cluster.resources`"),
    ],
)
def test_bad_cluster_is_told_in_the_words_of_the_protocol(
    cluster: dict[str, object],
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    case = json.dumps({"cluster": cluster, "events": []})
    monkeypatch.setattr("sys.stdin", io.StringIO(case))
    assert 2 == main(["explain", "-"])
    said = capsys.readouterr().err
    assert told in said
    assert "(" not in said


def test_limit_that_is_there_twice_is_told_in_the_words_of_the_protocol(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    one = {"kind": "user", "each": True, "scope": "cluster", "resource": "slots", "cap": 1}
    case = {"cluster": {"hosts": [], "limits": [one, one | {"cap": 2}]}, "events": []}
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(case)))
    assert 2 == main(["explain", "-"])
    words = "the same limit stands before it, at `$.cluster.limits[0]` - at `$.cluster.limits[1]`"
    assert f"allotment: not a case: {words}\n" in capsys.readouterr().err


def test_standard_input_that_is_no_text_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"{\xff}"), encoding="utf-8"))
    assert 2 == main(["explain", "-"])
    assert "allotment: - is not UTF-8, at byte 1\n" in capsys.readouterr().err


def test_link_to_no_file_is_left_as_it_was(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to("missing.json")
    check_writable(link)
    assert [link] == list(tmp_path.iterdir())
    assert link.is_symlink()


@pytest.mark.parametrize(
    "words",
    [
        ["simulate", "FILE", "--hosts", "1x1", "--ndjson", "FILE"],
        ["simulate", "FILE", "--hosts", "1x1", "--json", "FILE"],
        ["simulate", "FILE", "--hosts", "1x1", "--case", "LINK"],
        ["gap", "1x1", "FILE", "--json", "LINK"],
        ["verify", "--case", "FILE", "--json", "FILE"],
        ["check", "--case", "FILE", "--json", "LINK", "--", "true"],
        ["exhaust", "--resume", "FILE", "--ndjson", "FILE"],
    ],
    ids=" ".join,
)
def test_what_is_read_is_not_written_over(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("what somebody has")
    link.symlink_to(file)
    assert 2 == main([{"FILE": str(file), "LINK": str(link)}.get(word, word) for word in words])
    assert "is read, and would be written over" in capsys.readouterr().err
    assert "what somebody has" == file.read_text()


def test_half_of_a_character_is_an_escape_in_a_result(tmp_path: Path) -> None:
    write_result(tmp_path / "result.json", {"name": "✓\ud800"})
    assert '{\n  "name": "✓\\ud800"\n}\n' == (tmp_path / "result.json").read_text("utf-8")
