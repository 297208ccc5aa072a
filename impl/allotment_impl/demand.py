"""A primary as the allocators see it: counts reconciled, rusage summed, select compiled.

It is made once, at submission, and knows no job: equal demands fare equally on equal books.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

from allotment_impl.accounts import Wants
from allotment_impl.refusals import TASKS_LARGEST
from allotment_impl.requests import Identity, Span
from allotment_impl.selectors import Selector

BUCKETS_KEPT = 64
"""A shape keeps the wants of buckets up to this size: those of most hosts, and few in number."""


class HostWant(NamedTuple):
    """What a primary wants of one resource of each host it takes (WANT-1).

    ``resource`` is the place of the amount in the vocabulary; amounts are thousandths, or slots.
    """

    resource: int
    per_task: int
    per_host: int

    def of(self, tasks: int) -> int:
        """What a bucket of so many tasks wants; it never shrinks as they grow (WANT-3)."""
        return tasks * self.per_task + self.per_host


class SpanBounds(NamedTuple):
    """A span with the defaults of PLAN-9 filled in; ``ptile`` has none."""

    hosts_min: int
    hosts_max: int
    tasks_per_host: int
    ptile: int | None

    @classmethod
    def fill(cls, span: Span | None) -> "SpanBounds":
        """Fill in what a span leaves out (PLAN-9, CACHE-1)."""
        if span is None:
            return UNBOUNDED
        largest = TASKS_LARGEST
        return cls(
            1 if span.hosts_min is None else span.hosts_min,
            largest if span.hosts_max is None else span.hosts_max,
            largest if span.tasks_per_host is None else span.tasks_per_host,
            span.ptile,
        )


UNBOUNDED = SpanBounds(1, TASKS_LARGEST, TASKS_LARGEST, None)
"""The span of most requests, which gives none."""


class CacheKey:
    """The key of a primary: it is compared by content, and hashed once (CACHE-1)."""

    __slots__ = ("_hash", "content")

    def __init__(self, content: tuple[object, ...]) -> None:
        self.content = content
        self._hash = hash(content)

    def __hash__(self) -> int:
        """The hash of the content, computed when the key was made."""
        return self._hash

    def __eq__(self, other: object) -> bool:
        """Whether both keys have the same content; an equal hash alone does not do."""
        return isinstance(other, CacheKey) and self.content == other.content


class Shape:
    """What decides how many tasks fit on a host, limits aside: select and wants, interned.

    Two primaries that ask a host alike have one shape as long as ``Ingest`` keeps it; two shapes
    of equal content are allowed, and cost no more than a second index.
    """

    __slots__ = ("_wants", "host_wants", "selector")

    def __init__(self, host_wants: tuple[HostWant, ...], selector: Selector | None) -> None:
        assert host_wants[0] == HostWant(0, 1, 0)
        self.host_wants = host_wants
        self.selector = selector
        self._wants: dict[int, Wants] = {}

    def wants_of(self, tasks: int) -> Wants:
        """What a bucket of so many tasks wants, each resource asked for once (WANT-1)."""
        wants = self._wants.get(tasks)
        if wants is None:
            wants = tuple([(want.resource, want.of(tasks)) for want in self.host_wants])
            if tasks <= BUCKETS_KEPT:
                self._wants[tasks] = wants
        return wants


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """A primary of ``tasks`` tasks, ready to be placed.

    ``shared_wants`` are places of shared amounts with what the primary wants of them in all
    (SHARED-1). Wants of zero are left out there and in the shape, so that they are never blocked
    (LIMIT-3).
    """

    tasks: int
    identity: Identity
    shape: Shape
    shared_wants: tuple[tuple[int, int], ...]
    span: SpanBounds
    key: CacheKey

    def __post_init__(self) -> None:
        assert 1 <= self.tasks <= TASKS_LARGEST

    @property
    def host_wants(self) -> tuple[HostWant, ...]:
        """What it wants of each host, the slots first, no resource twice (WANT-2)."""
        return self.shape.host_wants

    @property
    def selector(self) -> Selector | None:
        """Which hosts it may take; nothing selects all (SELECT-5)."""
        return self.shape.selector


Alternatives: TypeAlias = tuple[tuple[Demand, ...], ...]
"""A request as it is tried: alternatives in order, none of them without a primary."""
