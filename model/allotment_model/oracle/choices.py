"""Choices: all placements of a primary that a profile allows, not only the canonical one.

With host order `unspecified` each bucket may take any candidate (HOST-1); with `split: any` the
buckets themselves are free (PLAN-11). Whether a primary can be placed does not depend on these
choices (PAR-5), but what is left for the next part of a compound does.
"""

from collections.abc import Callable, Iterator

from allotment_model import accounts
from allotment_model.accounts import Ledger
from allotment_model.answers import Part
from allotment_model.cache import Key
from allotment_model.cluster import Host, Scope
from allotment_model.plans import Plan
from allotment_model.rules import Rules
from allotment_model.search import Claim, Placement, host_wants, outcome, part_of, place, place_plan

Placed = tuple[Placement, Ledger]
Assignment = tuple[tuple[str, int], ...]


class TooManyChoicesError(Exception):
    """The choices are too many to be followed; the step is skipped, not judged."""


class Budget:
    """How many steps of an enumeration may still be taken."""

    def __init__(self, most: int) -> None:
        """Allow `most` steps."""
        self.left = most

    def spend(self) -> None:
        """One step is taken. Raises TooManyChoicesError when none is left."""
        self.left -= 1
        if self.left < 0:
            raise TooManyChoicesError


def placed_as(key: Key, part: Part, ledger: Ledger, rules: Rules) -> Placed | None:
    """HOST-7, PAR-1: the placement on exactly these hosts, or None if something does not fit."""
    shared = accounts.shared_wants(key, ledger.cluster, rules)
    if not accounts.all_fit(shared, ledger, rules) or len(dict(part)) < len(part):
        return None
    ledger = accounts.charge(ledger, shared, rules)
    claims = []
    for name, slots in part:
        host = ledger.cluster.hosts.get(name)
        if host is None or not is_eligible(host, key, rules):
            return None
        wants = host_wants(key, slots, name, name, ledger, rules)
        if not accounts.all_fit(wants, ledger, rules):
            return None
        ledger = accounts.charge(ledger, wants, rules)
        claims.append(Claim(host=name, slots=slots, wants=wants))
    return Placement(claims=tuple(claims), shared=shared), ledger


def is_eligible(host: Host, key: Key, rules: Rules) -> bool:
    """HOST-1: open, and passing the select."""
    return rules.is_open(host) and rules.passes(key.select, host.attributes)


def is_any_split(key: Key, part: Part) -> bool:
    """PLAN-11, PLAN-9: whether these slots are a split of the tasks within the span."""
    slots = [slots for _host, slots in part]
    return (
        sum(slots) == key.tasks_max
        and min(slots) >= 1
        and key.span.hosts_min <= len(slots) <= key.span.hosts_max
        and max(slots) <= key.span.tasks_per_host
    )


def first_plan_that_holds(key: Key, ledger: Ledger, rules: Rules) -> Plan | None:
    """PAR-1, PAR-5: the plan that every host order ends with."""
    shared = accounts.shared_wants(key, ledger.cluster, rules)
    if not accounts.all_fit(shared, ledger, rules):
        return None
    ledger = accounts.charge(ledger, shared, rules)
    for plan in rules.plans(key.tasks_max, key.span):
        if not rules.may_hold(len(plan), len(ledger.cluster.hosts)):
            return None
        (claims, _ledger), _notes = outcome(place_plan(plan, key, ledger, rules))
        if claims is not None:
            return plan
    return None


def most_on(host: Host, key: Key, ledger: Ledger, rules: Rules) -> int:
    """How many tasks fit on one host by host amounts and per-host limits (WANT-3, WANT-4)."""
    if not is_eligible(host, key, rules):
        return 0
    slots = 0
    most = min(key.tasks_max, key.span.tasks_per_host)
    while slots < most and _fits_on_host(key, slots + 1, host.name, ledger, rules):
        slots += 1
    return slots


def _fits_on_host(key: Key, slots: int, host: str, ledger: Ledger, rules: Rules) -> bool:
    wants = host_wants(key, slots, host, host, ledger, rules)
    there = {account: amount for account, amount in wants.items() if account.host is not None}
    return accounts.all_fit(there, ledger, rules)


