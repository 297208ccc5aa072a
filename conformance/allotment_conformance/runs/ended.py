"""A case at which an allocator ended the process it ran in: whether it does so again.

Who ends processes is asked in others only, one for each try: the case alone, and then behind those
that the same process was asked before it.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from allotment_conformance.counterexample.asking import CannotAsk, Finding, Fresh
from allotment_conformance.counterexample.find import FailingCase
from allotment_conformance.counterexample.predecessors import MOST_BEFORE, after_others
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.messages import Json, Profile

NOT_AGAIN = (
    "It did not end its process again, alone or behind some of the last {} cases before it, as far "
    "as there was time. Only this case is kept, not those that its process was asked before."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedProcess:
    """A process that the allocator in it has ended, at a case if it was at one: `words` say how.

    `again`: it did so once more in a process of its own, alone or behind others.
    """

    origin: str
    case: Json | None
    words: str
    again: bool = False


class Apart:
    """Asks each case of an allocator in a process of its own."""

    def __init__(self, profile: Profile, fresh: Fresh, shrink_seconds: float = 0.0) -> None:
        self.profile = profile
        self.fresh = fresh
        self.shrink_seconds = shrink_seconds

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        """What came of each case."""
        return (self.fresh((case,)) for case in cases)


def as_it_ended(ended: EndedProcess) -> FailingCase | None:
    """The case as one without usable answers, asked once; None if the process ended at none."""
    if ended.case is None:
        return None
    failure = Failure(ending=Ending.CRASH, words=ended.words)
    return FailingCase(origin=ended.origin, case=ended.case, failure=failure, reproduced=False)


def ended_again(
    shown: FailingCase, before: Sequence[Json], fresh: Fresh, profile: Profile
) -> FailingCase:
    """The same, with the cases without which it does not end its process; else it says so."""
    before = before[-MOST_BEFORE:]
    try:
        if fresh((shown.case,)).signature == shown.signature:
            return replace(shown, reproduced=True)
    except CannotAsk as why:
        return replace(shown, remark=f"It was not asked again: {why}.")
    after = after_others(Apart(profile, fresh), before, shown.case, shown.signature)
    if after is None:
        return replace(shown, remark=NOT_AGAIN.format(len(before)))
    return replace(shown, reproduced=True, before=after.before)
