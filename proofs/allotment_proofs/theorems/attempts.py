"""Theorems about what runs and attempts answer and tell, the model run from end to end."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from allotment_model import search
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.answers import Category, Dispatched, JobAnswer, Pending, Ran, Tried
from allotment_model.attempt import After, Failed, Won, attempt
from allotment_model.cluster import SLOTS, Cluster
from allotment_model.events import Event, RunSession, Submit
from allotment_model.plans import Plan
from allotment_model.request import Alter, Span
from allotment_model.rules import SPEC, Rules
from allotment_model.scheduler import step
from allotment_model.search import SearchError, outcome
from allotment_model.state import State, initial
from allotment_model.why import Keys
from allotment_proofs.statement import Case, Lifting, Theorem
from allotment_proofs.theorems.few_hosts import (
    LICENCE,
    LICENSED,
    ON_HOSTS,
    ONE,
    TWO,
    after_attempt,
    amounts_told,
    cluster_of,
    key_of,
    not_negative,
    primary,
    submitted,
)

SPECIFIED = Lifting(SPEC).rules
"""The specification, by which a reason is judged."""


def _submitted(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> State:
    """The state when all jobs have been submitted."""
    state = initial(cluster)
    for event in events:
        if isinstance(event, Submit):
            state, _answer = step(state, event, rules)
    return state


def _answer_of(after: After, keys: Keys, cluster: Cluster, rules: Rules) -> JobAnswer:
    """SPEC.md's words for how an attempt is answered (ghost)."""
    if isinstance(after.result, Won):
        parts = tuple(rules.part_of(one) for one in after.result.placements)
        return Dispatched(alternative=after.result.alternative, parts=parts)
    never = rules.is_never(keys, cluster, rules)
    return Pending(reason=after.result.reason, never=never, cached=after.result.cached)


