"""Shapes of clusters: small ones, in which everything meets, and now and then a wide one."""

from dataclasses import dataclass

from allotment_conformance.wire.messages import Profile

WIDE_EVERY = 40
"""One in so many cases is of a wide cluster, which takes about twice the time of another one."""

LEAST_WIDE, MOST_WIDE = 9, 40
"""Hosts of a wide cluster. Of what is drawn only these show a fault of the tenth host, or of the
tenth bucket."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """How the hosts of a cluster are drawn.

    `slots` are picked from; all hosts have the same in a share of cases, `same`. The other shares
    are of hosts: `amounts` have some of an amount at all, `enough` so much for each slot, `closed`
    are closed.
    """

    slots: tuple[int, ...]
    same: float
    amounts: float
    enough: float
    closed: float


SMALL = Shape(
    slots=(1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 0, 8, 16),
    same=0.3,
    amounts=0.9,
    enough=0.6,
    closed=0.06,
)
"""Few slots: with primaries of a few tasks every split and every near miss comes up."""

WIDE = Shape(slots=(1, 2, 2, 2, 3, 3, 4), same=0.7, amounts=0.98, enough=0.9, closed=0.02)
"""Hosts much alike, so that a job on many of them is placed and its buckets differ by one task."""


def shape_of(index: int, profile: Profile) -> Shape:
    """That of a bulk case; none is wide where the profile does not have so many hosts."""
    is_wide = index % WIDE_EVERY == WIDE_EVERY - 1 and profile.largest.hosts >= LEAST_WIDE
    return WIDE if is_wide else SMALL
