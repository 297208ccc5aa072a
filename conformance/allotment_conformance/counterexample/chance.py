"""Failures that come by chance: whether a case fails each time that it is asked.

An allocator that errs at random may agree with anybody on a few cases. So before a counterexample
is told it is asked many times over, and then, if it did not fail each time, of some that were asked
nothing yet: there, what the allocator has learnt from the case itself changes nothing.
"""

from dataclasses import dataclass
from time import monotonic

from allotment_conformance.counterexample.asking import Asking, CannotAsk, Fresh
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.wire.messages import Json

MOST = 40
"""How often a case is asked again: one that fails nine times of ten is told in 98 of 100 runs."""

SECONDS = 2.0
"""How long that may take: most answer in a thousandth of it."""

FRESH, LEAST_FRESH = 5, 2
"""Of so many that were asked nothing yet; each takes a tenth of a second and more to start, so that
there may be time for two only."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """How often a case failed in the same way, of so many times that it was asked."""

    failed: int
    asked: int

    @property
    def is_each(self) -> bool:
        """Whether it failed each time."""
        return self.failed == self.asked

    def plus(self, other: "Times") -> "Times":
        """Both together."""
        return Times(failed=self.failed + other.failed, asked=self.asked + other.asked)

    def words(self) -> str:
        """For a person."""
        return (
            f"Not each time: it failed {self.failed} of the {self.asked} times it was asked again."
        )


def times_again(asking: Asking, case: Json, signature: Signature, most: int = MOST) -> Times:
    """How often a case fails that has failed."""
    in_a_row = _in_a_row(asking, case, signature, most)
    if in_a_row.is_each or asking.fresh is None:
        return in_a_row
    try:
        first = _each_first(asking.fresh, case, signature)
    except CannotAsk:
        return in_a_row
    return first if first.is_each else first.plus(in_a_row)


def _in_a_row(asking: Asking, case: Json, signature: Signature, most: int) -> Times:
    """Asked once, once more, twice, four times, …, since whoever is slow is asked ahead, too."""
    until, told = monotonic() + SECONDS, Times(failed=0, asked=0)
    while told.asked < most and monotonic() < until:
        cases = [case] * min(max(1, told.asked), most - told.asked)
        failed = sum(one.signature == signature for one in asking.findings(cases))
        told = told.plus(Times(failed=failed, asked=len(cases)))
    return told


def _each_first(fresh: Fresh, case: Json, signature: Signature) -> Times:
    """Asked some that were asked nothing yet: two at least. Raises `CannotAsk`."""
    until, told = monotonic() + SECONDS, Times(failed=0, asked=0)
    while told.asked < FRESH and (told.asked < LEAST_FRESH or monotonic() < until):
        failed = fresh((case,)).signature == signature
        told = told.plus(Times(failed=int(failed), asked=1))
    return told