def _tries_each(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> bool:
    """Whether a run tries each job once, from the highest priority, as attempts that follow."""
    state = _submitted(cluster, events, rules)
    in_order = sorted(state.pending.values(), key=lambda one: -one.job.priority)
    expected, pending, books, cache = [], [], state.books, state.caches[0]
    for queued in in_order:
        ledger = open_ledger(cluster, books)
        after, notes = outcome(attempt(queued.keys, ledger, cache, rules))
        answer = _answer_of(after, queued.keys, cluster, rules)
        expected.append(Tried(job=queued.job.name, answer=answer, notes=notes))
        pending += [queued.job.name] if isinstance(answer, Pending) else []
        books, cache = after.ledger.used, after.cache
    state, ran = step(state, RunSession(), rules)
    again, nothing = step(state, RunSession(), rules)
    is_right = ran == Ran(jobs=tuple(expected)) and state.books == books
    is_tried_once = nothing == Ran(jobs=()) and [*again.pending] == [*sorted(pending)]
    return bool(is_right and is_tried_once and state.caches == (cache,))


def _hit_is_told(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> bool:
    """Whether the second of two equal jobs that pend repeats the first's answer, as a hit."""
    _state, ran = step(_submitted(cluster, events, rules), RunSession(), rules)
    assert isinstance(ran, Ran)
    first, second = ran.jobs
    if not isinstance(first.answer, Pending):
        return True
    repeated = second.answer == replace(first.answer, cached=True)
    return bool(repeated and ("hit", first.answer.reason) in second.notes)


def _error_changes_nothing(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> bool:
    """Whether a job pends with `error` where the search for its second part cannot start."""

    def cannot_start(tasks: int, span: Span) -> Iterator[Plan]:
        if tasks == 2:
            raise SearchError
        return rules.plans(tasks, span)

    failing = replace(rules, plans=cannot_start)
    state = _submitted(cluster, events, rules)
    if not rules.is_placeable(state.pending["j"].keys[0][0], open_ledger(cluster, {}), rules):
        return True
    after, ran = step(state, RunSession(), failing)
    answer = Pending(reason=Category.ERROR, never=False, cached=False)
    assert isinstance(ran, Ran)
    is_told = [one.answer for one in ran.jobs] == [answer]
    return is_told and replace(after, tried=frozenset()) == state


def _expected(keys: Keys, ledger: Ledger, rules: Rules) -> Category | None:
    """SPEC.md's words for why a request fails, None if it does not (ghost)."""
    reason = None
    for parts in keys:
        now, reason = ledger, None
        for key in parts:
            (placement, then), _notes = outcome(search.place(key, now, rules))
            if placement is None:
                reason = SPECIFIED.category(key, now, SPECIFIED)
                break
            now = then
        if reason is None:
            return None
    return reason


def _right_reason(keys: Keys, ledger: Ledger, rules: Rules) -> bool:
    """Whether the reason is that of the first part that fails, of the last alternative."""
    expected, result = _expected(keys, ledger, rules), after_attempt(keys, ledger, rules).result
    return isinstance(result, Won) if expected is None else result == Failed(reason=expected)


def _tells_debits(keys: Keys, ledger: Ledger, rules: Rules) -> bool:
    """Whether what is told as claimed, and not as reversed, is what is in use afterwards."""
    after, notes = outcome(attempt(keys, ledger, {}, rules))
    slots = dict.fromkeys(ledger.cluster.hosts, 0)
    told: list[Any] = [note for note in notes if note[0] in SIGNS]
    for word, host, count in told:
        slots[host] += SIGNS[word] * count
    return all(
        after.ledger.used.get(Account(SLOTS, host), 0) == count for host, count in slots.items()
    )


SIGNS: Mapping[object, int] = {"claimed": 1, "reversed": -1}

SESSIONS: Mapping[str, tuple[Alter, ...]] = {
    "{1}, then {1}": (((ONE,),), ((ONE,),)),
    "{2}, then {2}": (((TWO,),), ((TWO,),)),
    "{1}+{1}, then {1}": (((ONE, ONE),), ((ONE,),)),
    "{1} with a licence, then {1}": (((LICENSED,),), ((ONE,),)),
}
EQUALS: Mapping[str, tuple[Alter, ...]] = {
    "{1} twice": (((ONE,),), ((ONE,),)),
    "{2} twice": (((TWO,),), ((TWO,),)),
    "{1} with a licence twice": (((LICENSED,),), ((LICENSED,),)),
}
CANNOT_START: Mapping[str, tuple[Alter, ...]] = {
    "{1}+{2}": (((ONE, TWO),),),
    "{1}+{2} or {3}": (((ONE, TWO), (primary(3),)),),
}
REQUESTS: Mapping[str, Keys] = {
    "{1}+{2}": ((key_of(1), key_of(2)),),
    "{1} with a licence+{2}": ((key_of(1, LICENCE), key_of(2)),),
    "{2}+{1} with a licence": ((key_of(2), key_of(1, LICENCE)),),
    "{1} with a licence or {1}": ((key_of(1, LICENCE),), (key_of(1),)),
    "{1}+{1} or {1} with a licence": ((key_of(1), key_of(1)), (key_of(1, LICENCE),)),
}


def _of_sessions(
    holds: Callable[..., bool],
    requests: Mapping[str, tuple[Alter, ...]],
    told: str,
    lifting: Lifting,
) -> Iterator[Case]:
    """Jobs with these requests in one session, the last of them of either priority."""
    for (name, alters), priority in product(requests.items(), (0, 1)):
        has_pool = "licence" in name
        cluster = cluster_of(1 if has_pool else 2, has_pool=has_pool)
        beginning, values = amounts_told(cluster)
        events = submitted(*alters, priority=priority)
        yield Case(
            name=f"{name}, of priority {priority}",
            assumptions=not_negative(cluster),
            claim=lifting.of(holds, cluster, events, lifting.rules),
            told=beginning + told,
            values=values,
        )


def _of_attempts(holds: Callable[..., bool], told: str, lifting: Lifting) -> Iterator[Case]:
    for name, keys in REQUESTS.items():
        cluster = cluster_of(2, has_pool="licence" in name)
        beginning, values = amounts_told(cluster)
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=lifting.of(holds, keys, open_ledger(cluster, {}), lifting.rules),
            told=beginning + told,
            values=values,
        )


THEOREMS = (
    Theorem(
        name="A run tries each pending job once, in order, and answers as the attempts end",
        clauses=("SESSION-1", "SESSION-6"),
        scope=ON_HOSTS + "four pairs of jobs on two hosts, two priorities, one session",
        cases=partial(_of_sessions, _tries_each, SESSIONS, "jobs are not tried one by one"),
        is_whole=True,
    ),
    Theorem(
        name="The second of two equal jobs that pend repeats the first answer, and tells the hit",
        clauses=("WHY-3", "CACHE-5", "CACHE-8"),
        scope=ON_HOSTS + "three pairs of equal jobs on two hosts, one session",
        cases=partial(_of_sessions, _hit_is_told, EQUALS, "a hit is not told as such"),
        is_whole=True,
    ),
    Theorem(
        name="A search that cannot start is an error, and changes nothing",
        clauses=("HOST-8", "SESSION-6"),
        scope=ON_HOSTS + "two hosts, one job; the plans of the second part cannot start",
        cases=partial(
            _of_sessions,
            _error_changes_nothing,
            CANNOT_START,
            "an error is not told or not undone",
        ),
        is_whole=True,
    ),
    Theorem(
        name="A request fails for the reason of its last alternative's first part that fails",
        clauses=("WHY-1",),
        scope=ON_HOSTS
        + "five requests of two parts or alternatives on two hosts, any pool, one limit",
        cases=partial(_of_attempts, _right_reason, "the reason is not that of the first failure"),
        is_whole=True,
    ),
    Theorem(
        name="What is told as claimed, and not as reversed, is what is in use then",
        clauses=("COMPOUND-3",),
        scope=ON_HOSTS
        + "five requests of two parts or alternatives on two hosts, any pool, one limit",
        cases=partial(_of_attempts, _tells_debits, "what is told as claimed is not what is in use"),
        is_whole=True,
    ),
)
"""The theorems of this module."""
