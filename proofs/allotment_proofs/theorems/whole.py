"""Theorems about whole searches, attempts and sessions of the model, run from end to end.

No step is taken out and no loop is described: the model's own functions are run on hosts of any
capacity. What is bounded is the number of hosts, tasks and jobs.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import pairwise, permutations, takewhile
from typing import Any

import z3

from allotment_model import scheduler, search
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.answers import Answer, Pending, Ran
from allotment_model.attempt import Won
from allotment_model.cache import Key, Need
from allotment_model.cluster import (
    SLOTS,
    Cluster,
    Host,
)
from allotment_model.events import BeginSession, Event, Finish
from allotment_model.oracle.invariants import check_invariants
from allotment_model.request import Alter, Attribute
from allotment_model.rules import SPEC, Rules
from allotment_model.search import outcome
from allotment_model.state import initial
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.few_hosts import (
    LICENCE,
    LICENSED,
    ON_HOSTS,
    ONE,
    TWO,
    after_attempt,
    amounts_of,
    amounts_told,
    cluster_of,
    key_of,
    ledger_of,
    not_negative,
    submitted,
)

PER_TASK, PER_HOST = 2, 1
"""Thousandths of memory that a primary asks for each task and for each host."""

ASKS, SELECTS, PLAIN = "with memory", "some of them closed or not selected", "of slots"

Taken = tuple[tuple[tuple[str, int], ...] | None, Mapping[Account, Term]]


def _placed(key: Key, ledger: Ledger, rules: Rules) -> Taken:
    """The claims of a primary, if it is placed, and what is in use then."""
    (placement, after), _notes = outcome(search.place(key, ledger, rules))
    return None if placement is None else rules.part_of(placement), after.used


def _room(host: Host, slots: int) -> Term:
    """SPEC.md's words for an empty host that is a candidate and has room (ghost)."""
    memory = host.capacity.get("memory")
    enough = z3.And(host.open, host.attributes.get("x", 1) != 0, slots <= host.capacity[SLOTS])
    return enough if memory is None else z3.And(enough, slots * PER_TASK + PER_HOST <= memory)


def _some_closed(cluster: Cluster) -> Cluster:
    """Any hosts are closed; B has a zero where a select reads `x`, and the others a one."""
    hosts = {
        name: replace(host, open=z3.Bool(f"open_{name}"), attributes={"x": 1000 * (name != "B")})
        for name, host in cluster.hosts.items()
    }
    return replace(cluster, hosts=hosts)


def _holds(plan: tuple[int, ...], hosts: list[Host]) -> Term:
    """Whether the buckets of a plan go to distinct hosts with room (ghost)."""
    chosen = permutations(hosts, len(plan))
    return z3.Or(*(z3.And(*map(_room, one, plan)) for one in chosen))


def _balanced(tasks: int, hosts: int) -> tuple[int, ...]:
    """SPEC.md's words for the plan of so many hosts (ghost)."""
    larger = tasks % hosts
    return (tasks // hosts + 1,) * larger + (tasks // hosts,) * (hosts - larger)


def _is_right(found: Taken, plans: Mapping[tuple[int, ...], Term], cluster: Cluster) -> Term:
    """Whether that is what the search has to find, of plans of which some hold (ghost)."""
    claims, used = found
    hosts = [*cluster.hosts.values()]
    if claims is None:
        return z3.And(not used, *map(z3.Not, plans.values()))
    plan = tuple(slots for _host, slots in claims)
    if plan not in plans or len({host for host, _slots in claims}) < len(claims):
        return z3.BoolVal(False)
    right = [z3.Not(plans[one]) for one in takewhile(lambda one: one != plan, plans)]
    for name, slots in claims:
        place = [host.name for host in hosts].index(name)
        right += [_room(hosts[place], slots), *(z3.Not(_room(one, slots)) for one in hosts[:place])]
        right.append(used.get(Account(SLOTS, name), 0) == slots)
        del hosts[place]
    return z3.And(*right)


SIZES = (
    *((1, 1, ASKS), (2, 2, ASKS), (2, 3, ASKS), (3, 2, SELECTS)),
    *((3, 2, PLAIN), (3, 3, PLAIN), (3, 4, PLAIN)),
)
"""How many hosts and tasks, and what of: memory is asked for, or hosts are closed and selected."""


def _first_plan(lifting: Lifting) -> Iterator[Case]:
    for hosts, tasks, kind in SIZES:
        cluster, key = cluster_of(hosts, has_memory=kind == ASKS), key_of(tasks)
        if kind == ASKS:
            key = key_of(tasks, Need(resource="memory", per_task=PER_TASK, per_host=PER_HOST))
        if kind == SELECTS:
            cluster, key = _some_closed(cluster), replace(key, select=Attribute(name="x"))
        ledger = open_ledger(cluster, {})
        found = lifting.paths(_placed, key, ledger, lifting.rules)
        splits = [_balanced(tasks, count) for count in range(1, min(tasks, hosts) + 1)]
        plans = {plan: _holds(plan, [*cluster.hosts.values()]) for plan in splits}
        told, values = amounts_told(cluster)
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts, {kind}",
            assumptions=not_negative(cluster),
            claim=z3.And(
                *(z3.Implies(there, _is_right(one, plans, cluster)) for there, one in found)
            ),
            told=told + f"the search for {tasks} tasks does not take the first plan that holds on "
            "the first hosts that fit",
            values=values,
        )


