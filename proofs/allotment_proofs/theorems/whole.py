"""Theorems about whole searches for one primary, run from end to end.

No step is taken out and no loop is described: the model's own functions are run on hosts of any
capacity. What is bounded is the number of hosts and tasks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, permutations, takewhile

import z3

from allotment_model import search
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.cache import Key, Need
from allotment_model.cluster import (
    SLOTS,
    Cluster,
    Host,
    LimitId,
    Scope,
)
from allotment_model.request import Attribute, Span
from allotment_model.rules import Rules
from allotment_model.search import outcome
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.few_hosts import (
    LICENCE,
    NAMES,
    ON_HOSTS,
    amounts_of,
    amounts_told,
    balanced,
    cluster_of,
    key_of,
    ledger_of,
    not_negative,
)
from allotment_proofs.theorems.words import first_of
from allotment_proofs.theorems.world import QUEUE, WHO

PER_TASK, PER_HOST = 2, 1
"""Thousandths of memory that a primary asks for each task and for each host."""

ASKS = f"with memory, {PER_TASK} for each task and {PER_HOST} for each host"
SELECTS, PLAIN = "some of them closed or not selected", "of slots"
MOSTLY_ONE, LICENSED = "two of them with one slot", "two with one slot, with licences and a limit"
APART, TILED = "at most one task on each", "three on each, the rest on the last"
KNOWN = "of known slots, with five amounts, five pools and two limits"
ON_HOST = "memory", "disk", "gpu", "scratch", "swap"
POOLS = "licence", "token", "seat", "toolkit", "bandwidth"
"""What is asked for where all is known: more than a search that looks at four needs would see."""
OF_QUEUE = LimitId(QUEUE, WHO.queue, Scope.CLUSTER, SLOTS)
"""A limit that names whom it counts, over the cluster."""

Taken = tuple[tuple[tuple[str, int], ...] | None, Mapping[Account, Term]]


def _placed(key: Key, ledger: Ledger, rules: Rules) -> Taken:
    """The claims of a primary, if it is placed, and what is in use then."""
    (placement, after), _notes = outcome(search.place(key, ledger, rules))
    return None if placement is None else rules.part_of(placement), after.used


def _room(host: Host, slots: int) -> Term:
    """SPEC.md's words for an empty host that is a candidate and has room (ghost)."""
    amounts = (_asked_of(one, slots) <= amount for one, amount in host.capacity.items())
    return z3.And(host.open, *amounts)


def _some_closed(cluster: Cluster) -> Cluster:
    """Any hosts are closed; where a select reads `x`, A has a zero, C nothing, the others a one."""
    hosts = {
        name: replace(
            host,
            open=z3.Bool(f"{name}_is_open"),
            attributes={} if name == "C" else {"x": 1000 * (name != "A")},
        )
        for name, host in cluster.hosts.items()
    }
    return replace(cluster, hosts=hosts)


def _selected(cluster: Cluster, key: Key) -> list[Host]:
    """The hosts, of which those that the select leaves out are as good as closed (ghost)."""
    return [
        replace(one, open=False) if key.select and not one.attributes.get("x") else one
        for one in cluster.hosts.values()
    ]


def _holds(plan: tuple[int, ...], hosts: list[Host]) -> Term:
    """Whether the buckets of a plan go to distinct hosts with room (ghost)."""
    chosen = permutations(hosts, len(plan))
    return z3.Or(*(z3.And(*map(_room, one, plan)) for one in chosen))


def _shared(key: Key, pool: str) -> int:
    """What a primary asks of a pool (ghost)."""
    needs = (need for need in key.rusage if need.resource == pool)
    return sum(need.per_job + key.tasks_max * need.per_task for need in needs)


