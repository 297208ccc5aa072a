"""Write the beginning of an adapter, which already speaks the protocol."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.scaffold.write import SMOKE, Language, write

Lang = Annotated[Language, typer.Option("--lang", help="The language to write in.")]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; made if needed.")]


def command(lang: Lang, folder: Folder = Path(".")) -> int:
    """Write the beginning of an adapter, which already speaks the protocol.

    It says who it is, and says of each case that nothing is answered yet: that part is yours. No
    file is overwritten.

    Example: allotment scaffold --lang c my-adapter

    Exit status: 0 written, 2 bad input.
    """
    for path in write(lang, folder):
        print(f"wrote {path}")
    print(f"Next, in {folder}: {SMOKE[lang]}")
    return 0
