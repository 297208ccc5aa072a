"""Writes the beginning of an adapter into a folder, never over anything."""

from collections.abc import Mapping
from enum import StrEnum
from importlib.resources import files
from pathlib import Path

from allotment_conformance.errors import KitError

SUFFIX = ".txt"
"""Behind the name of each template, so that no tool takes it for a source of the kit."""


class Language(StrEnum):
    """What an adapter can be begun in."""

    C = "c"
    JS = "js"
    PYTHON = "python"


SMOKE: Mapping[Language, str] = {
    Language.C: "make && allotment smoke -- ./adapter",
    Language.JS: "allotment smoke -- node adapter.js",
    Language.PYTHON: "allotment smoke -- python3 adapter.py",
}
"""The line that looks whether it is alive, in its folder."""


class WouldOverwrite(KitError):
    """A file that would be written is there already."""

    code = "would-overwrite"


class CannotScaffold(KitError):
    """The folder, or a file in it, cannot be written."""

    code = "cannot-scaffold"


def templates(language: Language) -> dict[str, str]:
    """The texts of a language's files, by name."""
    folder = files("allotment_conformance.scaffold") / language
    found = {one.name: one.read_text("utf-8") for one in folder.iterdir()}
    return {
        name.removesuffix(SUFFIX): text
        for name, text in sorted(found.items())
        if name.endswith(SUFFIX)
    }


def write(language: Language, folder: Path) -> list[Path]:
    """Write the files, and the folder if it is not there.

    Raises `WouldOverwrite` and `CannotScaffold`.
    """
    wanted = {folder / name: text for name, text in templates(language).items()}
    there = [str(path) for path in wanted if path.exists() or path.is_symlink()]
    if there:
        raise WouldOverwrite(
            f"{', '.join(there)}: there already", remedy="Name another folder, or move them away."
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for path, text in wanted.items():
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
    except OSError as wrong:
        raise CannotScaffold(
            f"{wrong.filename or folder} cannot be written: {wrong.strerror}",
            remedy="Name a folder that you may write to.",
        ) from wrong
    return list(wanted)