def _is_right(
    found: Taken, plans: Mapping[tuple[int, ...], Term], cluster: Cluster, key: Key
) -> Term:
    """Whether that is what the search has to find, of plans of which some hold (ghost)."""
    claims, used = found
    hosts = _selected(cluster, key)
    if claims is None:
        return z3.And(not used, *map(z3.Not, plans.values()))
    plan = tuple(slots for _host, slots in claims)
    if plan not in plans or len({host for host, _slots in claims}) < len(claims):
        return z3.BoolVal(False)
    right = [
        plans[plan],
        *map(z3.Not, takewhile(lambda one: one is not plans[plan], plans.values())),
    ]
    for name, slots in claims:
        place = [host.name for host in hosts].index(name)
        right += [_room(hosts[place], slots), *(z3.Not(_room(one, slots)) for one in hosts[:place])]
        for one in hosts[place].capacity:
            right.append(used.get(Account(one, name), 0) == _asked_of(one, slots))
        del hosts[place]
    right += [used.get(Account(pool), 0) == _shared(key, pool) for pool in cluster.pools]
    return z3.And(*right)


def _told(found: Taken) -> str:
    """The claims of a primary in words."""
    claims, _used = found
    return ", ".join(f"{slots} on {host}" for host, slots in claims or ()) or "nothing"


def _taken(found: Sequence[tuple[Term, Taken]]) -> dict[str, Term]:
    """The claims of the path of a counterexample."""
    return first_of([(there, _told(one)) for there, one in found], ("",), ("taken",))


SIZES = (
    *((4, 5, KNOWN), (3, 7, TILED)),
    *((1, 1, ASKS), (2, 2, ASKS), (4, 2, LICENSED), (2, 3, ASKS), (3, 2, SELECTS)),
    *((3, 2, PLAIN), (3, 3, PLAIN), (3, 4, PLAIN)),
    *((5, 1, SELECTS), (4, 4, MOSTLY_ONE), (4, 5, MOSTLY_ONE), (5, 5, APART)),
)
"""How many hosts and tasks, and what of: memory is asked for, or hosts are closed and selected, or
some have a known capacity, so that there are many plans and buckets, and few ways. In the first all
is known, so that Python computes also what has no term, as a shift, should a rule have one.
"""


def _known(cluster: Cluster) -> Cluster:
    """The same hosts: two plans for five tasks fail on the second bucket, and then one holds."""
    slots = dict.fromkeys(cluster.hosts, 1) | {NAMES[0]: 3}
    hosts = {
        name: replace(
            host, capacity={one: _asked_of(one, slots[name]) for one in (SLOTS, *ON_HOST)}
        )
        for name, host in cluster.hosts.items()
    }
    return replace(
        cluster,
        resources=replace(cluster.resources, host=frozenset(ON_HOST), shared=frozenset(POOLS)),
        hosts=hosts,
        pools=dict.fromkeys(POOLS, 11),
        limits=dict.fromkeys((*cluster.limits, OF_QUEUE), 5),
    )


def _asked_of(resource: str, slots: int) -> int:
    """What a bucket of so many tasks asks of its host (ghost)."""
    return slots if resource == SLOTS else slots * PER_TASK + PER_HOST


def _asked(hosts: int, tasks: int, kind: str) -> tuple[Cluster, Key]:
    """The cluster and the primary of one of them."""
    cluster = cluster_of(
        hosts,
        has_memory=kind == ASKS,
        has_pool=kind in (LICENSED, KNOWN),
        with_one_slot=NAMES[1:3] if kind in (MOSTLY_ONE, LICENSED) else "",
    )
    memory = Need(resource="memory", per_task=PER_TASK, per_host=PER_HOST)
    if kind == ASKS:
        return cluster, key_of(tasks, memory)
    if kind == KNOWN:
        licences = (Need(resource=one, per_task=2, per_job=1) for one in POOLS)
        return _known(cluster), key_of(
            tasks, *licences, *(replace(memory, resource=one) for one in ON_HOST)
        )
    if kind == TILED:
        return cluster, replace(key_of(tasks), span=Span(ptile=3))
    if kind == SELECTS:
        return _some_closed(cluster), replace(key_of(tasks), select=Attribute(name="x"))
    if kind == APART:
        return cluster, replace(key_of(tasks), span=Span(tasks_per_host=1))
    return cluster, key_of(tasks, *(LICENCE,) * (kind == LICENSED))


