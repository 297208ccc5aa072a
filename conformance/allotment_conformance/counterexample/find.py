"""From failing cases to one counterexample: made small, certified, said in words.

A program may answer otherwise when it is asked again, and may fail at any case. What is shown fails
where nothing was asked before it; or after the cases that are shown with it; or it is said that it
did not fail again.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TypeVar

from allotment_conformance.counterexample.asking import (
    Asking,
    CannotAsk,
    Finding,
    asked_one,
    is_case,
    judged,
    of_the_last_event,
)
from allotment_conformance.counterexample.certificate import SECONDS, Certificate, Ended, certify
from allotment_conformance.counterexample.chance import times_again
from allotment_conformance.counterexample.diagnosis import Diagnosis, Failing, diagnose
from allotment_conformance.counterexample.drawing import has_claims, rows_of_text
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.counterexample.picture import (
    failing_case_picture,
    others,
    picture,
    section,
)
from allotment_conformance.counterexample.predecessors import After, after_others, fails_alone
from allotment_conformance.counterexample.replay import lacks
from allotment_conformance.counterexample.shrink import MOST_TRIES, shrink
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.errors import KitError
from allotment_conformance.runs.tally import Failure, Seen, Unanswered
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.verdict.drift import drift_words
from allotment_conformance.verdict.received import ask
from allotment_conformance.wire import failure as wire
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json, NotACase, Profile, read_case

NOTHING_SEEN = Seen()
"""For one case by itself."""


class NotDeclared(KitError):
    """A case needs what the allocator does not declare."""

    code = "not-declared"


NOT_EACH_TIME = Certificate(ended=Ended.NOT_EACH_TIME)
"""Of a failure that did not come again, or not each time."""

TAKES_TIME = (wire.Ending.TIMEOUT, wire.Ending.MEMORY)
"""Failures that take so long that no smaller case is looked for."""


FEW_TIMES = 5
"""How often a case at which a program fails is asked again: it has to start anew each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How many smaller cases are tried, and how long one is certified."""

    most_tries: int = MOST_TRIES
    certify_seconds: float = SECONDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Counterexample:
    """A small case on which the allocator disagrees, the disagreement, what it breaks.

    `origin` says in which case it was found. `before` are the cases without which it does not
    fail, asked before it. `reproduced` is false if the allocator did not give the wrong answer
    each time that it was asked again; if not once, the case is the one it was found in, as it was.
    `remark` says what is not known of it. `drift` says under which other profile the answers are
    right, if under one.
    """

    origin: str
    case: Json
    answers: object
    found: Disagreement
    signature: Signature
    diagnosis: Diagnosis
    before: tuple[Json, ...] = ()
    reproduced: bool = True
    remark: str = ""
    drift: str | None = None
    certificate: Certificate = field(default_factory=Certificate)

    @property
    def is_by_chance(self) -> bool:
        """Whether it may come by chance: it did not come again."""
        return not self.reproduced

    def drawn(self) -> str:
        """What both say, without how small the case is: for one that is run as it came."""
        told = "\n".join([*others(self.before), picture(self.case, self.found, self.diagnosis)])
        rows = rows_of_text(self.found) if has_claims(self.found) else []
        drift = section("Perhaps another profile", [self.drift]) if self.drift is not None else []
        return "\n".join([told, *drift, *(section("Slot by slot", rows) if rows else [])])

    def picture(self) -> str:
        """For a person."""
        return "\n".join([self.drawn(), *_how_sure(self)])


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingCase:
    """A small case at which a program failed; the rest is as for a counterexample."""

    origin: str
    case: Json
    failure: wire.Failure
    before: tuple[Json, ...] = ()
    reproduced: bool = True
    remark: str = ""
    certificate: Certificate = field(default_factory=Certificate)

    @property
    def is_by_chance(self) -> bool:
        """Whether it may come by chance: it did not come again, and not for want of time."""
        takes_time = self.failure.at_start or self.failure.ending in TAKES_TIME
        return not self.reproduced and not takes_time

    @property
    def signature(self) -> Signature:
        """How it failed."""
        return Signature(kind=self.failure.name)

    def picture(self) -> str:
        """For a person."""
        told = failing_case_picture(self.case, self.failure)
        return "\n".join([*others(self.before), told, *_how_sure(self)])


Shown = Counterexample | FailingCase
AnyShown = TypeVar("AnyShown", Counterexample, FailingCase)


BESIDE_CHANCE = (
    "Another failure of this run did not come again: the allocator errs by chance, or after other "
    "cases that were not found."
)


def beside_chance(shown: AnyShown) -> AnyShown:
    """What is told of a failure in whose run another one did not come again."""
    if shown.is_by_chance:
        return shown
    remark = " ".join(filter(None, (shown.remark, BESIDE_CHANCE)))
    return replace(shown, remark=remark, certificate=shown.certificate.by_chance())


def _how_sure(shown: Shown) -> list[str]:
    """How small the case is, and what is not known of it."""
    remark = section("How sure", [legible(shown.remark)]) if shown.remark else []
    return [*remark, *section("How small", shown.certificate.lines())]


Keep = Callable[[Shown, Profile], None]
"""Is given a counterexample before it is certified, and again with its certificate."""


def keep_nothing(shown: Shown, profile: Profile) -> None:
    """For those who look at the last one only."""


def disagreement_on(adapter: Adapter, profile: Profile, case: Json) -> Disagreement | None:
    """What is wrong with the allocator's answers to a case that starts a scheduler."""
    if "cluster" not in case:
        return None
    try:
        return Oracle(profile).judge(case, ask(adapter, case)).disagreement
    except NotACase:
        return None


