"""Tallies: what a share of the work has shown, and how shares add up."""

from collections import Counter
from dataclasses import dataclass, field

from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.wire.messages import Json

MOST_FAILING = 8
"""Failing cases that are kept for diagnosis, wrong answers first: enough to tell faults apart."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A case on which the allocator disagrees, where it came from, and what it answered."""

    origin: str
    case: Json
    answers: object
    kind: Kind

    @property
    def is_inside(self) -> bool:
        """Whether only protocol events differ."""
        return self.kind is Kind.EVENTS


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of what was run; `probed` and `exercised` count cases, by clause.

    The seconds are the processor time of the allocator, the comparison and the probes.
    """

    cases: int = 0
    decisions: int = 0
    attempts_inside: int = 0
    cancelled: int = 0
    skipped: int = 0
    probed: Counter[str] = field(default_factory=Counter)
    exercised: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    failed: int = 0
    seconds_allocator: float = 0.0
    seconds_comparison: float = 0.0
    seconds_probes: float = 0.0

    def add(self, other: "Tally") -> None:
        """Count the other's cases, too."""
        for name in ("cases", "decisions", "attempts_inside", "cancelled", "skipped", "failed"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("seconds_allocator", "seconds_comparison", "seconds_probes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.probed.update(other.probed)
        self.exercised.update(other.exercised)
        failures = sorted(self.failures + other.failures, key=lambda one: one.is_inside)
        self.failures = failures[:MOST_FAILING]

    @property
    def has_wrong_answer(self) -> bool:
        """Whether an answer differed, and not protocol events alone."""
        return any(not failure.is_inside for failure in self.failures)
