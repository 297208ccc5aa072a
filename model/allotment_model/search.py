"""The search for one primary: plans, buckets, hosts. **Start reading here.**

    for each plan, most consolidated first
        for each bucket of the plan, largest first
            take the first host, in host order, that has room and is not claimed in this plan
            if there is none: give back what the plan has claimed, and go on with the next plan
        if every bucket has a host: this is the placement

The search takes a key and a ledger, never a job: equal keys get equal verdicts because nothing
else can be looked at. Each function is a generator that *narrates*: it yields the protocol events
of SPEC.md 2.2 as they happen and returns its result, which `yield from` hands to the caller.

What is called through `rules` is a decision of the specification. Some of these functions do next
to nothing: they are the seams at which a profile or a wrong rule does something else.
"""

from collections.abc import Generator, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from allotment_model import accounts
from allotment_model.accounts import Account, Ledger, Wants
from allotment_model.answers import Note, Part
from allotment_model.cache import Key
from allotment_model.cluster import SLOTS, Host
from allotment_model.plans import Plan

if TYPE_CHECKING:
    from allotment_model.rules import Rules

Result = TypeVar("Result")
Narration = Generator[Note, None, Result]


class AllocationMode(StrEnum):
    """MODE-1: which resources count as available. Nothing compares it until preemption does."""

    NORMAL = "normal"


class SearchError(Exception):
    """HOST-8: an iterator could not start; the attempt is an error, not an exhaustion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A host that was taken by a bucket of `slots` tasks, and what was debited for it."""

    host: str
    slots: int
    wants: Wants


@dataclass(frozen=True, slots=True, kw_only=True)
class Placement:
    """Where a primary goes: its claims in bucket order, and its debits on pools."""

    claims: tuple[Claim, ...]
    shared: Wants


def part_of(placement: Placement) -> Part:
    """PAR-3: one entry per claimed host with its slots, in bucket order."""
    return tuple((claim.host, claim.slots) for claim in placement.claims)


def place(
    key: Key, ledger: Ledger, rules: "Rules", mode: AllocationMode = AllocationMode.NORMAL
) -> Narration[tuple[Placement | None, Ledger]]:
    """PAR-1, PAR-2, SEQ-1, SHARED-1: the first plan that holds, and the ledger after it."""
    shared = accounts.shared_wants(key, ledger.cluster, rules)
    if not accounts.all_fit(shared, ledger, rules):
        return None, ledger
    ledger = accounts.charge(ledger, shared, rules)
    for plan in rules.plans(key.tasks_max, key.span):
        if not rules.may_hold(len(plan), len(ledger.cluster.hosts)):
            break
        yield ("plan", plan)
        claims, ledger = yield from place_plan(plan, key, ledger, rules)
        if claims is not None:
            return Placement(claims=claims, shared=shared), ledger
    return None, accounts.give_back(ledger, shared, rules)


def place_plan(
    plan: Plan, key: Key, ledger: Ledger, rules: "Rules"
) -> Narration[tuple[tuple[Claim, ...] | None, Ledger]]:
    """PAR-1, UNDO-1: a host for each bucket, or None and the ledger as it was."""
    claims: tuple[Claim, ...] = ()
    looked_at: tuple[str, ...] = ()
    for slots in rules.buckets_to_place(plan):
        hosts = rules.hosts_to_search(rules.host_order(ledger, rules), looked_at)
        claim, seen = yield from search_bucket(slots, hosts, claims, key, ledger, rules)
        looked_at += seen
        if claim is None:
            ledger = yield from give_back_all(claims, ledger, rules)
            return None, ledger
        ledger = accounts.charge(ledger, claim.wants, rules)
        claims += (claim,)
    return claims, ledger


