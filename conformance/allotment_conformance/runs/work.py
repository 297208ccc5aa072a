"""The work of a verification, in shares that any process can do.

A share is named by numbers alone, so its result does not depend on who does it, or when.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from time import process_time

from allotment_conformance.counterexample.asking import InProcess
from allotment_conformance.counterexample.find import (
    Counterexample,
    Effort,
    counterexample,
    counterexample_again,
)
from allotment_conformance.counterexample.predecessors import MOST_BEFORE
from allotment_conformance.counterexample.replay import Replayed, lacks, replay
from allotment_conformance.engines.all_directed import ALL_DIRECTED, as_asked
from allotment_conformance.engines.bulk import case_of
from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.runs.adapter_worker import AdapterWorker
from allotment_conformance.runs.fresh import in_fresh_process
from allotment_conformance.runs.pool import Desk
from allotment_conformance.runs.tally import (
    Failure,
    KeptCase,
    Seen,
    Tally,
    failure_of,
    foremost,
    replay_of,
)
from allotment_conformance.verdict.compare import Judgement, Oracle, exchange_of
from allotment_conformance.verdict.probe import probe, variants_of
from allotment_conformance.verdict.received import ask, kept
from allotment_conformance.wire.messages import Json, Profile
from allotment_model.variants import VARIANTS, Variant

CASES_PER_SHARE = 50
"""About a third of a second of work: little is lost when a run is cut short."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Kept cases, or directed cases, or bulk cases of a seed.

    `start` is the first of them, `stop` the one behind the last.
    """

    directed: bool
    start: int
    stop: int
    seed: int = 0
    kept: tuple[KeptCase, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A case with its number, its origin in words, and the variants to probe it with.

    `kept` is its name if it is a counterexample that was kept; `reproduced` as there. One that
    `is_directed` has its number among all of these.
    """

    number: int
    origin: str
    case: Json
    variants: list[Variant]
    kept: str | None = None
    reproduced: bool = True
    is_directed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToMakeSmall:
    """A failure, what else a diagnosis takes into account, and the effort."""

    failure: Failure
    seen: Seen
    effort: Effort


def shares(cases: int, seed: int, kept: tuple[KeptCase, ...] = ()) -> list[Share]:
    """All the work: cases that were kept first, then directed cases, then so many bulk cases."""
    first = Share(directed=True, start=0, stop=len(kept), kept=kept)
    return [
        *([first] if kept else []),
        *_cut(Share(directed=True, start=0, stop=len(ALL_DIRECTED))),
        *_cut(Share(directed=False, start=0, stop=cases, seed=seed)),
    ]


def _cut(whole: Share) -> Iterator[Share]:
    for start in range(whole.start, whole.stop, CASES_PER_SHARE):
        stop = min(start + CASES_PER_SHARE, whole.stop)
        yield Share(directed=whole.directed, start=start, stop=stop, seed=whole.seed)


def questions(share: Share, profile: Profile) -> Iterator[Question]:
    """The cases of a share that the profile can be asked.

    A directed case is probed with the variants of its clauses, a bulk case with one in turn.
    """
    for number in range(share.start, share.stop):
        turn = VARIANTS[number % len(VARIANTS)]
        if share.kept:
            yield from _kept(number, share.kept[number], profile)
        elif not share.directed:
            origin = f"bulk case {number} of seed {share.seed}"
            case = case_of(share.seed, number, profile)
            yield Question(number=number, origin=origin, case=case, variants=[turn])
        elif ALL_DIRECTED[number].can_be_asked(profile):
            one = ALL_DIRECTED[number]
            case = as_asked(one, profile)
            is_probed = number < len(DIRECTED) and one.is_probed
            variants = variants_of(one.clauses) if is_probed else []
            origin = f"directed case '{one.name}'"
            yield Question(
                number=number, origin=origin, case=case, variants=variants, is_directed=True
            )


