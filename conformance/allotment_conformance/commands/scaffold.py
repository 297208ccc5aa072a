"""Write the beginning of an adapter, which already speaks the protocol."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.errors import KitError
from allotment_conformance.exit_status import Exit
from allotment_conformance.scaffold.write import SMOKE, Language, write

LANGUAGES = ", ".join(Language)

Lang = Annotated[
    str, typer.Option("--lang", metavar="LANGUAGE", help=f"The language to write in: {LANGUAGES}.")
]
Folder = Annotated[Path, typer.Argument(metavar="DIR", help="Where to write; made if needed.")]


class UnknownLanguage(KitError):
    """There is no beginning in this language."""

    code = "unknown-language"


def command(lang: Lang, folder: Folder = Path(".")) -> int:
    """Write the beginning of an adapter, which already speaks the protocol.

    It says who it is, and says of each case that nothing is answered yet: that part is yours. No
    file is overwritten.

    Example: allotment scaffold --lang c my-adapter

    Exit status: 0 written, 2 bad input.
    """
    language = _language(lang)
    for path in write(language, folder):
        print(f"wrote {path}")
    print(f"Next, in {folder}: {SMOKE[language]}")
    return Exit.HOLDS


def _language(name: str) -> Language:
    if name not in set(Language):
        raise UnknownLanguage(
            f"there is no beginning in '{name}', only in {LANGUAGES}",
            remedy="Translate `allotment scaffold --lang js`: docs/implementers.md, section 1, "
            "says what to look after, and docs/protocol.md has the three messages.",
        )
    return Language(name)