def search_bucket(
    slots: int,
    hosts: Iterable[Host],
    claims: tuple[Claim, ...],
    key: Key,
    ledger: Ledger,
    rules: "Rules",
) -> Narration[tuple[Claim | None, tuple[str, ...]]]:
    """HOST-1, HOST-7: the first candidate not claimed in this plan; and the hosts looked at."""
    if not rules.search_starts():
        raise SearchError
    claimed = {claim.host for claim in claims}
    looked_at: list[str] = []
    for host, wants in candidates(slots, hosts, key, ledger, looked_at, rules):
        yield ("offered", host)
        if rules.is_passed_over(host, claimed):
            yield ("refused", host)
            continue
        yield ("claimed", host, slots)
        return Claim(host=host, slots=slots, wants=wants), tuple(looked_at)
    return None, tuple(looked_at)


def candidates(
    slots: int,
    hosts: Iterable[Host],
    key: Key,
    ledger: Ledger,
    looked_at: list[str],
    rules: "Rules",
) -> Iterable[tuple[str, Wants]]:
    """HOST-1, HOST-2, HOST-4: open hosts that pass the select and have room, with the wants.

    Each call is a search of its own (HOST-2) that knows nothing of plans (HOST-4); each step
    of it is a point where a caller may stop (HOST-5). `looked_at` receives what it passes.
    """
    for host in hosts:
        looked_at.append(host.name)
        if rules.is_open(host) and rules.passes(key.select, host.attributes):
            counted_on = rules.limit_host(host.name, looked_at[0])
            wants = host_wants(key, slots, host.name, counted_on, ledger, rules)
            if accounts.all_fit(wants, ledger, rules):
                yield host.name, wants


def host_wants(
    key: Key, slots: int, host: str, limits_counted_on: str, ledger: Ledger, rules: "Rules"
) -> Wants:
    """WANT-1, WANT-5: what a bucket asks of a host and of the limits that count it there."""
    amounts = accounts.bucket_amounts(key, slots, ledger.cluster, rules)
    wants = {Account(resource, host): amount for resource, amount in amounts.items()}
    limits = ledger.cluster.limits
    return wants | accounts.limit_wants(amounts, limits_counted_on, key.identity, limits, rules)


def give_back_all(claims: tuple[Claim, ...], ledger: Ledger, rules: "Rules") -> Narration[Ledger]:
    """UNDO-1, UNDO-3: the ledger after all these claims are reversed."""
    for claim in claims:
        yield ("reversed", claim.host, claim.slots)
        ledger = accounts.give_back(ledger, claim.wants, rules)
    return ledger


def buckets_to_place(plan: Plan) -> Plan:
    """PAR-1: every bucket of the plan needs a host."""
    return plan


def hosts_to_search(hosts: list[Host], looked_at: tuple[str, ...]) -> list[Host]:
    """HOST-3, HOST-6: each bucket searches all hosts, whatever earlier buckets looked at."""
    return hosts


def listed(ledger: Ledger, rules: "Rules") -> list[Host]:
    """HOST-9: cluster order."""
    return list(ledger.cluster.hosts.values())


def most_free(ledger: Ledger, rules: "Rules") -> list[Host]:
    """HOST-9: most free slots first, in this ledger; ties in cluster order."""
    slots = {h: accounts.left(ledger, Account(SLOTS, h), rules) for h in ledger.cluster.hosts}
    return sorted(ledger.cluster.hosts.values(), key=lambda host: -slots[host.name])


def is_open(host: Host) -> bool:
    """SESSION-5: a closed host takes no new work."""
    return host.open


def is_passed_over(host: str, claimed: set[str]) -> bool:
    """HOST-7: only a host that this plan has claimed."""
    return host in claimed


def limit_host(candidate: str, first: str) -> str:
    """WANT-5: the limits of a candidate are counted on that candidate, not on the first one."""
    return candidate


def search_starts() -> bool:
    """HOST-8: the oracle's own searches always start; those of an allocator may not."""
    return True


def outcome(narration: Narration[Result]) -> tuple[Result, tuple[Note, ...]]:
    """Run a narration to its end: what it returns, and all that it told."""
    notes: list[Note] = []
    while True:
        try:
            notes.append(next(narration))
        except StopIteration as end:
            return end.value, tuple(notes)


def is_placeable(key: Key, ledger: Ledger, rules: "Rules") -> bool:
    """PAR-2: whether some plan holds in this ledger."""
    (placement, _ledger), _notes = outcome(place(key, ledger, rules))
    return placement is not None
