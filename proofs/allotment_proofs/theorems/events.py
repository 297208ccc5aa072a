"""Theorems about single events: what each may change (CACHE-2, CACHE-9, SESSION-2, SESSION-5).

A state has two live jobs, of which one waits for its end, two that pend, a key in the cache, and
any amounts; the scheduler's own step is run on it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import product

import z3

from allotment_model import scheduler
from allotment_model.accounts import Account
from allotment_model.answers import Category, Ok
from allotment_model.cache import Key
from allotment_model.cluster import (
    SLOTS,
    AttributeType,
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
from allotment_proofs.statement import LARGEST_AMOUNT, Case, Lifting, Term, Theorem
from allotment_proofs.theorems.releases import Books, Live, in_use
from allotment_proofs.theorems.words import Told, first_wrong, is_empty
from allotment_proofs.theorems.world import WHO

HELD, SLOTS_A, POOL, CAP, NEW, MORE = z3.Ints("held slots_a pool cap new more")
LIMIT = LimitId(IdentityKind.USER, None, Scope.CLUSTER, SLOTS)
ON_TOKENS = LimitId(IdentityKind.QUEUE, None, Scope.CLUSTER, "token")
SHOWN = {"held": HELD, "slots_a": SLOTS_A, "pool": POOL, "cap": CAP}
NUMBER = z3.Int("next_number")
RUNNING, LEAVING, WAITING, BEHIND = "running", "leaving", "waiting", "behind"
DONE, GONE = "done", "gone"


def small_cluster() -> Cluster:
    """A host, a pool and a limit, of any amounts, one more pool and limit, and no seats."""
    return Cluster(
        resources=Resources(
            host=frozenset({"memory", "scratch"}),
            shared=frozenset({"licence", "token", "seat"}),
            attributes=dict.fromkeys(("kept", "gone", "new"), AttributeType.NUMBER),
        ),
        hosts={
            "A": Host(name="A", capacity={SLOTS: SLOTS_A}, attributes={"kept": 1000, "gone": 2000})
        },
        pools={"licence": POOL, "token": 1000},
        limits={LIMIT: CAP, ON_TOKENS: 2000},
    )


ONE = Primary(tasks=Tasks(min=1, max=1))
REQUEST = ((ONE,), (replace(ONE, span=Span(ptile=1)),))
KEYS = tuple(
    tuple(
        Key(tasks_min=1, tasks_max=1, select=None, rusage=(), span=one.span, identity=WHO)
        for one in parts
    )
    for parts in REQUEST
)
"""What the search reads of that request: spelled out, so that the model is not asked (ghost)."""


def job_of(name: str) -> Job:
    """A job of one task, in either of two ways, of some priority."""
    return Job(name=name, identity=WHO, request=REQUEST, priority=3)


def queued_as(name: str, number: int) -> Queued:
    """SPEC.md's words for what of such a job pends (ghost)."""
    return Queued(job=job_of(name), keys=KEYS, number=number)


def _held(slots: Term) -> Allocation:
    claim = Claim(host="A", slots=1, wants={Account(SLOTS, "A"): slots})
    return Allocation(identity=WHO, placements=(Placement(claims=(claim,), shared={}),))


LIVE = {RUNNING: _held(HELD), LEAVING: _held(3)}


def small_state() -> State:
    """`running` and `leaving` hold slots of A, and the end of `leaving` waits.

    `waiting` and `behind` pend, `done` and `gone` are over.
    """
    cluster = small_cluster()
    return State(
        cluster=cluster,
        coming=cluster,
        books=in_use(LIVE, cluster.limits),
        pending={name: queued_as(name, number) for name, number in ((WAITING, 1), (BEHIND, 2))},
        live=LIVE,
        finishing=frozenset({LEAVING}),
        finished=frozenset({DONE}),
        withdrawn=frozenset({GONE}),
        tried=frozenset({RUNNING, WAITING}),
        caches=({},),
        next_number=NUMBER,
    )


Effect = Callable[[Cluster], Cluster]
"""SPEC.md's words for what an event makes of the configuration (ghost)."""


def _with_host(host: Host) -> Effect:
    return lambda cluster: replace(cluster, hosts={**cluster.hosts, host.name: host})


def _with_pool(name: str, capacity: Term) -> Effect:
    return lambda cluster: replace(cluster, pools={**cluster.pools, name: capacity})


