"""One case once more, as it is: what `--case` asks for."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import monotonic

from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.verdict.pool import AtWork, Crew, Lost
from allotment_conformance.verdict.verification import (
    GRACE,
    SECONDS_TO_LOOK_CLOSER,
    End,
    OutOfTime,
)
from allotment_conformance.verdict.work import Worker
from allotment_conformance.wire.messages import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Again:
    """What came of one case that was run once more."""

    end: End
    counterexample: Counterexample | None = None
    words: str = ""


def run_again(adapter: str, case: Json, budget: float | None = None) -> Again:
    """Run one case as it is, in a process of its own. Raises `NotACase` and other refusals."""
    start = monotonic()

    def pulse(_at_work: Sequence[AtWork]) -> None:
        if budget is not None and monotonic() - start >= max(budget, SECONDS_TO_LOOK_CLOSER):
            raise OutOfTime

    with Crew(1, Worker, (adapter,), pulse=pulse, grace=GRACE) as crew:
        try:
            found = crew.one(Worker.again, case)
        except Lost as lost:
            return Again(end=End.CRASH, words=lost.words)
        except OutOfTime:
            return Again(end=End.BUDGET)
        except KeyboardInterrupt:
            return Again(end=End.INTERRUPTED)
    return Again(end=End.DONE if found is None else End.WRONG, counterexample=found)
