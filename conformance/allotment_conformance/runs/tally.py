"""Tallies: what a share of the work has shown, and how shares add up."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

from allotment_conformance.counterexample.clause import clause_of
from allotment_conformance.counterexample.signature import Signature, signature_of
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire import failure as wire
from allotment_conformance.wire.messages import Json

MOST_FAILING = 8
"""Failing cases that are kept for diagnosis: enough to tell faults apart."""

MOST_SIGNATURES = 20
"""Failing cases that are kept if each is the first of its signature: a report tells no more."""


KINDS = [str(kind) for kind in Kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """A case on which the allocator disagrees, where it came from, what it answered, and how that
    is wrong. `before` are cases that the same process was asked before, as many as are remembered.
    `clause` is that of the difference, empty if there is none; diagnosis may know better.
    """

    origin: str
    case: Json
    answers: object
    signature: Signature
    before: tuple[Json, ...] = ()
    clause: str = ""

    @property
    def is_inside(self) -> bool:
        """Whether only protocol events differ."""
        return self.signature.kind == Kind.EVENTS


def failure_of(
    origin: str, case: Json, answers: object, found: Disagreement, before: Iterable[Json] = ()
) -> Failure:
    """The failure that a disagreement is."""
    return Failure(
        origin=origin,
        case=case,
        answers=answers,
        signature=signature_of(found),
        before=tuple(before),
        clause=found.clause or clause_of(found) or "",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What else a run has seen of an allocator that fails.

    `failures` are failing cases, `agreed` the numbers of the directed cases on which it agrees.
    """

    failures: tuple[Failure, ...] = ()
    agreed: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A case that has no usable answers, where it came from, and how the program failed.

    `before` as for a `Failure`.
    """

    origin: str
    case: Json
    failure: wire.Failure
    before: tuple[Json, ...] = ()


class Replay(StrEnum):
    """What became of a case on which an allocator once failed.

    Failed: the answers are wrong, or none are usable, as after a crash, a timeout or a broken
    message. An error: it cannot be asked. Unsure: it agrees, as it did when it was asked again at
    once; it fails by chance, or only after other cases.
    """

    FIXED = "FIXED"
    FAILED = "FAILED"
    ERROR = "ERROR"
    UNSURE = "UNSURE"


def replay_of(found: Disagreement | None, reproduced: bool) -> Replay:
    """What a disagreement, or none, means for a case that is run again.

    `reproduced`: the failure came again when the case was asked a second time.
    """
    if found is None:
        return Replay.FIXED if reproduced else Replay.UNSURE
    return Replay.FAILED


def replay_of_failure(failure: wire.Failure) -> Replay:
    """What it means that a program gave no usable answers to a case that is run again."""
    return Replay.ERROR if failure.at_start else Replay.FAILED


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptCase:
    """A case that was kept, with the name of its folder, and whether it failed again at once.

    `before` are the cases that have to be asked before it, for it to fail. `sentence` says how it
    failed, and which clauses that breaks.
    """

    name: str
    case: Json
    before: tuple[Json, ...] = ()
    reproduced: bool = True
    sentence: str = ""


COUNTS = (
    *("cases", "decisions", "attempts_inside", "cancelled", "cancels_asked"),
    *("skipped", "failed"),
)
"""The plain counts of a `Tally`."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """Counts of what was run; `probed` and `exercised` count cases, by clause.

    `replayed` says of each case that was kept what became of it. `agreed` are the numbers of the
    directed cases on which the allocator agrees.
    The seconds are the processor time of the allocator, the comparison and the probes.
    """

    cases: int = 0
    decisions: int = 0
    attempts_inside: int = 0
    cancelled: int = 0
    cancels_asked: int = 0
    skipped: int = 0
    probed: Counter[str] = field(default_factory=Counter)
    exercised: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)
    failed: int = 0
    replayed: dict[str, Replay] = field(default_factory=dict)
    agreed: list[int] = field(default_factory=list)
    seconds_allocator: float = 0.0
    seconds_comparison: float = 0.0
    seconds_probes: float = 0.0

    def add(self, other: "Tally") -> None:
        """Count the other's cases, too."""
        for name in COUNTS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("seconds_allocator", "seconds_comparison", "seconds_probes"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.probed.update(other.probed)
        self.exercised.update(other.exercised)
        self.replayed.update(other.replayed)
        self.agreed += other.agreed
        self.failures = foremost(self.failures + other.failures)

    @property
    def seen(self) -> Seen:
        """What a diagnosis takes into account."""
        failures = tuple(self.failures[:MOST_FAILING])
        return Seen(failures=failures, agreed=frozenset(self.agreed))

    @property
    def has_wrong_answer(self) -> bool:
        """Whether an answer differed, and not protocol events alone."""
        return any(not failure.is_inside for failure in self.failures)

    @property
    def distinct(self) -> list[Failure]:
        """The first failure of each signature, in the order of `Kind`.

        Protocol events count only if no answer is wrong.
        """
        first: dict[Signature, Failure] = {}
        for failure in self.failures:
            if not (failure.is_inside and self.has_wrong_answer):
                first.setdefault(failure.signature, failure)
        return sorted(first.values(), key=lambda one: KINDS.index(one.signature.kind))


def foremost(failures: list[Failure]) -> list[Failure]:
    """The failures that are kept: one of each signature before a second, wrong answers first.

    A second takes the place of no first.
    """
    before: Counter[Signature] = Counter()
    ranked = []
    for failure in failures:
        ranked.append((failure.is_inside, before[failure.signature], failure))
        before[failure.signature] += 1
    ranked.sort(key=lambda one: one[:2])
    firsts = [failure for _inside, rank, failure in ranked[MOST_FAILING:] if not rank]
    return [*(one for *_rank, one in ranked[:MOST_FAILING]), *firsts][:MOST_SIGNATURES]
