"""Theorems about order and answers (SESSION-1, SESSION-5, SESSION-6, WHY-1, WHY-2)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise
from operator import lt
from typing import Any

import z3

from allotment_model import accounts, search
from allotment_model.accounts import Account
from allotment_model.cluster import Cluster, Host, Resources
from allotment_model.request import Job
from allotment_model.rules import Rules
from allotment_model.runs import queue
from allotment_model.state import Queued, initial
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems import world
from allotment_proofs.theorems.words import first_of
from allotment_proofs.theorems.world import ROOM, WHO, World

PRIORITIES = z3.Ints("priority_1 priority_2 priority_3")
NUMBERS = z3.Ints("number_1 number_2 number_3")
JOBS = {str(one): one for one in (*PRIORITIES, *NUMBERS)}
TWO_JOBS = "jobs with priority {priority_1}, number {number_1} and {priority_2}, {number_2}: "


def _queue(lifting: Lifting) -> Iterator[Case]:
    one, two, three = map(lifting.queue_order, PRIORITIES, NUMBERS)
    less = partial(lifting.of, lt)
    distinct = z3.And(z3.Distinct(*NUMBERS), *(number >= 0 for number in NUMBERS))
    yield Case(
        name="one goes first",
        assumptions=(distinct,),
        claim=z3.Xor(less(one, two), less(two, one)),
        told=TWO_JOBS + "neither goes before the other, or both do",
        values=JOBS,
    )
    yield Case(
        name="transitive",
        assumptions=(distinct, less(one, two), less(two, three)),
        claim=less(one, three),
        told="three jobs go in a circle",
        values=JOBS,
    )
    yield Case(
        name="priority, then number",
        assumptions=(distinct,),
        claim=less(one, two)
        == z3.Or(
            PRIORITIES[0] > PRIORITIES[1],
            z3.And(PRIORITIES[0] == PRIORITIES[1], NUMBERS[0] < NUMBERS[1]),
        ),
        told=TWO_JOBS + "the first goes before the other, or not, against their rank",
        values=JOBS,
    )
    yield from _whole_queue(lifting)


def _whole_queue(lifting: Lifting) -> Iterator[Case]:
    """Three jobs pend, of any priorities and not in the order of their numbers."""
    shown = {str(one): one for one in PRIORITIES}
    for order in (("job 3", "job 2", "job 1"), ("job 2", "job 3", "job 1")):
        found = lifting.paths(_queued, order, lifting.rules, *PRIORITIES)
        right = [
            z3.And(there, *(_goes_first(one, other) for one, other in pairwise(names)))
            for there, names in found
            if sorted(names) == sorted(order)
        ]
        told = [(there, ", ".join(names)) for there, names in found]
        yield Case(
            name=f"{', '.join(order)} stand in the queue",
            claim=z3.Or(*right),
            told="jobs 1, 2 and 3 with priority {priority_1}, {priority_2} and {priority_3} are "
            "tried in the order {tried}",
            values=shown | first_of(told, ("",), ("tried",)),
        )


def _queued(order: Sequence[str], rules: Rules, *priorities: Term) -> list[str]:
    """Three jobs, which pend in that order, in the order of trying."""
    pending = {
        name: Queued(
            job=Job(name=name, identity=WHO, request=(), priority=priorities[WAITING.index(name)]),
            keys=(),
            number=WAITING.index(name),
        )
        for name in order
    }
    tried = replace(pending["job 1"], job=replace(pending["job 1"].job, name="tried"), number=3)
    empty = Cluster(resources=Resources(attributes={}), hosts={}, pools={}, limits={})
    state = replace(initial(empty), pending={"tried": tried, **pending}, tried=frozenset({"tried"}))
    return queue(state, rules)


WAITING = "job 1", "job 2", "job 3"
"""Jobs in the order of their numbers."""


def _goes_first(one: str, other: str) -> Term:
    """SPEC.md's words for who goes first (ghost)."""
    first, second = (PRIORITIES[WAITING.index(name)] for name in (one, other))
    return z3.Or(first > second, z3.And(first == second, z3.BoolVal(one < other)))


def _stays(lifting: Lifting) -> Iterator[Case]:
    yield Case(
        claim=z3.BoolVal(lifting.stays_queued()),
        told="a job that pends is forgotten",
    )


def _closed(lifting: Lifting) -> Iterator[Case]:
    is_open = z3.Bool("is_open")
    host = Host(name="A", capacity={}, attributes={}, open=is_open)
    yield Case(
        claim=z3.Implies(lifting.is_open(host), is_open),
        told="a closed host takes new work",
    )


def _never_is_sound(lifting: Lifting) -> Iterator[Case]:
    """Where a bucket has room today, it has room on the empty cluster that `never` speaks of."""
    is_open, slots = z3.Bool("is_open"), z3.Int("slots")
    today = World(is_open=is_open)
    empty = World(used=dict.fromkeys(world.EVERY, 0))
    emptiest = lifting.emptiest(today.cluster())
    ledger = replace(empty.ledger(), cluster=emptiest)
    wants = lifting.of(search.host_wants, world.key(), slots, "A", "A", ledger, lifting.rules)
    room = lifting.of(accounts.all_fit, wants, ledger, lifting.rules)
    yield Case(
        name="a bucket",
        assumptions=(
            *(*today.assumptions, *world.ASKED, slots >= 0),
            lifting.is_open(today.cluster().hosts["A"]),
            today.have_room(lifting, today.wants(lifting, slots)),
        ),
        claim=z3.And(lifting.is_open(emptiest.hosts["A"]), room),
        told="a bucket of {slots} tasks has room on A today and none on the empty cluster" + ROOM,
        values={"slots": slots},
        more=lambda: empty.shown(lifting, wants, world.accounts_of("A"), slots),
    )
    yield Case(
        name="closed hosts count",
        claim=lifting.is_open(emptiest.hosts["A"]),
        told="a host that is closed today counts as gone for ever",
    )


