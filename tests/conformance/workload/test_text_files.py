"""Files that are not whole text are refused with the place and what to do."""

import gzip
import os
import re
from pathlib import Path

import pytest

from allotment_conformance.workload import text_files
from allotment_conformance.workload.text_files import WorkloadNotReadable, check, opened


def complaint(folder: Path, content: bytes) -> str:
    """What is said of a file with that content, empty if nothing."""
    path = folder / "test.swf"
    path.write_bytes(content)
    try:
        check(path, "test.swf")
    except WorkloadNotReadable as refusal:
        return f"{refusal} {refusal.remedy}"
    return ""


@pytest.mark.parametrize(
    "content", [b"a", b"a\n", b"a\nb\n\n", b"a\r\nb\r\n", b"a\rb\r", b"\xff\n"]
)
def test_whole_text_is_taken(tmp_path: Path, content: bytes) -> None:
    assert "" == complaint(tmp_path, content)
    assert "" == complaint(tmp_path, gzip.compress(content))


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 20])
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "'test.swf': the file is empty"),
        (b" \n\n", "the file is empty"),
        (b"\xef\xbb\xbfa\n", "line 1: begins with a byte-order mark"),
        ("\ufeffa\n".encode("utf-16-le"), "line 1: begins with a byte-order mark"),
        ("\ufeffa\n".encode("utf-16-be"), "line 1: begins with a byte-order mark"),
        (b"a\nb\r\n", "line 2: ends otherwise"),
        (b"a\r\nb\r\nc\nd\r\n", "line 3: ends otherwise"),
        (b"a\nb\nc\r", "line 3: ends otherwise"),
        (b"a\rb\n", "line 2: ends otherwise"),
    ],
)
def test_other_files_are_refused_with_the_line(
    tmp_path: Path, content: bytes, said: str, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        text_files, "CHUNK", max(chunk, 3 if content[:1] in b"\xef\xfe\xff" else chunk)
    )
    assert said in complaint(tmp_path, content)
    assert said in complaint(tmp_path, gzip.compress(content))


def test_file_that_only_its_name_calls_compressed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "test.swf.gz"
    path.write_bytes(b"a\n")
    with pytest.raises(WorkloadNotReadable, match="is not compressed by gzip"):
        check(path, "test.swf.gz")


def test_cut_compressed_file_is_refused_before_it_is_used(tmp_path: Path) -> None:
    lines = b"".join(b"%d\n" % (number * number) for number in range(2000))
    whole = gzip.compress(lines)
    said = complaint(tmp_path, whole[: len(whole) // 2])
    place = re.search(r"line ([0-9]+): the file ends too early", said)
    assert place is not None
    assert 500 < int(place[1]) < 2000
    assert "fetch it again" in said


def test_only_files_are_read(tmp_path: Path) -> None:
    with pytest.raises(WorkloadNotReadable, match="is a folder"):
        check(tmp_path, "it")
    for path in (tmp_path / "absent", Path("a\0b")):
        with pytest.raises(WorkloadNotReadable, match=r"no such file|cannot be read"):
            check(path, "it")


def test_what_cannot_be_read_twice_is_no_regular_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (Path("/dev/zero"), tmp_path / "pipe"):
        with pytest.raises(WorkloadNotReadable, match="'it': is not a regular file"):
            check(path, "it")


def test_empty_name_is_told() -> None:
    with pytest.raises(WorkloadNotReadable, match="no name is given"):
        check(Path(), "")


def test_compressed_file_is_known_by_its_bytes(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_bytes(gzip.compress(b"a\n"))
    with opened(path) as stream:
        assert b"a\n" == stream.read()