def _first_plan(lifting: Lifting) -> Iterator[Case]:
    for hosts, tasks, kind in SIZES:
        cluster, key = _asked(hosts, tasks, kind)
        ledger = open_ledger(cluster, {})
        found = lifting.paths(_placed, key, ledger, lifting.rules)
        fewest = tasks if kind == APART else 1
        splits = [balanced(tasks, count) for count in range(fewest, min(tasks, hosts) + 1)]
        if kind == TILED:
            splits = [(*(3,) * (tasks // 3), tasks % 3)]
        shared = [_shared(key, pool) <= amount for pool, amount in cluster.pools.items()]
        shared += [tasks <= cap for cap in cluster.limits.values()]
        plans = {one: z3.And(*shared, _holds(one, _selected(cluster, key))) for one in splits}
        told, values = amounts_told(cluster)
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts, {kind}",
            assumptions=not_negative(cluster),
            claim=z3.And(
                *(z3.Implies(there, _is_right(one, plans, cluster, key)) for there, one in found)
            ),
            told=f"{told}: the search for {tasks} tasks takes {{taken}}, and not the first plan "
            "that holds, on the first hosts that fit",
            values=values,
            more=partial(_taken, found),
        )


def _monotone(lifting: Lifting) -> Iterator[Case]:
    for tasks, hosts, has_pool in ((2, 2, True), (3, 2, True), (3, 3, False), (2, 3, True)):
        key = key_of(tasks, *(LICENCE,) * has_pool)
        less, more = (cluster_of(hosts, has_pool=has_pool, prefix=one) for one in ("", "more_"))
        pairs = zip(amounts_of(less), amounts_of(more), strict=True)
        placed, then = (
            lifting.of(search.is_placeable, key, open_ledger(one, {}), lifting.rules)
            for one in (less, more)
        )
        (told, values), (told_more, more_values) = map(amounts_told, (less, more))
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts",
            assumptions=(*not_negative(less), *(one <= other for one, other in pairs), placed),
            claim=then,
            told=f"{told}: a primary is placed, and it is not where {told_more}",
            values=values | more_values,
        )


def _today(hosts: int, has_pool: bool) -> tuple[Ledger, tuple[Term, ...]]:
    """A cluster with any use, of which any hosts are closed; and that no amount is negative."""
    cluster = cluster_of(hosts, has_pool=has_pool)
    today = {
        name: replace(
            host,
            open=z3.Bool(f"{name}_is_open"),
            attributes={"x": 1000} if name == NAMES[0] else {},
        )
        for name, host in cluster.hosts.items()
    }
    ledger = ledger_of(replace(cluster, hosts=today), "used")
    return ledger, (*not_negative(cluster), *(one >= 0 for one in ledger.used.values()))


def _never_exact(lifting: Lifting) -> Iterator[Case]:
    for tasks, hosts, has_pool in (
        *((2, 2, False), (3, 2, False), (2, 2, True), (3, 2, True), (2, 1, True)),
    ):
        key = key_of(tasks, *(LICENCE,) * has_pool)
        ledger, given = _today(hosts, has_pool)
        never = lifting.is_never(((key,),), ledger.cluster, lifting.rules)
        told, values = amounts_told(ledger.cluster, ledger.used)
        empty = open_ledger(cluster_of(hosts, has_pool=has_pool), {})
        alone = lifting.of(search.is_placeable, key, empty, lifting.rules)
        name = f"{tasks} tasks on {hosts} hosts{', with a pool and a limit' * has_pool}"
        yield Case(
            name=f"{name}, exact",
            assumptions=given,
            claim=never == z3.Not(alone),
            told=f"{told}: never is {{never}}, and with all hosts open and nothing in use the "
            "primary is placed is {alone}",
            values=values | {"never": never, "alone": alone},
        )
        if not has_pool or hosts == 1:
            yield Case(
                name=f"{name}, sound",
                assumptions=(*given, never),
                claim=z3.Not(lifting.of(search.is_placeable, key, ledger, lifting.rules)),
                told=f"{told}: never is said of a primary that is placed today",
                values=values,
            )


def _hosts_taken(key: Key, ledger: Ledger, rules: Rules) -> int:
    """On how many hosts a primary is placed; 0 if on none."""
    claims, _used = _placed(key, ledger, rules)
    return 0 if claims is None else len(claims)


def _any_order(lifting: Lifting) -> Iterator[Case]:
    for tasks, hosts, has_memory in ((3, 2, True), (3, 3, False)):
        cluster = cluster_of(hosts, has_memory=has_memory)
        needs = (Need(resource="memory", per_task=PER_TASK, per_host=PER_HOST),) * has_memory
        key = key_of(tasks, *needs)
        found = {
            order: lifting.of(
                _hosts_taken,
                *(key, open_ledger(_in_order(cluster, order), {}), lifting.rules),
            )
            for order in permutations(cluster.hosts)
        }
        listed = found[tuple(cluster.hosts)]
        others = [(one != listed, "".join(order), one) for order, one in found.items()]
        told, values = amounts_told(cluster)
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts",
            assumptions=not_negative(cluster),
            claim=z3.And(*(one == listed for one in found.values())),
            told=f"{told}: the primary is placed on {{listed}} of them in this order, and on "
            "{another} in the order {order}",
            values=values | {"listed": listed} | first_of(others, ("", 0), ("order", "another")),
        )


