"""A primary as the allocators see it: counts reconciled, rusage summed, select compiled.

It is made once, at submission, and knows no job: equal demands fare equally on equal books.
"""

from dataclasses import dataclass
from typing import NamedTuple

from allotment_impl.refusals import TASKS_LARGEST
from allotment_impl.requests import Identity, Span
from allotment_impl.selectors import Selector


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
            return _UNBOUNDED
        largest = TASKS_LARGEST
        return cls(
            1 if span.hosts_min is None else span.hosts_min,
            largest if span.hosts_max is None else span.hosts_max,
            largest if span.tasks_per_host is None else span.tasks_per_host,
            span.ptile,
        )


_UNBOUNDED = SpanBounds(1, TASKS_LARGEST, TASKS_LARGEST, None)


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


@dataclass(frozen=True, slots=True, eq=False)
class Demand:
    """A primary of ``tasks`` tasks, ready to be placed.

    ``host_wants`` begins with the slots and has no resource twice (WANT-2). ``shared_wants`` are
    places of shared amounts with what the primary wants of them in all (SHARED-1). Wants of zero
    are in neither, so that they are never blocked (LIMIT-3).
    """

    tasks: int
    identity: Identity
    host_wants: tuple[HostWant, ...]
    shared_wants: tuple[tuple[int, int], ...]
    selector: Selector | None
    span: SpanBounds
    key: CacheKey

    def __post_init__(self) -> None:
        assert 1 <= self.tasks <= TASKS_LARGEST
        assert self.host_wants[0] == HostWant(0, 1, 0)
