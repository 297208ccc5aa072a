"""Accepts: whether an answer is allowed, and the state that it implies.

Where the profile leaves no choice, the answer must be the canonical one. Where it leaves some,
the answer is followed: the hosts that it names are charged, and an alternative that it passed
over must have been able to fail under some sequence of allowed choices.
"""

import functools
from dataclasses import dataclass, replace
from enum import StrEnum

from allotment_model import scheduler
from allotment_model.answers import Answer, Cancelled, JobAnswer, Pending, Ran, Tried
from allotment_model.events import Event, RunSession
from allotment_model.oracle import choices
from allotment_model.oracle.blame import broken_clause, broken_clause_of_job
from allotment_model.oracle.choices import Budget, TooManyChoicesError
from allotment_model.oracle.following import Following, agree
from allotment_model.oracle.profile import HostOrder, Profile, Split, rules_for
from allotment_model.rules import Rules
from allotment_model.runs import as_tried, queue, try_job
from allotment_model.state import State

MOST_CHOICES = 20_000
"""How many steps are followed for one job: a second or so; at small sizes that is all there are."""


class Outcome(StrEnum):
    """What the spec says to an answer."""

    EXACT = "exact"
    PERMITTED = "permitted"
    FORBIDDEN = "forbidden"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome; the state that the answer implies, or the clause that it breaks and where.

    `job` is the first of a run whose answer nothing allows, and `before` the state in which it was
    tried, after the answers before it. SKIPPED is neither: there were too many choices to follow.
    """

    outcome: Outcome
    state: State | None = None
    clause: str | None = None
    job: str | None = None
    before: State | None = None


def accepts(state: State, event: Event, answer: Answer, profile: Profile) -> Verdict:
    """Whether this answer to this event is allowed in this state (all clauses)."""
    rules = rules_of_choices(profile)
    if isinstance(event, RunSession) and isinstance(answer, Ran):
        return _accepts_run(state, event, answer, profile, rules)
    after, expected = scheduler.step(state, event, rules)
    if answer == expected:
        return Verdict(outcome=Outcome.EXACT, state=after)
    return Verdict(outcome=Outcome.FORBIDDEN, clause=broken_clause(expected, answer))


@functools.cache
def rules_of_choices(profile: Profile) -> Rules:
    """The rules of a profile; PLAN-11: with `any`, what some split can place is placeable."""
    rules = rules_for(profile)
    if profile.split is Split.ANY:
        return replace(rules, is_placeable=choices.is_placeable_any)
    return rules


def _accepts_run(
    state: State, event: RunSession, answer: Ran, profile: Profile, rules: Rules
) -> Verdict:
    """SESSION-1: the right jobs in the right order, each with an allowed answer."""
    if [tried.job for tried in answer.jobs] != queue(state, rules):
        return Verdict(outcome=Outcome.FORBIDDEN, clause="SESSION-1")
    verdict = Verdict(outcome=Outcome.EXACT, state=state)
    may_cancel = event.cancel_at is not None
    for tried in answer.jobs:
        assert verdict.state is not None, "a forbidden answer ends the run"
        of_job = _accepts_job(verdict.state, tried, may_cancel, profile, rules)
        if of_job.state is None:
            return replace(of_job, job=tried.job, before=verdict.state)
        may_cancel = may_cancel and not isinstance(tried.answer, Cancelled)
        exact = verdict.outcome is of_job.outcome is Outcome.EXACT
        verdict = replace(of_job, outcome=Outcome.EXACT if exact else Outcome.PERMITTED)
    return verdict


def _accepts_job(
    state: State, tried: Tried, may_cancel: bool, profile: Profile, rules: Rules
) -> Verdict:
    follow = Following(profile=profile, rules=rules, budget=Budget(MOST_CHOICES))
    try:
        if isinstance(tried.answer, Cancelled):
            if not may_cancel:
                return Verdict(outcome=Outcome.FORBIDDEN, clause="CANCEL-1")
            return Verdict(outcome=Outcome.PERMITTED, state=_cancelled(state, tried.job, follow))
        if profile.split is Split.BALANCED and profile.host_order is not HostOrder.UNSPECIFIED:
            return _accepts_canonical(state, tried, profile, rules)
        return _accepts_choice(state, tried, follow)
    except TooManyChoicesError:
        return Verdict(outcome=Outcome.SKIPPED)


def _accepts_canonical(state: State, tried: Tried, profile: Profile, rules: Rules) -> Verdict:
    """The answer must be that of one of the caches that the answers so far allow."""
    results = [try_job(state, tried.job, cache, rules) for cache in state.caches]
    alike = [after for after, by in results if agree(by.answer, tried.answer, profile)]
    if alike:
        caches = tuple(cache for after in alike for cache in after.caches)
        return Verdict(outcome=Outcome.EXACT, state=replace(alike[0], caches=caches))
    _after, expected = results[0]
    clause = broken_clause_of_job(expected.answer, tried.answer)
    return Verdict(outcome=Outcome.FORBIDDEN, clause=clause)


def _cancelled(state: State, name: str, follow: Following) -> State:
    """CANCEL-1, UNDO-4: as before the attempt; entries of exhausted first parts may stay."""
    keys = state.pending[name].keys
    caches = {
        entries
        for cache in state.caches
        for entries in follow.cancelled(keys, replace(state, caches=(cache,)))
    }
    return as_tried(replace(state, caches=tuple(map(dict, caches))), name)


def _accepts_choice(state: State, tried: Tried, follow: Following) -> Verdict:
    """PLAN-11, HOST-9: whether some sequence of allowed choices gives this answer."""
    _after, expected = try_job(state, tried.job, state.caches[0], follow.rules)
    after: list[State] = []
    for cache in state.caches:
        after += follow.states(replace(state, caches=(cache,)), tried.job, tried.answer)
    if after:
        caches = tuple(cache for one in after for cache in one.caches)
        exact = agree(expected.answer, tried.answer, follow.profile)
        return Verdict(
            outcome=Outcome.EXACT if exact else Outcome.PERMITTED,
            state=replace(after[0], caches=caches),
        )
    return Verdict(
        outcome=Outcome.FORBIDDEN,
        clause=_broken_clause_of_choice(state, tried, expected.answer, follow),
    )


def _broken_clause_of_choice(
    state: State, tried: Tried, expected: JobAnswer, follow: Following
) -> str:
    """The clause of an answer that no choices lead to; the expected one can be among these."""
    keys = state.pending[tried.job].keys
    if isinstance(tried.answer, Pending) and not any(
        follow.ends(keys, replace(state, caches=(cache,))) for cache in state.caches
    ):
        return "PLAN-11" if follow.profile.split is Split.ANY else "PAR-1"
    if expected == tried.answer:
        return "ALTER-1"
    return broken_clause_of_job(expected, tried.answer)