def _as_alternatives(
    first: tuple[Key, ...], second: tuple[Key, ...], ledger: Ledger, rules: Rules
) -> bool:
    """Whether an alter answers as its first alternative does alone, or else as its second."""
    both = after_attempt((first, second), ledger, rules)
    for number, alternative in enumerate((first, second)):
        alone = after_attempt((alternative,), ledger, rules)
        if isinstance(alone.result, Won):
            expected = replace(alone.result, alternative=number)
            return bool(both.result == expected and both.ledger.used == alone.ledger.used)
    return not isinstance(both.result, Won) and both.ledger.used == ledger.used


def _as_parts(first: Key, second: Key, ledger: Ledger, rules: Rules) -> bool:
    """Whether a compound is placed as its parts are, one after the other, or takes nothing."""
    both = after_attempt(((first, second),), ledger, rules)
    (one, between), _notes = outcome(search.place(first, ledger, rules))
    begun = open_ledger(ledger.cluster, between.used)
    (two, after), _notes = outcome(search.place(second, begun, rules))
    if one is None or two is None:
        return not isinstance(both.result, Won) and both.ledger.used == ledger.used
    placed = isinstance(both.result, Won) and both.result.placements == (one, two)
    return bool(placed and both.ledger.used == after.used)


def _alternatives(lifting: Lifting) -> Iterator[Case]:
    one, two, pair = (key_of(1),), (key_of(2),), (key_of(1), key_of(1))
    licensed = (key_of(1, LICENCE),)
    for name, first, second in (
        *(("{1} or {2}", one, two), ("{2} or {1}+{1}", two, pair), ("{1}+{1} or {2}", pair, two)),
        ("{1} with a licence or {1}", licensed, one),
    ):
        cluster = cluster_of(2, has_pool=True)
        told, values = amounts_told(cluster)
        right = lifting.of(_as_alternatives, first, second, open_ledger(cluster, {}), lifting.rules)
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=right,
            told=told + "the alter is not answered as its first alternative that is placed alone",
            values=values,
        )


def _parts(lifting: Lifting) -> Iterator[Case]:
    for name, first, second in (
        ("{1}+{1}", key_of(1), key_of(1)),
        ("{2}+{1}", key_of(2), key_of(1)),
        ("{1}+{1}, licences", key_of(1, LICENCE), key_of(1, LICENCE)),
    ):
        cluster = cluster_of(2, has_pool=True)
        told, values = amounts_told(cluster)
        right = lifting.of(_as_parts, first, second, open_ledger(cluster, {}), lifting.rules)
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=right,
            told=told + "the compound is not placed as its parts are, one after the other",
            values=values,
        )


