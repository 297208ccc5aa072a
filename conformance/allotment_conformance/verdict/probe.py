"""Probes: whether a case exercises a clause (SPEC.md 3).

A case exercises an *answer* clause if the specification without it would answer differently. The
model's variants are the specification with one sentence broken; a case is probed with some of
them, and exercises the clauses of those whose answers differ.
"""

from collections.abc import Iterable

from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import rules_for
from allotment_model.variants import VARIANTS, Variant


def variants_of(clauses: Iterable[str]) -> list[Variant]:
    """The variants that break one of these clauses."""
    wanted = set(clauses)
    return [variant for variant in VARIANTS if wanted.intersection(variant.breaks)]


def exercises(case: Json, answers: object, variant: Variant, profile: Profile) -> bool:
    """Whether the variant answers a case differently than the right answers given here.

    Protocol events are not answers, and are not looked at. A variant that ignores a refusal may
    break on what it then has to mean; it has no answer, which is different, too.
    """
    asked = {**case, "report": [one for one in case.get("report", []) if one != "events"]}
    try:
        judge = Oracle(profile, variant.of(rules_for(profile)))
        return judge.judge(asked, answers).disagreement is not None
    except Exception:
        return True
