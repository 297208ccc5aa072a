"""Answers under a profile with choices: exactly those that enumeration finds are allowed."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from allotment_model.answers import (
    Answer,
    Category,
    Dispatched,
    JobAnswer,
    Part,
    Pending,
    Ran,
    Tried,
)
from allotment_model.cluster import Cluster
from allotment_model.events import RunSession, Submit
from allotment_model.oracle.accepts import Outcome, Verdict, accepts
from allotment_model.oracle.profile import CacheKind, Profile, Split
from allotment_model.request import Job, Span
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import initial
from model.judged import (
    ANY,
    UNSPECIFIED,
    all_answers,
    is_allowed,
    judged,
    legal_answers,
    one_untried,
)
from model.worlds import cluster, host, job, primary, random_session, replay

LISTED_ANY = Profile(split=Split.ANY)
LITERAL = replace(UNSPECIFIED, cache=CacheKind.LITERAL)
PEND = Pending(reason=Category.CAPACITY, never=False, cached=False)
FOUR = primary(4)
ALTER = job("j", (FOUR,), (primary(3), primary(1)))


def verdict_on(start: Cluster, one: Job, answer: JobAnswer, profile: Profile) -> Verdict:
    """The verdict on one answer to one job on an empty cluster."""
    state, _answers = replay(start, [Submit(job=one)])
    return judged(state, answer, profile, one.name)


def won(*parts: Part, alternative: int = 0) -> Dispatched:
    """A dispatch on these hosts."""
    return Dispatched(alternative=alternative, parts=parts)


def outcomes(
    start: Cluster, jobs: Sequence[Job], answers: Sequence[JobAnswer], profile: Profile
) -> Outcome:
    """The outcome of one run in which these jobs are answered so."""
    state, _answers = replay(start, [Submit(job=one) for one in jobs])
    ran = Ran(jobs=tuple(Tried(job=j.name, answer=a) for j, a in zip(jobs, answers, strict=True)))
    return accepts(state, RunSession(), ran, profile).outcome


@pytest.mark.parametrize("profile", [UNSPECIFIED, ANY], ids=["unspecified", "any"])
@pytest.mark.parametrize("first", range(0, 80, 20))
def test_allowed_are_exactly_the_legal_answers(first: int, profile: Profile) -> None:
    sessions = (random_session(seed, 16, hosts_most=3) for seed in range(first, first + 20))
    for state, sceptic, name in one_untried(sessions):
        legal = legal_answers(sceptic, name, profile)
        answers = all_answers(sceptic, name, 300)
        allowed = {one for one in answers if is_allowed(state, one, profile, name)}
        assert {one for one in answers if one in legal} == allowed


@pytest.mark.parametrize("profile", [UNSPECIFIED, ANY], ids=["unspecified", "any"])
def test_state_follows_the_answer(profile: Profile) -> None:
    sessions = (random_session(seed, 16, hosts_most=3) for seed in range(80, 110))
    for state, sceptic, name in one_untried(sessions):
        for answer in list(legal_answers(sceptic, name, profile))[:5]:
            after = judged(state, answer, profile, name).state
            assert after is not None
            assert (name in after.live) == isinstance(answer, Dispatched)
            assert name in after.tried


def test_any_host_is_allowed_for_one_task() -> None:
    start = cluster(host("A", 1), host("B", 1), host("C", 0))
    found = {
        name: verdict_on(start, job("j", (primary(),)), won(((name, 1),)), UNSPECIFIED).outcome
        for name in ("A", "B", "C", "D")
    }
    forbidden = Outcome.FORBIDDEN
    assert {"A": Outcome.EXACT, "B": Outcome.PERMITTED, "C": forbidden, "D": forbidden} == found


def test_pend_may_depend_on_an_earlier_choice() -> None:
    start = cluster(host("A", 4), host("B", 1))
    one = job("j", (primary(1), primary(4)))
    assert Outcome.EXACT is verdict_on(start, one, PEND, UNSPECIFIED).outcome
    other = won((("B", 1),), (("A", 4),))
    assert Outcome.PERMITTED is verdict_on(start, one, other, UNSPECIFIED).outcome


def test_unbalanced_split_is_allowed_by_any_alone() -> None:
    start, one = cluster(host("A", 3), host("B", 1)), job("j", (FOUR,))
    answer = won((("A", 3), ("B", 1)))
    assert Outcome.PERMITTED is verdict_on(start, one, answer, ANY).outcome
    assert Outcome.FORBIDDEN is verdict_on(start, one, answer, UNSPECIFIED).outcome


def test_pend_is_forbidden_if_a_split_exists() -> None:
    start, one = cluster(host("A", 3), host("B", 1)), job("j", (FOUR,))
    verdict = verdict_on(start, one, replace(PEND, never=True), ANY)
    assert (Outcome.FORBIDDEN, "PLAN-11") == (verdict.outcome, verdict.clause)


def test_later_alternative_is_forbidden_if_a_split_exists() -> None:
    start = cluster(host("A", 3), host("B", 1))
    answer = won((("A", 3),), (("B", 1),), alternative=1)
    assert Outcome.EXACT is verdict_on(start, ALTER, answer, UNSPECIFIED).outcome
    verdict = verdict_on(start, ALTER, answer, ANY)
    assert (Outcome.FORBIDDEN, "ALTER-1") == (verdict.outcome, verdict.clause)


def test_second_of_equal_alternatives_is_a_hit() -> None:
    start, one = cluster(host("A", 1)), job("j", (primary(2),), (primary(2),))
    hit = Pending(reason=Category.CAPACITY, never=True, cached=True)
    for profile in (UNSPECIFIED, ANY):
        assert Outcome.EXACT is verdict_on(start, one, hit, profile).outcome
        missed = verdict_on(start, one, replace(hit, cached=False), profile)
        assert (Outcome.FORBIDDEN, "WHY-3") == (missed.outcome, missed.clause)


@pytest.mark.parametrize("alternative", [-1, 1, 7])
@pytest.mark.parametrize("profile", [UNSPECIFIED, ANY, Profile()])
def test_alternative_that_is_not_there_is_forbidden(alternative: int, profile: Profile) -> None:
    for slots in (0, 1):
        start, answer = cluster(host("A", slots)), won((("A", 1),), alternative=alternative)
        verdict = verdict_on(start, job("j", (primary(),)), answer, profile)
        assert Outcome.FORBIDDEN is verdict.outcome


@pytest.mark.parametrize("part", [(), (("A", 0), ("B", 2)), (("A", 3), ("B", -1)), (("A", 1),)])
def test_malformed_parts_are_forbidden(part: Part) -> None:
    start = cluster(host("A", 9), host("B", 9))
    for profile in (UNSPECIFIED, ANY):
        verdict = verdict_on(start, job("j", (primary(2),)), won(part), profile)
        assert Outcome.FORBIDDEN is verdict.outcome


def test_ptile_keeps_the_host_order_under_any() -> None:
    start, one = cluster(host("A", 1), host("B", 1)), job("j", (primary(1, span=Span(ptile=1)),))
    found = [verdict_on(start, one, won(((n, 1),)), LISTED_ANY).outcome for n in ("A", "B")]
    assert [Outcome.EXACT, Outcome.FORBIDDEN] == found
    assert Outcome.PERMITTED is verdict_on(start, one, won((("B", 1),)), ANY).outcome


def test_literal_cache_is_followed_with_choices() -> None:
    jobs = [job("one", (primary(), primary())), job("two", (primary(),))]
    poisoned = [PEND, replace(PEND, cached=True)]
    start = cluster(host("A", 1))
    assert Outcome.EXACT is outcomes(start, jobs, poisoned, LITERAL)
    assert Outcome.FORBIDDEN is outcomes(start, jobs, poisoned, UNSPECIFIED)
    assert Outcome.FORBIDDEN is outcomes(start, jobs, [PEND, won((("A", 1),))], LITERAL)


def test_literal_hit_ends_the_attempt_with_choices() -> None:
    start = cluster(host("A", 1), host("B", 1))
    span = Span(hosts_max=1)
    jobs = [
        job("one", (primary(2, span=span),)),
        job("two", (primary(2, span=span),), (primary(2),)),
    ]
    hopeless = Pending(reason=Category.CAPACITY, never=True, cached=False)
    pended: list[JobAnswer] = [
        hopeless,
        Pending(reason=Category.CAPACITY, never=False, cached=True),
    ]
    placed: list[JobAnswer] = [hopeless, won((("A", 1), ("B", 1)), alternative=1)]
    assert (Outcome.EXACT, Outcome.FORBIDDEN) == tuple(
        outcomes(start, jobs, answers, LITERAL) for answers in (pended, placed)
    )
    assert (Outcome.FORBIDDEN, Outcome.EXACT) == tuple(
        outcomes(start, jobs, answers, UNSPECIFIED) for answers in (pended, placed)
    )


def test_too_many_choices_are_skipped() -> None:
    start = cluster(*(host(f"H{number}", 6) for number in range(20)))
    for span, profile in ((Span(), UNSPECIFIED), (Span(hosts_max=10), ANY)):
        one = job("j", (primary(60, span=span), primary(1)), (primary(61),))
        assert Outcome.SKIPPED is verdict_on(start, one, PEND, profile).outcome


def test_run_of_several_jobs_follows_the_hosts_named() -> None:
    start = cluster(host("A", 1), host("B", 1))
    jobs = [job("a", (primary(),)), job("b", (primary(),))]
    here, there = won((("A", 1),)), won((("B", 1),))
    assert Outcome.PERMITTED is outcomes(start, jobs, [there, here], UNSPECIFIED)
    assert Outcome.FORBIDDEN is outcomes(start, jobs, [there, there], UNSPECIFIED)


def test_canonical_answers_are_allowed_with_unspecified_order() -> None:
    for seed in range(300, 340):
        start, events = random_session(seed)
        state = initial(start)
        for event in events:
            answer: Answer = step(state, event, SPEC)[1]
            verdict = accepts(state, event, answer, UNSPECIFIED)
            assert Outcome.EXACT is verdict.outcome
            assert verdict.state is not None
            state = verdict.state