def _in_order(cluster: Cluster, order: Sequence[str]) -> Cluster:
    return replace(cluster, hosts={name: cluster.hosts[name] for name in order})


def _most_free(lifting: Lifting) -> Iterator[Case]:
    """Of two neighbours in the order the first has more free slots, or is first in the cluster."""
    cluster = cluster_of(4)
    ledger = ledger_of(cluster, "used")
    rest = {
        name: host.capacity[SLOTS] - ledger.used[Account(SLOTS, name)]
        for name, host in cluster.hosts.items()
    }
    free = {name: z3.If(one > 0, one, 0) for name, one in rest.items()}
    wrong: list[tuple[Term, str]] = []
    for there, hosts in lifting.paths(search.most_free, ledger, lifting.rules):
        names = [host.name for host in hosts]
        right = [z3.BoolVal(sorted(names) == sorted(cluster.hosts))]
        for one, other in pairwise(names):
            is_listed_before = NAMES.index(one) < NAMES.index(other)
            right.append(free[one] >= free[other] if is_listed_before else free[one] > free[other])
        wrong.append((z3.And(there, z3.Not(z3.And(*right))), ", ".join(names)))
    told, values = amounts_told(cluster, ledger.used)
    yield Case(
        assumptions=(*not_negative(cluster), *(one >= 0 for one in ledger.used.values())),
        claim=z3.Not(z3.Or(*(one for one, _order in wrong))),
        told=f"{told}: the order is {{order}}, and not that of most free slots first",
        values=values | first_of(wrong, ("",), ("order",)),
    )


THEOREMS = (
    Theorem(
        name="The first plan that holds wins, on the first hosts that fit; none takes nothing",
        clauses=(
            *("PLAN-1", "PLAN-10", "PAR-1", "PAR-2", "PAR-3", "PAR-4"),
            *("SEQ-1", "HOST-3", "HOST-7", "HOST-9", "UNDO-1"),
        ),
        scope=ON_HOSTS
        + "thirteen pairs of up to five hosts and tasks, of four hosts two with one slot, once at "
        "most one task on a host, once all known with six resources, five pools and two limits; "
        "three hosts for seven tasks, three on each; nothing in use, once any pool and one limit",
        cases=_first_plan,
        is_whole=True,
    ),
    Theorem(
        name="Whether and on how many hosts a primary is placed is the same in any order of hosts",
        clauses=("PAR-5",),
        scope=ON_HOSTS + "three tasks on two or three hosts, all orders; nothing in use, no limits",
        cases=_any_order,
        is_whole=True,
    ),
    Theorem(
        name="With most_free hosts are tried by free slots, and then in cluster order",
        clauses=("HOST-9",),
        scope=ON_HOSTS + "four hosts, any use",
        cases=_most_free,
        is_whole=True,
    ),
    Theorem(
        name="A primary that is placed is placed wherever more is free",
        clauses=("CACHE-9", "PAR-2"),
        scope=ON_HOSTS
        + "two or three tasks on two hosts or three, any pool and one limit except with both three",
        cases=_monotone,
        is_whole=True,
    ),
    Theorem(
        name="Never is said of a primary exactly if it fails with all hosts open and empty",
        clauses=("WHY-2",),
        scope=ON_HOSTS
        + "two or three tasks on two hosts, any use, closed hosts; with any pool and one limit, or "
        "without; that none is placed today, with them on one host",
        cases=_never_exact,
        is_whole=True,
    ),
)
"""The theorems of this module."""