def is_placeable_any(key: Key, ledger: Ledger, rules: Rules) -> bool:
    """PLAN-11: whether some split over distinct hosts fits, whatever its buckets."""
    if key.span.ptile is not None:
        return first_plan_that_holds(key, ledger, rules) is not None
    shared = accounts.shared_wants(key, ledger.cluster, rules)
    if not accounts.all_fit(shared, ledger, rules):
        return False
    hosts = ledger.cluster.hosts.values()
    most = sorted((most_on(host, key, ledger, rules) for host in hosts), reverse=True)
    return any(
        sum(most[:hosts_taken]) >= key.tasks_max
        and most[hosts_taken - 1] >= 1
        and _totals_fit(key, hosts_taken, ledger, rules)
        for hosts_taken in range(key.span.hosts_min, min(len(most), _most_hosts(key)) + 1)
    )


def _most_hosts(key: Key) -> int:
    return min(key.tasks_max, key.span.hosts_max)


def _totals_fit(key: Key, hosts: int, ledger: Ledger, rules: Rules) -> bool:
    """PAR-1: what a plan on so many hosts asks of each cluster-wide limit, in total."""
    totals = {
        resource: amount + (hosts - 1) * rules.want(0, _per_host(key, resource), 0)
        for resource, amount in accounts.bucket_amounts(
            key, key.tasks_max, ledger.cluster, rules
        ).items()
    }
    limits = [limit for limit in ledger.cluster.limits if limit.scope is Scope.CLUSTER]
    wants = accounts.limit_wants(totals, None, key.identity, limits, rules)
    return accounts.all_fit(wants, ledger, rules)


def _per_host(key: Key, resource: str) -> int:
    return next((need.per_host for need in key.rusage if need.resource == resource), 0)


def canonical(key: Key, ledger: Ledger, rules: Rules, budget: Budget) -> Iterator[Assignment]:
    """HOST-9: no choice, the placement that the search finds."""
    budget.spend()
    (placement, _ledger), _notes = outcome(place(key, ledger, rules))
    return iter([] if placement is None else [part_of(placement)])


def orders(key: Key, ledger: Ledger, rules: Rules, budget: Budget) -> Iterator[Assignment]:
    """Host order `unspecified`: each way to give the buckets of the plan to hosts.

    Of ways that differ only by exchanging equal buckets, one: they leave the same ledger.
    """
    plan = first_plan_that_holds(key, ledger, rules)
    names = [h.name for h in ledger.cluster.hosts.values() if is_eligible(h, key, rules)]

    def extend(taken: Assignment) -> Iterator[Assignment]:
        budget.spend()
        if len(taken) == len(plan or ()):
            yield taken
            return
        slots = (plan or ())[len(taken)]
        after = taken[-1][0] if taken and taken[-1][1] == slots else ""
        for name in names[names.index(after) + 1 if after else 0 :]:
            if name not in dict(taken):
                yield from extend((*taken, (name, slots)))

    return extend(()) if plan is not None else iter(())


def splits(key: Key, ledger: Ledger, rules: Rules, budget: Budget) -> Iterator[Assignment]:
    """PLAN-11: each way to give N tasks to distinct hosts, the first hosts full first."""
    most = [(h.name, most_on(h, key, ledger, rules)) for h in ledger.cluster.hosts.values()]

    def extend(index: int, left: int, taken: Assignment) -> Iterator[Assignment]:
        budget.spend()
        if left == 0 and is_any_split(key, taken):
            yield taken
        if left == 0 or index == len(most):
            return
        name, most_here = most[index]
        for slots in range(min(left, most_here), -1, -1):
            here = ((name, slots),) if slots else ()
            yield from extend(index + 1, left - slots, taken + here)

    return extend(0, key.tasks_max, ())


Enumerate = Callable[[Key, Ledger, Rules, Budget], Iterator[Assignment]]


def placements(
    key: Key, ledger: Ledger, rules: Rules, enumerate_with: Enumerate, budget: Budget
) -> Iterator[Placed]:
    """All allowed placements of a primary. Raises TooManyChoicesError past the budget."""
    for assignment in enumerate_with(key, ledger, rules, budget):
        placed = placed_as(key, assignment, ledger, rules)
        if placed is not None:
            yield placed
