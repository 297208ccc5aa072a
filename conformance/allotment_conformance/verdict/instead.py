"""An allowed answer to put beside one that no allowed choices lead to, and what that breaks."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from allotment_conformance.verdict.misplaced import misplaced
from allotment_model.accounts import Ledger, open_ledger
from allotment_model.answers import Dispatched, JobAnswer, Pending, Ran, Tried
from allotment_model.attempt import After, Won
from allotment_model.cache import Key
from allotment_model.oracle import choices
from allotment_model.oracle.accepts import MOST_CHOICES, Verdict, rules_of_choices
from allotment_model.oracle.blame import broken_clause_of_job
from allotment_model.oracle.choices import Budget, TooManyChoicesError
from allotment_model.oracle.following import Following
from allotment_model.oracle.profile import DECLARABLE, Profile
from allotment_model.runs import dispatch, queue, try_job
from allotment_model.search import Placement
from allotment_model.state import State

LEFT_OPEN = Dispatched(alternative=0, parts=())
"""A dispatch on hosts that nobody has looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Instead:
    """What a run could have been answered, the state after it, and the clause that was broken.

    The answers are those given up to the first wrong job, and from there canonical.
    """

    answer: Ran
    state: State
    clause: str


def instead(answer: Ran, verdict: Verdict, profile: Profile) -> Instead:
    """An allowed answer beside a forbidden one, of which the verdict names the first wrong job.

    Where there are too many choices to find one, its hosts are left open.
    """
    assert verdict.job is not None, "a job is wrong"
    assert verdict.before is not None, "it was tried in some state"
    assert verdict.clause is not None, "it is forbidden"
    follow = Following(
        profile=profile, rules=rules_of_choices(profile), budget=Budget(MOST_CHOICES)
    )
    place = [tried.job for tried in answer.jobs].index(verdict.job)
    given, clause = answer.jobs[place].answer, verdict.clause
    if isinstance(given, Dispatched):
        clause = misplaced(verdict.before, verdict.job, given, follow) or "ALTER-1"
    try:
        told = _permitted(verdict.before, verdict.job, given, follow)
        after, rest = _from_here_on(verdict.before, verdict.job, told, follow)
    except TooManyChoicesError:
        told, after, rest = LEFT_OPEN, verdict.before, answer.jobs[place + 1 :]
    if isinstance(given, Pending) and isinstance(told, Pending):
        clause = _of_pends(told, given, profile)
    jobs = (*answer.jobs[:place], Tried(job=verdict.job, answer=told), *rest)
    return Instead(answer=Ran(jobs=jobs), state=after, clause=clause)


def _from_here_on(
    before: State, name: str, told: JobAnswer, follow: Following
) -> tuple[State, tuple[Tried, ...]]:
    """The canonical run of the jobs behind one that was answered so."""
    state = next(after for one in _by_cache(before) for after in follow.states(one, name, told))
    rest = []
    for job in queue(state, follow.rules):
        state, tried = try_job(state, job, state.caches[0], follow.rules)
        rest.append(tried)
    return state, tuple(rest)


def _by_cache(state: State) -> Iterator[State]:
    """The state with each of the caches that the answers so far allow (UNDO-4)."""
    return (replace(state, caches=(cache,)) for cache in state.caches)


def _of_pends(told: Pending, given: Pending, profile: Profile) -> str:
    """WHY-1, WHY-2, WHY-3: the clause of the first field that differs and is declared."""
    left_open = {name: getattr(given, name) for name in DECLARABLE - profile.declares}
    return broken_clause_of_job(replace(told, **left_open), given)


def _permitted(state: State, name: str, answer: JobAnswer, follow: Following) -> JobAnswer:
    """WHY-1, ALTER-1, PLAN-11, HOST-9: what a job could have been answered in this state.

    Like the given answer if one like it is allowed: a pend for a pend, or else the same
    alternative. Raises TooManyChoicesError.
    """
    waits = pends(state, name, follow)
    _after, canonical = try_job(state, name, state.caches[0], follow.rules)
    if isinstance(answer, Pending) and waits:
        return waits[0]
    if any(follow.states(one, name, canonical.answer) for one in _by_cache(state)):
        return canonical.answer
    placed = (
        dispatched for one in _by_cache(state) for dispatched in dispatches(one, name, follow)
    )
    return waits[0] if waits else next(placed)


def pends(state: State, name: str, follow: Following) -> list[Pending]:
    """WHY-1, WHY-2, WHY-3: the ways in which the job may pend, in a fixed order."""
    keys = state.pending[name].keys
    never = follow.rules.is_never(keys, state.cluster, follow.rules)
    ends = (failed for one in _by_cache(state) for failed, _entries in follow.ends(keys, one))
    told = sorted({(failed.reason, failed.cached) for failed in ends})
    return [Pending(reason=reason, never=never, cached=cached) for reason, cached in told]


def dispatches(state: State, name: str, follow: Following) -> Iterator[Dispatched]:
    """The ways in which the job may be dispatched, first alternatives first."""
    keys, ledger = state.pending[name].keys, open_ledger(state.cluster, state.books)
    for alternative, parts in enumerate(keys):
        for cache in follow.going_on(keys[:alternative], state):
            if any(key in dict(cache) for key in parts):
                continue
            for placements, after in _placements(parts, ledger, follow):
                won = Won(alternative=alternative, placements=placements)
                ended = After(result=won, ledger=after, cache=dict(cache))
                yield dispatch(state, name, ended, won, follow.rules)[1]


def _placements(
    parts: tuple[Key, ...], ledger: Ledger, follow: Following
) -> Iterator[tuple[tuple[Placement, ...], Ledger]]:
    """All allowed placements of the parts from here on."""
    if not parts:
        yield (), ledger
        return
    how = follow.enumerate_for(parts[0])
    for placement, left in choices.placements(parts[0], ledger, follow.rules, how, follow.budget):
        for rest, after in _placements(parts[1:], left, follow):
            yield (placement, *rest), after