def _never_of_compound(lifting: Lifting) -> Iterator[Case]:
    """Whether each part of each alternative can be placed alone is left open."""
    for shape in ((1,), (2, 2), (3, 1, 2), (1, 1, 1, 1, 1)):
        keys = tuple(
            tuple((number, part) for part in range(1, parts + 1))
            for number, parts in enumerate(shape, start=1)
        )
        alone = {key: z3.Bool(f"alone_{key[0]}_{key[1]}") for parts in keys for key in parts}
        asked = lifting.under(is_placeable=lambda key, ledger, rules, alone=alone: alone[key])
        never = lifting.is_never(keys, World().cluster(), asked)
        hopeless = [z3.Not(z3.And(*(alone[key] for key in parts))) for parts in keys]
        shown = {str(one): one for one in alone.values()}
        told = "; ".join(f"part {one[6:]}: {{{one}}}" for one in shown)
        yield Case(
            name=f"{len(shape)} alternatives",
            claim=never == z3.And(*hopeless),
            told=f"whether it can be placed alone, by alternative and part: {told}; "
            "never is {never}",
            values=shown | {"never": never},
        )


def _answer(answer: Term, *_asked: Term) -> Term:
    return answer


def _plans(of_most: Any, of_fewest: Any, tasks: Term, _span: Term) -> Any:
    """The plans of a primary, by whether its most tasks are asked for or its fewest."""
    return of_most if tasks.eq(world.TASKS) else of_fewest


def _is_short(place: World, pool: Account) -> Term:
    """SPEC.md's words for a pool that has not what the primary wants (ghost)."""
    wanted = world.wanted(pool, z3.IntVal(0))
    return z3.And(wanted > 0, place.used[pool] + wanted > place.capacity(pool))


def _first_that_holds(passes: Term, short: Term, placeable: Term) -> Term:
    """SPEC.md's words for the category of a primary that has a plan (ghost)."""
    select, shared, limit, capacity = map(z3.StringVal, ("select", "shared", "limit", "capacity"))
    of_limits = z3.If(placeable, limit, capacity)
    return z3.If(z3.Not(passes), select, z3.If(short, shared, of_limits))


def _category(lifting: Lifting) -> Iterator[Case]:
    """Two hosts; which are open and pass the select, and room without limits, are left open."""
    by_name = {name: z3.Bool(f"passes_{name}") for name in ("A", "B")}
    passes, placeable = z3.Or(*by_name.values()), z3.Bool("placeable")
    place = World(is_open=z3.Bool("is_open"))
    cluster = place.cluster()
    named = {name: replace(host, attributes={"name": name}) for name, host in cluster.hosts.items()}
    ledger = replace(place.ledger(), cluster=replace(cluster, hosts=named))
    some = ((1,),)
    for name, plans, others in (("a plan", some, ()), ("no plan", (), some)):
        asked = lifting.under(
            plans=partial(_plans, plans, others),
            passes=lambda _select, attributes: by_name[attributes["name"]],
            is_placeable=partial(_answer, placeable),
        )
        category = lifting.rule("category")
        told = lifting.of(
            lambda *given, category=category: category(*given).value,
            *(world.key(tasks_min=z3.Int("fewest")), ledger, asked),
        )
        short = z3.Or(*(_is_short(place, pool) for pool in map(Account, cluster.pools)))
        right = _first_that_holds(passes, short, placeable) if plans else z3.StringVal("span")
        yield Case(
            name=name,
            assumptions=(*place.assumptions, *world.ASKED),
            claim=told == right,
            told=f"{name}, a host passes: {{passes}}, a pool is short: {{short}}, placed without "
            "limits: {placeable}: the category is {told}, and should be {right}",
            values={
                "passes": passes,
                "short": short,
                "placeable": placeable,
                "told": told,
                "right": right,
            },
        )


THEOREMS = (
    Theorem(
        name="The queue is in one strict order: priority, then submission",
        clauses=("SESSION-1",),
        scope="all numbers, of `queue_order` alone; and `queue` run whole, three jobs of any "
        "priorities in two orders, one more that was tried",
        cases=_queue,
    ),
    Theorem(
        name="A job that pends stays in the queue",
        clauses=("SESSION-6",),
        scope="of `stays_queued` alone",
        cases=_stays,
    ),
    Theorem(
        name="A closed host is no candidate",
        clauses=("SESSION-5", "HOST-1"),
        scope="of `is_open` alone",
        cases=_closed,
    ),
    Theorem(
        name="What has room in any state has room on the empty cluster",
        clauses=("WHY-2",),
        scope="all amounts, capacities and uses; step lifted, so for every bucket in turn",
        cases=_never_is_sound,
    ),
    Theorem(
        name="Never is said exactly if each alternative has a part that fails alone",
        clauses=("WHY-2",),
        scope="up to five alternatives and three parts, any verdicts; others by tests",
        cases=_never_of_compound,
    ),
    Theorem(
        name="The category is the first that holds",
        clauses=("WHY-1",),
        scope="all amounts, capacities and uses; two hosts, open or not; verdicts left open",
        cases=_category,
    ),
)
"""The theorems of this module."""
