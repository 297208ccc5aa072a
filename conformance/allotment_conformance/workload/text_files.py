"""Files with a workload: plain or compressed by gzip, wholly readable or refused.

A file is read twice: once to see that it is whole, and once for what it says. So a compressed file
that ends too early is refused before anything is simulated.
"""

import gzip
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources.abc import Traversable
from io import BufferedReader
from pathlib import Path
from typing import ClassVar

from allotment_conformance.errors import KitError

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")  # of UTF-8, of UTF-16
LINE_END = re.compile(rb"\r\n|\n|\r")
NOT_UTF8 = re.compile("[\udc80-\udcff]")  # how undecodable bytes look once they are escaped
CHUNK = 1 << 20  # keeps memory bounded whatever the file

Bytes = BufferedReader | gzip.GzipFile
"""A file that is open for reading."""


class WorkloadNotReadable(KitError):
    """A file with jobs or hosts cannot be read, or not to its end."""

    code: ClassVar[str] = "workload-not-readable"


def refused(file: str, line: int | None, problem: str, remedy: str) -> WorkloadNotReadable:
    """The refusal of a file, with the place of what is wrong."""
    place = f"'{file}'" if line is None else f"'{file}', line {line}"
    return WorkloadNotReadable(f"{place}: {problem}", remedy=remedy)


@contextmanager
def opened(source: Traversable) -> Iterator[Bytes]:
    """The bytes of a file; what is compressed is told by its first bytes, not by its name."""
    stream = source.open("rb")
    assert isinstance(stream, BufferedReader)
    with stream:
        if stream.peek(len(GZIP_MAGIC)).startswith(GZIP_MAGIC):
            with gzip.GzipFile(fileobj=stream) as plain:
                yield plain
        else:
            yield stream


def has_line_feeds(source: Traversable) -> bool:
    """Whether lines of a file end with a line feed; if none does, carriage returns may end them."""
    with opened(source) as stream:
        while chunk := stream.read1(CHUNK):
            if b"\n" in chunk:
                return True
    return False


def check(source: Traversable, name: str, *, one_kind_of_ends: bool = True) -> None:
    """See that a file is whole text, with line ends of one kind. Raises `WorkloadNotReadable`."""
    lines = _Lines(name, one_kind_of_ends)
    try:
        _refuse_what_is_no_file(source, name)
        with opened(source) as stream:
            if name.endswith(".gz") and not isinstance(stream, gzip.GzipFile):
                remedy = "Fetch it again, or name it without .gz."
                raise refused(name, None, "is not compressed by gzip", remedy)
            while chunk := stream.read1(CHUNK):
                lines.take(chunk)
    except EOFError:
        remedy = "The compressed file is cut short: fetch it again."
        raise refused(name, lines.number, "the file ends too early", remedy) from None
    except (gzip.BadGzipFile, zlib.error) as wrong:
        remedy = "The compressed file is damaged: fetch it again."
        raise refused(name, lines.number, f"cannot be decompressed: {wrong}", remedy) from None
    except (OSError, ValueError) as wrong:
        problem = f"cannot be read: {getattr(wrong, 'strerror', None) or wrong}"
        raise refused(name, None, problem, "Check the name of the file.") from wrong
    lines.end()


def _refuse_what_is_no_file(source: Traversable, name: str) -> None:
    """See that a name is that of a file which can be read twice."""
    if not name:
        raise refused(name, None, "no name is given", "Name a file.")
    if source.is_dir():
        raise refused(name, None, "is a folder", "Name a file in it.")
    if isinstance(source, Path) and source.exists() and not source.is_file():
        remedy = "It is read twice: write it to a file first, which may be compressed by gzip."
        raise refused(name, None, "is not a regular file", remedy)
    if not source.is_file():
        raise refused(name, None, "there is no such file", "Check the name of the file.")


class _Lines:
    """Counts the lines of a file that comes in chunks, and looks at how they end."""

    def __init__(self, name: str, one_kind_of_ends: bool) -> None:
        self.number = 1
        self._name = name
        self._one_kind_of_ends = one_kind_of_ends
        self._kind: bytes | None = None
        self._held = b""
        self._first = self._blank = True

    def take(self, chunk: bytes) -> None:
        """Look at the next chunk; a carriage return at its end waits for what follows it."""
        if self._first and chunk.startswith(BYTE_ORDER_MARKS):
            remedy = "Save it as UTF-8 without a byte-order mark."
            raise refused(self._name, 1, "begins with a byte-order mark", remedy)
        self._first = False
        self._blank = self._blank and not chunk.strip()
        chunk = self._held + chunk
        self._held = chunk[-1:] if chunk.endswith(b"\r") else b""
        self._look(chunk[: len(chunk) - len(self._held)])

    def end(self) -> None:
        """Nothing follows."""
        self._look(self._held)
        if self._blank:
            raise refused(self._name, None, "the file is empty", "Name a file with lines.")

    def _look(self, chunk: bytes) -> None:
        pairs = chunk.count(b"\r\n")
        counts = {
            b"\r\n": pairs,
            b"\n": chunk.count(b"\n") - pairs,
            b"\r": chunk.count(b"\r") - pairs,
        }
        kinds = {kind for kind, count in counts.items() if count} | {self._kind} - {None}
        if len(kinds) > 1 and self._one_kind_of_ends:
            self._refuse_mixed(chunk)
        self._kind = next(iter(kinds), None)
        self.number += sum(counts.values())

    def _refuse_mixed(self, chunk: bytes) -> None:
        """Name the first line that ends otherwise than the first line of the file."""
        for number, end in enumerate(LINE_END.finditer(chunk), start=self.number):
            self._kind = self._kind or end[0]
            if end[0] != self._kind:
                remedy = "Save it with line ends of one kind, LF or CR LF."
                raise refused(self._name, number, "ends otherwise than those before it", remedy)
        raise AssertionError("the kinds of line ends were counted")
