"""Allocators: each places one primary, and is registered by name (PAR-1, SEQ-1)."""

from collections.abc import Callable
from typing import Protocol

from allotment_impl.accounts import Claim
from allotment_impl.attempt import Attempt
from allotment_impl.candidates import CandidateHosts, HostIterator
from allotment_impl.demand import Demand
from allotment_impl.ledger import Bucket
from allotment_impl.plans import Plan, PlanIterator, SplitPlans


class Allocator(Protocol):
    """The contract of an allocator, built in or not."""

    @property
    def name(self) -> str:
        """The name under which it is registered."""
        ...

    def takes(self, demand: Demand) -> bool:
        """Whether it is made for such primaries."""
        ...

    def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        """Place all tasks, one claim for each bucket in order, or answer nothing (PAR-2, -3)."""
        ...


class _IteratingAllocator:
    """What ``seqjob`` and ``parjob`` share: the walk over both iterators."""

    name = ""

    def __init__(
        self,
        plans: Callable[[], PlanIterator] = SplitPlans,
        hosts: Callable[[], HostIterator] = CandidateHosts,
    ) -> None:
        self._plans = plans
        self._hosts = hosts

    def takes(self, demand: Demand) -> bool:
        """Whether it is made for such primaries."""
        raise NotImplementedError

    def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        """Place the primary by the first plan that holds; nothing if it is not its own kind."""
        if not self.takes(demand):
            return None
        return place_by_plans(attempt, demand, self._plans, self._hosts)


class SequentialAllocator(_IteratingAllocator):
    """``seqjob``: a primary of one task takes the first candidate (SEQ-1)."""

    name = "seqjob"

    def takes(self, demand: Demand) -> bool:
        """Only a primary of one task: the guard against a second want for wider ones."""
        return demand.tasks == 1


class ParallelAllocator(_IteratingAllocator):
    """``parjob``: a primary of several tasks walks the plans until one holds (PAR-1)."""

    name = "parjob"

    def takes(self, demand: Demand) -> bool:
        """Only a primary of more than one task."""
        return demand.tasks > 1


def place_by_plans(
    attempt: Attempt,
    demand: Demand,
    new_plans: Callable[[], PlanIterator],
    new_hosts: Callable[[], HostIterator],
) -> list[Claim] | None:
    """Claim hosts by the first plan that holds (PAR-1), or hold nothing (PAR-2).

    The plans must come with ascending numbers of buckets (PLAN-1): the walk stops at the first
    that has more buckets than the cluster has hosts.
    """
    plans = new_plans()
    try:
        plans.start(demand, attempt.token)
        while (plan := plans.next()) is not None:
            if plan.bucket_count > attempt.host_count:
                return None
            claims = _hold_plan(attempt, demand, plan, new_hosts)
            if claims is not None:
                return claims
        return None
    finally:
        plans.close()


def _hold_plan(
    attempt: Attempt, demand: Demand, plan: Plan, new_hosts: Callable[[], HostIterator]
) -> list[Claim] | None:
    """A claim for every bucket, in order, on distinct hosts; or none at all (UNDO-1)."""
    if attempt.events is not None:
        attempt.events.append(("plan", plan.buckets()))
    before = attempt.mark()
    claims: list[Claim] = []
    claimed: set[int] = set()
    for slots, count in plan.runs:
        bucket = attempt.bucket(demand, slots)
        for _ in range(count):
            claim = _find_host(attempt, bucket, claimed, new_hosts())
            if claim is None:
                attempt.reverse_to(before)
                return None
            claims.append(claim)
    return claims


def _find_host(
    attempt: Attempt, bucket: Bucket, claimed: set[int], hosts: HostIterator
) -> Claim | None:
    """Claim the first candidate that no bucket of this plan has claimed (HOST-3, HOST-7)."""
    events = attempt.events
    try:
        hosts.start(bucket, attempt.hosts_in_order(), attempt.token)
        while (host := hosts.next()) is not None:
            if events is not None:
                events.append(("offered", host.name))
            if host.index in claimed:
                if events is not None:
                    events.append(("refused", host.name))
                continue
            claim = attempt.claim_host(host, bucket)
            if claim is not None:
                claimed.add(host.index)
                return claim
        return None
    finally:
        hosts.close()


class Allocators:
    """The registered allocators, by name; the one that was registered last is asked first."""

    __slots__ = ("_by_name", "_in_turn")

    def __init__(self, *built_in: Allocator) -> None:
        """Begin with the built-in ones, which between them take every primary."""
        self._by_name: dict[str, Allocator] = {}
        self._in_turn: tuple[Allocator, ...] = ()
        for allocator in built_in:
            self.register(allocator)

    def register(self, allocator: Allocator) -> None:
        """Add an allocator; raises ``ValueError`` if its name is taken."""
        if allocator.name in self._by_name:
            raise ValueError(f"there is an allocator {allocator.name!r} already")
        self._by_name[allocator.name] = allocator
        self._in_turn = (allocator, *self._in_turn)

    def names(self) -> tuple[str, ...]:
        """The names, in order of registration."""
        return tuple(self._by_name)

    def choose(self, demand: Demand) -> Allocator:
        """The one allocator that places this primary: exactly one ever debits for it."""
        for allocator in self._in_turn:
            if allocator.takes(demand):
                return allocator
        raise AssertionError("the built-in allocators take everything between them")
