"""Strangers: hosts that an answer names, and that the cluster does not have; and others like them.

An allocator that cuts the names of its hosts, or numbers them otherwise, may place well and tell
of it badly. What its answer says of such a host is nothing that could be held against capacities.
"""

from collections.abc import Iterator

from allotment_conformance.counterexample.words import job_of
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire.messages import Json
from allotment_model.cluster import IdentityKind

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
    books = _books(found)
    yield from books["hosts"]
    yield from (use["host"] for use in books["limits"] if use["host"] is not None)


def strange_pool(found: Disagreement) -> str | None:
    """The first pool that the books tell of, and that the cluster does not have."""
    known = found.before.cluster.resources.shared
    return next((name for name in _books(found)["pools"] if name not in known), None)


def strange_holder(found: Disagreement) -> tuple[str, str] | None:
    """The first whose use of a limit the books tell, and for whom there is no job; and of which
    kind: a user, a queue, a project.
    """
    before = found.before
    jobs = [one.job.identity for one in before.pending.values()]
    jobs += [one.identity for one in before.live.values()]
    for use in _books(found)["limits"]:
        kind = IdentityKind(use["kind"])
        if use["holder"] not in (identity.holder(kind) for identity in jobs):
            return kind.value, use["holder"]
    return None


def _books(found: Disagreement) -> Json:
    """The books that were told, where these are what differs."""
    told = found.actual.get("books") if found.kind is Kind.BOOKS else None
    return told or {"hosts": {}, "pools": {}, "limits": []}


def is_named_nowhere(host: str, case: Json) -> bool:
    """Whether not even an event that was refused would have added a host of that name."""
    added = (one["host"]["name"] for one in case["events"] if one["event"] == "host_add")
    return host not in added
