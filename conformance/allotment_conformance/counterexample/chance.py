"""Failures that come by chance: whether a case fails each time that it is asked.

An allocator that errs at random may agree with anybody on a few cases. So before a counterexample
is told it is asked many times over, and then, if it did not fail each time, of some that were asked
nothing yet: there, what the allocator has learnt from the case itself changes nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from time import monotonic

from allotment_conformance.counterexample.asking import Asking, CannotAsk
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.wire.messages import Json

MOST = 40
"""How often a case is asked again: one that fails nine times of ten is told in 98 of 100 runs."""

SECONDS = 2.0
"""How long that may take: most answer in a thousandth of it."""

FRESH = 5
"""Of so many that were asked nothing yet; each takes a tenth of a second and more to start."""


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
    until = monotonic() + SECONDS

    def cases() -> Iterator[Json]:
        for _time in range(most):
            if monotonic() < until:
                yield case

    told = [finding.signature == signature for finding in asking.findings(cases())]
    in_a_row = Times(failed=sum(told), asked=len(told))
    if in_a_row.is_each or asking.fresh is None:
        return in_a_row
    try:
        alone = [asking.fresh((case,)).signature == signature for _time in range(FRESH)]
    except CannotAsk:
        return in_a_row
    first = Times(failed=sum(alone), asked=FRESH)
    return first if first.is_each else first.plus(in_a_row)
