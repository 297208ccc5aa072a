"""Strangers: hosts that an answer names, and that the cluster does not have.

An allocator that cuts the names of its hosts, or numbers them otherwise, may place well and tell
of it badly. What its answer says of such a host is nothing that could be held against capacities.
"""

from collections.abc import Iterator

from allotment_conformance.counterexample.words import job_of
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire.messages import Json

NOT_A_CANDIDATE = "HOST-1"
"""The clause that a job breaks that goes to one: candidates are hosts of the cluster."""

OF_A_DISPATCH = (Kind.DECISION, Kind.PLACEMENT, Kind.ALTERNATIVE)
"""What differs where a job is said to be dispatched, and should not be, or not there."""


def stranger(found: Disagreement) -> str | None:
    """The first host that a job is said to go to, or the books to use, and that is none.

    One that waits to join is none as yet, and no stranger.
    """
    known = found.before.cluster.hosts.keys() | found.before.coming.hosts.keys()
    return next((name for name in _hosts_named(found) if name not in known), None)


def _hosts_named(found: Disagreement) -> Iterator[str]:
    """The hosts of what differs, in the order of the answer."""
    if found.kind in OF_A_DISPATCH:
        for part in job_of(found.actual, found.job).get("parts", []):
            yield from (host for host, _slots in part)
    if found.kind is Kind.BOOKS:
        yield from (found.actual.get("books") or {"hosts": {}})["hosts"]


def is_named_nowhere(host: str, case: Json) -> bool:
    """Whether not even an event that was refused would have added a host of that name."""
    added = (one["host"]["name"] for one in case["events"] if one["event"] == "host_add")
    return host not in added
