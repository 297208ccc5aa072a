"""Theorems about sessions: what runs answer and tell, and what they leave, run from end to end.

No step is taken out and no loop is described: what is bounded is the number of hosts, jobs, parts
and tasks.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import z3

from allotment_model.accounts import Account, open_ledger
from allotment_model.answers import Answer, Category, Dispatched, JobAnswer, Pending, Ran, Tried
from allotment_model.attempt import After, Won, attempt
from allotment_model.books import recount
from allotment_model.cache import Cache
from allotment_model.cluster import SLOTS, Cluster
from allotment_model.events import BeginSession, Event, Finish, RunSession, Submit
from allotment_model.oracle.invariants import check_invariants
from allotment_model.plans import Plan
from allotment_model.request import Alter, Job, Number, Span
from allotment_model.rules import SPEC, Rules
from allotment_model.scheduler import step
from allotment_model.search import Claim, Placement, SearchError, outcome
from allotment_model.state import Allocation, Queued, State, initial
from allotment_model.why import Keys
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems.few_hosts import (
    JOBS,
    LICENSED,
    ON_HOSTS,
    ONE,
    TWO,
    after_attempt,
    amounts_told,
    cluster_of,
    key_of,
    keys_for,
    not_negative,
    primary,
    submitted,
)
from allotment_proofs.theorems.releases import in_use
from allotment_proofs.theorems.words import Told, answer_told, first_wrong, is_empty, words_of
from allotment_proofs.theorems.world import WHO

SOUND = Lifting(SPEC).rules
"""The specification, by which a state is judged."""


Answered = tuple[str, str, Any]
"""Who is answered, in a word how, and all that is not told otherwise without the cache."""


def _answers(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> list[Answered]:
    """Where jobs go, and whether those that pend can ever run."""
    state, found = initial(cluster), list[Answered]()
    for event in events:
        state, answer = step(state, event, rules)
        found += _told(answer)
    return found


def _told(answer: Answer) -> list[Answered]:
    if not isinstance(answer, Ran):
        return [("a submission", "answered", answer)]
    return [
        (one.job, "pending", one.answer.never)
        if isinstance(one.answer, Pending)
        else (one.job, "dispatched", one.answer)
        for one in answer.jobs
    ]


def _differs_without_cache(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> str:
    """The first job that goes elsewhere without the cache, or is told another never; or nothing."""
    uncached = replace(rules, may_fill=lambda parts_before: False)
    pairs = zip(
        *(_answers(cluster, events, one) for one in (rules, uncached)),
        strict=True,
    )
    return next(
        (
            f"{one[0]} is {one[1]} with the cache and {other[1]} without, to another place or "
            "with another never"
            if one[1] == other[1]
            else f"{one[0]} is {one[1]} with the cache and {other[1]} without"
            for one, other in pairs
            if one != other
        ),
        "",
    )


def _broken(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> str:
    """Which invariant is the first to be broken, and after which event; empty if none is.

    After the events all jobs finish, and then nothing may be in use.
    """
    state = initial(cluster)
    for event in events:
        state, _answer = step(state, event, rules)
        if broken := _in_words(state, event):
            return broken
    ends: list[Event] = [Finish(job=name) for name in state.live]
    for end in (*ends, BeginSession()):
        state, _answer = step(state, end, rules)
        if broken := _in_words(state, end):
            return broken
    left = [*map(words_of, state.books), *state.live]
    return f"SESSION-4: all jobs have finished, and {left[0]} is left" if left else ""


def _in_words(state: State, event: Event) -> str:
    """The first broken invariant of the state after an event, with its accounts in words."""
    told = next(iter(check_invariants(state, SOUND)), "")
    for account in (*state.books, *recount(state.live.values(), state.cluster.limits, SOUND)):
        told = told.replace(str(account), words_of(account))
    return told and f"after {type(event).__name__}: {told}"


def _jobs_of(events: tuple[Event, ...]) -> list[Job]:
    """The jobs that are submitted, as they were sent (ghost)."""
    return [event.job for event in events if isinstance(event, Submit)]


def _after(state: State, events: tuple[Event, ...], rules: Rules) -> State:
    """The state when all jobs have been submitted."""
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


def _between(cluster: Cluster, cache: Cache) -> State:
    """Within a session: something is in the cache, a finish and a change wait.

    A job of another user holds a slot of the first host, and no host is left in the coming
    configuration.
    """
    first = next(iter(cluster.hosts))
    claim = Claim(host=first, slots=1, wants={Account(SLOTS, first): 1})
    identity = replace(WHO, user="other")
    held = Allocation(identity=identity, placements=(Placement(claims=(claim,), shared={}),))
    live = {"leaving": held}
    return replace(
        initial(cluster),
        coming=replace(cluster, hosts={}),
        books=in_use(live, cluster.limits),
        live=live,
        finishing=frozenset(live),
        caches=(cache,),
        next_number=1,
    )


def _tries_each(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> Told:
    """What is wrong first, if a run has to try each job once, as attempts that follow.

    Only what was sent says which jobs there are, and in which order they are tried.
    """
    before = _between(cluster, CACHED)
    books, cache, live = before.books, before.caches[0], dict(before.live)
    expected, pending = [], {}
    in_order = sorted(enumerate(_jobs_of(events), start=1), key=lambda one: -one[1].priority)
    for number, job in in_order:
        keys = keys_for(job)
        after, notes = outcome(attempt(keys, open_ledger(cluster, books), cache, rules))
        expected.append(
            Tried(job=job.name, answer=_answer_of(after, keys, cluster, rules), notes=notes)
        )
        if isinstance(after.result, Won):
            placements = after.result.placements
            live[job.name] = Allocation(identity=job.identity, placements=placements)
        else:
            pending[job.name] = Queued(job=job, keys=keys, number=number)
        books, cache = after.ledger.used, after.cache
    state, ran = step(_after(before, events, rules), RunSession(), rules)
    again, nothing = step(state, RunSession(), rules)
    assert isinstance(ran, Ran)
    return _first_difference(ran.jobs, expected) or first_wrong(
        {
            "what is answered to another run": lambda: (nothing, Ran(jobs=())),
            "the books": lambda: (state.books, books),
            "what live jobs hold": lambda: (state.live, live),
            "the queue": lambda: (state.pending, pending),
            "the queue after another run": lambda: (again.pending, pending),
            "the cache": lambda: (state.caches, (cache,)),
            "what waits": lambda: (state.coming, before.coming),
            "which finishes wait": lambda: (state.finishing, before.finishing),
        }
    )


def _first_difference(found: Sequence[Tried], expected: Sequence[Tried]) -> str:
    """What is the first to be answered otherwise, and what it should be; empty if nothing is."""
    for one, right in zip(found, expected, strict=False):
        if one.job != right.job:
            return f"which job is tried: {one.job}, and it should be {right.job}"
        if one.answer != right.answer:
            return _other_answer(one, right.answer)
        if one.notes != right.notes:
            return f"what is told of {one.job} meanwhile"
    return "" if len(found) == len(expected) else "how many jobs are tried"


def _other_answer(found: Tried, right: JobAnswer) -> str:
    answer = answer_told(found.answer)
    return f"the answer to {found.job}: {answer}, and it should be {answer_told(right)}"


def _hit_is_told(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> str:
    """What is wrong first, if the second of two equal jobs has to repeat the first's answer."""
    _state, ran = step(_after(initial(cluster), events, rules), RunSession(), rules)
    assert isinstance(ran, Ran)
    first, second = ran.jobs
    if not isinstance(first.answer, Pending):
        return ""
    repeated = replace(first.answer, cached=True)
    reasons = [note[1] for note in first.notes if note[0] in ("filled", "hit")]
    hits = [note[1] for note in second.notes if note[0] == "hit"]
    if second.answer != repeated:
        return _other_answer(second, repeated)
    return "" if hits == reasons else f"what is told of {second.job}: not a hit for each failure"


