"""Diagnosis: what an allocator has missed, by the wrong allocator of the zoo that answers alike.

An allocator that answers like the specification with one sentence missing has, as far as its
failing cases show, missed that sentence. Small cases are failed alike by many, so one is named only
if it answers alike on all that are known. Of several the first is the one that is wrong on the
fewest directed cases: the others would have failed on more. Where nobody does, no single known
fault explains them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from msgspec.structs import replace

from allotment_conformance.counterexample.clause import likeliest_clause
from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.engines.features import features_of
from allotment_conformance.errors import KitError
from allotment_conformance.verdict import normal
from allotment_conformance.verdict.compare import Exchange, Oracle, exchange_of
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.verdict.received import NoAnswer, ask, received
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import leaves_choices, rules_for
from allotment_conformance.zoo.catalogue import MUTANTS, RULE, SAME_AS_THE_SPEC, Specimen
from allotment_model.clauses import CLAUSES
from allotment_model.variants import VARIANTS, Variant

TITLES: Mapping[str, str] = {clause.id: clause.title for clause in CLAUSES}

ONE_IN = 3
"""Of the directed cases that tell faults apart: enough where one fails three hundred, one four."""

AXES = ("host_order", "cache", "rusage_default")
"""What an allocator of the zoo is told of the profile that it is compared under."""


BY_CHANCE = "The failure does not come each time, so this may be chance:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The clauses that are broken, and the faults that answer alike.

    The clauses are one of each fault, or else the one that the difference belongs to. `faults`
    names those of the zoo that do so on all failing cases, `here` those that do so on this
    one only; `cases` is how many failing cases there were to tell them apart. It is not `certain`
    of a failure that does not come each time: then chance may have answered alike.
    """

    clauses: tuple[str, ...]
    faults: tuple[str, ...]
    here: tuple[str, ...] = ()
    cases: int = 1
    certain: bool = True

    def lines(self) -> list[str]:
        """For a person."""
        clauses = [f"{clause}: {TITLES[clause]}" for clause in self.clauses]
        clauses = clauses or ["none: SPEC.md 2.2, each event has exactly one answer"]
        return [*clauses, self.verdict()]

    def verdict(self) -> str:
        """Which fault it is, as far as the failing cases tell."""
        return self._alike() if self.certain else f"{BY_CHANCE} {self._alike()}"

    def _alike(self) -> str:
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
    answers_alike: Callable[[Exchange, Profile], bool]

    def clause_shown(self, case: Json, likeliest: str | None) -> str:
        """Of the clauses that it breaks the one that is the likeliest, or the first to be seen.

        Without alternatives none of ALTER is, without compounds none of COMPOUND.
        """
        if likeliest in self.clauses:
            return likeliest
        features = features_of(case)
        unseen = {"ALTER": "alter" not in features, "COMPOUND": "compound" not in features}
        seen = (one for one in self.clauses if not unseen.get(one.partition("-")[0], False))
        return next(seen, self.clauses[0])


def diagnose(
    failing: Sequence[Failing], found: Disagreement, profile: Profile, *, certain: bool = True
) -> Diagnosis:
    """What an allocator has missed that fails on these cases, the smallest first.

    `found` belongs to the smallest. An allocator that gave no answer at all has no known fault. Of
    a failure that is not `certain` to come again the clause is not told by who answers alike.
    """
    cases = [exchange_of(one.case, one.answers) for one in _distinct(failing)]
    if found.clause is not None:
        return Diagnosis(clauses=(found.clause,), faults=(), cases=len(cases), certain=certain)
    likeliest = likeliest_clause(found, profile.declares)
    alike = [one for one in suspects() if one.answers_alike(cases[0], profile)]
    on_all = [one for one in alike if all(one.answers_alike(other, profile) for other in cases[1:])]
    if len(on_all) > 1:
        # How many a fault would fail is the same for all who declare the same.
        declared = replace(profile, name="", version="")
        on_all.sort(key=lambda one: _breadth(one, declared))
    named = on_all if certain else []
    shown = dict.fromkeys(one.clause_shown(cases[0].case, likeliest) for one in named)
    return Diagnosis(
        clauses=tuple(shown) or (() if likeliest is None else (likeliest,)),
        faults=tuple(one.name for one in on_all),
        here=() if on_all else tuple(one.name for one in alike),
        cases=len(cases),
        certain=certain,
    )


@cache
def _breadth(suspect: Suspect, profile: Profile) -> int:
    """How many of some directed cases a fault would fail."""
    return sum(not suspect.answers_alike(one, profile) for one in _right_answers(profile))


@cache
def _right_answers(profile: Profile) -> list[Exchange]:
    """Directed cases within a profile, with what the specification answers."""
    adapter = ModelAdapter(profile=profile)
    return [
        exchange_of(one.case, adapter.run(one.case))
        for one in DIRECTED[::ONE_IN]
        if one.can_be_asked(profile)
    ]


def _distinct(failing: Sequence[Failing]) -> list[Failing]:
    kept: list[Failing] = []
    for one in failing:
        if one not in kept:
            kept.append(one)
    return kept


@cache
def suspects() -> list[Suspect]:
    """All faults that are known by name."""
    known = {_name(one): one for one in VARIANTS if one.name not in SAME_AS_THE_SPEC}
    rules = [
        Suspect(name=name, clauses=one.breaks, answers_alike=_variant(one))
        for name, one in known.items()
    ]
    mutants = [one for one in MUTANTS if one.kind != RULE]
    return rules + [
        Suspect(name=one.id, clauses=one.clauses, answers_alike=_mutant(one)) for one in mutants
    ]


def _name(variant: Variant) -> str:
    return variant.name.replace(" ", "-")


def _variant(variant: Variant) -> Callable[[Exchange, Profile], bool]:
    """A judge who has missed a sentence finds the answers right; it follows who was cancelled.

    A variant that ignores a refusal may break on what it then has to mean.
    """

    def answers_alike(failing: Exchange, profile: Profile) -> bool:
        oracle = Oracle(profile, variant.of(rules_for(profile)))
        try:
            return oracle.judge_exchange(failing).disagreement is None
        except Exception:
            return False

    return answers_alike


def _mutant(specimen: Specimen) -> Callable[[Exchange, Profile], bool]:
    """A mutant of the workbench gives the same answers; it makes no choices that are left open."""

    def answers_alike(failing: Exchange, profile: Profile) -> bool:
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