def _kept(number: int, one: KeptCase, profile: Profile) -> Iterator[Question]:
    """A counterexample that was kept, if it can be asked, behind what has to be asked before it."""
    if not any(lacks(case, profile) for case in (*one.before, one.case)):
        origin = f"counterexample {one.name}, which was kept"
        for case in one.before:
            told = f"what is asked before {origin}"
            yield Question(number=number, origin=told, case=case, variants=[])
        yield Question(
            number=number,
            origin=origin,
            case=one.case,
            variants=[],
            kept=one.name,
            reproduced=one.reproduced,
        )


def question_of(share: Share, number: int, profile: Profile) -> Question:
    """The case of that number of a share that the profile can be asked; the kept one of some."""
    *_before, question = questions(replace(share, start=number, stop=number + 1), profile)
    return question


def asked_in(work: Iterable[object], profile: Profile) -> Iterator[Question]:
    """The cases of all shares among some work of a process, in the order of being asked."""
    for share in work:
        if isinstance(share, Share):
            yield from questions(share, profile)


class Worker(AdapterWorker):
    """Does shares with one adapter of its own; the case at hand is noted on its desk."""

    def __init__(self, desk: Desk, adapter: str) -> None:
        """Load and start it."""
        super().__init__(desk, adapter)
        self.oracle = Oracle(self.profile)
        self.before = deque[Json](maxlen=MOST_BEFORE)

    def do(self, share: Share) -> Tally:
        """What the share has shown."""
        tally = Tally()
        for question in questions(share, self.profile):
            self.desk.note(question.number)
            self.take(question, tally)
            self.before.append(question.case)
        return tally

    def counterexample(self, of: ToMakeSmall) -> Counterexample:
        """The counterexample of a failure."""
        fresh = in_fresh_process(self.name, self.profile)
        asking = InProcess(self.adapter, self.profile, fresh)
        return counterexample(asking, of.failure, of.seen, of.effort)

    def replay(self, kept: KeptCase) -> Replayed:
        """What the allocator makes of a counterexample that was kept."""
        return replay(InProcess(self.adapter, self.profile), kept)

    def again(self, case: Json) -> Counterexample | None:
        """The disagreement on one case as it is, or None. Raises `NotACase`."""
        return counterexample_again(self.adapter, case)

    def take(self, question: Question, tally: Tally) -> None:
        """Ask one case, and count it."""
        start = process_time()
        answers = ask(self.adapter, question.case)
        answered = process_time()
        told = exchange_of(question.case, answers)
        judgement = self.oracle.judge_exchange(told)
        judged = process_time()
        tally.seconds_allocator += answered - start
        tally.seconds_comparison += judged - answered
        self._count(question, answers, judgement, tally)
        if judgement.disagreement is None and not judgement.skipped and not judgement.cancelled:
            found = probe(told, question.variants, self.profile)
            tally.probed.update(found.clauses)
            tally.exercised.update(found.exercised)
            tally.seconds_probes += process_time() - judged

    def _count(
        self, question: Question, answers: object, judgement: Judgement, tally: Tally
    ) -> None:
        tally.cases += 1
        count(tally, question, judgement)
        found = judgement.disagreement
        if found is not None:
            tally.failed += 1
            failure = failure_of(question.origin, question.case, kept(answers), found, self.before)
            tally.failures = foremost([*tally.failures, failure])


def count(tally: Tally, question: Question, judgement: Judgement) -> None:
    """Count what was compared of a case, and whether the allocator agrees."""
    tally.decisions += judgement.decisions
    tally.attempts_inside += judgement.attempts_inside
    tally.cancelled += judgement.cancelled
    tally.cancels_asked += judgement.cancels_asked
    tally.skipped += judgement.skipped
    found = judgement.disagreement
    if question.kept is not None:
        tally.replayed[question.kept] = replay_of(found, question.reproduced)
    if question.is_directed and found is None and not judgement.skipped:
        tally.agreed.append(question.number)
