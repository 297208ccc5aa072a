"""Theorems about single events: what each may change (CACHE-2, CACHE-9, SESSION-2, SESSION-5).

A state has a live job, a pending one, a key in the cache, and any amounts; the scheduler's own
step is run on it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import z3

from allotment_model import scheduler
from allotment_model.accounts import Account
from allotment_model.answers import Category, Ok
from allotment_model.cache import Key
from allotment_model.cluster import (
    LARGEST_AMOUNT,
    SLOTS,
    Cluster,
    Host,
    IdentityKind,
    LimitId,
    Resources,
    Scope,
)
from allotment_model.events import (
    BeginSession,
    Event,
    Finish,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
    Submit,
    Withdraw,
)
from allotment_model.request import Job, Primary, Span, Tasks
from allotment_model.rules import Rules
from allotment_model.search import Claim, Placement
from allotment_model.state import Allocation, Queued, State
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.world import WHO

HELD, SLOTS_A, POOL, CAP, NEW = z3.Ints("held slots_a pool cap new")
LIMIT = LimitId(IdentityKind.USER, None, Scope.CLUSTER, SLOTS)
SHOWN = {"held": HELD, "slots_a": SLOTS_A, "pool": POOL, "cap": CAP, "new": NEW}
RUNNING, WAITING = "running", "waiting"


def _cluster() -> Cluster:
    return Cluster(
        resources=Resources(
            host=frozenset({"memory"}), shared=frozenset({"licence"}), attributes={}
        ),
        hosts={"A": Host(name="A", capacity={SLOTS: SLOTS_A}, attributes={})},
        pools={"licence": POOL},
        limits={LIMIT: CAP},
    )


def _job(name: str) -> Job:
    return Job(name=name, identity=WHO, request=((Primary(tasks=Tasks(min=1, max=1)),),))


def _state() -> State:
    """The job `running` holds slots of A; the job `waiting` is pending; a key is cached."""
    claim = Claim(host="A", slots=1, wants={Account(SLOTS, "A"): HELD})
    held = Allocation(identity=WHO, placements=(Placement(claims=(claim,), shared={}),))
    cluster = _cluster()
    return State(
        cluster=cluster,
        coming=cluster,
        books={Account(SLOTS, "A"): HELD, Account(SLOTS, None, LIMIT, WHO.user): HELD},
        pending={WAITING: Queued(job=_job(WAITING), keys=((),), number=1)},
        live={RUNNING: held},
        caches=({},),
        next_number=2,
    )


EVENTS: Mapping[str, Event] = {
    "submit": Submit(job=_job("new")),
    "finish": Finish(job=RUNNING),
    "withdraw": Withdraw(job=WAITING),
    "host_add": HostAdd(host=Host(name="B", capacity={SLOTS: NEW}, attributes={})),
    "host_change": HostChange(host="A", capacity={SLOTS: NEW}, attributes={}, open=False),
    "pool_change": PoolChange(pool="licence", capacity=NEW),
    "limit_set": LimitSet(limit=LIMIT, cap=NEW),
    "limit_remove": LimitRemove(limit=LIMIT),
}
"""All events but those that begin or run a session."""


def _keeps(state: State, event: Event, rules: Rules) -> bool:
    """Whether an event is accepted, and books, configuration, live jobs and cache stay."""
    after, answer = scheduler.step(state, event, rules)
    same = (after.books, after.cluster, after.live, after.caches)
    return answer == Ok() and same == (state.books, state.cluster, state.live, state.caches)


def _cached(state: State) -> State:
    key = Key(tasks_min=1, tasks_max=1, select=None, rusage=(), span=Span(), identity=WHO)
    return replace(state, caches=({key: Category.CAPACITY},))


def _waits(lifting: Lifting) -> Iterator[Case]:
    for name, event in EVENTS.items():
        yield Case(
            name=name,
            assumptions=(HELD >= 1, NEW >= 0, NEW <= LARGEST_AMOUNT),
            claim=lifting.of(_keeps, _cached(_state()), event, lifting.rules),
            told="{held} slots of {slots_a} in use, {pool} in the pool, a cap of {cap}; then "
            f"{name} (to {{new}}): books, configuration, live jobs or cache are others at once",
            values=SHOWN,
        )


def _begins(state: State, events: tuple[Event, ...], rules: Rules) -> State:
    for event in (*events, BeginSession()):
        state, _answer = scheduler.step(state, event, rules)
    return state


def _is_begun(
    state: State,
    events: tuple[Event, ...],
    books: Mapping[Account, int],
    cluster: Cluster,
    rules: Rules,
) -> bool:
    """Whether these are the books and configuration of the next session, and nothing is cached."""
    after = _begins(state, events, rules)
    return (
        (after.books, after.cluster) == (books, cluster)
        and not any(after.caches)
        and not after.finishing
        and not after.tried
    )


def _takes_effect(lifting: Lifting) -> Iterator[Case]:
    cluster, books = _cluster(), _state().books
    host = cluster.hosts["A"]
    closed = replace(host, capacity={SLOTS: NEW}, open=False)
    added = Host(name="B", capacity={SLOTS: NEW}, attributes={})
    of_slots = {Account(SLOTS, "A"): HELD}
    cases: Mapping[str, tuple[tuple[str, ...], Mapping[Account, Term], Cluster]] = {
        "nothing": ((), books, cluster),
        "finish": (("finish",), {}, cluster),
        "host_change": (("host_change",), books, replace(cluster, hosts={"A": closed})),
        "host_add": (("host_add",), books, replace(cluster, hosts={"A": host, "B": added})),
        "pool_change": (("pool_change",), books, replace(cluster, pools={"licence": NEW})),
        "limit_set": (("limit_set",), books, replace(cluster, limits={LIMIT: NEW})),
        "limit_remove": (("limit_remove",), of_slots, replace(cluster, limits={})),
        "new limit": (("limit_set",), books, replace(cluster, limits={LIMIT: NEW})),
        "two changes of a limit": (
            ("limit_remove", "limit_set"),
            books,
            replace(cluster, limits={LIMIT: NEW}),
        ),
    }
    unlimited = replace(cluster, limits={})
    before = replace(_state(), cluster=unlimited, coming=unlimited, books=of_slots)
    for name, (events, expected, configuration) in cases.items():
        given = tuple(EVENTS[one] for one in events)
        state = before if name == "new limit" else _state()
        yield Case(
            name=name,
            assumptions=(HELD >= 1, NEW >= 0, NEW <= LARGEST_AMOUNT),
            claim=lifting.of(
                _is_begun, _cached(state), given, expected, configuration, lifting.rules
            ),
            told="{held} slots of {slots_a} in use, {pool} in the pool, a cap of {cap}; then "
            f"{name} (to {{new}}) and a session begins: books, configuration or cache are wrong",
            values=SHOWN,
        )


AMOUNTS = "all amounts; one host, pool, limit, live and pending job; the scheduler's step run whole"

THEOREMS = (
    Theorem(
        name="No event between runs changes books, configuration, live jobs or cache at once",
        clauses=("CACHE-9", "SESSION-2", "SESSION-5"),
        scope=AMOUNTS,
        cases=_waits,
    ),
    Theorem(
        name="When a session begins, what waited takes effect, and the cache is empty",
        clauses=("SESSION-2", "SESSION-3", "SESSION-4", "CACHE-2"),
        scope=AMOUNTS,
        cases=_takes_effect,
    ),
)
"""The theorems of this module."""
