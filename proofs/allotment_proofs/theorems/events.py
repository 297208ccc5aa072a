"""Theorems about single events: what each may change (CACHE-2, CACHE-9, SESSION-2, SESSION-5).

A state has a live job, a pending one, a key in the cache, and any amounts; the scheduler's own
step is run on it.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import z3

from allotment_model import scheduler
from allotment_model.accounts import Account
from allotment_model.answers import Category, Ok
from allotment_model.cache import Key
from allotment_model.cluster import (
    LARGEST_AMOUNT,
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
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.words import first_of
from allotment_proofs.theorems.world import WHO

HELD, SLOTS_A, POOL, CAP, NEW = z3.Ints("held slots_a pool cap new")
LIMIT = LimitId(IdentityKind.USER, None, Scope.CLUSTER, SLOTS)
ON_TOKENS = LimitId(IdentityKind.QUEUE, None, Scope.CLUSTER, "token")
SHOWN = {"held": HELD, "slots_a": SLOTS_A, "pool": POOL, "cap": CAP, "new": NEW}
NUMBER = z3.Int("next_number")
RUNNING, WAITING, BEHIND, DONE, GONE = "running", "waiting", "behind", "done", "gone"


def small_cluster() -> Cluster:
    """A host, a pool and a limit, of any amounts, and one more pool and limit."""
    return Cluster(
        resources=Resources(
            host=frozenset({"memory"}),
            shared=frozenset({"licence", "token"}),
            attributes=dict.fromkeys(("kept", "gone", "new"), AttributeType.NUMBER),
        ),
        hosts={
            "A": Host(name="A", capacity={SLOTS: SLOTS_A}, attributes={"kept": 1000, "gone": 2000})
        },
        pools={"licence": POOL, "token": 1000},
        limits={LIMIT: CAP, ON_TOKENS: 2000},
    )


def job_of(name: str) -> Job:
    """A job of one task."""
    return Job(name=name, identity=WHO, request=((Primary(tasks=Tasks(min=1, max=1)),),))


def small_state() -> State:
    """`running` holds slots of A, `waiting` and `behind` pend, `done` and `gone` are over."""
    claim = Claim(host="A", slots=1, wants={Account(SLOTS, "A"): HELD})
    held = Allocation(identity=WHO, placements=(Placement(claims=(claim,), shared={}),))
    cluster = small_cluster()
    return State(
        cluster=cluster,
        coming=cluster,
        books={Account(SLOTS, "A"): HELD, Account(SLOTS, None, LIMIT, WHO.user): HELD},
        pending={
            name: Queued(job=job_of(name), keys=((),), number=number)
            for number, name in enumerate((WAITING, BEHIND), start=1)
        },
        live={RUNNING: held},
        finished=frozenset({DONE}),
        withdrawn=frozenset({GONE}),
        tried=frozenset({RUNNING, WAITING}),
        caches=({},),
        next_number=5,
    )


EVENTS: Mapping[str, Event] = {
    "submit": Submit(job=job_of("new")),
    "finish": Finish(job=RUNNING),
    "withdraw": Withdraw(job=WAITING),
    "host_add": HostAdd(host=Host(name="B", capacity={SLOTS: NEW}, attributes={})),
    "host_change": HostChange(
        host="A", capacity={SLOTS: NEW}, attributes={"gone": None, "new": 3000}, open=False
    ),
    "pool_change": PoolChange(pool="licence", capacity=NEW),
    "limit_set": LimitSet(limit=LIMIT, cap=NEW),
    "limit_remove": LimitRemove(limit=LIMIT),
}
"""All events but those that begin or run a session."""


def _jobs(state: State) -> list[str]:
    """The names of all jobs, in as many places as they are in."""
    return sorted([*state.pending, *state.live, *state.finished, *state.withdrawn])


def _changed(state: State, event: Event, rules: Rules) -> str:
    """What an accepted event changes first of books, configuration, live jobs and cache."""
    after, answer = scheduler.step(state, event, rules)
    new = [event.job.name] if isinstance(event, Submit) else []
    gone = event.job if isinstance(event, Withdraw) else ""
    kept = {name: queued for name, queued in state.pending.items() if name != gone}
    return _first_wrong(
        {
            "the answer": lambda: answer == Ok(),
            "the books": lambda: after.books == state.books,
            "the configuration": lambda: after.cluster == state.cluster,
            "what live jobs hold": lambda: after.live == state.live,
            "the cache": lambda: after.caches == state.caches,
            "which jobs there are": lambda: _jobs(after) == sorted([*_jobs(state), *new]),
            "who is in the queue": lambda: [*after.pending] == [*kept, *new],
            "the number of a job": lambda: (
                kept.items() <= after.pending.items()
                and all(after.pending[one].number == state.next_number for one in new)
            ),
        }
    )


def _first_wrong(right: Mapping[str, Callable[[], bool]]) -> str:
    """The first of these that is not as it should be; empty if all are."""
    return next((name for name, is_right in right.items() if not is_right()), "")


def with_cached_key(state: State) -> State:
    """The same state with a key in its cache."""
    key = Key(tasks_min=1, tasks_max=1, select=None, rusage=(), span=Span(), identity=WHO)
    return replace(state, caches=({key: Category.CAPACITY},))


def _is_empty(found: list[tuple[Term, str]]) -> tuple[Term, dict[str, Term]]:
    """That no path of a call tells of something wrong; and what is told, as `wrong`."""
    wrong = [(there, told) for there, told in found if told]
    return z3.Not(z3.Or(*(there for there, _told in wrong))), first_of(wrong, ("",), ("wrong",))


def _waits(lifting: Lifting) -> Iterator[Case]:
    for name, event in EVENTS.items():
        given = with_cached_key(small_state()), event, lifting.rules
        claim, wrong = _is_empty(lifting.paths(_changed, *given))
        yield Case(
            name=name,
            assumptions=(HELD >= 1, NEW >= 0, NEW <= LARGEST_AMOUNT),
            claim=claim,
            told="{held} slots of {slots_a} in use, {pool} in the pool, a cap of {cap}; then "
            f"{name} (to {{new}}): other than it was is {{wrong}}",
            values=SHOWN | wrong,
        )


def _begins(state: State, events: tuple[Event, ...], rules: Rules) -> State:
    for event in (*events, BeginSession()):
        state, _answer = scheduler.step(state, event, rules)
    return state


def _wrong_at_begin(
    state: State,
    events: tuple[Event, ...],
    books: Mapping[Account, int],
    cluster: Cluster,
    rules: Rules,
) -> str:
    """What is first wrong at the next session: these books, this configuration, nothing cached."""
    after = _begins(state, events, rules)
    return _first_wrong(
        {
            "the books": lambda: after.books == books,
            "the configuration": lambda: after.cluster == cluster,
            "the order of hosts": lambda: [*after.cluster.hosts] == [*cluster.hosts],
            "the cache": lambda: not any(after.caches),
            "which finishes wait": lambda: not after.finishing,
            "which jobs were tried": lambda: not after.tried,
        }
    )


Expected = tuple[tuple[str, ...], Mapping[Account, Term], Cluster]
"""Some events; and the books and the configuration of the session after them."""


def _expected() -> Mapping[str, Expected]:
    """SPEC.md's words for what takes effect (ghost)."""
    cluster, books = small_cluster(), small_state().books
    host = cluster.hosts["A"]
    attributes = {"kept": 1000, "new": 3000}
    closed = replace(host, capacity={SLOTS: NEW}, attributes=attributes, open=False)
    added = Host(name="B", capacity={SLOTS: NEW}, attributes={})
    hosts = {"A": host, "B": added}
    pooled = replace(cluster, pools={**cluster.pools, "licence": NEW})
    limited = replace(cluster, limits={LIMIT: NEW, ON_TOKENS: 2000})
    freed = replace(cluster, limits={ON_TOKENS: 2000})
    return {
        "nothing": ((), books, cluster),
        "finish": (("finish",), {}, cluster),
        "host_change": (("host_change",), books, replace(cluster, hosts={"A": closed})),
        "host_add": (("host_add",), books, replace(cluster, hosts=hosts)),
        "pool_change": (("pool_change",), books, pooled),
        "limit_set": (("limit_set",), books, limited),
        "limit_remove": (("limit_remove",), {Account(SLOTS, "A"): HELD}, freed),
        "new limit": (("limit_set",), books, replace(cluster, limits={LIMIT: NEW})),
        "two changes of a limit": (("limit_remove", "limit_set"), books, limited),
    }


