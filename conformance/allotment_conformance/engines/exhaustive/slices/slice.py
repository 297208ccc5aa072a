"""What a slice is: a world of points, what each means as a case, and which points are alike."""

from collections.abc import Callable
from dataclasses import dataclass

from allotment_conformance.engines.exhaustive.bounds import Bounds
from allotment_conformance.engines.exhaustive.slices.finds import FINDS
from allotment_conformance.engines.exhaustive.worlds import Point, World
from allotment_conformance.engines.notation import submit
from allotment_conformance.wire.messages import Json

Renaming = Callable[[Point], Point]
"""Exchanges names that no rule tells apart."""

HOSTS = "ABCDE"
JOBS = "abcde"
MEMORY = "mem"
LICENCES = "lic"


def is_first_of_all(point: Point) -> bool:
    """Where there is nothing to rename, no point is like another."""
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """A part of the small world.

    `renamings` turn a point into the points that are like it; of these, the one that `is_first`
    is run.
    """

    bounds: Bounds
    about: str
    world: World
    case: Callable[[Point], Json]
    renamings: tuple[Renaming, ...] = ()
    is_first: Callable[[Point], bool] = is_first_of_all

    @property
    def name(self) -> str:
        """What it is called on the command line."""
        return self.bounds.slice

    @property
    def finds(self) -> tuple[str, ...]:
        """The variants of the model that answer some case otherwise, in every scope."""
        return FINDS[self.name]


def submissions(requests: list[Json], names: str = JOBS) -> list[Json]:
    """A job for each primary, named in order."""
    return [submit(name, request) for name, request in zip(names, requests, strict=False)]