def _with_limit(limit: LimitId, cap: Term) -> Effect:
    return lambda cluster: replace(cluster, limits={**cluster.limits, limit: cap})


def _without(limit: LimitId) -> Effect:
    return lambda cluster: replace(
        cluster, limits={one: cap for one, cap in cluster.limits.items() if one != limit}
    )


def _changed_host(cluster: Cluster) -> Cluster:
    host = replace(cluster.hosts["A"], attributes={"kept": 1000, "new": 3000}, open=False)
    return _with_host(replace(host, capacity={**host.capacity, SLOTS: NEW}))(cluster)


def _with_memory(cluster: Cluster) -> Cluster:
    host = cluster.hosts["A"]
    return _with_host(replace(host, capacity={**host.capacity, "memory": MORE}))(cluster)


ADDED = Host(name="B", capacity={SLOTS: NEW}, attributes={})
CLOSED = Host(
    name="C", capacity={SLOTS: MORE, "memory": NEW}, attributes={"kept": 4000}, open=False
)
ON_HOST = LIMIT._replace(scope=Scope.HOST)

CHANGES: Mapping[str, tuple[Event, Effect]] = {
    "host_add": (HostAdd(host=ADDED), _with_host(ADDED)),
    "host_change": (
        HostChange(
            host="A", capacity={SLOTS: NEW}, attributes={"gone": None, "new": 3000}, open=False
        ),
        _changed_host,
    ),
    "pool_change": (PoolChange(pool="licence", capacity=NEW), _with_pool("licence", NEW)),
    "limit_set": (LimitSet(limit=LIMIT, cap=NEW), _with_limit(LIMIT, NEW)),
    "limit_remove": (LimitRemove(limit=LIMIT), _without(LIMIT)),
}
"""A change of each kind."""

OTHERS: Mapping[str, tuple[Event, Effect]] = {
    "host_add of a closed host": (HostAdd(host=CLOSED), _with_host(CLOSED)),
    "host_change of memory": (
        HostChange(host="A", capacity={"memory": MORE}, attributes={}),
        _with_memory,
    ),
    "pool_change of seats": (PoolChange(pool="seat", capacity=MORE), _with_pool("seat", MORE)),
    "limit_set on each host": (LimitSet(limit=ON_HOST, cap=MORE), _with_limit(ON_HOST, MORE)),
    "limit_remove of tokens": (LimitRemove(limit=ON_TOKENS), _without(ON_TOKENS)),
}
"""Another change of each kind, which does not undo the first."""

EVENTS: Mapping[str, Event] = {
    "submit": Submit(job=job_of("new")),
    "finish": Finish(job=RUNNING),
    "withdraw": Withdraw(job=WAITING),
    **{name: event for name, (event, _effect) in (*CHANGES.items(), *OTHERS.items())},
}
"""All events but those that begin or run a session."""

EFFECTS = {name: effect for name, (_event, effect) in (*CHANGES.items(), *OTHERS.items())}
"""What each of the changes makes of the configuration."""

IN_RANGE = (
    HELD >= 1,
    NUMBER >= 3,
    *(one >= 0 for one in (SLOTS_A, POOL, CAP)),
    *(z3.And(one >= 0, one <= LARGEST_AMOUNT) for one in (NEW, MORE)),
)
"""What holds of the amounts where an event is to be accepted: the host may have shrunk."""


def amounts_of(event: Event) -> tuple[Term, ...]:
    """The amounts of a change."""
    match event:
        case HostAdd(host=Host(capacity=capacity)) | HostChange(capacity=capacity):
            return tuple(capacity.values())
        case PoolChange(capacity=amount) | LimitSet(cap=amount):
            return (amount,)
        case _:
            return ()


def any_amounts(events: Iterable[Event]) -> tuple[str, dict[str, Term]]:
    """How a counterexample tells the amounts of some changes that may be any, and the values."""
    amounts = (one for event in events for one in amounts_of(event) if z3.is_const(one))
    shown = {str(one): one for one in amounts if not z3.is_int_value(one)}
    return "".join(f"; {name} is {{{name}}}" for name in shown), shown


def _jobs(state: State) -> list[str]:
    """The names of all jobs, in as many places as they are in."""
    return sorted([*state.pending, *state.live, *state.finished, *state.withdrawn])


