"""Allocators: each places one primary, and is registered by name (PAR-1, SEQ-1)."""

import reprlib
from collections.abc import Callable
from typing import Protocol, runtime_checkable

from allotment_impl.accounts import Claim
from allotment_impl.attempt import Attempt
from allotment_impl.cancellation import AttemptCancelledError
from allotment_impl.candidates import CandidateHosts, HostIterator
from allotment_impl.demand import Demand
from allotment_impl.ledger import Bucket
from allotment_impl.plans import CannotStartError, Plan, PlanIterator, SplitPlans
from allotment_impl.refusals import AllotmentError
from allotment_impl.types_given import MistypedError, check_types


class AllocatorError(AllotmentError):
    """A registered allocator broke its contract; the message names it and says how.

    Nothing of its answer was committed: the attempt is undone.
    """


@runtime_checkable
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


class _Registered:
    """An allocator of others, whose answers are looked at before they can be committed."""

    __slots__ = ("_allocator", "name", "takes")

    def __init__(self, allocator: Allocator) -> None:
        self._allocator = allocator
        self.name = allocator.name
        self.takes = allocator.takes

    def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        """What the allocator answers; raises ``AllocatorError`` if it must not answer that."""
        before = attempt.held()
        claims = self._answered(attempt, demand)
        if claims is None:
            return None
        held = attempt.held()
        made = held[len(before) :]
        if held[: len(before)] != before:
            wrong: str | None = "gave back what it had not claimed for this primary"
        else:
            wrong = _wrong_form(claims) or _wrong_claims(claims, made, demand)
        if wrong is not None:
            raise AllocatorError(f"allocator {self.name!r} {wrong}")
        return claims

    def _answered(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        """What the allocator answers, unless it was cancelled, also if it caught that (CANCEL-1).

        A search that was cut short has shown nothing: neither that the primary fails, nor that
        it cannot be begun.
        """
        token = attempt.token
        fired = token.fired
        try:
            claims = self._allocator.place(attempt, demand)
        except CannotStartError:
            if token.fired > fired:
                raise AttemptCancelledError from None
            raise
        if token.fired > fired:
            raise AttemptCancelledError
        return claims


def _wrong_form(answer: object) -> str | None:
    """What is wrong with an answer that has to be a list of claims, or nothing."""
    if not isinstance(answer, list | tuple):
        return f"has to answer with a list of claims or None, not {reprlib.repr(answer)}"
    for claim in answer:
        if not isinstance(claim, Claim):
            return f"has to answer with claims alone, not {reprlib.repr(claim)}"
        if claim.host is None:
            return "answered with a claim on the pools, which are debited for it"
    return None


def _wrong_claims(claims: list[Claim], made: list[Claim], demand: Demand) -> str | None:
    """What is wrong with the claims of a primary, given those that hold something, or nothing."""
    holding, answered = set(made), set(claims)
    hosts: set[str] = set()
    for claim in claims:
        host = _place_of(claim)
        if claim not in holding:
            return f"answered with a claim on {host} that is given back, or not of this primary"
        if host in hosts:
            return f"took {host} twice for one primary"
        hosts.add(host)
        if claim.slots < 1:
            return f"took {host} for a bucket of {claim.slots} tasks; the least is 1"
        if claim.wants != demand.shape.wants_of(claim.slots):
            return f"took {host} for what this primary does not want"
    for claim in made:
        if claim not in answered:
            return f"claimed {_place_of(claim)}, and did not answer with that claim"
    tasks = sum([claim.slots for claim in claims])
    if tasks != demand.tasks:
        return f"placed {tasks} tasks of a primary of {demand.tasks}"
    return None


def _place_of(claim: Claim) -> str:
    return "the pools" if claim.host is None else f"host {claim.host.name!r}"


def _check_allocator(allocator: object) -> None:
    """Raise ``MistypedError`` for what is no allocator; its class has all the names of one."""
    if isinstance(allocator, type) or not isinstance(allocator, Allocator):
        raise MistypedError("allocator", "an object with name, takes and place", allocator)
    check_types(allocator.name, str, "allocator.name")
    for method in ("takes", "place"):
        if not callable(found := getattr(allocator, method)):
            raise MistypedError(f"allocator.{method}", "a method", found)


class Allocators:
    """The registered allocators, by name; the one that was registered last is asked first."""

    __slots__ = ("_by_name", "_in_turn")

    def __init__(self, *built_in: Allocator) -> None:
        """Begin with the built-in ones, which between them take every primary."""
        self._by_name: dict[str, Allocator] = {}
        self._in_turn: tuple[Allocator, ...] = ()
        for allocator in built_in:
            self._add(allocator)

    def register(self, allocator: Allocator) -> None:
        """Add an allocator of others.

        Raises ``MistypedError`` for what is none, ``ValueError`` if its name is taken.
        """
        _check_allocator(allocator)
        self._add(_Registered(allocator))

    def _add(self, allocator: Allocator) -> None:
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
