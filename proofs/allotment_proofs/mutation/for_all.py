"""Whether a changed function computes the same as before for all numbers: one question to Z3.

The function, or one that calls it, is run on symbols twice, as it is and as it was changed, and Z3
is asked for numbers on which the two differ. What is no number (how many hosts, jobs and parts,
which of them lacks what) is that of the calls listed here, and is told as their scope.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from types import CodeType, FunctionType
from typing import Any

import z3

from allotment_model import accounts, arithmetic, books, search
from allotment_model.accounts import Account, open_ledger
from allotment_model.answers import Answer, Category
from allotment_model.attempt import attempt
from allotment_model.cache import Key
from allotment_model.cluster import SLOTS, Cluster, IdentityKind, LimitId, Scope
from allotment_model.events import BeginSession, Event, LimitSet, Submit
from allotment_model.request import Alter, Job, Primary, Tasks
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.search import Claim, Placement, outcome
from allotment_model.state import Allocation, State, initial
from allotment_proofs.mutants import code_of, exchanged, node_of
from allotment_proofs.prover import Proved, outcome_under
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.few_hosts import (
    LICENCE,
    LIMIT,
    NAMES,
    ONE,
    TWO,
    amounts_of,
    cluster_of,
    key_of,
    submitted,
)
from allotment_proofs.theorems.submissions import answers_to, state_of_all, submissions
from allotment_proofs.theorems.world import WHO

ON_HOSTS = LimitId(IdentityKind.USER, None, Scope.HOST, SLOTS)
HOST = NAMES[0]
NUMBER, OTHER, NEW = z3.Ints("number other new")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A function with its arguments, and what holds of their numbers."""

    of: Callable[..., Any]
    given: tuple[Any, ...]
    assumed: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Calls:
    """Calls that run a function as the model may, and in words which those are."""

    scope: str
    every: Callable[[], Iterator[Call]]


def same_for_all(function: FunctionType, source: str) -> str:
    """Within what scope a changed function is proved to compute the same; empty if it is not."""
    calls = CALLS.get(f"{function.__module__.rpartition('.')[2]}.{function.__name__}")
    if calls is None:
        return ""
    changed = {function: code_of(function, node_of(function, source))}

    def cases(lifting: Lifting) -> Iterator[Case]:
        for call in calls.every():
            claim = lifting.of(partial(_agree, changed, call.of), *call.given)
            yield Case(assumptions=call.assumed, claim=claim, told="it differs")

    theorem = Theorem(name="The same", clauses=(), scope=calls.scope, cases=cases)
    is_same = isinstance(outcome_under(theorem, Lifting(), hasty=True), Proved)
    return calls.scope if is_same else ""


def _agree(changed: Mapping[FunctionType, CodeType], call: Callable[..., Any], *given: Any) -> bool:
    """Whether a call has the same value before and after the change."""
    value = call(*given)
    before = exchanged(changed)
    try:
        return bool(value == call(*given))
    finally:
        exchanged(before)


def _not_negative(cluster: Cluster, *others: Term) -> tuple[Term, ...]:
    return tuple(amount >= 0 for amount in (*amounts_of(cluster), *others))


def _left() -> Iterator[Call]:
    cluster = cluster_of(1, has_pool=True)
    for account in (
        *(Account(SLOTS, HOST), Account("memory", HOST), Account("licence"), Account("lacking")),
        Account(SLOTS, None, LIMIT, WHO.user),
    ):
        ledger = replace(open_ledger(cluster, {account: NUMBER}), at_start={account: OTHER})
        for one in (ledger, replace(ledger, used={}), replace(ledger, at_start={})):
            yield Call(
                of=partial(accounts.left, rules=SPEC),
                given=(one, account),
                assumed=_not_negative(cluster, NUMBER, OTHER),
            )


def _limit_accounts() -> Iterator[Call]:
    for kind, scope, host in product(IdentityKind, Scope, (HOST, None)):
        limit = LimitId(kind, None, scope, SLOTS)
        yield Call(of=accounts.limit_account, given=(limit, host, WHO, SPEC))


