"""Make a counterexample a vector, which any allocator can be checked with."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import CannotWrite, read_json_file
from allotment_conformance.counterexample.directory import draft_of
from allotment_conformance.errors import NotBoth
from allotment_conformance.exit_status import Exit
from allotment_conformance.vectors.promote import promote, promote_into_package
from allotment_conformance.wire.legality import legal_profile

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a counterexample.")]
Into = Annotated[
    Path | None, typer.Option(metavar="DIR", help="The folder of your vectors; else vectors.")
]
Package = Annotated[
    bool, typer.Option("--package", help="Instead: among those of this package, in a checkout.")
]


def command(folder: Folder, into: Into = None, package: Package = False) -> int:
    """Make a counterexample a vector, which any allocator can be checked with.

    Example: allotment promote counterexamples/0f3a62b1c9d4 --into my-vectors

    Then: allotment vectors check ADAPTER --folder my-vectors

    Exit status: 0 done, 2 bad input.
    """
    if package and into is not None:
        raise NotBoth("--into names a folder and --package another", remedy="Give one of the two.")
    profile = legal_profile(read_json_file(folder / "profile.json", remedy=A_PROFILE))
    draft = draft_of(folder, profile)
    try:
        if package:
            file = promote_into_package(draft, profile)
        else:
            file = promote(draft, profile, into or Path("vectors"))
    except OSError as wrong:
        raise CannotWrite(
            f"{wrong.filename} cannot be written: {wrong.strerror}",
            remedy="Name a folder that you may write to.",
        ) from wrong
    print(f"The vector {draft.id} is in {file}.")
    return Exit.HOLDS


A_PROFILE = "Write the counterexample anew, or put the profile of SPEC.md 2.4 there."