def _changed(state: State, event: Event, rules: Rules) -> Told:
    """What an accepted event changes first of all that it may not change."""
    after, answer = scheduler.step(state, event, rules)
    new = [event.job.name] if isinstance(event, Submit) else []
    gone = event.job if isinstance(event, Withdraw) else ""
    ended = {event.job} if isinstance(event, Finish) else set()
    pending = {name: queued for name, queued in state.pending.items() if name != gone}
    pending |= {name: queued_as(name, state.next_number) for name in new}
    is_change = not isinstance(event, Submit | Finish | Withdraw)
    return first_wrong(
        {
            "the answer": lambda: (answer, Ok()),
            "the books": lambda: (after.books, state.books),
            "the configuration": lambda: (after.cluster, state.cluster),
            "what waits": lambda: (after.coming, after.coming if is_change else state.coming),
            "which finishes wait": lambda: (after.finishing, state.finishing | ended),
            "what live jobs hold": lambda: (after.live, state.live),
            "the cache": lambda: (after.caches, state.caches),
            "which jobs there are": lambda: (_jobs(after), sorted([*_jobs(state), *new])),
            "the queue": lambda: (after.pending, pending),
            "the order of the queue": lambda: ([*after.pending], [*pending]),
            "the next number": lambda: (after.next_number, state.next_number + len(new)),
            "which jobs were tried": lambda: (after.tried, state.tried),
        }
    )


def with_cached_key(state: State) -> State:
    """The same state with a key in its cache."""
    key = Key(tasks_min=1, tasks_max=1, select=None, rusage=(), span=Span(), identity=WHO)
    return replace(state, caches=({key: Category.CAPACITY},))


BEFORE = (
    "host A has {slots_a} slots, `running` holds {held} there and `leaving` 3, the pool has {pool} "
    "licences, and each user may hold {cap} slots"
)
"""How a counterexample begins."""


def _waits(lifting: Lifting) -> Iterator[Case]:
    for name, event in EVENTS.items():
        given = with_cached_key(small_state()), event, lifting.rules
        claim, wrong = is_empty(lifting.paths(_changed, *given))
        amounts, shown = any_amounts((event,))
        yield Case(
            name=name,
            assumptions=IN_RANGE,
            claim=claim,
            told=f"{BEFORE}; then {name}{amounts}: other than it was is {{wrong}}",
            values=SHOWN | shown | wrong,
        )


def _begins(state: State, events: tuple[Event, ...], rules: Rules) -> State:
    for event in (*events, BeginSession()):
        state, _answer = scheduler.step(state, event, rules)
    return state


def _wrong_at_begin(
    state: State,
    events: tuple[Event, ...],
    live: Live,
    books: Books,
    cluster: Cluster,
    rules: Rules,
) -> Told:
    """What is first wrong at the next session: these live jobs and configuration, no cache."""
    after = _begins(state, events, rules)
    over = state.finished | (state.live.keys() - live.keys())
    return first_wrong(
        {
            "the books": lambda: (after.books, books),
            "the configuration": lambda: (after.cluster, cluster),
            "the order of hosts": lambda: ([*after.cluster.hosts], [*cluster.hosts]),
            "what waits": lambda: (after.coming, cluster),
            "the cache": lambda: (after.caches, ({},)),
            "which finishes wait": lambda: (after.finishing, frozenset()),
            "what live jobs hold": lambda: (after.live, live),
            "which jobs are finished": lambda: (after.finished, over),
            "which jobs were tried": lambda: (after.tried, frozenset()),
            "the queue": lambda: (after.pending, state.pending),
            "the order of the queue": lambda: ([*after.pending], [*state.pending]),
            "the next number": lambda: (after.next_number, state.next_number),
        }
    )


def _lists() -> Iterator[tuple[str, ...]]:
    """No event, each alone, two changes of each pair of kinds, and one beside another finish."""
    yield ()
    yield ("finish",)
    yield from ((one,) for one in (*CHANGES, *OTHERS))
    yield from product(CHANGES, OTHERS)
    yield "finish", "host_change"
    yield "limit_remove", "limit_set"


def _takes_effect(lifting: Lifting) -> Iterator[Case]:
    for names in _lists():
        cluster, live = small_cluster(), {RUNNING: LIVE[RUNNING]}
        for name in names:
            if name == "finish":
                live = {}
            else:
                cluster = EFFECTS[name](cluster)
        given = tuple(EVENTS[one] for one in names)
        yield _begun_with(
            " and ".join(names) or "nothing", small_state(), given, live, cluster, lifting
        )


