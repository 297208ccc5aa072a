"""The state of a scheduler between two events."""

from collections.abc import Mapping
from dataclasses import dataclass

from allotment_model.accounts import Account
from allotment_model.cache import Cache
from allotment_model.cluster import Cluster, Identity
from allotment_model.request import Job
from allotment_model.search import Placement
from allotment_model.why import Keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Queued:
    """A pending job with its keys (CACHE-1, INGEST-1) and submission number."""

    job: Job
    keys: Keys
    number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Allocation:
    """What a live job holds, for each of its primaries."""

    identity: Identity
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A scheduler between two events.

    `coming` is the cluster with the waiting changes applied, `finishing` the live jobs whose
    finish waits; both take effect at the next session (SESSION-2). `caches` are the caches that
    the answers so far allow: one, unless an attempt was cancelled (UNDO-4).
    SESSION-6: a submitted job is in exactly one of `pending`, `live`, `finished`, `withdrawn`.
    """

    cluster: Cluster
    coming: Cluster
    books: Mapping[Account, int]
    pending: Mapping[str, Queued]
    live: Mapping[str, Allocation]
    finishing: frozenset[str] = frozenset()
    finished: frozenset[str] = frozenset()
    withdrawn: frozenset[str] = frozenset()
    tried: frozenset[str] = frozenset()
    caches: tuple[Cache, ...]
    next_number: int = 0


def initial(cluster: Cluster) -> State:
    """A scheduler inside its first session, with nothing in use and an empty cache."""
    return State(cluster=cluster, coming=cluster, books={}, pending={}, live={}, caches=({},))
