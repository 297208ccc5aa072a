"""Failures that come by chance: whether a case fails each time that it is asked.

An allocator that errs at random may agree with anybody on a few cases. So before a counterexample
is told it is asked many times over. What an allocator learns from a case may make it answer
otherwise the next time, too; neither is sure to come again.
"""

from dataclasses import dataclass
from time import monotonic

from allotment_conformance.counterexample.asking import Asking
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.wire.messages import Json

MOST = 40
"""How often a case is asked again: one that fails nine times of ten is told in 98 of 100 runs."""

SECONDS = 2.0
"""How long that may take: most answer in a thousandth of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How often a case failed in the same way, of so many times that it was asked."""

    failed: int
    asked: int

    @property
    def is_each(self) -> bool:
        """Whether it failed each time."""
        return self.failed == self.asked

    def words(self) -> str:
        """For a person."""
        return (
            f"Not each time: it failed {self.failed} of the {self.asked} times it was asked again."
        )


def times_again(asking: Asking, case: Json, signature: Signature, most: int = MOST) -> Times:
    """How often a case fails that has failed.

    It is asked once, once more, twice, four times, …, since whoever is slow is asked ahead, too.
    """
    until, failed, asked = monotonic() + SECONDS, 0, 0
    while asked < most and monotonic() < until:
        cases = [case] * min(max(1, asked), most - asked)
        failed += sum(one.signature == signature for one in asking.findings(cases))
        asked += len(cases)
    return Times(failed=failed, asked=asked)
