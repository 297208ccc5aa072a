"""The work of a verification, in shares that any process can do.

A share is named by numbers alone, so its result does not depend on who does it, or when.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import process_time

from allotment_conformance.engines.bulk import case_of
from allotment_conformance.engines.directed import DIRECTED, Directed
from allotment_conformance.engines.features import features_of, is_within
from allotment_conformance.verdict.compare import Judgement, Oracle
from allotment_conformance.verdict.probe import exercises, variants_of
from allotment_conformance.verdict.received import ask
from allotment_conformance.verdict.tally import KeptCase, Tally, failure_of, kept, replay_of
from allotment_conformance.wire.adapter import Adapter, load_adapter
from allotment_conformance.wire.messages import Json, Profile, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import leaves_choices
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
    """A case with its origin in words, the variants to probe it with, its name if it was kept."""

    origin: str
    case: Json
    variants: list[Variant]
    kept: str | None = None


def shares(cases: int, seed: int, kept: tuple[KeptCase, ...] = ()) -> list[Share]:
    """All the work: cases that were kept first, then directed cases, then so many bulk cases."""
    first = Share(directed=True, start=0, stop=len(kept), kept=kept)
    return [
        *([first] if kept else []),
        *_cut(Share(directed=True, start=0, stop=len(DIRECTED))),
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
    for one in share.kept:
        if features_of(one.case) <= set(profile.features) and is_within(one.case, profile.largest):
            origin = f"counterexample {one.name}, which was kept"
            yield Question(origin=origin, case=one.case, variants=[], kept=one.name)
    for number in range(share.start, 0 if share.kept else share.stop):
        turn = VARIANTS[number % len(VARIANTS)]
        if not share.directed:
            origin = f"bulk case {number} of seed {share.seed}"
            case = case_of(share.seed, number, profile)
            yield Question(origin=origin, case=case, variants=[turn])
        elif _can_be_asked(DIRECTED[number], profile):
            directed = DIRECTED[number]
            reports = [name for name in ("books", "events") if name in profile.features]
            case = {**directed.case, "report": reports}
            variants = variants_of(directed.clauses)
            yield Question(origin=f"directed case '{directed.name}'", case=case, variants=variants)


def _can_be_asked(directed: Directed, profile: Profile) -> bool:
    """Whether the case stays within what is declared."""
    return directed.needs <= set(profile.features) and is_within(directed.case, profile.largest)


class Worker:
    """Does shares with one adapter of its own."""

    def __init__(self, adapter: str) -> None:
        self.adapter: Adapter = load_adapter(adapter)
        self.profile = read_profile(self.adapter.start())

    def do(self, share: Share) -> Tally:
        """What the share has shown."""
        tally = Tally()
        for question in questions(share, self.profile):
            self._do(question, tally)
        return tally

    def _do(self, question: Question, tally: Tally) -> None:
        start = process_time()
        answers = ask(self.adapter, question.case)
        answered = process_time()
        judgement = Oracle(self.profile).judge(question.case, answers)
        judged = process_time()
        tally.seconds_allocator += answered - start
        tally.seconds_comparison += judged - answered
        self._count(question, answers, judgement, tally)
        if judgement.disagreement is None and not judgement.skipped and not judgement.cancelled:
            self._probe(question, answers, tally)
            tally.seconds_probes += process_time() - judged

    def _count(
        self, question: Question, answers: object, judgement: Judgement, tally: Tally
    ) -> None:
        tally.cases += 1
        tally.decisions += judgement.decisions
        tally.attempts_inside += judgement.attempts_inside
        tally.cancelled += judgement.cancelled
        tally.skipped += judgement.skipped
        found = judgement.disagreement
        if question.kept is not None:
            tally.replayed[question.kept] = replay_of(found)
        if found is not None:
            tally.failed += 1
            failure = failure_of(question.origin, question.case, answers, found)
            tally.failures = kept([*tally.failures, failure])

    def _probe(self, question: Question, answers: object, tally: Tally) -> None:
        """Which clauses the case exercises.

        The answers agreed, so they are the right ones; but of several right ones a variant is
        compared with the model's.
        """
        if leaves_choices(self.profile):
            answers = ModelAdapter(profile=self.profile).run(question.case)
        probed: set[str] = set()
        exercised: set[str] = set()
        for variant in question.variants:
            probed.update(variant.breaks)
            if exercises(question.case, answers, variant, self.profile):
                exercised.update(variant.breaks)
        tally.probed.update(probed)
        tally.exercised.update(exercised)


_worker: Worker | None = None


def start_worker(adapter: str) -> None:
    """Make this process ready to do shares."""
    global _worker
    _worker = Worker(adapter)


def do_share(share: Share) -> Tally:
    """Do a share in a process that was made ready."""
    assert _worker is not None, "`start_worker` comes first"
    return _worker.do(share)