def _hit_in_part_is_told(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> Told:
    """The same of a compound whose last part alone is known to fail: it repeats that reason."""
    _state, ran = step(_after(initial(cluster), events, rules), RunSession(), rules)
    assert isinstance(ran, Ran)
    first, second = ran.jobs
    before = keys_for(_jobs_of(events)[1])[0][:-1]
    is_reached = isinstance(after_attempt((before,), open_ledger(cluster, {}), rules).result, Won)
    if not (isinstance(first.answer, Pending) and is_reached):
        return ""
    reason, told = first.answer.reason, second.answer
    if not isinstance(told, Pending):
        return "that the compound is dispatched"
    return first_wrong(
        {
            "the reason of the compound": lambda: (told.reason, reason),
            "whether a hit is in the answer": lambda: (told.cached, True),
            "whether a hit is told": lambda: (("hit", reason) in second.notes, True),
        }
    )


def _error_changes_nothing(cluster: Cluster, events: tuple[Event, ...], rules: Rules) -> Told:
    """What is wrong first, if the search for the second part of a job cannot start."""

    def cannot_start(tasks: int, span: Span) -> Iterator[Plan]:
        if tasks == 2:
            raise SearchError
        return rules.plans(tasks, span)

    failing = replace(rules, plans=cannot_start)
    before = replace(initial(cluster), caches=(CACHED,))
    state, (job,) = _after(before, events, rules), _jobs_of(events)
    first = keys_for(job)[0][:1]
    if not isinstance(after_attempt((first,), open_ledger(cluster, {}), rules).result, Won):
        return ""
    after, ran = step(state, RunSession(), failing)
    answer = Pending(reason=Category.ERROR, never=False, cached=False)
    assert isinstance(ran, Ran)
    return first_wrong(
        {
            "the answer": lambda: ([one.answer for one in ran.jobs], [answer]),
            "the books": lambda: (after.books, state.books),
            "the cache": lambda: (after.caches, state.caches),
            "which jobs were tried": lambda: (after.tried, {job.name}),
            "something else": lambda: (replace(after, tried=frozenset()), state),
        }
    )


THREE, TWICE_LICENSED = primary(3), primary(1, licences=2)
ON_TWO_HOSTS = replace(ONE, span=Span(hosts_min=2))
ON_NO_HOST = replace(ONE, select=Number(thousandths=0))
"""Primaries that have no plan, and that no host passes."""

Sessions = Mapping[str, tuple[int, tuple[Alter, ...]]]
"""On how many hosts, and the requests of its jobs; of one with licences, beside any pool."""

IN_TURN: Sessions = {
    "{1}, then {1}": (2, (((ONE,),), ((ONE,),))),
    "{2}, then {2}": (2, (((TWO,),), ((TWO,),))),
    "{1}+{1}, then {1}": (2, (((ONE, ONE),), ((ONE,),))),
    "{2}, then {2} or {1}+{1}": (2, (((TWO,),), ((TWO,), (ONE, ONE)))),
    "{2}+{1}, then {1}+{2}": (2, (((TWO, ONE),), ((ONE, TWO),))),
    "{1} with a licence, then that or {1}": (1, (((LICENSED,),), ((LICENSED,), (ONE,)))),
    "{1}+{1}+{1}, then {1}": (1, (((ONE, ONE, ONE),), ((ONE,),))),
    "{1}, then {1}, then {2}": (1, (((ONE,),), ((ONE,),), ((TWO,),))),
}
RUNS: Sessions = {
    "{1}, {1}": (2, (((ONE,),), ((ONE,),))),
    "{2}, {2}": (2, (((TWO,),), ((TWO,),))),
    "{1}+{1}, {1}": (2, (((ONE, ONE),), ((ONE,),))),
    "{1} with two licences or with one or {1}, {1}": (
        1,
        (((TWICE_LICENSED,), (LICENSED,), (ONE,)), ((ONE,),)),
    ),
    "{1}, {1}, {1}": (1, (((ONE,),), ((ONE,),), ((ONE,),))),
    "{3} or {1}+{2}, {3}": (1, (((THREE,), (ONE, TWO)), ((THREE,),))),
    "{1}, {1} of others": (2, (((ONE,),), ((ONE,),))),
}
OTHERS = replace(WHO, queue="r", project="s"), replace(WHO, user="v", project="t")
"""Who sends the jobs of the last of those runs: no two agree in any two of user, queue, project."""
CACHED = {key_of(3): Category.SELECT}
"""What those runs, and one with an error, begin with: three tasks fail, for a reason of no run."""
EQUALS: Sessions = {
    "{1} twice": (2, (((ONE,),), ((ONE,),))),
    "{2} twice": (2, (((TWO,),), ((TWO,),))),
    "{1} with a licence twice": (1, (((LICENSED,),), ((LICENSED,),))),
    "{1} or {1} with two licences or {1} or {1} with a licence twice": (
        1,
        (((ONE,), (TWICE_LICENSED,), (ONE,), (LICENSED,)),) * 2,
    ),
    "{1} on two hosts twice": (1, (((ON_TWO_HOSTS,),),) * 2),
    "{1} on no host twice": (1, (((ON_NO_HOST,),),) * 2),
}
WITH_FAILING_PART: Sessions = {
    "{2}, then {1}+{2}": (2, (((TWO,),), ((ONE, TWO),))),
    "{3}, then {1}+{1}+{3}": (1, (((THREE,),), ((ONE, ONE, THREE),))),
    "{3}, then {1} with a licence+{3}": (1, (((THREE,),), ((LICENSED, THREE),))),
}
CANNOT_START: Sessions = {
    "{1}+{2}": (2, (((ONE, TWO),),)),
    "{1}+{2} or {3}": (2, (((ONE, TWO), (THREE,)),)),
}
PRIORITIES = z3.Ints([f"priority_{name}" for name in JOBS])


def _of_sessions(
    wrong_in: Callable[..., Told],
    sessions: Sessions,
    told: str,
    lifting: Lifting,
    *,
    priorities: Sequence[Term] = (),
) -> Iterator[Case]:
    """Jobs with these requests in one session, of these priorities or else none.

    `told` is what is said before that which is the first to be wrong.
    """
    for name, (hosts, requests) in sessions.items():
        cluster = cluster_of(hosts, has_pool="licence" in name)
        beginning, values = amounts_told(cluster)
        given = priorities[: len(requests)]
        ranked = {str(one): one for one in given}
        beginning = "".join(f"{one} {{{one}}}; " for one in ranked) + beginning
        senders = OTHERS if "others" in name else (WHO,) * 3
        events = submitted(*requests, priorities=given, senders=senders)
        claim, wrong = is_empty(lifting.paths(wrong_in, cluster, events, lifting.rules))
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=claim,
            told=f"{beginning}: {told}{{wrong}}",
            values=values | ranked | wrong,
        )