def _written(before: dict[Account, int], amount: int) -> dict[Account, int]:
    used = dict(before)
    accounts._write(used, Account(SLOTS, HOST), amount)
    return used


def _writes() -> Iterator[Call]:
    for used in ({}, {Account(SLOTS, HOST): OTHER}):
        yield Call(of=_written, given=(used, NUMBER), assumed=(NUMBER >= 0,))


def _ledgers() -> Iterator[tuple[Cluster, Any]]:
    """Two hosts, with a pool and a limit over the cluster, or with a limit on each host."""
    plain = cluster_of(2)
    for cluster in (cluster_of(2, has_pool=True), replace(plain, limits={ON_HOSTS: NEW})):
        yield cluster, open_ledger(cluster, {})


def _attempts() -> Iterator[Call]:
    one, two, licensed = key_of(1), key_of(2), key_of(1, LICENCE)
    for keys in (
        *(((one,),), ((two,),), ((one, one),), ((two, one),), ((licensed, licensed),)),
        *(((two,), (one,)), ((one, one), (two,)), ((licensed,), (one, one))),
    ):
        cluster, ledger = next(_ledgers())
        for cached in ({}, {SPEC.cache_key(keys[0][0]): Category.CAPACITY}):
            yield Call(of=_attempted, given=(keys, ledger, cached), assumed=_not_negative(cluster))


def _attempted(keys: Any, ledger: Any, cache: Any) -> Any:
    return outcome(attempt(keys, ledger, cache, SPEC))


def _placed(key: Key, ledger: Any) -> Any:
    return outcome(search.place(key, ledger, SPEC))


def _searches() -> Iterator[Call]:
    keys = *map(key_of, (1, 2, 3)), key_of(2, LICENCE)
    for key, (cluster, ledger) in product(keys, _ledgers()):
        yield Call(of=_placed, given=(key, ledger), assumed=_not_negative(cluster))


def _answered(state: State, events: tuple[Event, ...]) -> list[tuple[State, Answer]]:
    found = []
    for event in events:
        state, answer = step(state, event, SPEC)
        found.append((state, answer))
    return found


def _runs() -> Iterator[Call]:
    for requests in ((((ONE,),), ((TWO,),)), (((TWO,),), ((TWO,), (ONE, ONE)))):
        cluster = cluster_of(2)
        given = initial(cluster), submitted(*requests)
        yield Call(of=_answered, given=given, assumed=_not_negative(cluster))


def _live(held: Mapping[str, Term], limits: Mapping[LimitId, Term]) -> State:
    """Jobs that hold slots of A, which the books charge to the host and to a limit on users."""
    state = initial(replace(cluster_of(1), limits=limits))
    total = sum(held.values(), start=z3.IntVal(0))
    claims = {
        name: Claim(host=HOST, slots=1, wants={Account(SLOTS, HOST): held[name]}) for name in held
    }
    live = {
        name: Allocation(identity=WHO, placements=(Placement(claims=(claim,), shared={}),))
        for name, claim in claims.items()
    }
    charged = {Account(SLOTS, HOST): total, Account(SLOTS, None, LIMIT, WHO.user): total}
    return replace(state, books=charged, live=live)


def _sessions() -> Iterator[Call]:
    for before, after, ended in product(
        ({LIMIT: NEW}, {}), ({LIMIT: NEW}, {ON_HOSTS: NEW}, {}), (set(), {"j"}, {"j", "k"})
    ):
        state = _live({"j": NUMBER, "k": OTHER}, before)
        coming = replace(state.cluster, limits=after)
        state = replace(state, coming=coming, finishing=frozenset(ended))
        if not before:
            state = replace(state, books={Account(SLOTS, HOST): NUMBER + OTHER})
        assumed = (NUMBER >= 1, OTHER >= 1, NEW >= 0)
        yield Call(of=_answered, given=(state, (BeginSession(),)), assumed=assumed)


