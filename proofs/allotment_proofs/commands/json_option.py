"""The option that names a file for all outcomes; it is opened before the work begins."""

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


JsonFile = Annotated[
    Path | None,
    typer.Option("--json", metavar="FILE", callback=_writable, help="Write all outcomes there."),
]
