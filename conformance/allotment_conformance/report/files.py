"""Files that are read and written for a person: cases, results, counterexamples."""

import json
import shlex
from pathlib import Path

from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json


class CannotRead(KitError):
    """A file cannot be read."""

    code = "cannot-read"


class CannotWrite(KitError):
    """A file that was asked for cannot be written."""

    code = "cannot-write"


def tell(found: Counterexample, adapter: str, path: Path) -> None:
    """The case in words, in a file, and how to see it again."""
    again = "" if found.reproduced else " Asked again, the allocator answered otherwise."
    print(f"\nFound in {found.origin}.{again}\n\n{found.picture()}\n")
    write(path, json.dumps(found.case, ensure_ascii=False) + "\n")
    words = ["allotment", "verify", adapter, "--case", str(path)]
    print(f"The case is in {path}. To run it again:\n  {shlex.join(words)}")


def json_text(value: Json) -> str:
    """An object as it is written, for people to look at, too."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def read_json(path: Path) -> Json:
    """What a file holds. Raises `CannotRead`."""
    try:
        value: Json = json.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise CannotRead(
            f"{path} cannot be read: {wrong.strerror}", remedy="Check the name of the file."
        ) from wrong
    except ValueError as wrong:
        raise CannotRead(
            f"{path} is not JSON: {wrong}",
            remedy="Give a file as SPEC.md 2.1 or this program writes it.",
        ) from wrong
    return value


def write(path: Path, text: str) -> None:
    """Write a file anew. Raises `CannotWrite`."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise CannotWrite(
            f"{path} cannot be written: {wrong.strerror}",
            remedy="Name a file in a folder that exists and that you may write to.",
        ) from wrong
