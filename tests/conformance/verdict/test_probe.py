"""Probes: what need not be asked is what would not have differed."""

from collections import Counter

import pytest

from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.verdict.compare import Exchange, Oracle, exchange_of
from allotment_conformance.verdict.probe import differs, probe, without_protocol_events
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_model.rules import SPEC, Rules
from allotment_model.variants import VARIANTS

BY_NAME = {one.name: one for one in VARIANTS}
SOME = [one.case for one in DIRECTED[::8]]


@pytest.fixture(scope="module")
def asked() -> list[Exchange]:
    """Some directed cases, answered rightly."""
    return [without_protocol_events(exchange_of(case, ModelAdapter().run(case))) for case in SOME]


def judged_otherwise(one: Exchange, wrong: Rules) -> bool:
    """Whether a judge by the wrong rules disagrees, or breaks."""
    try:
        return Oracle(MODEL_PROFILE, wrong).judge_exchange(one).disagreement is not None
    except Exception:
        return True


def test_ignored_refusal_shows_only_where_it_was_given(asked: list[Exchange]) -> None:
    seen = Counter[bool]()
    for rules in (one.of(SPEC) for one in VARIANTS):
        if rules.ignored_refusals:
            for one in asked:
                seen[differs(one, rules, MODEL_PROFILE)] += 1
                assert judged_otherwise(one, rules) is differs(one, rules, MODEL_PROFILE)
    assert seen[True] >= 10
    assert seen[False] >= 500


def test_what_ignores_a_refusal_and_is_wrong_elsewhere_is_asked() -> None:
    wrong = BY_NAME["no rollback"].of(BY_NAME["syntax is not refused"].of(SPEC))
    cases = [one.case for one in DIRECTED if "UNDO-1" in one.clauses]
    asked = [without_protocol_events(exchange_of(case, ModelAdapter().run(case))) for case in cases]
    assert any(differs(one, wrong, MODEL_PROFILE) for one in asked)


def test_variants_that_are_left_out_would_have_shown_no_other_clause() -> None:
    for case in SOME[::4]:
        told = exchange_of(case, ModelAdapter().run(case))
        one_by_one = [probe(told, [one], MODEL_PROFILE).exercised for one in VARIANTS]
        together = probe(told, VARIANTS, MODEL_PROFILE)
        assert frozenset().union(*one_by_one) == together.exercised
        assert {clause for one in VARIANTS for clause in one.breaks} == together.clauses
