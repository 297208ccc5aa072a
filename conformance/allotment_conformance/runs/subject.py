"""An allocator under test in somebody's test suite: asked some cases, it has a fault or none."""

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Protocol

from allotment_conformance.counterexample.asking import Asking, Finding, InProcess, OverWire
from allotment_conformance.counterexample.find import Effort, counterexample, failing_case
from allotment_conformance.counterexample.predecessors import MOST_BEFORE
from allotment_conformance.runs.tally import (
    MOST_FAILING,
    Failure,
    Seen,
    Unanswered,
    failure_of,
    foremost,
)
from allotment_conformance.runs.work import CASES_PER_SHARE, Question
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.received import ask
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.failure import Failure as ProgramFailure
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.process import ProcessAdapter


class Subject(Protocol):
    """An allocator that has started, with the profile that it declares."""

    profile: Profile

    def fault(self, questions: Iterable[Question]) -> str | None:
        """The smallest case that was found to be wrong, in words; None if all agree."""
        ...

    def close(self) -> str | None:
        """Give it up; no call follows. What was wrong with its end, in words, if anything."""
        ...


class AdapterSubject:
    """An adapter in this process."""

    def __init__(self, make: Callable[[], Adapter]) -> None:
        """Make and start it. Raises `IllegalProfile`, and what `start` refuses."""
        self._make = make
        self._adapter = make()
        self.profile = legal_profile(self._adapter.start())
        self._before = deque[Json](maxlen=MOST_BEFORE)

    def fault(self, questions: Iterable[Question]) -> str | None:
        """As for every subject; a share with a wrong answer is asked to its end."""
        rest, agreed = iter(questions), set[int]()
        while share := list(islice(rest, CASES_PER_SHARE)):
            told = [(one, self._wrong(one)) for one in share]
            agreed |= {one.number for one, found in told if one.is_directed and found is None}
            failures = [found for _one, found in told if found is not None]
            if failures:
                asking = InProcess(self._adapter, self.profile, self._fresh)
                return shown(asking, failures, agreed)
        return None

    def close(self) -> None:
        """Close the adapter."""
        self._adapter.close()

    def _wrong(self, question: Question) -> Failure | None:
        before = tuple(self._before)
        self._before.append(question.case)
        return wrong(question, ask(self._adapter, question.case), self.profile, before)

    def _fresh(self, cases: Sequence[Json]) -> Finding:
        """What came of the last case, of an adapter that was made for these."""
        adapter = self._make()
        adapter.start()
        *_before, finding = InProcess(adapter, self.profile).findings(cases)
        adapter.close()
        return finding


class ProgramSubject:
    """A program that speaks the protocol."""

    def __init__(self, command: tuple[str, ...]) -> None:
        """Start it. Raises `AdapterFailed` and other refusals."""
        self._adapter = ProcessAdapter(command)
        self.profile = legal_profile(self._adapter.start())
        self._asking = OverWire(self._adapter, self.profile)
        self._before = deque[Json](maxlen=MOST_BEFORE)

    def fault(self, questions: Iterable[Question]) -> str | None:
        """As for every subject. A program that fails is told at once: it may take its time."""
        asked = list(questions)
        failures: list[Failure] = []
        agreed = set[int]()
        replies = self._adapter.replies(one.case for one in asked)
        for question, came in zip(asked, replies, strict=True):
            before = tuple(self._before)
            self._before.append(question.case)
            if isinstance(came, ProgramFailure):
                replies.close()
                return self._failed(question, came, before)
            found = wrong(question, came, self.profile, before)
            if found is not None:
                failures = foremost([*failures, found])
            elif question.is_directed:
                agreed.add(question.number)
        return shown(self._asking, failures, agreed) if failures else None

    def close(self) -> str | None:
        """Stop the program."""
        self._adapter.close()
        failure = self._adapter.stop_failure
        return None if failure is None else f"It does not end well: {failure}"

    def _failed(self, question: Question, failure: ProgramFailure, before: tuple[Json, ...]) -> str:
        told = Unanswered(
            origin=question.origin, case=question.case, failure=failure, before=before
        )
        small = failing_case(self._asking, told)
        return f"Found in {small.origin}.\n{small.picture()}"


def shown(asking: Asking, failures: Sequence[Failure], agreed: Iterable[int]) -> str:
    """The first failure, made small and certified, in words.

    `agreed` are the numbers of directed cases on which the allocator agrees.
    """
    kept = foremost(list(failures))
    seen = Seen(failures=tuple(kept[:MOST_FAILING]), agreed=frozenset(agreed))
    small = counterexample(asking, kept[0], seen, Effort())
    return f"Found in {small.origin}.\n{small.picture()}"


def wrong(
    question: Question, came: object, profile: Profile, before: tuple[Json, ...]
) -> Failure | None:
    """What came for a case, if the profile does not permit it; what was asked before it."""
    found = Oracle(profile).judge(question.case, came).disagreement
    if found is None:
        return None
    return failure_of(question.origin, question.case, came, found, before)