def counterexample_again(adapter: Adapter, case: Json) -> Counterexample | None:
    """The disagreement on one case as it is, or None. Raises `NotACase` and `NotDeclared`."""
    profile = legal_profile(adapter.start())
    read_case(case)
    lacking = lacks(case, profile)
    if lacking:
        raise NotDeclared(
            f"the case cannot be asked: {lacking}",
            remedy="Take what the profile lacks out of the case, or declare it.",
        )
    finding = judged(Oracle(profile), case, ask(adapter, case))
    return (
        None
        if finding.disagreement is None
        else _counterexample("a file", finding, NOTHING_SEEN, profile)
    )


def counterexample(
    asking: Asking,
    failure: Failure,
    seen: Seen = NOTHING_SEEN,
    effort: Effort | None = None,
    keep: Keep = keep_nothing,
) -> Counterexample:
    """The counterexample of one failure, with a diagnosis that takes all of them into account."""
    effort, profile = effort or Effort(), asking.profile
    small, remark = _small_alone(asking, failure.case, failure.signature, effort)
    if small is None or small.disagreement is None:
        shown = replace(_after_others(asking, failure, seen, effort), remark=remark)
        keep(shown, profile)
        return shown
    times = times_again(asking, small.case, failure.signature)
    shown = _counterexample(failure.origin, small, seen, profile, certain=times.is_each)
    if not times.is_each:
        shown = replace(shown, reproduced=False, remark=times.words(), certificate=NOT_EACH_TIME)
        keep(shown, profile)
        return shown
    shown = replace(shown, remark=remark)
    keep(shown, profile)
    certified, certificate = _certified(asking, small, failure.signature, effort)
    if certified is not small:
        shown = _counterexample(failure.origin, certified, seen, profile)
    shown = replace(shown, certificate=certificate, remark=remark)
    keep(shown, profile)
    return shown


def _after_others(asking: Asking, failure: Failure, seen: Seen, effort: Effort) -> Counterexample:
    """A failure with the cases that have to be asked before it; as it is if there are none."""
    after, small = _small_after(asking, failure.before, failure.case, failure.signature, effort)
    if after is None or small is None or small.disagreement is None:
        told = as_found(failure, seen, asking.profile, certain=False)
        return replace(told, reproduced=False, certificate=NOT_EACH_TIME)
    shown = _counterexample(failure.origin, small, seen, asking.profile)
    return replace(shown, before=after.before)


def as_found(
    failure: Failure, seen: Seen, profile: Profile, *, certain: bool = True
) -> Counterexample:
    """A failure as it is, with the answers that came; nobody is asked again."""
    first = judged(Oracle(profile), failure.case, failure.answers)
    return _counterexample(failure.origin, first, seen, profile, certain=certain)


def failing_case(
    asking: Asking,
    unanswered: Unanswered,
    effort: Effort | None = None,
    keep: Keep = keep_nothing,
) -> FailingCase:
    """A small case at which a program fails in the same way; one that takes time stays whole."""
    origin, case, failure = unanswered.origin, unanswered.case, unanswered.failure
    effort, signature = effort or Effort(), Signature(kind=failure.name)
    if failure.at_start or failure.ending in TAKES_TIME:
        again = None if failure.at_start else asked_one(asking, case)
        alike = again is not None and again.signature == signature
        shown = FailingCase(origin=origin, case=case, failure=failure, reproduced=alike)
        keep(shown, asking.profile)
        return shown
    small, remark = _small_alone(asking, case, signature, effort)
    if small is None:
        shown = _failing_after_others(asking, unanswered, effort)
        keep(shown, asking.profile)
        return shown
    times = times_again(asking, small.case, signature, most=FEW_TIMES)
    shown = FailingCase(
        origin=origin,
        case=small.case,
        failure=small.failure or failure,
        reproduced=times.is_each,
        remark=remark if times.is_each else times.words(),
        certificate=Certificate() if times.is_each else NOT_EACH_TIME,
    )
    keep(shown, asking.profile)
    if not times.is_each:
        return shown
    small, certificate = _certified(asking, small, signature, effort)
    certified = small.failure or failure
    shown = replace(shown, case=small.case, failure=certified, certificate=certificate)
    keep(shown, asking.profile)
    return shown


