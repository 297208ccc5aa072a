"""An allocator under test in somebody's test suite: asked some cases, it has a fault or none."""

from collections.abc import Iterable
from itertools import islice
from typing import Protocol

from allotment_conformance.counterexample.find import counterexample
from allotment_conformance.counterexample.of_program import of_disagreement, of_failure
from allotment_conformance.verdict.check_work import Unanswered
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.received import ask
from allotment_conformance.verdict.tally import MOST_FAILING, Failure
from allotment_conformance.verdict.work import CASES_PER_SHARE, Question
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.failure import Failure as ProgramFailure
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Profile
from allotment_conformance.wire.process import ProcessAdapter


class Subject(Protocol):
    """An allocator that has started, with the profile that it declares."""

    profile: Profile

    def fault(self, questions: Iterable[Question]) -> str | None:
        """The smallest case that was found to be wrong, in words; None if all agree."""
        ...

    def close(self) -> None:
        """Give it up; no call follows."""
        ...


class Object:
    """An adapter in this process."""

    def __init__(self, adapter: Adapter) -> None:
        """Start it. Raises `IllegalProfile`, and what `adapter.start` refuses."""
        self.profile = legal_profile(adapter.start())
        self._adapter = adapter

    def fault(self, questions: Iterable[Question]) -> str | None:
        """As for every subject; a share with a wrong answer is asked to its end."""
        rest = iter(questions)
        while share := list(islice(rest, CASES_PER_SHARE)):
            answered = ((one, ask(self._adapter, one.case)) for one in share)
            failures = [found for one, came in answered if (found := self._wrong(one, came))]
            if failures:
                kept = failures[:MOST_FAILING]
                small = counterexample(self._adapter, self.profile, kept)
                return f"Found in {small.origin}.\n{small.picture()}"
        return None

    def close(self) -> None:
        """Close the adapter."""
        self._adapter.close()

    def _wrong(self, question: Question, came: object) -> Failure | None:
        return wrong(question, came, self.profile)


class Program:
    """A program that speaks the protocol."""

    def __init__(self, command: tuple[str, ...]) -> None:
        """Start it. Raises `AdapterFailed` and other refusals."""
        self._adapter = ProcessAdapter(command)
        self.profile = legal_profile(self._adapter.start())

    def fault(self, questions: Iterable[Question]) -> str | None:
        """As for every subject. A program that fails is told at once: it may take its time."""
        asked = list(questions)
        failures: list[Failure] = []
        replies = self._adapter.replies(one.case for one in asked)
        for question, came in zip(asked, replies, strict=True):
            if isinstance(came, ProgramFailure):
                replies.close()
                return self._failed(question, came)
            found = wrong(question, came, self.profile)
            if found is not None and len(failures) < MOST_FAILING:
                failures.append(found)
        if not failures:
            return None
        small = of_disagreement(self._adapter, self.profile, failures)
        return f"Found in {small.origin}.\n{small.picture()}"

    def close(self) -> None:
        """Stop the program."""
        self._adapter.close()

    def _failed(self, question: Question, failure: ProgramFailure) -> str:
        unanswered = Unanswered(origin=question.origin, case=question.case, failure=failure)
        return of_failure(self._adapter, unanswered).picture()


def wrong(question: Question, came: object, profile: Profile) -> Failure | None:
    """What came for a case, if the profile does not permit it."""
    found = Oracle(profile).judge(question.case, came).disagreement
    if found is None:
        return None
    return Failure(origin=question.origin, case=question.case, answers=came, kind=found.kind)
