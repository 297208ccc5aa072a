"""The last line of a report: whether all holds, and if not, why not."""

from collections.abc import Iterator, Sequence

import msgspec

from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.report.progress import number_of, slow_words
from allotment_conformance.report.records import not_exercised, table
from allotment_conformance.report.stream import Canary, ClauseVerdict, Ended
from allotment_conformance.runs.canary import kit_broken
from allotment_conformance.runs.check import Check
from allotment_conformance.runs.verification import End, Verification
from allotment_conformance.verdict.outcome import Level, answered, strongest
from allotment_conformance.wire import session_processes
from allotment_conformance.wire.messages import Profile
from allotment_conformance.wire.profiles import MODEL_PROFILE

KIT_BROKEN = "kit broken"
"""How a run ends that did not find its canary, whatever else it found."""

NOT_STOPPED = "the program does not end well"
"""What is wrong where only the end is."""

NOT_STARTED = "not started"
"""How a run ends whose program gave no profile."""


def ended(state: Verification, level: Level | None, canary: Canary, status: int) -> Ended:
    """How a run ended; without a level it is a verification."""
    if isinstance(state, Check):
        assert level is not None, "a check is told what has to hold"
        words, failing = of_check(state, level), state.failing(level)
    else:
        words, failing = of_verification(state), state.tally.failed
    return Ended(
        end=str(state.end) if canary.alive else KIT_BROKEN,
        exit_status=status,
        verdict=words if canary.alive else kit_broken(canary.words),
        failing=failing,
        seconds=round(state.seconds, 3),
        reached=strongest(state.tally.outcomes) if isinstance(state, Check) else None,
        stopped_early=isinstance(state, Check) and state.stopped_early,
        memory_is_limited=not isinstance(state, Check) or session_processes.ARE_SEEN,
        not_exercised=not_exercised(state),
        remarks=state.remarks,
    )


def of_verification(state: Verification) -> str:
    """Whether all clauses hold."""
    found = [row.verdict for row in table(state)]
    silent = not_exercised(state)
    match state.end:
        case End.WRONG:
            told = [f"{number_of(state.tally.failed, 'case')} answered otherwise", *_broken(found)]
            return f"DISAGREEMENT: {', '.join(told)}"
        case End.CRASH:
            assert state.ended is not None, "it is known where it ended"
            return f"CRASH: {state.end} at {state.ended.origin}: {state.ended.words}"
        case End.BUDGET | End.INTERRUPTED:
            one = state.at_hand
            running = "" if one is None else slow_words(one.origin, one.seconds)
            return f"INCOMPLETE, {state.end}: no disagreement so far{running}"
        case End.DONE if silent:
            return f"INCOMPLETE: no disagreement, but {_silent(silent, state.profile)}"
        case End.DONE:
            return f"HOLDS: {found.count(ClauseVerdict.HOLDS)} clauses, no disagreement"


def _silent(clauses: Sequence[str], profile: Profile) -> str:
    """Which clauses were not exercised, and for which of them there are larger cases."""
    wide = msgspec.structs.replace(profile, largest=MODEL_PROFILE.largest)
    left_out = [one for one in DIRECTED if one.can_be_asked(wide) and not one.can_be_asked(profile)]
    larger = {clause for one in left_out for clause in one.clauses}.intersection(clauses)
    words = f"not exercised: {', '.join(clauses)}"
    if not larger:
        return words
    whose = "them" if larger == set(clauses) else ", ".join(one for one in clauses if one in larger)
    return f"{words}; cases for {whose} are larger than `largest` of the profile"


def _broken(found: Sequence[ClauseVerdict]) -> Iterator[str]:
    """How many clauses are broken, and of how many that is a guess."""
    for verdict in (ClauseVerdict.BROKEN, ClauseVerdict.PERHAPS):
        if clauses := found.count(verdict):
            yield f"{clauses} clause{'s' if clauses > 1 else ''} {verdict}"


def of_check(state: Check, level: Level) -> str:
    """Whether the level holds, and which one does."""
    kept = _kept(state)
    if state.end is End.INTERRUPTED or (state.end is End.BUDGET and not is_wrong(state, level)):
        return f"INCOMPLETE, {state.end}: {kept} so far"
    found = [row.verdict for row in table(state)]
    if is_wrong(state, level):
        failing, silent_cases = state.failing(level), state.tally.no_answers
        fail = "fails" if failing == 1 else "fail"
        parts = [f"{failing:,} of {number_of(state.tally.cases, 'case')} {fail}"] if failing else []
        parts += [f"{silent_cases:,} of them without usable answers"] if silent_cases else []
        parts += _broken(found)
        parts += [NOT_STOPPED] if state.stop_failure else []
        parts += [str(state.end)] if state.end is End.BUDGET else []
        where = "where it answers: " if answered(state.tally.outcomes) else ""
        return f"FAILS at level {level}: {', '.join(parts)}; {where}{kept}"
    if otherwise := state.failing(Level.PERMITTED):
        cases = f"{otherwise:,} of {number_of(state.tally.cases, 'case')} answered otherwise"
        return f"SAFE: {', '.join([kept, cases, *_broken(found)])}"
    silent = not_exercised(state)
    if silent and level is not Level.SAFETY:
        return f"INCOMPLETE: {kept}, but {_silent(silent, state.profile)}"
    holds = found.count(ClauseVerdict.HOLDS)
    return f"HOLDS: {kept}" + (f", {holds} clauses" if holds else "")


def _kept(state: Check) -> str:
    """What the answers that came keep."""
    reached = strongest(state.tally.outcomes)
    if reached is None:
        return "not even safety" if answered(state.tally.outcomes) else "it answered no case"
    return f"level {reached}"


def is_wrong(state: Check, level: Level) -> bool:
    """Whether anything breaks the level, or the program failed in any way."""
    return state.failing(level) > 0 or state.stop_failure is not None
