"""One case once more, as it is, in a process of its own: for `--case` and `allotment replay`."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.counterexample.replay import Replayed
from allotment_conformance.runs.pool import AtWork, Crew, Lost
from allotment_conformance.runs.tally import KeptCase, Replay
from allotment_conformance.runs.verification import (
    GRACE,
    SECONDS_TO_LOOK_CLOSER,
    SECONDS_TO_START,
    End,
    OutOfTime,
)
from allotment_conformance.runs.work import Worker
from allotment_conformance.wire.messages import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """What came of one case that was run once more."""

    end: End
    counterexample: Counterexample | None = None
    words: str = ""


def run_again(adapter: str, case: Json, budget: float | None = None) -> Again:
    """Run one case as it is, in a process of its own. Raises `NotACase` and other refusals."""
    with _crew(adapter, budget) as crew:
        try:
            found = crew.one(Worker.again, case)
        except Lost as lost:
            return Again(end=End.CRASH, words=lost.words)
        except OutOfTime:
            return Again(end=End.BUDGET)
        except KeyboardInterrupt:
            return Again(end=End.INTERRUPTED)
    return Again(end=End.DONE if found is None else End.WRONG, counterexample=found)


def replayed(adapter: str, kept: KeptCase) -> Replayed:
    """Ask an adapter of Python a counterexample that was kept. Raises refusals of its start."""
    with _crew(adapter, SECONDS_TO_START) as crew:
        outcome = Replay.ERROR
        try:
            crew.one(Worker.declared, None)
            outcome = Replay.FAILED
            return crew.one(Worker.replay, kept)
        except Lost as lost:
            words = f"the allocator ended its process: {lost.words}"
        except OutOfTime:
            words = f"there is no answer after {SECONDS_TO_START:.0f} s"
    return Replayed(name=kept.name, outcome=outcome, words=words)


def _crew(adapter: str, budget: float | None) -> Crew[Worker]:
    """One process with the adapter; a longer wait than the budget ends in `OutOfTime`."""
    start = monotonic()

    def pulse(_at_work: Sequence[AtWork]) -> None:
        if budget is not None and monotonic() - start >= max(budget, SECONDS_TO_LOOK_CLOSER):
            raise OutOfTime

    return Crew(1, Worker, (adapter,), pulse=pulse, grace=GRACE)
