"""What subcommands read and write: files with a case, and files with a result."""

import json
import sys
from pathlib import Path

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json


class CannotRead(KitError):
    """A file with a case cannot be read."""

    code = "cannot-read"


class CannotWrite(KitError):
    """A file that was asked for cannot be written."""

    code = "cannot-write"


def text_of(value: Json) -> str:
    """The text of a file with a result."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def read_case_file(path: Path) -> Json:
    """The JSON of a file with a case; `-` is standard input. Raises `CannotRead`."""
    try:
        case = json.loads(sys.stdin.read() if str(path) == "-" else path.read_text("utf-8"))
    except OSError as wrong:
        raise CannotRead(
            f"{path} cannot be read: {wrong.strerror}", remedy="Check the name of the file."
        ) from wrong
    except (ValueError, RecursionError) as wrong:
        raise CannotRead(
            f"{path} is not JSON: {wrong}", remedy="Give a case as SPEC.md 2.1 describes it."
        ) from wrong
    if not isinstance(case, dict):
        raise CannotRead(
            f"{path} holds no JSON object", remedy="Give a case as SPEC.md 2.1 describes it."
        )
    return case


def write_file(path: Path, text: str) -> None:
    """Write a file. Raises `CannotWrite`."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise CannotWrite(
            f"{path} cannot be written: {wrong.strerror}",
            remedy="Name a file in a folder that exists and that you may write to.",
        ) from wrong