def _books() -> Iterator[Call]:
    yield Call(
        of=books.without_zeros, given=({Account(SLOTS, HOST): NUMBER},), assumed=(NUMBER >= 0,)
    )


def _limits_set() -> Iterator[Call]:
    for scope, resource, name in product(Scope, (SLOTS, "licence", "other"), (None, "", "u")):
        event = LimitSet(limit=LimitId(IdentityKind.USER, name, scope, resource), cap=NEW)
        yield Call(of=_answered, given=(initial(cluster_of(1)), (event,)))


def _submissions() -> Iterator[Call]:
    one, two = Primary(), Primary(tasks=Tasks(min=NUMBER, max=OTHER))
    compounds = [(), (one,), (two,), *product((one, two), repeat=2)]
    least, most = z3.Ints("least most")
    of_job = None, Tasks(min=least, max=most)
    alters: list[Alter] = [(), *((one,) for one in compounds), *product(compounds, repeat=2)]
    for request, tasks in product(alters, of_job):
        job = Job(name="j", identity=WHO, request=request, tasks=tasks)
        yield Call(of=_answered, given=(initial(cluster_of(1)), (Submit(job=job),)))


def _refusals() -> Iterator[Call]:
    for jobs in submissions().values():
        given = state_of_all(), [job for job, _right in jobs.values()]
        yield Call(of=partial(answers_to, rules=SPEC), given=given)


_REFUSALS = Calls(
    scope="each submission of the theorem on refusals, any amounts in the state", every=_refusals
)
_WHOLE = Calls(
    scope="any counts; up to two alternatives and parts, each with or without", every=_submissions
)
_ATTEMPT = Calls(
    scope="any capacities, pool and cap; two hosts, up to two alternatives and parts, with and "
    "without a hit",
    every=_attempts,
)
_LEFT = Calls(scope="any amounts; accounts of each kind, there or lacking", every=_left)
_SESSION = Calls(
    scope="any amounts; two live jobs, up to both finishing, a limit that stays, comes or goes",
    every=_sessions,
)
_SEARCH = Calls(
    scope="any capacities, pool and caps; up to three tasks on two hosts", every=_searches
)
_RUN = Calls(scope="any capacities; two jobs, two hosts, one run", every=_runs)


def _leaf(rule: Callable[..., Any], *given: Term) -> Callable[[], Iterator[Call]]:
    assumed = tuple(one >= before for before, one in zip((0, *given), given, strict=False))
    return lambda: iter([Call(of=rule, given=given, assumed=assumed)])


CALLS: Mapping[str, Calls] = {
    "arithmetic.is_whole": Calls(
        scope="any numbers; no more parts placed than there are",
        every=_leaf(arithmetic.is_whole, NUMBER, OTHER),
    ),
    "arithmetic.may_fill": Calls(
        scope="any number that is not negative", every=_leaf(arithmetic.may_fill, NUMBER)
    ),
    "accounts.capacity": _LEFT,
    "accounts.left": _LEFT,
    "accounts.limit_account": Calls(scope="each kind and scope of a limit", every=_limit_accounts),
    "accounts._write": Calls(scope="any amount that is not negative", every=_writes),
    "attempt.attempt": _ATTEMPT,
    "attempt.place_compound": _ATTEMPT,
    "books.end_jobs": _SESSION,
    "books.with_limits_recounted": _SESSION,
    "books.without_zeros": Calls(scope="any use that is not negative", every=_books),
    "changes._limit_checks": Calls(
        scope="any cap; each scope, with a name, an empty one or none", every=_limits_set
    ),
    "ingest.has_per": _REFUSALS,
    "ingest.names_unknown": _REFUSALS,
    "ingest.tasks_of": _WHOLE,
    "ingest._total": _WHOLE,
    "runs.run_session": _RUN,
    "runs.try_job": _RUN,
    "scheduler.begin_session": _SESSION,
    "search.place": _SEARCH,
    "search.candidates": _SEARCH,
    "select.type_of": _REFUSALS,
}
"""By function those whose survivors are asked about; other functions have none."""
