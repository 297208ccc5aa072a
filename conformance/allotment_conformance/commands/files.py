"""What subcommands read and write: files with a case, and files with a result."""

import json
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path

from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json


class CannotRead(KitError):
    """A file that was named cannot be read."""

    code = "cannot-read"


class CannotWrite(KitError):
    """A file that was asked for cannot be written."""

    code = "cannot-write"


def text_of(value: Json) -> str:
    """The text of a file with a result."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


A_CASE = "Give a case as SPEC.md 2.1 describes it."


def read_case_file(path: Path) -> Json:
    """The JSON of a file with a case; `-` is standard input. Raises `CannotRead`."""
    return read_json_file(path, remedy=A_CASE)


def read_json_file(path: Path, *, remedy: str) -> Json:
    """The JSON object of a file; `-` is standard input. Raises `CannotRead`.

    `remedy` says what to give instead of a file that holds none.
    """
    try:
        value = json.loads(sys.stdin.read() if str(path) == "-" else path.read_text("utf-8"))
    except OSError as wrong:
        raise CannotRead(
            f"{path} cannot be read: {wrong.strerror}", remedy="Check the name of the file."
        ) from wrong
    except (ValueError, RecursionError) as wrong:
        raise CannotRead(f"{path} is not JSON: {wrong}", remedy=remedy) from wrong
    if not isinstance(value, dict):
        raise CannotRead(f"{path} holds no JSON object", remedy=remedy)
    return value


def write_file(path: Path, text: str) -> None:
    """Write a file. Raises `CannotWrite`."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise _cannot_write(path, wrong) from wrong


def check_writable(path: Path) -> None:
    """See before long work that a file can be written; none is left. Raises `CannotWrite`."""
    is_new = not path.exists()
    try:
        path.open("a", encoding="utf-8").close()
    except OSError as wrong:
        raise _cannot_write(path, wrong) from wrong
    if is_new:
        path.unlink()


def _cannot_write(path: Path, wrong: OSError) -> CannotWrite:
    return CannotWrite(
        f"{path} cannot be written: {wrong.strerror}",
        remedy="Name a file in a folder that exists and that you may write to.",
    )


def tell(found: Counterexample, path: Path, again: Sequence[str]) -> None:
    """The case in words, in a file, and the command that runs it again."""
    otherwise = "" if found.reproduced else " Asked again, the allocator answered otherwise."
    print(f"\nFound in {found.origin}.{otherwise}\n\n{found.picture()}\n")
    text = json.dumps(found.case, ensure_ascii=False)
    try:
        write_file(path, text + "\n")
    except CannotWrite as refused:  # The verdict stands; the case goes where it can be seen.
        print(f"{refused}\nThe case is:\n{text}")
        return
    print(f"The case is in {path}. To run it again:\n  {shlex.join(again)}")


def verify_again(adapter: str, path: Path) -> list[str]:
    """The command that runs the case of a file with an adapter."""
    return ["allotment", "verify", adapter, "--case", str(path)]
