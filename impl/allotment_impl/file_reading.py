"""Reads TOML and JSON files into builtins, exactly, and refuses what is half a text."""

import json
import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path

from allotment_impl.file_lines import (
    Place,
    line_in_json,
    line_in_toml,
    line_of_second,
    line_of_word,
)

BYTES_LARGEST = 16 * 1024 * 1024
"""The largest file: groups keep the largest clusters in use below a hundredth of it."""


_TOML_LINE = re.compile(r" \(at (?:line (\d+), column \d+|end of document)\)$")
_MARK = b"\xef\xbb\xbf"


class FileFault(Exception):
    """What is wrong with a file, with its place there, or its line if that is known at once."""

    def __init__(self, place: Place, problem: str, remedy: str, line: int | None = None) -> None:
        super().__init__(problem)
        self.place = place
        self.problem = problem
        self.remedy = remedy
        self.line = line


@dataclass(frozen=True, slots=True)
class EndlessNumber:
    """A number whose exponent no computer can hold, as it was written."""

    written: str


@dataclass(frozen=True, slots=True)
class Document:
    """A file that was read: its content, its text, and how to find a place in that."""

    content: object
    text: str
    find_line: Callable[[str, Place], int | None]

    def line(self, place: Place) -> int | None:
        """The line of a place, or of what lies around it; None if it is not found."""
        return self.find_line(self.text, place)


def read_document(path: Path) -> Document:
    """Read a file by its ending; raises ``FileFault``."""
    match path.suffix:
        case ".toml":
            text = _read_text(path)
            return Document(_parse_toml(text), text, line_in_toml)
        case ".json":
            text = _read_text(path)
            return Document(_parse_json(text), text, line_in_json)
        case ending:
            problem = f"the ending {ending!r} is not known"
            raise FileFault((), problem, "name the file .toml or .json, as what it is")


def _read_text(path: Path) -> str:
    """The text of a file, with line ends of one kind."""
    try:
        with path.open("rb") as file:
            content = file.read(BYTES_LARGEST + 1)
    except OSError as error:
        problem = f"cannot be read: {error.strerror or error}"
        raise FileFault((), problem, "check the name and the permissions") from None
    if len(content) > BYTES_LARGEST:
        raise FileFault((), "is larger than 16 MiB", "write equal hosts as a group with a count")
    if content.startswith(_MARK):
        raise FileFault((), "begins with a byte-order mark", "save it as UTF-8 without one", 1)
    try:
        text = content.decode()
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise FileFault((), "is not UTF-8", "save it as UTF-8", line) from None
    if not text.strip():
        raise FileFault((), "is empty", "describe at least hosts = []")
    return _with_one_kind_of_line_end(text)


def _with_one_kind_of_line_end(text: str) -> str:
    ends = re.compile(r"\r\n|\n|\r")
    kinds: set[str] = set()
    for number, end in enumerate(ends.finditer(text), start=1):
        kinds.add(end[0])
        if len(kinds) > 1 or end[0] == "\r":
            remedy = "save it with line ends of one kind, LF or CR LF"
            problem = "mixes line ends" if len(kinds) > 1 else "ends lines with CR alone"
            raise FileFault((), problem, remedy, number)
    return text.replace("\r\n", "\n")


def _read_decimal(written: str) -> Decimal | EndlessNumber:
    try:
        return Decimal(written)
    except InvalidOperation:
        return EndlessNumber(written)


def _parse_toml(text: str) -> object:
    try:
        return tomllib.loads(text, parse_float=_read_decimal)
    except tomllib.TOMLDecodeError as error:
        found = _TOML_LINE.search(str(error))
        line = int(found[1]) if found is not None and found[1] else text.rstrip().count("\n") + 1
        problem = f"is no TOML: {_TOML_LINE.sub('', str(error))}"
        raise FileFault((), problem, "mend the line, or see toml.io", line) from None
    except (RecursionError, ValueError) as error:
        raise _unreadable(error) from None


def _parse_json(text: str) -> object:
    try:
        return json.loads(
            text,
            parse_float=_read_decimal,
            parse_constant=partial(_refuse_constant, text),
            object_pairs_hook=partial(_without_duplicates, text),
        )
    except json.JSONDecodeError as error:
        problem = f"is no JSON: {error.msg}"
        raise FileFault((), problem, "mend the line", error.lineno) from None
    except (RecursionError, ValueError) as error:
        raise _unreadable(error) from None


def _unreadable(error: Exception) -> FileFault:
    """A file that its reader gives up on: lists in lists in lists, or a number without end."""
    what = "nested too deep" if isinstance(error, RecursionError) else "a number is too long"
    return FileFault((), f"cannot be read: {what}", "compare it with docs/cluster-files.md")


def _refuse_constant(text: str, name: str) -> object:
    problem = f"holds {name}, which is no number of JSON"
    raise FileFault((), problem, "write a number", line_of_word(text, name))


def _without_duplicates(text: str, pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            problem = f"has the key {key!r} twice in one object"
            raise FileFault((), problem, "keep one of the two", line_of_second(text, key))
        found[key] = value
    return found