def _failing_after_others(asking: Asking, of: Unanswered, effort: Effort) -> FailingCase:
    """The same as for an answer that is wrong."""
    signature = Signature(kind=of.failure.name)
    after, small = _small_after(asking, of.before, of.case, signature, effort)
    if after is None or small is None:
        return FailingCase(
            origin=of.origin,
            case=of.case,
            failure=of.failure,
            reproduced=False,
            certificate=NOT_EACH_TIME,
        )
    return FailingCase(
        origin=of.origin,
        case=small.case,
        failure=small.failure or of.failure,
        before=after.before,
    )


def _counterexample(
    origin: str,
    finding: Finding,
    seen: Seen,
    profile: Profile,
    *,
    certain: bool = True,
) -> Counterexample:
    found, signature = finding.disagreement, finding.signature
    assert found is not None, "only a disagreement makes a counterexample"
    assert signature is not None, "a disagreement has a signature"
    smallest = Failing(case=finding.case, answers=finding.answers, alike=True)
    failing = [
        Failing(case=one.case, answers=one.answers, alike=one.signature == signature)
        for one in seen.failures
    ]
    return Counterexample(
        origin=origin,
        case=finding.case,
        answers=finding.answers,
        found=found,
        signature=signature,
        diagnosis=diagnose(
            [smallest, *failing], found, profile, agreed=seen.agreed, certain=certain
        ),
        drift=drift_words(finding.case, finding.answers, profile),
    )


def _certified(
    asking: Asking, small: Finding, signature: Signature, effort: Effort
) -> tuple[Finding, Certificate]:
    """The case with its certificate, or a smaller one with its own."""
    until, smaller = monotonic() + effort.certify_seconds, small
    if effort.certify_seconds <= 0:
        return small, Certificate()
    while True:
        told = certify(asking, smaller.case, signature, until - monotonic())
        if not isinstance(told, Certificate):
            smaller = told
        elif smaller is small or _fails_alone(asking, smaller.case, signature)[0]:
            return smaller, told
        else:
            return small, Certificate()


def _small_alone(
    asking: Asking, case: Json, signature: Signature, effort: Effort
) -> tuple[Finding | None, str]:
    """As below; None, too, if what was found does not fail where nothing was asked before it.

    With it comes what is not known of that.
    """
    small = made_small(asking, case, signature, effort)
    if small is None:
        return None, ""
    alone, remark = _fails_alone(asking, small.case, signature)
    return (small if alone else None), remark


def _fails_alone(asking: Asking, case: Json, signature: Signature) -> tuple[bool, str]:
    """Whether a case fails where nothing was asked before it; if that is not known, why not."""
    try:
        return fails_alone(asking, case, signature), ""
    except CannotAsk as why:
        return True, f"It may fail only after other cases: {why}."


def _small_after(
    asking: Asking, asked: Sequence[Json], case: Json, signature: Signature, effort: Effort
) -> tuple[After | None, Finding | None]:
    """Whoever fails at the case after some of those that were asked before; a small case of it."""
    after = after_others(asking, asked, case, signature)
    return after, None if after is None else made_small(after, case, signature, effort)


def made_small(asking: Asking, case: Json, signature: Signature, effort: Effort) -> Finding | None:
    """What came of a smaller case that fails in this way; None if the case itself does not."""
    if not is_case(case):
        return None
    first = asked_one(asking, case)
    if first.signature != signature:
        return None
    until = monotonic() + asking.shrink_seconds

    def fails(smaller: Json) -> Disagreement | None:
        if smaller is case:
            return _as_disagreement(first)
        if monotonic() >= until or not is_case(smaller):
            return None
        return _as_disagreement(asked_one(asking, smaller))

    small = asked_one(asking, shrink(case, fails, effort.most_tries))
    return small if small.signature == signature else first


def _as_disagreement(finding: Finding) -> Disagreement | None:
    """A failure of a program belongs to no event."""
    if finding.failure is None:
        return finding.disagreement
    return of_the_last_event(finding.case, finding.failure.name)
