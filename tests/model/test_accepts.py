"""Accepts without choices: the canonical answer is exact, every other is forbidden."""

from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from allotment_model.answers import (
    Answer,
    Cancelled,
    Category,
    Dispatched,
    JobAnswer,
    Ok,
    Pending,
    Ran,
    Refusal,
    Refused,
    Tried,
)
from allotment_model.clauses import CLAUSES
from allotment_model.events import BeginSession, RunSession, Submit
from allotment_model.oracle.accepts import Outcome, accepts
from allotment_model.oracle.profile import CacheKind, HostOrder, Profile, Split, rules_for
from allotment_model.request import Defined, Job, Number, Operation, Per, Span
from allotment_model.state import State
from model.worlds import cluster, host, job, moments, primary, random_session, replay

PROFILES = [
    Profile(),
    Profile(host_order=HostOrder.MOST_FREE),
    Profile(cache=CacheKind.NONE),
    Profile(cache=CacheKind.LITERAL, rusage_default=Per.HOST),
]
IDS = {clause.id for clause in CLAUSES}
ARMED = RunSession(cancel_at=3)
HOPELESS = Pending(reason=Category.CAPACITY, never=True, cached=False)


@pytest.mark.parametrize("profile", PROFILES, ids=["listed", "most_free", "no_cache", "literal"])
def test_canonical_answers_are_exact(profile: Profile) -> None:
    for seed in range(500, 580):
        for moment in moments(random_session(seed), rules_for(profile)):
            verdict = accepts(moment.before, moment.event, moment.answer, profile)
            assert (Outcome.EXACT, moment.after) == (verdict.outcome, verdict.state)


def other_answers(answer: JobAnswer, hosts: list[str]) -> Iterator[JobAnswer]:
    """Answers that differ from this one in one thing."""
    yield Cancelled()
    if isinstance(answer, Pending):
        yield replace(answer, never=not answer.never)
        yield replace(answer, cached=not answer.cached)
        yield from (replace(answer, reason=one) for one in Category if one is not answer.reason)
        yield Dispatched(alternative=0, parts=(((hosts[0], 1),),))
    if isinstance(answer, Dispatched):
        yield Pending(reason=Category.CAPACITY, never=False, cached=False)
        yield replace(answer, alternative=answer.alternative + 1)
        yield replace(answer, parts=answer.parts[:-1])
        yield replace(answer, parts=(*answer.parts, answer.parts[0]))
        first, rest = answer.parts[0], answer.parts[1:]
        for name in (*hosts, "nowhere"):
            if name != first[0][0]:
                yield replace(answer, parts=(((name, first[0][1]), *first[1:]), *rest))
        yield replace(answer, parts=(((first[0][0], first[0][1] + 1), *first[1:]), *rest))
        if len(first) > 1:
            yield replace(answer, parts=(first[::-1], *rest))


def altered(answer: Answer, hosts: list[str]) -> Iterator[Answer]:
    """Answers to an event that differ from this one in one thing."""
    match answer:
        case Ok():
            yield from (Refused(code=code) for code in Refusal)
            yield Ran(jobs=())
        case Refused():
            yield Ok()
            yield from (Refused(code=code) for code in Refusal if code is not answer.code)
        case Ran(jobs=jobs):
            yield Ok()
            yield Refused(code=Refusal.UNKNOWN_NAME)
            yield Ran(jobs=(*jobs, Tried(job="nobody", answer=Cancelled())))
            if jobs:
                yield Ran(jobs=jobs[1:])
                yield Ran(jobs=(*jobs, jobs[0]))
            if len(jobs) > 1:
                yield Ran(jobs=(jobs[1], jobs[0], *jobs[2:]))
            for index, one in enumerate(jobs):
                for other in other_answers(one.answer, hosts):
                    changed = replace(one, answer=other)
                    yield Ran(jobs=(*jobs[:index], changed, *jobs[index + 1 :]))


