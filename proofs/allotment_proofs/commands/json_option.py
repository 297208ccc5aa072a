"""Options that name a file or a folder for what is found; they are tried before the work begins."""

import os
from pathlib import Path
from typing import Annotated

import typer


def _writable(path: Path | None) -> Path | None:
    """The same path. Raises `BadParameter` if no file can be written there; leaves none behind."""
    if path is not None:
        is_new = not path.exists()
        try:
            path.open("a", encoding="utf-8").close()
        except OSError as wrong:
            raise typer.BadParameter(f"{path} cannot be written: {wrong.strerror}") from wrong
        if is_new:
            path.unlink()
    return path


def creatable(path: Path | None) -> Path | None:
    """The same path. Raises `BadParameter` if it is no folder that can be written, or made."""
    if path is not None:
        nearest = next(one for one in (path, *path.absolute().parents) if one.exists())
        if not nearest.is_dir():
            raise typer.BadParameter(f"{nearest} is not a folder; name a folder, also a new one")
        if not os.access(nearest, os.W_OK | os.X_OK):
            raise typer.BadParameter(f"{nearest} cannot be written; name another folder")
    return path


JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", callback=_writable, help="Write all outcomes there."),
]
