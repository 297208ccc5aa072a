"""Directed cases: for every *answer* clause of SPEC.md a smallest case in which it shows.

A case *exercises* a clause if the spec without that clause would answer it differently; a test
holds this for each case and each of its clauses, against the model's variants.
"""

from allotment_conformance.engines.directed import (
    again,
    caches,
    fields,
    hosts,
    keys,
    limits,
    meetings,
    names,
    narrow,
    plans,
    precedence,
    priorities,
    refusals,
    requests,
    selects,
    sessions,
    sizes,
)
from allotment_conformance.engines.directed.case import Directed

DIRECTED: tuple[Directed, ...] = (
    plans.CASES
    + hosts.CASES
    + requests.CASES
    + caches.CASES
    + sessions.CASES
    + sizes.CASES
    + refusals.CASES
    + narrow.CASES
    + again.CASES
    + priorities.CASES
    + narrow.COUNTS_OF_ALTERNATIVES
    + fields.CASES
    + limits.CASES
    + keys.CASES
    + meetings.CASES
    + selects.CASES
    + precedence.CASES
    + names.CASES
)

__all__ = ["DIRECTED", "Directed"]
