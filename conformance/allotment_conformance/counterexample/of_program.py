"""The smallest case for what a check has found in a program, within some time.

A program may answer otherwise when it is asked again, and may fail at any case; nothing here relies
on what it did before.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import monotonic

from allotment_conformance.counterexample import words
from allotment_conformance.counterexample.diagnosis import Failing, diagnose
from allotment_conformance.counterexample.find import Counterexample, not_reproduced
from allotment_conformance.counterexample.shrink import MOST_TRIES, shrink
from allotment_conformance.verdict.check_work import Unanswered
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.verdict.tally import Failure
from allotment_conformance.wire import failure as wire
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, NotACase, Profile, read_case
from allotment_conformance.wire.process import ProcessAdapter
from allotment_model.state import initial

SECONDS = 20.0
"""How long a smaller case is looked for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingCase:
    """The smallest case at which a program failed; `reproduced` as for a counterexample."""

    origin: str
    case: Json
    failure: wire.Failure
    reproduced: bool

    def picture(self) -> str:
        """For a person."""
        told = [
            f"  {number} {words.event(one)}" for number, one in enumerate(self.case["events"], 1)
        ]
        again = "" if self.reproduced else " Asked again, the program did not fail in that way."
        return "\n".join([f"Fails in {self.origin}: {self.failure}.{again}", *told])


def of_disagreement(
    adapter: ProcessAdapter,
    profile: Profile,
    failures: Sequence[Failure],
    seconds: float = SECONDS,
) -> Counterexample:
    """The counterexample of the first failure with a wrong answer, or else of the first."""
    failure = min(failures, key=lambda one: one.is_inside)

    def disagrees(case: Json) -> Disagreement | None:
        answers = _reply(adapter, case)
        if not isinstance(answers, list):
            return None
        return Oracle(profile).judge(case, answers).disagreement

    small = _smallest(failure.case, disagrees, seconds)
    answers = None if small is None else _reply(adapter, small)
    found = Oracle(profile).judge(small, answers).disagreement if small and answers else None
    if small is None or found is None or not isinstance(answers, list):
        return not_reproduced(failure, profile)
    failing = [Failing(case=one.case, answers=one.answers) for one in failures]
    diagnosis = diagnose([Failing(case=small, answers=answers), *failing], found, profile)
    return Counterexample(origin=failure.origin, case=small, found=found, diagnosis=diagnosis)


def of_failure(
    adapter: ProcessAdapter, unanswered: Unanswered, seconds: float = SECONDS
) -> FailingCase:
    """A small case at which the program fails in the same way; one that takes time stays whole."""
    failure = unanswered.failure
    takes_time = failure.ending in (wire.Ending.TIMEOUT, wire.Ending.MEMORY)

    def fails(case: Json) -> Disagreement | None:
        came = _reply(adapter, case)
        alike = isinstance(came, wire.Failure) and came.name == failure.name
        return _as_disagreement(case, failure) if alike else None

    small = None
    if not failure.at_start:
        small = _smallest(unanswered.case, fails, 0.0 if takes_time else seconds)
    return FailingCase(
        origin=unanswered.origin,
        case=small or unanswered.case,
        failure=failure,
        reproduced=small is not None,
    )


def _smallest(
    case: Json, disagrees: Callable[[Json], Disagreement | None], seconds: float
) -> Json | None:
    """A smaller case that disagrees; None if the case itself does not when asked again."""
    first = disagrees(case)
    if first is None:
        return None
    until = monotonic() + seconds

    def in_time(smaller: Json) -> Disagreement | None:
        if smaller is case:
            return first
        return disagrees(smaller) if monotonic() < until else None

    return shrink(case, in_time, MOST_TRIES)


def _reply(adapter: ProcessAdapter, case: Json) -> list[Json] | wire.Failure | None:
    """What the program says to a case; None if it is none that starts a scheduler."""
    try:
        sent = read_case(case)
        if not sent.cluster:
            return None
        to_model.cluster(sent.cluster)
    except NotACase:
        return None
    [came] = adapter.replies([case])
    return came


def _as_disagreement(case: Json, failure: wire.Failure) -> Disagreement:
    """A failure belongs to no event; making a case small is told of the last."""
    sent = read_case(case)
    assert sent.cluster, "a case that was asked has a cluster"
    return Disagreement(
        step=len(case["events"]) - 1,
        event=case["events"][-1] if case["events"] else {},
        kind=Kind.CRASH,
        expected={},
        actual=str(failure),
        job=None,
        before=initial(to_model.cluster(sent.cluster)),
    )