def _begun_with(
    name: str,
    state: State,
    events: tuple[Event, ...],
    live: Live,
    cluster: Cluster,
    lifting: Lifting,
) -> Case:
    """That after these events a session begins with these live jobs and this configuration."""
    books = in_use(live, cluster.limits)
    given = with_cached_key(state), events, live, books, cluster, lifting.rules
    found = lifting.paths(_wrong_at_begin, *given)
    claim, wrong = is_empty(found)
    amounts, shown = any_amounts(events)
    return Case(
        name=name,
        assumptions=IN_RANGE,
        claim=claim,
        told=f"{BEFORE}; then {name} and a session begins{amounts}: wrong is {{wrong}}",
        values=SHOWN | shown | wrong,
    )


NEIGHBOURS = (
    LIMIT,
    ON_HOST,
    LIMIT._replace(resource="memory"),
    LIMIT._replace(name=WHO.user),
    LIMIT._replace(kind=IdentityKind.QUEUE),
)
"""A limit, and others that differ from it in one thing each."""


def _of_neighbours(lifting: Lifting) -> Iterator[Case]:
    """Of limits that differ in one thing the one is changed that is named; no finish waits."""
    caps = dict.fromkeys(NEIGHBOURS, CAP)
    cluster = replace(small_cluster(), limits=caps)
    live = {RUNNING: LIVE[RUNNING]}
    state = replace(
        small_state(),
        cluster=cluster,
        coming=cluster,
        live=live,
        finishing=frozenset(),
        books=in_use(live, caps),
    )
    for number, limit in enumerate(NEIGHBOURS, start=1):
        for name, event, effect in (
            ("removed", LimitRemove(limit=limit), _without(limit)),
            ("set", LimitSet(limit=limit, cap=NEW), _with_limit(limit, NEW)),
        ):
            told = f"limit {number} of {len(NEIGHBOURS)} is {name}"
            yield _begun_with(told, state, (event,), live, effect(cluster), lifting)


def _of_hosts(lifting: Lifting) -> Iterator[Case]:
    """A change of one host leaves what it does not name, and the other host."""
    other = Host(name="B", capacity={SLOTS: CAP}, attributes={"kept": 2000})
    for name, was_open, opens, is_open in (
        ("a closed host is opened", False, True, True),
        ("an open host is changed", True, None, True),
        ("a closed host is changed", False, None, False),
    ):
        host = replace(small_cluster().hosts["A"], open=was_open)
        cluster = replace(small_cluster(), hosts={"A": host, "B": other})
        state = replace(small_state(), cluster=cluster, coming=cluster)
        change = HostChange(host="A", capacity={"memory": NEW}, attributes={}, open=opens)
        changed = replace(host, capacity={SLOTS: SLOTS_A, "memory": NEW}, open=is_open)
        expected = replace(cluster, hosts={"A": changed, "B": other})
        live = {RUNNING: LIVE[RUNNING]}
        yield _begun_with(name, state, (change,), live, expected, lifting)


def _begun(lifting: Lifting) -> Iterator[Case]:
    yield from _takes_effect(lifting)
    yield from _of_neighbours(lifting)
    yield from _of_hosts(lifting)


AMOUNTS = (
    "all amounts of a host, a pool and a limit, others known; a live job whose finish waits, and "
    "one more; two jobs that pend; the scheduler's step run whole"
)

THEOREMS = (
    Theorem(
        name="No event between runs changes books, cluster, live jobs or cache, or loses a turn",
        clauses=("CACHE-9", "SESSION-2", "SESSION-5", "SESSION-6"),
        scope=f"{AMOUNTS}; {len(EVENTS)} events that are accepted, of each kind; a turn is a "
        "job that pends, with its keys and number, and whether it was tried",
        cases=_waits,
    ),
    Theorem(
        name="At a session's begin what waited takes effect, the cache is empty, the queue stays",
        clauses=("SESSION-2", "SESSION-3", "SESSION-4", "CACHE-2"),
        scope=f"{AMOUNTS}; {len([*_lists()])} lists of up to two events, of each pair of kinds of "
        "changes; and one change beside another host, or beside limits that differ in one thing, "
        "there without a finish that waits",
        cases=_begun,
        is_whole=True,
    ),
)
"""The theorems of this module."""
