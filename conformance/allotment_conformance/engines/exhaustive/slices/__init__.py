"""The slices of the small world: what is enumerated, and what it means as a case."""

from collections.abc import Callable
from typing import Any

from allotment_conformance.engines.exhaustive import bounds as of
from allotment_conformance.engines.exhaustive.bounds import Bounds
from allotment_conformance.engines.exhaustive.slices.amounts import amounts, pools
from allotment_conformance.engines.exhaustive.slices.limits import holdings, limits
from allotment_conformance.engines.exhaustive.slices.plans import (
    compounds,
    queues,
    spans,
    splits,
)
from allotment_conformance.engines.exhaustive.slices.selects import selects
from allotment_conformance.engines.exhaustive.slices.sessions import changes, sessions, words
from allotment_conformance.engines.exhaustive.slices.slice import Slice
from allotment_conformance.engines.exhaustive.slices.submissions import counts_given, refusals

__all__ = ["Slice", "slice_of"]

_MAKERS: dict[type[Bounds], Callable[[Any], Slice]] = {
    of.Splits: splits,
    of.Spans: spans,
    of.Compounds: compounds,
    of.Queues: queues,
    of.Pools: pools,
    of.Amounts: amounts,
    of.Limits: limits,
    of.Holdings: holdings,
    of.Selects: selects,
    of.Sessions: sessions,
    of.Changes: changes,
    of.Words: words,
    of.Counts: counts_given,
    of.Refusals: refusals,
}


def slice_of(bounds: Bounds) -> Slice:
    """The slice with these bounds."""
    return _MAKERS[type(bounds)](bounds)
