"""Accepts: whether an answer is allowed, and the state that it implies.

Where the profile leaves no choice, the answer must be the canonical one. Where it leaves some,
the answer is followed: the hosts that it names are charged, and an alternative that it passed
over must have been able to fail under some sequence of allowed choices.
"""

from dataclasses import dataclass, replace
from enum import StrEnum

from allotment_model import scheduler
from allotment_model.accounts import Ledger, open_ledger
from allotment_model.answers import (
    Answer,
    Cancelled,
    Dispatched,
    JobAnswer,
    Part,
    Pending,
    Ran,
    Tried,
)
from allotment_model.attempt import After, Failed, Won, attempt
from allotment_model.cache import Cache, Key
from allotment_model.events import Event, RunSession
from allotment_model.oracle import choices
from allotment_model.oracle.blame import broken_clause, broken_clause_of_job
from allotment_model.oracle.choices import Budget, TooManyChoicesError
from allotment_model.oracle.profile import HostOrder, Profile, Split, rules_for
from allotment_model.rules import Rules
from allotment_model.runs import as_tried, dispatch, queue, try_job
from allotment_model.search import outcome
from allotment_model.state import State

MOST_CHOICES = 5_000
"""How many placements are followed for one job: a second or so, at small sizes all there are."""


class Outcome(StrEnum):
    """What the spec says to an answer."""

    EXACT = "exact"
    PERMITTED = "permitted"
    FORBIDDEN = "forbidden"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome; the state that the answer implies, or the clause that it breaks and where.

    SKIPPED is neither: too many choices had to be followed.
    """

    outcome: Outcome
    state: State | None = None
    clause: str | None = None
    job: str | None = None


def accepts(state: State, event: Event, answer: Answer, profile: Profile) -> Verdict:
    """Whether this answer to this event is allowed in this state (all clauses)."""
    rules = rules_for(profile)
    if profile.split is Split.ANY:
        rules = replace(rules, is_placeable=choices.is_placeable_any)
    if isinstance(event, RunSession) and isinstance(answer, Ran):
        return _accepts_run(state, event, answer, profile, rules)
    after, expected = scheduler.step(state, event, rules)
    if answer == expected:
        return Verdict(outcome=Outcome.EXACT, state=after)
    return Verdict(outcome=Outcome.FORBIDDEN, clause=broken_clause(expected, answer))


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
            return replace(of_job, job=tried.job)
        may_cancel = may_cancel and not isinstance(tried.answer, Cancelled)
        exact = verdict.outcome is of_job.outcome is Outcome.EXACT
        verdict = replace(of_job, outcome=Outcome.EXACT if exact else Outcome.PERMITTED)
    return verdict


def _accepts_job(
    state: State, tried: Tried, may_cancel: bool, profile: Profile, rules: Rules
) -> Verdict:
    if isinstance(tried.answer, Cancelled):
        if not may_cancel:
            return Verdict(outcome=Outcome.FORBIDDEN, clause="CANCEL-1")
        return Verdict(outcome=Outcome.PERMITTED, state=cancelled(state, tried.job, rules))
    results = [try_job(state, tried.job, cache, rules) for cache in state.caches]
    alike = [after for after, by in results if agree(by.answer, tried.answer, profile)]
    free = profile.split is Split.ANY or profile.host_order is HostOrder.UNSPECIFIED
    if alike and not (free and isinstance(tried.answer, Pending)):
        caches = tuple(cache for after in alike for cache in after.caches)
        return Verdict(outcome=Outcome.EXACT, state=replace(alike[0], caches=caches))
    if free:
        return _accepts_choice(state, tried, profile, rules)
    _after, expected = results[0]
    clause = broken_clause_of_job(expected.answer, tried.answer)
    return Verdict(outcome=Outcome.FORBIDDEN, clause=clause)


def agree(expected: JobAnswer, answer: JobAnswer, profile: Profile) -> bool:
    """Whether two answers say the same in all that the profile declares."""
    if not (isinstance(expected, Pending) and isinstance(answer, Pending)):
        return expected == answer
    return all(getattr(expected, field) == getattr(answer, field) for field in profile.declares)


def cancelled(state: State, name: str, rules: Rules) -> State:
    """CANCEL-1, UNDO-4: as before the attempt; entries of exhausted first parts may stay."""
    caches: list[Cache] = []
    for cache in state.caches:
        ledger = open_ledger(state.cluster, state.books)
        after, _notes = outcome(attempt(state.pending[name].keys, ledger, cache, rules))
        caches.append(cache)
        for key in after.cache.keys() - cache.keys():
            caches.append({**caches[-1], key: after.cache[key]})
    return as_tried(replace(state, caches=tuple(caches)), name)


def _accepts_choice(state: State, tried: Tried, profile: Profile, rules: Rules) -> Verdict:
    """PLAN-11, HOST-9: whether some sequence of allowed choices gives this answer."""
    follow = _Following(profile=profile, rules=rules, budget=Budget(MOST_CHOICES))
    after: list[State] = []
    try:
        for cache in state.caches:
            after += follow.states(replace(state, caches=(cache,)), tried)
    except TooManyChoicesError:
        return Verdict(outcome=Outcome.SKIPPED)
    if after:
        caches = tuple(cache for one in after for cache in one.caches)
        return Verdict(outcome=Outcome.PERMITTED, state=replace(after[0], caches=caches))
    _state, expected = try_job(state, tried.job, state.caches[0], rules)
    clause = broken_clause_of_job(expected.answer, tried.answer)
    return Verdict(outcome=Outcome.FORBIDDEN, clause=clause)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Following:
    """One job's answer, followed through the choices that a profile allows."""

    profile: Profile
    rules: Rules
    budget: Budget

    def states(self, state: State, tried: Tried) -> list[State]:
        """The states that the answer implies: none if no choices lead to it."""
        keys, cache = state.pending[tried.job].keys, state.caches[0]
        ledger = open_ledger(state.cluster, state.books)
        answer = tried.answer
        passed = keys[: answer.alternative] if isinstance(answer, Dispatched) else keys
        failures = [self.failures(parts, ledger, cache) for parts in passed]
        for parts in passed:
            cache = self.filled(parts[0], ledger, cache)
        if not all(failures):
            return []
        if isinstance(answer, Dispatched):
            return self.dispatched(state, tried.job, answer, ledger, cache)
        never = self.rules.is_never(keys, state.cluster, self.rules)
        pending = (Pending(reason=f.reason, never=never, cached=f.cached) for f in failures[-1])
        after = as_tried(replace(state, caches=(cache,)), tried.job)
        return [after] if any(agree(one, answer, self.profile) for one in pending) else []

    def failures(self, parts: tuple[Key, ...], ledger: Ledger, cache: Cache) -> set[Failed]:
        """The ways in which an alternative can fail, over all allowed placements."""
        key, rest = parts[0], parts[1:]
        if key in cache:
            return {Failed(reason=cache[key], cached=True)}
        if not self.rules.is_placeable(key, ledger, self.rules):
            return {Failed(reason=self.rules.category(key, ledger, self.rules))}
        if not rest:
            return set()
        balanced = self.profile.split is Split.BALANCED or key.span.ptile is not None
        enumerate_with = choices.orders if balanced else choices.splits
        placed = choices.placements(key, ledger, self.rules, enumerate_with, self.budget)
        return {
            failed
            for _placement, ledger_after in placed
            for failed in self.failures(rest, ledger_after, cache)
        }

    def filled(self, key: Key, ledger: Ledger, cache: Cache) -> Cache:
        """CACHE-3: the cache after an alternative that begins with this key has failed."""
        if key in cache or self.rules.is_placeable(key, ledger, self.rules):
            return cache
        if not self.rules.may_fill(0):
            return cache
        return {**cache, key: self.rules.category(key, ledger, self.rules)}

    def dispatched(
        self, state: State, name: str, answer: Dispatched, ledger: Ledger, cache: Cache
    ) -> list[State]:
        """The state in which the hosts that the answer names are charged, if all is allowed."""
        keys = state.pending[name].keys[answer.alternative]
        placed = []
        if len(keys) != len(answer.parts) or any(key in cache for key in keys):
            return []
        for key, part in zip(keys, answer.parts, strict=True):
            step = choices.placed_as(key, part, ledger, self.rules)
            if step is None or not self.is_allowed_split(key, part, ledger):
                return []
            placement, ledger = step
            placed.append(placement)
        won = Won(alternative=answer.alternative, placements=tuple(placed))
        after = After(result=won, ledger=ledger, cache=cache)
        return [dispatch(state, name, after, won, self.rules)[0]]

    def is_allowed_split(self, key: Key, part: Part, ledger: Ledger) -> bool:
        """PLAN-2 or PLAN-11: whether the profile allows these buckets."""
        if self.profile.split is Split.ANY and key.span.ptile is None:
            return choices.is_any_split(key, part)
        plan = choices.first_plan_that_holds(key, ledger, self.rules)
        return plan == tuple(slots for _host, slots in part)
