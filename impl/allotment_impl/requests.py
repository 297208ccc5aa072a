"""The words of a request and of a configuration, as a scheduler hands them over.

Amounts are integer thousandths, slots are whole, and nothing is ever a float (AMOUNT-1). Values
are as they were given: what they may be is checked by ``ingest`` and ``configuration``.
"""

from enum import Enum
from typing import NamedTuple, TypeAlias

import msgspec

from allotment_impl.expressions import Expression


class Per(Enum):
    """What an amount of a rusage is counted for (WANT-1, SHARED-1)."""

    TASK = "task"
    HOST = "host"
    JOB = "job"


class LimitKind(Enum):
    """Whose holdings a limit counts (LIMIT-1)."""

    USER = "user"
    QUEUE = "queue"
    PROJECT = "project"


class LimitScope(Enum):
    """Whether a limit counts on each host by itself, or over the whole cluster (LIMIT-2)."""

    HOST = "host"
    CLUSTER = "cluster"


class AttributeType(Enum):
    """What values an attribute has: numbers in thousandths, or texts (RES-1)."""

    NUMBER = "number"
    TEXT = "text"


class HostOrder(Enum):
    """The order in which hosts are candidates (HOST-1, HOST-9)."""

    LISTED = "listed"
    MOST_FREE = "most_free"


class Identity(NamedTuple):
    """The user, queue and project of a job: whom limits and cache keys know it by."""

    user: str
    queue: str
    project: str

    def holder(self, kind: LimitKind) -> str:
        """The one of the three that a limit of ``kind`` counts for (LIMIT-1)."""
        match kind:
            case LimitKind.USER:
                return self.user
            case LimitKind.QUEUE:
                return self.queue
            case LimitKind.PROJECT:
                return self.project


class Value(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The base of the values that are read strictly: no field is unknown, none changes."""


class Counts(Value, frozen=True, kw_only=True):
    """How many tasks a job or primary has: ``max`` is placed, ``min`` is kept (TASKS-1)."""

    min: int
    max: int


class RusageEntry(Value, frozen=True, kw_only=True):
    """An amount of one resource, in thousandths, for each task or host, or for the job."""

    resource: str
    amount: int
    per: Per | None = None


class Span(Value, frozen=True, kw_only=True):
    """Bounds on the plans of a primary (PLAN-9, PLAN-10); what is left out does not bind."""

    hosts_min: int | None = None
    hosts_max: int | None = None
    tasks_per_host: int | None = None
    ptile: int | None = None


class Primary(Value, frozen=True, kw_only=True):
    """N equal tasks with one select, one rusage and one span."""

    tasks: Counts | None = None
    select: Expression | None = None
    rusage: tuple[RusageEntry, ...] = ()
    span: Span | None = None


Request: TypeAlias = tuple[tuple[Primary, ...], ...]
"""Alternatives, in order, each of primaries that all must be placed."""


class Job(Value, frozen=True, kw_only=True):
    """What is submitted: alternatives of compounds of primaries, for one identity.

    The request may also be its text, in the language of ``allotment_impl.resreq``.
    """

    name: str
    user: str
    queue: str
    project: str
    request: Request | str
    priority: int = 0
    tasks: Counts | None = None


class Host(Value, frozen=True, kw_only=True):
    """A host: capacities (slots whole, amounts in thousandths), attributes, open or closed."""

    name: str
    capacity: dict[str, int]
    attributes: dict[str, int | str] = {}
    open: bool = True


class HostChange(Value, frozen=True, kw_only=True):
    """What of a host changes; ``None`` changes nothing, an attribute of ``None`` goes away."""

    host: str
    capacity: dict[str, int] | None = None
    attributes: dict[str, int | str | None] | None = None
    open: bool | None = None


class LimitIdentity(Value, frozen=True, kw_only=True):
    """Which limit: all of it but its cap. Without ``name`` it is an *each* limit (LIMIT-1)."""

    kind: LimitKind
    scope: LimitScope
    resource: str
    name: str | None = None
    each: bool = False

    def __post_init__(self) -> None:
        if self.each == (self.name is not None):
            raise ValueError("a limit has exactly one of `name` and `each: true`")

    @property
    def identity(self) -> "LimitIdentity":
        """The limit without its cap: two limits that agree in it are the same limit."""
        return self

    def in_words(self) -> str:
        """The limit as a message names it, by the words of a case (2.1)."""
        whom = f"each {self.kind.value}" if self.name is None else f"{self.kind.value} {self.name}"
        return f"limit of {whom} on {self.resource}, scope {self.scope.value}"


class Limit(LimitIdentity, frozen=True, kw_only=True):
    """A cap, in slots or thousandths, on what one user, queue or project may hold."""

    cap: int

    @property
    def identity(self) -> LimitIdentity:
        """The limit without its cap: two limits that agree in it are the same limit."""
        return LimitIdentity(
            kind=self.kind,
            scope=self.scope,
            resource=self.resource,
            name=self.name,
            each=self.each,
        )


class Resources(Value, frozen=True, kw_only=True):
    """The names of a cluster's host amounts, shared amounts and attributes (RES-1)."""

    host: tuple[str, ...] = ()
    shared: tuple[str, ...] = ()
    attributes: dict[str, AttributeType] = {}


class Cluster(Value, frozen=True, kw_only=True):
    """A starting configuration: hosts in order, pools and limits."""

    hosts: tuple[Host, ...]
    resources: Resources = Resources()
    pools: dict[str, int] = {}
    limits: tuple[Limit, ...] = ()
