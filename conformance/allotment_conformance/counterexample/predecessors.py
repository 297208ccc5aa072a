"""Failures that come only after other cases: which ones an allocator has to be asked before.

What an allocator carries from one case into the next shows only where it was asked both. So each
try here takes an allocator that was asked nothing, asks it cases from before the failing one, and
then that one. First as few of the last cases are looked for as make it fail, by doubling; then runs
of them are left out, half of them first, single ones last; then each that is left is made small.
"""

from collections.abc import Iterable, Iterator, Sequence
from time import monotonic

from allotment_conformance.counterexample.asking import (
    Asking,
    CannotAsk,
    Finding,
    Fresh,
    is_case,
    of_the_last_event,
)
from allotment_conformance.counterexample.shrink import shrink
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile

MOST_BEFORE = 512
"""Cases before a failing one that are remembered: asking them takes a program about a second."""

SECONDS = 12.0
"""How long they are looked for: a fresh program takes a tenth of a second and more a try."""

MOST_MADE_SMALL = 4
"""More cases than that are left as they are: nobody reads them, and there is no time for each."""


class After:
    """Asks each case of an allocator that was asked the same cases before, and nothing else."""

    fresh = None

    def __init__(self, fresh: Fresh, profile: Profile, before: Sequence[Json], until: float):
        self._fresh = fresh
        self.profile = profile
        self.before = tuple(before)
        self.shrink_seconds = max(0.0, until - monotonic())

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        """What came of each case."""
        return (self._fresh((*self.before, case)) for case in cases)


TIMES, LEAST_TIMES = 4, 2
"""How often a failure has to come after other cases, and never without them: chance does not. The
second is for whoever takes so long to start that the time is up."""


def fails_alone(asking: Asking, case: Json, signature: Signature) -> bool:
    """Whether a case fails in this way where nothing was asked before.

    True if there is no such place. Raises `CannotAsk` if there is one that cannot be had.
    """
    return asking.fresh is None or asking.fresh((case,)).signature == signature


def after_others(
    asking: Asking, asked: Sequence[Json], case: Json, signature: Signature
) -> After | None:
    """Whoever fails at the case: asked the fewest of the cases before it that were found in time.

    None if there is nobody, also if the failure comes by chance: it has to come each time in the
    end, and never without them.
    """
    if asking.fresh is None:
        return None
    search = _Search(asking.fresh, case, signature)
    before = search.suffix(asked)
    if before is None:
        return None
    before = search.made_small(search.fewest(before))
    if not before or not search.is_due_to(before):
        return None
    return After(asking.fresh, asking.profile, before, search.until)


class _Search:
    """The tries for one case; after the time none fails any more."""

    def __init__(self, fresh: Fresh, case: Json, signature: Signature) -> None:
        self.fresh, self.case, self.signature = fresh, case, signature
        self.until = monotonic() + SECONDS

    def fails(self, before: Sequence[Json], until: float) -> bool:
        """Whether the case fails after these."""
        return monotonic() < until and self.fails_now(before)

    def fails_now(self, before: Sequence[Json]) -> bool:
        """The same, however late it is. A case of which nothing comes does not fail."""
        try:
            return self.fresh((*before, self.case)).signature == self.signature
        except CannotAsk:
            return False

    def is_due_to(self, before: Sequence[Json]) -> bool:
        """Whether the case fails each time after these, and never without them."""
        for time in range(TIMES):
            if time >= LEAST_TIMES and monotonic() >= self.until:
                break
            if not self.fails_now(before) or self.fails_now(()):
                return False
        return True

    def suffix(self, asked: Sequence[Json]) -> Sequence[Json] | None:
        """The last none, one, two, four, … of the cases that make it fail; None if none do."""
        sizes = [0, *(2**power for power in range(len(asked).bit_length())), len(asked)]
        suffixes = (asked[len(asked) - size :] for size in dict.fromkeys(sizes))
        return next((one for one in suffixes if self.fails(one, self.until)), None)

    def fewest(self, before: Sequence[Json]) -> Sequence[Json]:
        """Of these cases no single one can be left out, if there was time to try all."""
        size = max(1, len(before) // 2)
        while before and size:
            fewer = (
                [*before[:start], *before[start + size :]] for start in range(0, len(before), size)
            )
            found = next((one for one in fewer if self.fails(one, self.until)), None)
            size = size // 2 if found is None else min(size, len(found))
            before = before if found is None else found
        return before

    def made_small(self, before: Sequence[Json]) -> Sequence[Json]:
        """Each of these cases made small, in half of the time: the rest is for the failing one."""
        if len(before) > MOST_MADE_SMALL:
            return before
        until = monotonic() + (self.until - monotonic()) / 2
        for number in range(len(before)):
            before = [*before[:number], self._smaller(before, number, until), *before[number + 1 :]]
        return before

    def _smaller(self, before: Sequence[Json], number: int, until: float) -> Json:
        """One of the cases before, as small as it may be for the failing one to fail."""

        def fails(smaller: Json) -> Disagreement | None:
            others = [*before[:number], smaller, *before[number + 1 :]]
            is_known = smaller is before[number]
            if is_known or (is_case(smaller) and self.fails(others, until)):
                return of_the_last_event(smaller, "needed")
            return None

        return shrink(before[number], fails)
