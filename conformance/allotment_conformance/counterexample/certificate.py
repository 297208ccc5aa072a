"""Certificates: how far a failing case is known to be the smallest that fails in this way.

First every case that is one step below is run, then everything below, the smallest first. A smaller
case that fails in the same way is the end of it: the case is not the smallest, and that one takes
its place. What is found so has nothing below it that fails in this way and comes before it.
"""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic

from allotment_conformance.counterexample.asking import Asking, Finding, is_case
from allotment_conformance.counterexample.order import MOST, TooMany, limited, smaller, steps
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.wire.messages import Json

SECONDS = 5.0
"""How long a certificate may take; `benchmarks/counterexamples.py` says what most need."""


class Claim(StrEnum):
    """What a certificate says."""

    SMALLEST = "smallest"
    LOCAL = "locally minimal"
    NONE = "not certified"


class Ended(StrEnum):
    """Why no more smaller cases were run."""

    DONE = "all were run"
    MANY = "there are too many"
    TIME = "the time was up"
    CHOICES = "some have too many choices to be judged"
    CHANCE = "another failure of this run did not come again, so that a case agrees may be chance"
    NOT_EACH_TIME = "it did not fail each time that it was asked"
    NOT_CARRIED_THROUGH = "that was not carried through"


@dataclass(slots=True, kw_only=True)
class Certificate:
    """What is known of the cases below a counterexample, in the order of `order`.

    `smaller` counts them, None if they are more than `MOST`. `run` were asked, `not_cases` cannot
    be: SPEC.md 2.1 does not allow them. Of those that were run some event was refused in `refused`,
    and `otherwise` failed in another way; no other one failed, but `skipped` were not judged to
    their end. `limited` are the places of numbers
    that took four values only.
    """

    claim: Claim = Claim.NONE
    ended: Ended = Ended.NOT_CARRIED_THROUGH
    smaller: int | None = None
    run: int = 0
    not_cases: int = 0
    refused: int = 0
    otherwise: int = 0
    skipped: int = 0
    limited: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """For a person."""
        match self.claim:
            case Claim.SMALLEST:
                told = [f"Smallest: none of the {self.smaller:,} smaller cases fails in this way."]
            case Claim.LOCAL:
                of_all = f"Of {self._all} smaller cases {self.run:,} were run; {self.ended}."
                told = [f"Locally minimal: no case one step below fails in this way. {of_all}"]
            case Claim.NONE:
                return [f"Not certified to be the smallest: {self.ended}."]
        counts = [
            (self.not_cases, "are no cases"),
            (self.refused, "have an event that is refused"),
            (self.otherwise, "fail in another way"),
            (self.skipped, "were not judged to their end"),
        ]
        told += [f"{count:,} of them {what}." for count, what in counts if count]
        if self.limited:
            places = ", ".join(self.limited)
            told.append(f"Lowered only to the next number, the half and the last: {places}.")
        return told

    def by_chance(self) -> "Certificate":
        """What is known where the allocator is known to err by chance: nothing of smaller cases."""
        if self.claim is Claim.NONE:
            return self
        return replace(self, claim=Claim.NONE, ended=Ended.CHANCE)

    @property
    def _all(self) -> str:
        return f"more than {MOST:,}" if self.smaller is None else f"{self.smaller:,}"


def certify(
    asking: Asking, case: Json, signature: Signature, seconds: float = SECONDS
) -> Certificate | Finding:
    """The certificate of a case that fails with this signature, or a smaller one that does, too."""
    return _Certification(asking, case, signature, monotonic() + seconds).result()


class _Certification:
    """The runs for one certificate."""

    def __init__(self, asking: Asking, case: Json, signature: Signature, until: float) -> None:
        self.asking = asking
        self.case = case
        self.signature = signature
        self.until = until
        self.certificate = Certificate(limited=limited(case))
        self.seen: set[str] = set()
        self.found: Finding | None = None
        self.is_cut = False

    def result(self) -> Certificate | Finding:
        told = self.certificate
        if self._all_differ(steps(self.case)):
            told.claim, told.ended = Claim.LOCAL, Ended.MANY
            try:
                below = smaller(self.case)
            except TooMany:
                return told
            told.smaller = len(below)
            if self._all_differ(below):
                told.claim, told.ended = Claim.SMALLEST, Ended.DONE
        if self.found is not None:
            return self.found
        if told.claim is not Claim.SMALLEST:
            told.ended = Ended.TIME if self.is_cut else Ended.CHOICES
        return told

    def _all_differ(self, cases: Iterable[Json]) -> bool:
        """Whether all these were run in time and judged, and none fails in the same way."""
        for finding in self.asking.findings(self._asked(cases)):
            self.certificate.run += 1
            self.certificate.refused += _is_refused(finding)
            self.certificate.skipped += finding.skipped
            if finding.signature == self.signature:
                self.found = self.found or finding
            else:
                self.certificate.otherwise += finding.signature is not None
        return self.found is None and not self.is_cut and not self.certificate.skipped

    def _asked(self, cases: Iterable[Json]) -> Iterator[Json]:
        """The cases to be run; none more once there is something to tell, or the time is up."""
        for case in cases:
            self.is_cut = monotonic() >= self.until
            if self.found is not None or self.is_cut:
                return
            name = json.dumps(case, sort_keys=True)
            if name in self.seen:
                continue
            self.seen.add(name)
            if is_case(case):
                yield case
            else:
                self.certificate.not_cases += 1


def _is_refused(finding: Finding) -> bool:
    answers = finding.answers if isinstance(finding.answers, list) else []
    return any(isinstance(one, dict) and one.get("answer") == "refused" for one in answers)