def _sound(lifting: Lifting) -> Iterator[Case]:
    licensed = next(one for one in IN_TURN if "licence" in one)
    of_one_user = {name: (*one, (WHO,) * 3) for name, one in IN_TURN.items()}
    of_two = {f"{licensed}, of another user": (*IN_TURN[licensed], (WHO, replace(WHO, user="v")))}
    for name, (hosts, requests, senders) in (of_one_user | of_two).items():
        cluster = cluster_of(hosts, has_pool="licence" in name)
        beginning, values = amounts_told(cluster)
        events = submitted(*requests, senders=senders)
        claim, wrong = is_empty(lifting.paths(_broken, cluster, events, lifting.rules))
        yield Case(
            name=name,
            assumptions=not_negative(cluster),
            claim=claim,
            told=f"{beginning}: {{wrong}}",
            values=values | wrong,
        )


SESSIONS_RUN = (
    "eight sessions of two or three jobs on two hosts or one, once with a licence; nothing in use "
    "before"
)
"""How much of sessions is run."""

THEOREMS = (
    Theorem(
        name="With the cache jobs go where they go without it, and never is said of the same",
        clauses=("CACHE-6", "CACHE-3", "CACHE-4"),
        scope=ON_HOSTS + SESSIONS_RUN + ", one session",
        cases=partial(_of_sessions, _differs_without_cache, IN_TURN, ""),
        is_whole=True,
    ),
    Theorem(
        name="Books are the sums over live jobs, cached keys fail, and finished jobs leave nothing",
        clauses=("SESSION-3", "SESSION-4", "SESSION-6", "CACHE-9"),
        scope=ON_HOSTS
        + SESSIONS_RUN
        + "; that one once more with two users; two sessions; the sums by the model's `recount`",
        cases=_sound,
        is_whole=True,
    ),
    Theorem(
        name="A run tries each pending job once, in order, and answers as the attempts end",
        clauses=("SESSION-1", "SESSION-6"),
        scope=ON_HOSTS
        + "seven runs of two or three jobs of any priorities on two hosts or one, one session, in "
        "which a key is cached, and the finish of a job with one slot and a change wait",
        cases=partial(
            _of_sessions,
            _tries_each,
            RUNS,
            "other than the attempts one by one is ",
            priorities=PRIORITIES,
        ),
        is_whole=True,
    ),
    Theorem(
        name="The second of two equal jobs that pend repeats the first answer, and tells the hit",
        clauses=("WHY-3", "CACHE-5", "CACHE-8"),
        scope=ON_HOSTS
        + "six pairs of equal jobs of any priorities on two hosts or one, which fail for each "
        "reason, one session",
        cases=partial(
            _of_sessions,
            _hit_is_told,
            EQUALS,
            "wrong of the job that repeats the first is ",
            priorities=PRIORITIES,
        ),
        is_whole=True,
    ),
    Theorem(
        name="A compound whose last part alone is known to fail pends for its reason, as a hit",
        clauses=("CACHE-4", "CACHE-5", "WHY-3"),
        scope=ON_HOSTS + "three pairs of a job and a compound on two hosts or one, one session",
        cases=partial(
            _of_sessions,
            _hit_in_part_is_told,
            WITH_FAILING_PART,
            "wrong of the compound after the job is ",
        ),
        is_whole=True,
    ),
    Theorem(
        name="A search that cannot start is an error, and changes nothing",
        clauses=("HOST-8", "SESSION-6"),
        scope=ON_HOSTS
        + "two hosts, one job; the plans of the second part cannot start; a key is cached",
        cases=partial(
            _of_sessions,
            _error_changes_nothing,
            CANNOT_START,
            "after an error wrong is ",
        ),
        is_whole=True,
    ),
)
"""The theorems of this module."""
