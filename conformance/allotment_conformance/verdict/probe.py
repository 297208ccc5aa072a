"""Probes: whether a case exercises a clause (SPEC.md 3).

A case exercises an *answer* clause if the specification without it would answer differently. The
model's variants are the specification with one sentence broken; a case is probed with some of
them, and exercises the clauses of those whose answers differ.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import msgspec

from allotment_conformance.verdict.compare import Exchange, Oracle, exchange_of
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import leaves_choices, rules_for
from allotment_model.clauses import CLAUSES
from allotment_model.rules import Rules
from allotment_model.variants import VARIANTS, Variant


@dataclass(frozen=True, slots=True, kw_only=True)
class Probed:
    """The clauses for which a case was probed, and those of them that it exercises."""

    clauses: frozenset[str]
    exercised: frozenset[str]


def variants_of(clauses: Iterable[str]) -> list[Variant]:
    """The variants that break one of these clauses."""
    wanted = set(clauses)
    return [variant for variant in VARIANTS if wanted.intersection(variant.breaks)]


def probe(told: Exchange, variants: Sequence[Variant], profile: Profile) -> Probed:
    """Which clauses a case exercises that was answered rightly.

    Of several right answers a variant is compared with the model's. These are balanced; where any
    split is allowed, the case exercises that (PLAN-11) if they are not allowed.
    """
    if not variants:
        return Probed(clauses=frozenset(), exercised=frozenset())
    probed: set[str] = set()
    exercised: set[str] = set()
    if leaves_choices(profile):
        told = exchange_of(told.case, ModelAdapter(profile=profile).run(told.case))
    if profile.split == "any":
        probed.add("PLAN-11")
        if Oracle(profile).judge_exchange(told).disagreement is not None:
            exercised.add("PLAN-11")
    asked, rules = without_protocol_events(told), rules_for(profile)
    for variant in variants:
        probed.update(variant.breaks)
        # One that breaks only what others have shown already need not be asked.
        if not exercised.issuperset(variant.breaks) and differs(asked, variant.of(rules), profile):
            exercised.update(variant.breaks)
    return Probed(clauses=frozenset(probed), exercised=frozenset(exercised))


def exercised(case: Json, profile: Profile) -> tuple[str, ...]:
    """All *answer* clauses that a case exercises, whoever answers it, in the specification's order.

    The profile leaves no choices.
    """
    told = exchange_of(case, ModelAdapter(profile=profile).run(case))
    found = probe(told, VARIANTS, profile).exercised
    return tuple(clause.id for clause in CLAUSES if clause.id in found)


def without_protocol_events(told: Exchange) -> Exchange:
    """What was told, protocol events apart: they are not answers, and are not looked at."""
    report = tuple(one for one in told.sent.report if one != "events")
    case = {**told.case, "report": list(report)}
    return replace(told, case=case, sent=msgspec.structs.replace(told.sent, report=report))


def differs(asked: Exchange, wrong: Rules, profile: Profile) -> bool:
    """Whether the rules of a variant answer otherwise than what was answered, and is right.

    One that ignores a refusal may break on what it then has to mean; it has no answer, which is
    different, too.
    """
    if _ignores_only_what_was_not_given(wrong, rules_for(profile), asked):
        return False
    try:
        return Oracle(profile, wrong).judge_exchange(asked).disagreement is not None
    except Exception:
        return True


def _ignores_only_what_was_not_given(wrong: Rules, right: Rules, asked: Exchange) -> bool:
    """Whether all that is wrong is that refusals are ignored, none of which was an answer here."""
    ignored = wrong.ignored_refusals
    if not ignored or not ignored.isdisjoint(_codes(asked)):
        return False
    return replace(wrong, ignored_refusals=right.ignored_refusals) == right


def _codes(asked: Exchange) -> Iterator[str]:
    """The codes of the events that were refused."""
    return (one["code"] for one in asked.given if isinstance(one, dict) and "code" in one)
