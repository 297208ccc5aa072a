"""From failing cases to one counterexample: the smallest that was found, said in words."""

from collections.abc import Sequence
from dataclasses import dataclass

from allotment_conformance.counterexample.diagnosis import Diagnosis, Failing, diagnose
from allotment_conformance.counterexample.picture import picture
from allotment_conformance.counterexample.shrink import MOST_TRIES, shrink
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.verdict.received import ask
from allotment_conformance.verdict.tally import Failure
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, NotACase, Profile, read_profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A small case on which the allocator disagrees, the disagreement, what it breaks.

    `origin` says in which case it was found. `reproduced` is false if the allocator did not give
    the wrong answer again when it was asked a second time; then the case is the one it was found
    in, as it was.
    """

    origin: str
    case: Json
    found: Disagreement
    diagnosis: Diagnosis
    reproduced: bool = True

    def picture(self) -> str:
        """For a person."""
        return picture(self.case, self.found, self.diagnosis)


def disagreement_on(adapter: Adapter, profile: Profile, case: Json) -> Disagreement | None:
    """What is wrong with the allocator's answers to a case that starts a scheduler."""
    if "cluster" not in case:
        return None
    try:
        return Oracle(profile).judge(case, ask(adapter, case)).disagreement
    except NotACase:
        return None


def counterexample_again(adapter: Adapter, case: Json) -> Counterexample | None:
    """The disagreement on one case as it is, or None. Raises `NotACase`."""
    profile = read_profile(adapter.start())
    answers = ask(adapter, case)
    found = Oracle(profile).judge(case, answers).disagreement
    if found is None:
        return None
    diagnosis = diagnose([Failing(case=case, answers=answers)], found, profile)
    return Counterexample(origin="a file", case=case, found=found, diagnosis=diagnosis)


def counterexample(
    adapter: Adapter,
    profile: Profile,
    failures: Sequence[Failure],
    most_tries: int = MOST_TRIES,
) -> Counterexample:
    """The counterexample of the first failure with a wrong answer, or else of the first."""
    failure = min(failures, key=lambda one: one.is_inside)
    if disagreement_on(adapter, profile, failure.case) is None:
        return not_reproduced(failure, profile)
    small = shrink(failure.case, lambda case: disagreement_on(adapter, profile, case), most_tries)
    found = disagreement_on(adapter, profile, small)
    assert found is not None, "shrinking keeps what disagrees"
    failing = [Failing(case=one.case, answers=one.answers) for one in failures]
    smallest = Failing(case=small, answers=ask(adapter, small))
    return Counterexample(
        origin=failure.origin,
        case=small,
        found=found,
        diagnosis=diagnose([smallest, *failing], found, profile),
    )


def not_reproduced(failure: Failure, profile: Profile) -> Counterexample:
    """An allocator that answers now one way, now another: what it said the first time."""
    found = Oracle(profile).judge(failure.case, failure.answers).disagreement
    assert found is not None, "it was wrong the first time"
    return Counterexample(
        origin=failure.origin,
        case=failure.case,
        found=found,
        diagnosis=diagnose([Failing(case=failure.case, answers=failure.answers)], found, profile),
        reproduced=False,
    )
