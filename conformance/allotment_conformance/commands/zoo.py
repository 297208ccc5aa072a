"""List the allocators that test the kit, or hunt them with every engine."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.errors import KitError
from allotment_conformance.verdict.verification import processors
from allotment_conformance.zoo import matrix
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.catalogue import MUTANTS, mutant

EXIT_HOLDS = 0
EXIT_LOST = 1

Names = Annotated[
    list[str] | None, typer.Argument(metavar="NAME", help="Hunt these with every engine.")
]
Page = Annotated[
    Path | None,
    typer.Option("--update", metavar="FILE", help="Hunt all; renew the page and what is kept."),
]
Processes = Annotated[int | None, typer.Option(min=1, help="Default: all processors.")]


class CannotUpdate(KitError):
    """The page of the zoo cannot be read or written."""

    code = "cannot-update"


def command(
    names: Names = None,
    update: Page = None,
    processes: Processes = None,
) -> int:
    """List the allocators that test the kit, or hunt them with every engine.

    Exit status: 0 listed, or all that were hunted are found; 1 some are not; 2 bad input.
    """
    if update is not None:
        if not update.is_file():
            raise CannotUpdate(f"there is no page '{update}'", remedy="It is docs/zoo.md.")
        trails = matrix.update(update, processes or processors())
    elif names:
        known = [mutant(name).id for name in names]
        trails = matrix.matrix(known, min(len(known), processes or processors()))
    else:
        _list()
        return EXIT_HOLDS
    print("\n".join(matrix.table(trails)))
    return EXIT_HOLDS if all(trail.engines for trail in trails.values()) else EXIT_LOST


def _list() -> None:
    """Everybody, with what is wrong or odd."""
    names = [*(one.id for one in MUTANTS), *(one.id for one in CALIBRATION)]
    width = max(map(len, names))
    for one in MUTANTS:
        print(f"{one.id:<{width}}  {one.kind:<16}  {one.what} ({', '.join(one.clauses)})")
    for odd in CALIBRATION:
        print(f"{odd.id:<{width}}  {'right':<16}  {odd.what}")
