"""Make a counterexample a vector, which any allocator can be checked with."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import CannotWrite, read_json_file
from allotment_conformance.counterexample.directory import draft_of, read
from allotment_conformance.vectors.form import NoVectors
from allotment_conformance.vectors.promote import promote
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.profiles import leaves_choices

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a counterexample.")]
Into = Annotated[Path, typer.Option(metavar="DIR", help="The folder of your vectors.")]


def command(folder: Folder, into: Into = Path("vectors")) -> int:
    """Make a counterexample a vector, which any allocator can be checked with.

    Example: allotment promote counterexamples/0f3a62b1c9d4 --into my-vectors

    Then: allotment vectors check ADAPTER --folder my-vectors

    Exit status: 0 done, 2 bad input.
    """
    kept = read(folder)
    profile = legal_profile(read_json_file(folder / "profile.json", remedy=A_PROFILE))
    if leaves_choices(profile):
        raise NoVectors(
            "there are no vectors for `split: any` and `host_order: unspecified`",
            remedy="Keep the counterexample: allotment verify and check run it first.",
        )
    told = read_json_file(folder / "answers.json", remedy="Write the counterexample anew.")
    try:
        file = promote(draft_of(kept, told, profile), profile, into)
    except OSError as wrong:
        raise CannotWrite(
            f"{into} cannot be written: {wrong.strerror}",
            remedy="Name a folder that you may write to.",
        ) from wrong
    print(f"The vector promoted/{kept.name} is in {file}.")
    return 0


A_PROFILE = "Write the counterexample anew, or put the profile of SPEC.md 2.4 there."
