"""What makes a case the smallest of its slice: all that come before it, and all below it."""

from collections.abc import Iterator

from allotment_conformance.engines.exhaustive.slices import Slice
from allotment_conformance.engines.exhaustive.worlds import Point


def alike(of: Slice, point: Point) -> list[Point]:
    """The point and all that differ from it in names that no rule tells apart."""
    found = [point]
    for one in found:
        found += [other for rename in of.renamings if (other := rename(one)) not in found]
    return found


def below(of: Slice, point: Point) -> Iterator[Point]:
    """The points of a slice that are run and come from this one, or one like it, by making it
    smaller: items left out, numbers lowered.
    """
    like = alike(of, point)
    for size in range(of.world.size(point)):
        for one in of.world.each(size):
            if of.is_first(one) and any(of.world.is_below(one, other) for other in like):
                yield one
