"""Suspects: the wrong allocators of the zoo, as faults that an allocator may have."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from msgspec.structs import replace

from allotment_conformance.engines.all_directed import ALL_DIRECTED, SAMPLE, as_asked
from allotment_conformance.engines.features import features_of
from allotment_conformance.errors import KitError
from allotment_conformance.verdict import normal
from allotment_conformance.verdict.compare import Exchange, Oracle, exchange_of
from allotment_conformance.verdict.received import NoAnswer, ask, received
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import leaves_choices, rules_for
from allotment_conformance.zoo.catalogue import MUTANTS, RULE, SAME_AS_THE_SPEC, Specimen
from allotment_model.variants import VARIANTS, Variant

AXES = ("host_order", "cache", "rusage_default")
"""What an allocator of the zoo is told of the profile that it is compared under."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspect:
    """A fault that is known by name, the clauses that it breaks, and whether it answers alike.

    `answers` are what it would answer to a case, None where it cannot be asked under the profile.
    """

    name: str
    clauses: tuple[str, ...]
    answers_alike: Callable[[Exchange, Profile], bool]
    answers: Callable[[Json, Profile], object]


def clause_shown(clauses: Sequence[str], case: Json, likeliest: str | None) -> str:
    """Of the clauses that a fault breaks the one that is the likeliest, or the first to be seen.

    Without alternatives none of ALTER is, without compounds none of COMPOUND.
    """
    if likeliest is not None and likeliest in clauses:
        return likeliest
    features = features_of(case)
    unseen = {"ALTER": "alter" not in features, "COMPOUND": "compound" not in features}
    seen = (one for one in clauses if not unseen.get(one.partition("-")[0], False))
    return next(seen, clauses[0])


@cache
def asked_of(suspect: Suspect) -> frozenset[int]:
    """The numbers of the directed cases that a suspect is asked.

    They are those of the sample, and all that were made for a clause that it breaks.
    """
    clauses = set(suspect.clauses)
    own = (n for n, one in enumerate(ALL_DIRECTED) if not clauses.isdisjoint(one.clauses))
    return frozenset((*SAMPLE, *own))


def fails(suspect: Suspect, profile: Profile, among: frozenset[int]) -> frozenset[int]:
    """The numbers of those cases that an allocator with this fault fails, of the ones `among`."""
    # Who declares the same is told the same, whatever its name.
    declared = replace(profile, name="", version="")
    asked = asked_of(suspect) & among
    return frozenset(number for number in asked if _fails(suspect, number, declared))


@cache
def _fails(suspect: Suspect, number: int, profile: Profile) -> bool:
    return ALL_DIRECTED[number].can_be_asked(profile) and _is_wrong(
        suspect, _right_answers(number, profile), profile
    )


def _is_wrong(suspect: Suspect, right: Exchange, profile: Profile) -> bool:
    """Whether it would answer what is not permitted: others than these may be right, too."""
    answers = suspect.answers(right.case, profile)
    if _are_equal(answers, right, profile):
        return False
    return Oracle(profile).judge(right.case, answers).disagreement is not None


@cache
def _right_answers(number: int, profile: Profile) -> Exchange:
    """The directed case of that number, with what the specification answers."""
    case = as_asked(ALL_DIRECTED[number], profile)
    return exchange_of(case, ask(ModelAdapter(profile=profile), case))


@cache
def suspects() -> list[Suspect]:
    """All faults that are known by name."""
    rules = [_variant(one) for one in VARIANTS if one.name not in SAME_AS_THE_SPEC]
    return rules + [_mutant(one) for one in MUTANTS if one.kind != RULE]


def _variant(variant: Variant) -> Suspect:
    """A judge who has missed a sentence finds the answers right; it follows who was cancelled.

    A variant that ignores a refusal may break on what it then has to mean.
    """

    def answers_alike(failing: Exchange, profile: Profile) -> bool:
        oracle = Oracle(profile, variant.of(rules_for(profile)))
        try:
            return oracle.judge_exchange(failing).disagreement is None
        except Exception:
            return False

    def answers(case: Json, profile: Profile) -> object:
        return ask(ModelAdapter(variant.of(rules_for(profile)), profile), case)

    name = variant.name.replace(" ", "-")
    return Suspect(name=name, clauses=variant.breaks, answers_alike=answers_alike, answers=answers)


def _mutant(specimen: Specimen) -> Suspect:
    """A mutant of the workbench gives the same answers; it makes no choices that are left open."""

    def answers(case: Json, profile: Profile) -> object:
        try:
            mutant = specimen.make(**{axis: getattr(profile, axis) for axis in AXES})
        except KitError:
            return None
        return ask(mutant, case)

    def answers_alike(failing: Exchange, profile: Profile) -> bool:
        if leaves_choices(profile):
            return False
        return _are_equal(answers(failing.case, profile), failing, profile)

    return Suspect(
        name=specimen.id, clauses=specimen.clauses, answers_alike=answers_alike, answers=answers
    )


def _are_equal(answers: object, told: Exchange, profile: Profile) -> bool:
    """Whether two lists of answers say the same; what is no answer is equal to nothing."""
    case = told.case
    sides = [received(answers, len(told.events)), told.given]
    if any(isinstance(one, NoAnswer) for side in sides for one in side):
        return False
    # Most say the same to the letter; what is equal has one normal form.
    if sides[0] == sides[1]:
        return True
    one, other = (
        normal.answers(side, case, case.get("report", ()), profile.declares) for side in sides
    )
    return one == other
