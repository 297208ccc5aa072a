"""What an allocator was doing when its time was up, or when it ended the process it ran in."""

from dataclasses import dataclass

from allotment_conformance.counterexample.find import FailingCase
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.messages import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHand:
    """What is being done, in words, with its case if it is one, and for how many seconds."""

    origin: str
    case: Json | None
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """An allocator that ended the process in which it ran, at a case: `words` say how.

    `again`: it did so once more when it was asked this case alone, in a process of its own.
    """

    origin: str
    case: Json | None
    words: str
    again: bool

    def failing_case(self) -> FailingCase | None:
        """The case as one without usable answers; None if the process ended at none."""
        if self.case is None:
            return None
        failure = Failure(ending=Ending.CRASH, words=self.words)
        return FailingCase(
            origin=self.origin, case=self.case, failure=failure, reproduced=self.again
        )
