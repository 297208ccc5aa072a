"""What subcommands read and write: files with a case, and files with a result."""

import json
import stat
import sys
from collections.abc import Iterable
from itertools import chain, count, product
from pathlib import Path

from allotment_conformance.errors import KitError
from allotment_conformance.wire.json_texts import LongNumber, read_json
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.nesting import TOO_DEEP, is_too_deep


class CannotRead(KitError):
    """A file that was named cannot be read."""

    code = "cannot-read"


class NotRecorded(KitError):
    """A stream or a result was asked for of something that has none."""

    code = "not-recorded"


class CannotWrite(KitError):
    """A file that was asked for cannot be written."""

    code = "cannot-write"


def text_of(value: Json) -> str:
    """The text of a file with a result; halves of characters are escapes in it."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return text.encode(errors="backslashreplace").decode()


COUNTEREXAMPLES = "counterexamples"
"""The folder, in the working folder, in which counterexamples are kept unless another is named."""


A_CASE = "Give a case as SPEC.md 2.1 describes it."


def read_case_file(path: Path) -> Json:
    """The JSON of a file with a case; `-` is standard input. Raises `CannotRead`.

    Of the directory of a counterexample it is the file that holds the case.
    """
    return read_json_file(case_file(path), remedy=A_CASE)


def case_file(path: Path) -> Path:
    """The file with a case: that of a counterexample if its directory is named."""
    return path / "case.json" if path.is_dir() else path


def read_json_file(path: Path, *, remedy: str) -> Json:
    """The JSON object of a file; `-` is standard input. Raises `CannotRead`.

    `remedy` says what to give instead of a file that holds none.
    """
    text = read_file(path)
    try:
        value = read_json(text)
    except LongNumber as wrong:
        raise CannotRead(f"{path} holds {wrong}", remedy=remedy) from wrong
    except ValueError as wrong:
        raise CannotRead(f"{path} is not JSON: {wrong}", remedy=remedy) from wrong
    except RecursionError as wrong:
        raise CannotRead(f"{path} is {TOO_DEEP}", remedy=remedy) from wrong
    if is_too_deep(value):
        raise CannotRead(f"{path} is {TOO_DEEP}", remedy=remedy)
    if not isinstance(value, dict):
        raise CannotRead(f"{path} holds no JSON object", remedy=remedy)
    return value


def read_file(path: Path, *, remedy: str = "Check the name of the file.") -> str:
    """The text of a file, or of a pipe; `-` is standard input. Raises `CannotRead`."""
    refuse_device(path)
    try:
        return sys.stdin.read() if str(path) == "-" else path.read_text(encoding="utf-8")
    except OSError as wrong:
        raise CannotRead(f"{path} cannot be read: {wrong.strerror}", remedy=remedy) from wrong
    except UnicodeDecodeError as wrong:
        raise CannotRead(f"{path} is not UTF-8, at byte {wrong.start}", remedy=remedy) from wrong


def refuse_device(path: Path) -> None:
    """See that something is no device, such as /dev/zero, that has no end. Raises `CannotRead`."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return  # Whoever opens it says what is wrong.
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        raise CannotRead(
            f"{path} is not a regular file", remedy="Name a file, or a pipe that has an end."
        )


def check_folder(path: Path) -> None:
    """See before long work that a folder is one, or can be made. Raises `CannotWrite`."""
    nearest = next(one for one in (path, *path.absolute().parents) if one.exists())
    if not nearest.is_dir():
        raise CannotWrite(f"{nearest} is not a folder", remedy="Name a folder, also a new one.")


def write_file(path: Path, text: str) -> None:
    """Write a file. Raises `CannotWrite`."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise _cannot_write(path, wrong) from wrong


def check_writable(*paths: Path | None, inputs: Iterable[Path | str | None] = ()) -> None:
    """See before long work that the files that are named can be written; none is left.

    None of them may be one of the `inputs`, which are still to be read. Raises `CannotWrite`.
    """
    named = [path for path in paths if path is not None]
    given = [Path(one) for one in inputs if one]
    for path, read in product(named, given):
        if path.exists() and read.exists() and path.samefile(read):
            raise CannotWrite(
                f"{path} is read, and would be written over", remedy="Name another file to write."
            )
    if len({path.absolute() for path in named}) < len(named):
        raise CannotWrite(f"{named[0]} is named twice", remedy="Name a file for each.")
    for path in named:
        is_new = not path.exists()
        try:
            path.open("a", encoding="utf-8").close()
        except OSError as wrong:
            raise _cannot_write(path, wrong) from wrong
        if is_new:
            path.resolve().unlink()  # A link to a file that is not there stays.


def unused(path: Path) -> Path:
    """The name itself, or with a number the first under which there is no file yet."""
    numbered = (path.with_stem(f"{path.stem}-{number}") for number in count(2))
    return next(one for one in chain([path], numbered) if not one.is_file())


def write_result(path: Path | None, result: Json) -> None:
    """Write a result if a file is named. Raises `CannotWrite`."""
    if path is not None:
        write_file(path, text_of(result))


def check_results(
    json_file: Path | None, ndjson: Path | None, case: Path | None, named: Path | None
) -> Path:
    """See before long work that the files of a run can be written, and that there is a stream.

    `named` is a folder for counterexamples, and what comes back the one that is used. Of one
    `case`, that of --case, nothing streams and nothing is kept. Raises `NotRecorded` and
    `CannotWrite`.
    """
    if case is not None and ndjson is not None:
        raise NotRecorded(
            "--ndjson writes down a run of many cases, and --case is none",
            remedy="Leave out --ndjson or --case.",
        )
    if case is not None and named is not None:
        raise NotRecorded(
            "--counterexamples keeps what is found, and --case runs a case that you have",
            remedy="Leave out --counterexamples or --case.",
        )
    check_writable(json_file, ndjson, inputs=[case and case_file(case)])
    return folder_of(named)


def folder_of(named: Path | None) -> Path:
    """The folder for counterexamples that is named, or the one of that name. See `check_folder`."""
    folder = named or Path(COUNTEREXAMPLES)
    check_folder(folder)
    return folder


def _cannot_write(path: Path, wrong: OSError) -> CannotWrite:
    return CannotWrite(
        f"{path} cannot be written: {wrong.strerror}",
        remedy="Name a file in a folder that exists and that you may write to.",
    )