def _monotone(lifting: Lifting) -> Iterator[Case]:
    for tasks, hosts, has_pool in ((2, 2, True), (3, 2, False), (3, 3, False)):
        key = key_of(tasks, *(LICENCE,) * has_pool)
        less, more = (cluster_of(hosts, has_pool=has_pool, prefix=one) for one in ("", "more_"))
        pairs = zip(amounts_of(less), amounts_of(more), strict=True)
        placed, then = (
            lifting.of(search.is_placeable, key, open_ledger(one, {}), lifting.rules)
            for one in (less, more)
        )
        told, values = amounts_told(less)
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts",
            assumptions=(*not_negative(less), *(one <= other for one, other in pairs), placed),
            claim=then,
            told=told + "a primary is placed, and not where more is free",
            values=values,
        )


def _never_exact(lifting: Lifting) -> Iterator[Case]:
    for tasks, hosts in ((2, 2), (3, 2)):
        key, cluster = key_of(tasks), cluster_of(hosts)
        today = {
            one.name: replace(one, open=z3.Bool(f"open_{one.name}"))
            for one in cluster.hosts.values()
        }
        ledger = ledger_of(replace(cluster, hosts=today), "used")
        never = lifting.is_never(((key,),), ledger.cluster, lifting.rules)
        told, values = amounts_told(cluster)
        given = (*not_negative(cluster), *(one >= 0 for one in ledger.used.values()))
        alone = lifting.of(search.is_placeable, key, open_ledger(cluster, {}), lifting.rules)
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts, exact",
            assumptions=given,
            claim=never == z3.Not(alone),
            told=told + "never is said of a primary that is placed with all hosts open and empty, "
            "or is not said of one that fails there",
            values=values,
        )
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts, sound",
            assumptions=(*given, never),
            claim=z3.Not(lifting.of(search.is_placeable, key, ledger, lifting.rules)),
            told=told + "never is said of a primary that is placed today",
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
        found = [
            lifting.of(
                _hosts_taken,
                *(key, open_ledger(replace(cluster, hosts=dict(order)), {}), lifting.rules),
            )
            for order in permutations(cluster.hosts.items())
        ]
        told, values = amounts_told(cluster)
        yield Case(
            name=f"{tasks} tasks on {hosts} hosts",
            assumptions=not_negative(cluster),
            claim=z3.And(*(one == found[0] for one in found)),
            told=told + "on how many hosts a primary is placed depends on their order",
            values=values,
        )


def _most_free(lifting: Lifting) -> Iterator[Case]:
    """Of two neighbours in the order the first has more free slots, or is first in the cluster."""
    cluster = cluster_of(3)
    ledger = ledger_of(cluster, "used")
    rest = {
        name: host.capacity[SLOTS] - ledger.used[Account(SLOTS, name)]
        for name, host in cluster.hosts.items()
    }
    free = {name: z3.If(one > 0, one, 0) for name, one in rest.items()}
    right = []
    for there, hosts in lifting.paths(search.most_free, ledger, lifting.rules):
        names = [host.name for host in hosts]
        assert sorted(names) == [*cluster.hosts]
        for one, other in pairwise(names):
            is_before = free[one] >= free[other] if one < other else free[one] > free[other]
            right.append(z3.Implies(there, is_before))
    told, values = amounts_told(cluster)
    yield Case(
        assumptions=(*not_negative(cluster), *(one >= 0 for one in ledger.used.values())),
        claim=z3.And(*right),
        told=told + "hosts are not tried with most free slots first",
        values=values,
    )


SESSIONS: Mapping[str, tuple[Alter, Alter]] = {
    "{1}, then {1}": (((ONE,),), ((ONE,),)),
    "{2}, then {2}": (((TWO,),), ((TWO,),)),
    "{1}+{1}, then {1}": (((ONE, ONE),), ((ONE,),)),
    "{2}, then {2} or {1}+{1}": (((TWO,),), ((TWO,), (ONE, ONE))),
    "{2}+{1}, then {1}+{2}": (((TWO, ONE),), ((ONE, TWO),)),
    "{1} with a licence, then that or {1}": (((LICENSED,),), ((LICENSED,), (ONE,))),
}


