"""Plans, and the iterator that makes them one at a time (PLAN-1 … PLAN-10).

A plan of N tasks may have a million buckets, but a balanced one has at most two sizes. So a plan
is held as runs of equal buckets: it takes the same few words whatever N is.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from allotment_impl.cancellation import CancellationToken
from allotment_impl.demand import UNBOUNDED, Demand, SpanBounds
from allotment_impl.refusals import AllotmentError


class CannotStartError(AllotmentError):
    """Raised by an iterator that cannot start: an error of the attempt (HOST-8)."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A partition of N tasks into buckets, as runs of (tasks, buckets), sizes descending."""

    runs: tuple[tuple[int, int], ...]

    @property
    def bucket_count(self) -> int:
        """How many hosts the plan needs."""
        return sum([count for _, count in self.runs])

    def buckets(self) -> tuple[int, ...]:
        """The tasks of each bucket, largest first (PLAN-3)."""
        return tuple(tasks for tasks, count in self.runs for _ in range(count))


class PlanIterator(Protocol):
    """The contract of whatever makes plans: start, then next until no more; close at any time."""

    def start(self, demand: Demand, token: CancellationToken) -> None:
        """Begin with the first plan of a demand; no host and no book is looked at (PLAN-8).

        Raises ``CannotStartError`` if that is not possible (HOST-8).
        """
        ...

    def next(self) -> Plan | None:
        """Poll the token and make one plan, never to be changed (PLAN-4, PLAN-7).

        ``None`` means no more, and is answered ever after (PLAN-5).
        """
        ...

    def close(self) -> None:
        """Release everything; also twice, before the start, or midway (PLAN-6)."""
        ...


def host_counts(tasks: int, span: SpanBounds) -> range:
    """The numbers of hosts for which a request has a plan, ascending (PLAN-1, -9, -10)."""
    if span is UNBOUNDED:
        return range(1, tasks + 1)
    if span.ptile is not None:
        wanted, largest = -(-tasks // span.ptile), min(tasks, span.ptile)
        admitted = span.hosts_min <= wanted <= span.hosts_max and largest <= span.tasks_per_host
        return range(wanted, wanted + admitted)
    fewest = max(span.hosts_min, -(-tasks // span.tasks_per_host))
    return range(fewest, min(span.hosts_max, tasks) + 1)


def make_plan(tasks: int, span: SpanBounds, hosts: int) -> Plan:
    """The plan for so many hosts: balanced, or by ``ptile`` (PLAN-2, PLAN-3, PLAN-10)."""
    return Plan(split(tasks, span, hosts))


def split(tasks: int, span: SpanBounds, hosts: int) -> tuple[tuple[int, int], ...]:
    """The runs of the plan for so many hosts, as (tasks, buckets), sizes descending."""
    if span.ptile is not None:
        full, rest = divmod(tasks, span.ptile)
        return tuple([run for run in ((span.ptile, full), (rest, int(rest > 0))) if run[1]])
    size, uneven = divmod(tasks, hosts)
    if uneven:
        return (size + 1, uneven), (size, hosts - uneven)
    return ((size, hosts),)


class SplitPlans:
    """The built-in plan iterator: the balanced splits, or the one split by ``ptile``."""

    __slots__ = ("_counts", "_demand", "_token")

    def __init__(self) -> None:
        self._counts: Iterator[int] = iter(())
        self._demand: Demand | None = None
        self._token: CancellationToken | None = None

    def start(self, demand: Demand, token: CancellationToken) -> None:
        """Begin with the most consolidated plan (PLAN-1)."""
        self._counts = iter(host_counts(demand.tasks, demand.span))
        self._demand = demand
        self._token = token

    def next(self) -> Plan | None:
        """The plan for the next larger number of hosts (PLAN-4, PLAN-5, PLAN-7)."""
        if self._demand is None or self._token is None:
            return None
        self._token.poll()
        for hosts in self._counts:
            return make_plan(self._demand.tasks, self._demand.span, hosts)
        return None

    def close(self) -> None:
        """Let go of the request (PLAN-6)."""
        self._counts = iter(())
        self._demand = self._token = None
