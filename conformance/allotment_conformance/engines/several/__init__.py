"""Cases of the third, the fifth, the seventeenth of a kind, in each place where one can stand.

Allocators that are right with one or two parts, alternatives, pools, claims or sessions were
wrong with more, and all other cases called them exact. One case has many of a kind.
"""

from allotment_conformance.engines.directed.case import Directed
from allotment_conformance.engines.several import (
    accounts,
    compounds,
    hosts,
    late_hosts,
    places,
    selects,
    sessions,
    spans,
)

SEVERAL: tuple[Directed, ...] = (
    compounds.CASES
    + accounts.CASES
    + sessions.CASES
    + selects.CASES
    + hosts.CASES
    + places.CASES
    + late_hosts.CASES
    + spans.CASES
)
"""They are not probed, and no vector is made of them."""

__all__ = ["SEVERAL"]
