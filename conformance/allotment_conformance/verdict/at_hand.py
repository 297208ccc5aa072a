"""What an allocator was doing when its time was up, or when it ended the process it ran in."""

from dataclasses import dataclass

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

    `again`: it did so once more in a process of its own, alone or behind others.
    """

    origin: str
    case: Json | None
    words: str
    again: bool