def _answers(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> list[Any]:
    """Where jobs go, and whether those that pend can ever run."""
    state, found = initial(cluster), []
    for event in events:
        state, answer = scheduler.step(state, event, rules)
        found.append(_told(answer))
    return found


def _told(answer: Answer) -> Any:
    if not isinstance(answer, Ran):
        return answer
    return [
        (one.job, "pending", one.answer.never)
        if isinstance(one.answer, Pending)
        else (one.job, "dispatched", one.answer)
        for one in answer.jobs
    ]


def _same_without_cache(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> bool:
    uncached = replace(rules, may_fill=lambda parts_before: False)
    return _answers(cluster, events, rules) == _answers(cluster, events, uncached)


def _is_sound(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> bool:
    """Whether all invariants hold after every event, and nothing is in use at the end."""
    state = initial(cluster)
    for event in events:
        state, _answer = scheduler.step(state, event, rules)
        if check_invariants(state, SOUND):
            return False
    ends: list[Event] = [Finish(job=name) for name in state.live]
    for end in (*ends, BeginSession()):
        state, _answer = scheduler.step(state, end, rules)
        if check_invariants(state, SOUND):
            return False
    return not state.books and not state.live


SESSIONS_RUN = "six pairs of jobs on two hosts, or on one with a licence; nothing in use before"
"""How much of sessions is run."""

SOUND = Lifting(SPEC).rules
"""The specification, by which a state is judged."""


def _of_sessions(holds: Callable[..., bool], told: str, lifting: Lifting) -> Iterator[Case]:
    for name, requests in SESSIONS.items():
        has_pool = "licence" in name
        cluster = cluster_of(1 if has_pool else 2, has_pool=has_pool)
        shown, values = amounts_told(cluster)
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=lifting.of(holds, cluster, submitted(*requests), lifting.rules),
            told=shown + told,
            values=values,
        )


THEOREMS = (
    Theorem(
        name="The first plan that holds wins, on the first hosts that fit; none takes nothing",
        clauses=(
            *("PLAN-1", "PAR-1", "PAR-2", "PAR-3", "PAR-4"),
            *("SEQ-1", "HOST-3", "HOST-7", "HOST-9", "UNDO-1"),
        ),
        scope=ON_HOSTS
        + "seven pairs of up to three hosts and four tasks; nothing in use, no limits",
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
        scope=ON_HOSTS + "three hosts, any use",
        cases=_most_free,
        is_whole=True,
    ),
    Theorem(
        name="A primary that is placed is placed wherever more is free",
        clauses=("CACHE-9", "PAR-2"),
        scope=ON_HOSTS
        + "two or three tasks on two hosts or three; a pool and a limit with two tasks only",
        cases=_monotone,
        is_whole=True,
    ),
    Theorem(
        name="Never is said of a primary exactly if it fails with all hosts open and empty",
        clauses=("WHY-2",),
        scope=ON_HOSTS
        + "two or three tasks on two hosts, any use, closed hosts; no pool, no limit",
        cases=_never_exact,
        is_whole=True,
    ),
    Theorem(
        name="A compound is placed as its parts are, one after the other, or takes nothing",
        clauses=("COMPOUND-1", "COMPOUND-2", "COMPOUND-3", "SHARED-2"),
        scope=ON_HOSTS
        + "three compounds of two parts on two hosts, any pool, one limit; nothing in use",
        cases=_parts,
        is_whole=True,
    ),
    Theorem(
        name="An alter answers as the first of its alternatives that is placed alone",
        clauses=("ALTER-1", "ALTER-2", "ALTER-3"),
        scope=ON_HOSTS
        + "four alters of two alternatives on two hosts, any pool, one limit; nothing in use",
        cases=_alternatives,
        is_whole=True,
    ),
    Theorem(
        name="With the cache jobs go where they go without it, and never is said of the same",
        clauses=("CACHE-6", "CACHE-3", "CACHE-4"),
        scope=ON_HOSTS + SESSIONS_RUN + ", one session",
        cases=partial(
            _of_sessions, _same_without_cache, "jobs go elsewhere than without the cache"
        ),
        is_whole=True,
    ),
    Theorem(
        name="Books are the sums over live jobs, cached keys fail, and finished jobs leave nothing",
        clauses=("SESSION-3", "SESSION-4", "SESSION-6", "CACHE-9"),
        scope=ON_HOSTS + SESSIONS_RUN + ", two sessions",
        cases=partial(_of_sessions, _is_sound, "an invariant is broken"),
        is_whole=True,
    ),
)
"""The theorems of this module."""
