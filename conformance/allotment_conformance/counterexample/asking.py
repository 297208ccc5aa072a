"""Asking an allocator many cases: what was wrong with its answers to each.

Making cases small and certifying them ask thousands. A program is asked ahead, as in a check; an
allocator in this process one case after the other.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import inf
from typing import Protocol

from allotment_conformance.counterexample.signature import (
    Signature,
    signature_of,
    signature_of_failure,
)
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.verdict.received import ask, kept
from allotment_conformance.wire import to_model
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Json, NotACase, Profile, read_case
from allotment_conformance.wire.process import ProcessAdapter
from allotment_model.state import initial


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What came of a case: the answers, or how the program failed, and what is wrong with them.

    `skipped`: from some event on there were too many choices to tell whether something is.
    """

    case: Json
    answers: object
    disagreement: Disagreement | None = None
    failure: Failure | None = None
    skipped: bool = False

    @property
    def signature(self) -> Signature | None:
        """In what the allocator fails; None if it agrees."""
        if self.failure is not None:
            return signature_of_failure(self.failure)
        return None if self.disagreement is None else signature_of(self.disagreement)


class CannotAsk(Exception):
    """Nobody can be had who was asked nothing yet; it says why."""


Fresh = Callable[[Sequence[Json]], Finding]
"""Has an allocator that was asked nothing yet answer these cases: what came of the last.

Raises `CannotAsk`."""


class Asking(Protocol):
    """Somebody who can be asked cases that start a scheduler.

    `shrink_seconds` is how long a case may take to be made small. `fresh` asks the same allocator
    as it is at its start; None where none can be had.
    """

    profile: Profile
    shrink_seconds: float

    @property
    def fresh(self) -> Fresh | None:
        """See above."""
        ...

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        """What came of each case, in order; cases may be taken some way ahead."""
        ...


class InProcess:
    """Asks an allocator in this process; made small without a limit, the result is the same."""

    shrink_seconds = inf

    def __init__(self, adapter: Adapter, profile: Profile, fresh: Fresh | None = None) -> None:
        self.adapter = adapter
        self.profile = profile
        self.oracle = Oracle(profile)
        self.fresh = fresh

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        """What came of each case."""
        for case in cases:
            yield judged(self.oracle, case, ask(self.adapter, case))


class OverWire:
    """Asks a program, which may be slow."""

    shrink_seconds = 20.0

    def __init__(self, adapter: ProcessAdapter, profile: Profile) -> None:
        self.adapter = adapter
        self.profile = profile
        self.oracle = Oracle(profile)

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        """What came of each case; the program works on the next ones meanwhile."""
        sent: deque[Json] = deque()

        def noted() -> Iterator[Json]:
            for case in cases:
                sent.append(case)
                yield case

        for came in self.adapter.replies(noted()):
            yield self._finding(sent.popleft(), came)

    def fresh(self, cases: Sequence[Json]) -> Finding:
        """What came of the last of these cases when the program was started for them."""
        program = self.adapter.another()
        try:
            *_before, came = program.replies(cases)
        finally:
            program.close()
        if isinstance(came, Failure) and came.at_start:
            raise CannotAsk(f"the program did not start once more: {came}")
        return self._finding(cases[-1], came)

    def _finding(self, case: Json, came: list[Json] | Failure) -> Finding:
        if isinstance(came, Failure):
            return Finding(case=case, answers=None, failure=came)
        return judged(self.oracle, case, came)


def judged(oracle: Oracle, case: Json, answers: object) -> Finding:
    """What is wrong with answers; of wrong ones a copy is kept."""
    told = oracle.judge(case, answers)
    found = told.disagreement
    copy = answers if found is None else kept(answers)
    return Finding(case=case, answers=copy, disagreement=found, skipped=told.skipped)


def asked_one(asking: Asking, case: Json) -> Finding:
    """What came of one case."""
    [finding] = asking.findings([case])
    return finding


def is_case(case: Json) -> bool:
    """Whether this is a case that starts a scheduler (SPEC.md 2.1)."""
    try:
        sent = read_case(case)
        if sent.cluster:
            to_model.cluster(sent.cluster)
    except NotACase:
        return False
    return bool(sent.cluster)


def of_the_last_event(case: Json, actual: str) -> Disagreement:
    """Something that is wrong with a case as a whole: making cases small is told of the last event.

    `actual` says what it is, in a word.
    """
    sent = read_case(case)
    assert sent.cluster, "a case that was asked has a cluster"
    return Disagreement(
        step=len(case["events"]) - 1,
        event=case["events"][-1] if case["events"] else {},
        kind=Kind.CRASH,
        expected={},
        actual=actual,
        job=None,
        before=initial(to_model.cluster(sent.cluster)),
    )