def _takes_effect(lifting: Lifting) -> Iterator[Case]:
    unlimited = replace(small_cluster(), limits={})
    of_slots = {Account(SLOTS, "A"): HELD}
    before = replace(small_state(), cluster=unlimited, coming=unlimited, books=of_slots)
    for name, (events, expected, configuration) in _expected().items():
        given = tuple(EVENTS[one] for one in events)
        state = replace(before if name == "new limit" else small_state(), next_number=NUMBER)
        found = lifting.paths(
            _wrong_at_begin, with_cached_key(state), given, expected, configuration, lifting.rules
        )
        claim, wrong = _is_empty(found)
        yield Case(
            name=name,
            assumptions=(HELD >= 1, NEW >= 0, NEW <= LARGEST_AMOUNT),
            claim=claim,
            told="{held} slots of {slots_a} in use, {pool} in the pool, a cap of {cap}; then "
            f"{name} (to {{new}}) and a session begins: wrong is {{wrong}}",
            values=SHOWN | wrong,
        )


def _of_three(lifting: Lifting) -> Iterator[Case]:
    """Of three limits the one is removed that is named, and the others count on."""
    kinds = (IdentityKind.PROJECT, IdentityKind.QUEUE, IdentityKind.USER)
    first, second, third = (LimitId(kind, None, Scope.CLUSTER, SLOTS) for kind in kinds)
    cluster = replace(small_cluster(), limits={first: CAP, second: CAP, third: CAP})
    state = replace(small_state(), cluster=cluster, coming=cluster)
    books = {
        Account(SLOTS, "A"): HELD,
        Account(SLOTS, None, first, WHO.project): HELD,
        Account(SLOTS, None, third, WHO.user): HELD,
    }
    found = lifting.paths(
        _wrong_at_begin,
        *(with_cached_key(state), (LimitRemove(limit=second),), books),
        *(replace(cluster, limits={first: CAP, third: CAP}), lifting.rules),
    )
    claim, wrong = _is_empty(found)
    yield Case(
        name="one of three limits",
        assumptions=(HELD >= 1,),
        claim=claim,
        told="{held} slots in use, one limit of three is removed: wrong is {wrong}",
        values=SHOWN | wrong,
    )


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
        given = with_cached_key(state), (change,), state.books, expected, lifting.rules
        claim, wrong = _is_empty(lifting.paths(_wrong_at_begin, *given))
        yield Case(
            name=name,
            assumptions=(HELD >= 1, NEW >= 0, NEW <= LARGEST_AMOUNT),
            claim=claim,
            told="{slots_a} slots, another host of {cap}; "
            f"{name} (memory to {{new}}) and a session begins: wrong is {{wrong}}",
            values=SHOWN | wrong,
        )


def _begun(lifting: Lifting) -> Iterator[Case]:
    yield from _takes_effect(lifting)
    yield from _of_three(lifting)
    yield from _of_hosts(lifting)


AMOUNTS = (
    "all amounts of a host, a pool and a limit, another pool and limit known; one live job, two "
    "pending; the scheduler's step run whole"
)
CHANGES = "thirteen lists of changes of one host or two, a pool and up to three limits"

THEOREMS = (
    Theorem(
        name="No event between runs changes books, cluster, live jobs or cache, or loses a job",
        clauses=("CACHE-9", "SESSION-2", "SESSION-5", "SESSION-6"),
        scope=f"{AMOUNTS}; eight events that are accepted, one of each kind",
        cases=_waits,
    ),
    Theorem(
        name="When a session begins, what waited takes effect, and the cache is empty",
        clauses=("SESSION-2", "SESSION-3", "SESSION-4", "CACHE-2"),
        scope=f"{AMOUNTS}; {CHANGES}",
        cases=_begun,
    ),
)
"""The theorems of this module."""