@pytest.mark.parametrize("profile", PROFILES[:2], ids=["listed", "most_free"])
def test_altered_answers_are_forbidden(profile: Profile) -> None:
    for seed in range(600, 625):
        for moment in moments(random_session(seed), rules_for(profile)):
            for answer in altered(moment.answer, list(moment.before.cluster.hosts)):
                verdict = accepts(moment.before, moment.event, answer, profile)
                assert Outcome.FORBIDDEN is verdict.outcome, answer
                assert verdict.state is None
                assert verdict.clause in IDS


def test_undeclared_fields_are_ignored() -> None:
    random = Random(5)
    for declared in ((), ("reason",), ("never",), ("cached",), ("reason", "never")):
        profile = Profile(declares=frozenset(declared))
        for moment in moments(random_session(random.randrange(10**6), 40)):
            if not isinstance(moment.answer, Ran):
                continue
            for index, one in enumerate(moment.answer.jobs):
                if not isinstance(one.answer, Pending):
                    continue
                others = {
                    "reason": replace(one.answer, reason=Category.ERROR),
                    "never": replace(one.answer, never=not one.answer.never),
                    "cached": replace(one.answer, cached=not one.answer.cached),
                }
                for field, other in others.items():
                    changed = replace(one, answer=other)
                    jobs = moment.answer.jobs
                    answer = Ran(jobs=(*jobs[:index], changed, *jobs[index + 1 :]))
                    verdict = accepts(moment.before, moment.event, answer, profile)
                    allowed = Outcome.FORBIDDEN if field in declared else Outcome.EXACT
                    assert allowed is verdict.outcome
                    assert field in declared or moment.after == verdict.state


def test_notes_do_not_matter_to_the_verdict() -> None:
    state = submitted(job("j", (primary(),)))
    answer = Dispatched(alternative=0, parts=((("A", 1),),))
    ran = Ran(jobs=(Tried(job="j", answer=answer, notes=(("committed",),)),))
    assert Outcome.EXACT is accepts(state, RunSession(), ran, Profile()).outcome


def submitted(*jobs: Job) -> State:
    """A cluster with one slot on which these jobs wait."""
    return replay(cluster(host("A", 1)), [Submit(job=one) for one in jobs])[0]


def ran_with(*answers: tuple[str, JobAnswer]) -> Ran:
    """A run with these answers."""
    return Ran(jobs=tuple(Tried(job=name, answer=answer) for name, answer in answers))


def test_cancelled_is_permitted_in_an_armed_run_only() -> None:
    state = submitted(job("j", (primary(2),)))
    answer = ran_with(("j", Cancelled()))
    verdict = accepts(state, RunSession(), answer, Profile())
    assert (Outcome.FORBIDDEN, "CANCEL-1") == (verdict.outcome, verdict.clause)
    verdict = accepts(state, ARMED, answer, Profile())
    assert Outcome.PERMITTED is verdict.outcome
    assert verdict.state is not None
    assert state.pending == verdict.state.pending
    assert state.books == verdict.state.books
    assert {"j"} == verdict.state.tried


def test_armed_run_may_also_answer_as_ever() -> None:
    state = submitted(job("j", (primary(2),)))
    assert Outcome.EXACT is accepts(state, ARMED, ran_with(("j", HOPELESS)), Profile()).outcome


def test_second_cancellation_of_a_run_is_forbidden() -> None:
    state = submitted(job("j", (primary(2),)), job("k", (primary(2),)))
    answer = ran_with(("j", Cancelled()), ("k", Cancelled()))
    verdict = accepts(state, ARMED, answer, Profile())
    assert (Outcome.FORBIDDEN, "CANCEL-1", "k") == (verdict.outcome, verdict.clause, verdict.job)


