"""Diagnosis: what an allocator has missed, by the wrong allocator of the zoo that answers alike.

An allocator that answers like the specification with one sentence missing has, as far as its
failing cases show, missed that sentence. Small cases are failed alike by many, so one is named only
if it answers alike on all that are known. Where nobody does, no single known fault explains them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from allotment_conformance.counterexample.clause import likeliest_clause
from allotment_conformance.errors import KitError
from allotment_conformance.verdict import normal
from allotment_conformance.verdict.compare import Exchange, Oracle, exchange_of
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.verdict.received import NoAnswer, ask, received
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import leaves_choices, rules_for
from allotment_conformance.zoo.catalogue import MUTANTS, RULE, SAME_AS_THE_SPEC, Specimen
from allotment_model.clauses import CLAUSES
from allotment_model.rules import Rules
from allotment_model.variants import VARIANTS, Variant

TITLES: Mapping[str, str] = {clause.id: clause.title for clause in CLAUSES}

AXES = ("host_order", "cache", "rusage_default")
"""What an allocator of the zoo is told of the profile that it is compared under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The clauses that are broken, and the faults that answer alike.

    The clauses are those of the faults, or else the one that the difference belongs to. `faults`
    names those of the zoo that do so on all failing cases, `here` those that do so on this
    one only; `cases` is how many failing cases there were to tell them apart.
    """

    clauses: tuple[str, ...]
    faults: tuple[str, ...]
    here: tuple[str, ...] = ()
    cases: int = 1

    def lines(self) -> list[str]:
        """For a person."""
        clauses = [f"{clause}: {TITLES[clause]}" for clause in self.clauses]
        clauses = clauses or ["none: SPEC.md 2.2, each event has exactly one answer"]
        return [*clauses, self.verdict()]

    def verdict(self) -> str:
        """Which fault it is, as far as the failing cases tell."""
        of_all = "this case" if self.cases == 1 else f"all {self.cases} cases that were compared"
        if self.faults:
            return f"This fault answers alike on {of_all}: {_quoted(self.faults)}."
        told = f"No single known fault answers alike on {of_all}"
        return f"{told}; on this one: {_quoted(self.here)}." if self.here else f"{told}."


MOST_NAMED = 6
"""Names that a person would still look up."""


def _quoted(names: Sequence[str]) -> str:
    told = [f"'{name}'" for name in names[:MOST_NAMED]]
    more = len(names) - MOST_NAMED
    return ", ".join(told) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A case, and what the allocator answered that the specification does not allow."""

    case: Json
    answers: object


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A fault that is known by name, the clauses that it breaks, and whether it answers alike."""

    name: str
    clauses: tuple[str, ...]
    answers_alike: Callable[[Exchange], bool]


def diagnose(failing: Sequence[Failing], found: Disagreement, profile: Profile) -> Diagnosis:
    """What an allocator has missed that fails on these cases, the smallest first.

    `found` belongs to the smallest. An allocator that gave no answer at all has no known fault.
    """
    cases = [exchange_of(one.case, one.answers) for one in _distinct(failing)]
    if found.clause is not None:
        return Diagnosis(clauses=(found.clause,), faults=(), cases=len(cases))
    alike = [one for one in suspects(profile) if one.answers_alike(cases[0])]
    on_all = [one for one in alike if all(map(one.answers_alike, cases[1:]))]
    clauses = tuple(dict.fromkeys(clause for one in on_all for clause in one.clauses[:1]))
    if not clauses:
        clause = likeliest_clause(found, profile.declares)
        clauses = () if clause is None else (clause,)
    return Diagnosis(
        clauses=clauses,
        faults=tuple(one.name for one in on_all),
        here=() if on_all else tuple(one.name for one in alike),
        cases=len(cases),
    )


def _distinct(failing: Sequence[Failing]) -> list[Failing]:
    kept: list[Failing] = []
    for one in failing:
        if one not in kept:
            kept.append(one)
    return kept


def suspects(profile: Profile) -> list[Suspect]:
    """All faults that are known by name, of an allocator with that profile."""
    known = {_name(one): one for one in VARIANTS if one.name not in SAME_AS_THE_SPEC}
    right = rules_for(profile)
    rules = [
        Suspect(name=name, clauses=one.breaks, answers_alike=_variant(one.of(right), profile))
        for name, one in known.items()
    ]
    mutants = [one for one in MUTANTS if one.kind != RULE]
    return rules + [
        Suspect(name=one.id, clauses=one.clauses, answers_alike=_mutant(one, profile))
        for one in mutants
    ]


def _name(variant: Variant) -> str:
    return variant.name.replace(" ", "-")


def _variant(wrong: Rules, profile: Profile) -> Callable[[Exchange], bool]:
    """A judge who has missed a sentence finds the answers right; it follows who was cancelled.

    A variant that ignores a refusal may break on what it then has to mean.
    """

    def answers_alike(failing: Exchange) -> bool:
        try:
            return Oracle(profile, wrong).judge_exchange(failing).disagreement is None
        except Exception:
            return False

    return answers_alike


def _mutant(specimen: Specimen, profile: Profile) -> Callable[[Exchange], bool]:
    """A mutant of the workbench gives the same answers; it makes no choices that are left open."""

    def answers_alike(failing: Exchange) -> bool:
        if leaves_choices(profile):
            return False
        try:
            mutant = specimen.make(**{axis: getattr(profile, axis) for axis in AXES})
        except KitError:
            return False
        return _are_equal(ask(mutant, failing.case), failing, profile)

    return answers_alike


def _are_equal(answers: object, failing: Exchange, profile: Profile) -> bool:
    """Whether two lists of answers say the same; what is no answer is equal to nothing."""
    case = failing.case
    told = [received(answers, len(failing.events)), failing.given]
    if any(isinstance(one, NoAnswer) for side in told for one in side):
        return False
    one, other = (
        normal.answers(side, case, case.get("report", ()), profile.declares) for side in told
    )
    return one == other
