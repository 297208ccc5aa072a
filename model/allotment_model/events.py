"""Events: what happens to a scheduler (SPEC.md, 2.2)."""

from collections.abc import Mapping
from dataclasses import dataclass

from allotment_model.cluster import Host, LimitId
from allotment_model.request import Job


@dataclass(frozen=True, slots=True, kw_only=True)
class BeginSession:
    """Finished jobs are credited, changes take effect, the cache is emptied."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Submit:
    """A job joins the queue."""

    job: Job


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSession:
    """Every pending job not yet tried in this session is tried. CANCEL-1: `cancel_at` polls."""

    cancel_at: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Finish:
    """A live job ends; it is charged until the next session."""

    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Withdraw:
    """A pending job leaves the queue, at once."""

    job: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HostAdd:
    """A host joins, last in cluster order."""

    host: Host


@dataclass(frozen=True, slots=True, kw_only=True)
class HostChange:
    """What is named changes; an attribute with value None is taken away."""

    host: str
    capacity: Mapping[str, int]
    attributes: Mapping[str, int | str | None]
    open: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolChange:
    """A pool has a new capacity, in thousandths."""

    pool: str
    capacity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitSet:
    """A new limit, or a new cap for the same limit."""

    limit: LimitId
    cap: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitRemove:
    """A limit is no more."""

    limit: LimitId


Change = HostAdd | HostChange | PoolChange | LimitSet | LimitRemove
Event = BeginSession | Submit | RunSession | Finish | Withdraw | Change
