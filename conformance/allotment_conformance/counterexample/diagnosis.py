"""Diagnosis: which clause a disagreement breaks, by the variant that answers alike.

An allocator that answers like the specification with one sentence missing has, as far as this
case shows, missed that sentence. Where no variant answers alike, the clause is the one that the
difference belongs to first of all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, Profile, read_answers
from allotment_conformance.wire.profiles import rules_for
from allotment_model.answers import Ran
from allotment_model.clauses import CLAUSES
from allotment_model.oracle.blame import broken_clause, broken_clause_of_job
from allotment_model.variants import VARIANTS, Variant

TITLES: Mapping[str, str] = {clause.id: clause.title for clause in CLAUSES}

CLAUSE_OF_NOTE = {
    "primary": "COMPOUND-2",
    "hit": "CACHE-4",
    "plan": "PLAN-1",
    "offered": "HOST-1",
    "refused": "HOST-7",
    "claimed": "PAR-1",
    "reversed": "UNDO-1",
    "filled": "CACHE-3",
    "committed": "UNDO-4",
}
"""The clause of a protocol event that is lacking, or that should not be there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The clauses that are broken, the likeliest first, and the variants that answer alike."""

    clauses: tuple[str, ...]
    variants: tuple[str, ...]

    def lines(self) -> list[str]:
        """For a person."""
        clauses = [f"{clause}: {TITLES[clause]}" for clause in self.clauses]
        clauses = clauses or ["none: SPEC.md 2.2, each event has exactly one answer"]
        if not self.variants:
            return clauses
        faults = ", ".join(f"'{name}'" for name in self.variants)
        return [*clauses, f"The specification with this fault answers alike: {faults}."]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A case, and what the allocator answered that the specification does not allow."""

    case: Json
    answers: object


def diagnose(failing: Sequence[Failing], found: Disagreement, profile: Profile) -> Diagnosis:
    """What an allocator has missed that fails on these cases, the smallest first.

    Small cases are failed alike by several variants, so one that answers alike on all of them is
    preferred to one that does so on the smallest only. `found` belongs to the smallest.
    """
    if found.clause is not None:
        return Diagnosis(clauses=(found.clause,), variants=())
    alike = [variant for variant in VARIANTS if answers_alike(variant, failing[0], profile)]
    on_all = [
        variant
        for variant in alike
        if all(answers_alike(variant, one, profile) for one in failing[1:])
    ]
    named = on_all or alike
    if named:
        clauses = dict.fromkeys(clause for variant in named for clause in variant.breaks[:1])
        names = tuple(variant.name for variant in named)
        return Diagnosis(clauses=tuple(clauses), variants=names)
    clause = clause_of(found)
    return Diagnosis(clauses=() if clause is None else (clause,), variants=())


def answers_alike(variant: Variant, failing: Failing, profile: Profile) -> bool:
    """Whether the variant answers a case like the allocator.

    A variant that ignores a refusal may break on what it then has to mean.
    """
    oracle = Oracle(profile, variant.of(rules_for(profile)))
    try:
        return oracle.judge(failing.case, failing.answers).disagreement is None
    except Exception:
        return False


def clause_of(found: Disagreement) -> str | None:
    """The clause that the difference belongs to; None where there was no answer."""
    match found.kind:
        case Kind.CRASH | Kind.MALFORMED | Kind.COUNT:
            return None
        case Kind.QUEUE:
            return "SESSION-1"
        case Kind.BOOKS:
            return "SESSION-3"
        case Kind.CANCELLED:
            return "CANCEL-1"
        case Kind.EVENTS:
            return _clause_of_notes(found)
        case _:
            return _clause_of_answers(found)


def _clause_of_notes(found: Disagreement) -> str:
    """The clause of the first protocol event that differs."""
    told, other = (
        next(one.get("events", []) for one in answer["jobs"] if one["job"] == found.job)
        for answer in (found.expected, found.actual)
    )
    pairs = zip([*told, ["end"]], [*other, ["end"]], strict=False)
    expected, actual = next((a, b) for a, b in pairs if a != b)
    return CLAUSE_OF_NOTE[expected[0] if expected[0] != "end" else actual[0]]


def _clause_of_answers(found: Disagreement) -> str:
    expected, actual = map(to_model.answer, read_answers([found.expected, found.actual]))
    if found.job is None or not isinstance(expected, Ran) or not isinstance(actual, Ran):
        return broken_clause(expected, actual)
    one, other = (
        next(tried.answer for tried in answer.jobs if tried.job == found.job)
        for answer in (expected, actual)
    )
    return broken_clause_of_job(one, other)