@pytest.mark.parametrize("profile", [Profile(), Profile(host_order=HostOrder.UNSPECIFIED)])
@pytest.mark.parametrize("cached", [True, False])
def test_both_caches_are_followed_after_a_cancellation(cached: bool, profile: Profile) -> None:
    two = primary(2)
    state = submitted(
        job("a", (two,), (primary(2, span=Span(hosts_max=1)),)),
        *(job(name, (two,)) for name in "bc"),
    )
    hit, second = replace(HOPELESS, cached=True), replace(HOPELESS, cached=cached)
    answer = ran_with(("a", Cancelled()), ("b", second), ("c", hit))
    assert Outcome.FORBIDDEN is not accepts(state, ARMED, answer, profile).outcome
    missed = ran_with(("a", Cancelled()), ("b", second), ("c", HOPELESS))
    assert Outcome.FORBIDDEN is accepts(state, ARMED, missed, profile).outcome


def test_cancelled_bare_primary_fills_nothing() -> None:
    state = submitted(*(job(name, (primary(2),)) for name in "ab"))
    answer = ran_with(("a", Cancelled()), ("b", replace(HOPELESS, cached=True)))
    verdict = accepts(state, ARMED, answer, Profile())
    assert (Outcome.FORBIDDEN, "WHY-3", "b") == (verdict.outcome, verdict.clause, verdict.job)


def test_next_session_forgets_a_cancellation() -> None:
    state = submitted(job("j", (primary(2),)))
    verdict = accepts(state, ARMED, ran_with(("j", Cancelled())), Profile())
    assert verdict.state is not None
    verdict = accepts(verdict.state, BeginSession(), Ok(), Profile())
    assert verdict.state is not None
    assert ({},) == verdict.state.caches
    answer = ran_with(("j", HOPELESS))
    assert Outcome.EXACT is accepts(verdict.state, RunSession(), answer, Profile()).outcome


@pytest.mark.parametrize("order", [HostOrder.LISTED, HostOrder.UNSPECIFIED])
def test_cancelled_attempt_fills_in_order_of_alternatives(order: HostOrder) -> None:
    zero = Operation(operator="&&", operands=(Number(thousandths=0), Defined(name="age")))
    for shift in range(6):
        selects = [replace(zero, operands=(Number(thousandths=0),) * 2), zero]
        selects.append(replace(zero, operands=(Number(thousandths=0), Number(thousandths=shift))))
        one, two, three = (primary(1, select=select) for select in selects)
        jobs = [job("alter", (one,), (two,), (three,)), job("two", (two,)), job("one", (one,))]
        waiting = submitted(*jobs)
        pend = Pending(reason=Category.SELECT, never=True, cached=True)
        answers = [ran_with(("alter", Cancelled()), ("two", pend), ("one", pend))]
        answers.append(
            ran_with(("alter", Cancelled()), ("two", pend), ("one", replace(pend, cached=False)))
        )
        found = [accepts(waiting, ARMED, one, Profile(host_order=order)).outcome for one in answers]
        assert [Outcome.PERMITTED, Outcome.FORBIDDEN] == found


def test_cancelled_compound_may_have_chosen_other_hosts() -> None:
    start = cluster(host("A", 4), host("B", 1))
    last = primary(5, span=Span(hosts_max=1))
    alter = job("alter", (primary(1), primary(4)), (primary(5),), (last,))
    five = job("five", (primary(5),))
    state, _answers = replay(start, [Submit(job=alter), Submit(job=five)])
    answer = ran_with(("alter", Cancelled()), ("five", replace(HOPELESS, cached=True)))
    profile = Profile(host_order=HostOrder.UNSPECIFIED)
    assert Outcome.PERMITTED is accepts(state, ARMED, answer, profile).outcome


def test_cancelled_attempt_fills_nothing_that_any_split_can_place() -> None:
    start = cluster(host("A", 3), host("B", 1))
    jobs = (job("a", (primary(4),)), job("b", (primary(4),)))
    state, _answers = replay(start, [Submit(job=one) for one in jobs])
    hit = Pending(reason=Category.CAPACITY, never=False, cached=True)
    answer = ran_with(("a", Cancelled()), ("b", hit))
    verdict = accepts(state, ARMED, answer, Profile(split=Split.ANY))
    assert (Outcome.FORBIDDEN, "PLAN-11") == (verdict.outcome, verdict.clause)
