"""Each slice finds the variants that it claims to find, on the smallest of its cases."""

from functools import cache
from itertools import takewhile
from urllib.parse import quote

import pytest

from allotment_conformance.engines.exhaustive.bounds import SMALL, Bounds, Scope
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.engines.exhaustive.smallest import below
from allotment_conformance.engines.exhaustive.worlds import Point
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    counts,
    finish,
    host,
    limit,
    number,
    operation,
    primary,
    submit,
    uses,
)
from allotment_conformance.runs.exhaustion import Exhaustion, Order, Smallest, exhaust
from allotment_conformance.runs.exhaustion_work import asked
from allotment_conformance.verdict import probe
from allotment_conformance.verdict.compare import Exchange, exchange_of
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE, rules_for
from allotment_model.rules import Rules
from allotment_model.variants import VARIANTS

BY_NAME = {variant.name: variant for variant in VARIANTS}


@cache
def points(bounds: Bounds) -> list[Point]:
    """The points of a slice that are run, in size order."""
    of = slice_of(bounds)
    return list(filter(of.is_first, of.world.points()))


@cache
def right_answers(bounds: Bounds, point: Point) -> tuple[Json, list[Json]]:
    """The case of a point, and what the specification says to it."""
    made = asked(slice_of(bounds), point, MODEL_PROFILE)
    return made, ModelAdapter().run(made)


@cache
def wrong_rules(variant: str) -> Rules:
    """The rules of a variant."""
    return BY_NAME[variant].of(rules_for(MODEL_PROFILE))


@cache
def right(bounds: Bounds, point: Point) -> Exchange:
    """The case of a point with its answers, read once for all variants."""
    return probe.without_protocol_events(exchange_of(*right_answers(bounds, point)))


def differs(bounds: Bounds, point: Point, variant: str) -> bool:
    """Whether a variant answers the case of a point otherwise."""
    return probe.differs(right(bounds, point), wrong_rules(variant), MODEL_PROFILE)


@pytest.mark.parametrize("bounds", SMALL, ids=lambda one: one.slice)
def test_slice_finds_what_it_claims(bounds: Bounds) -> None:
    for name in slice_of(bounds).finds:
        assert any(differs(bounds, point, name) for point in points(bounds)), name


@cache
def found(variant: str, name: str) -> Exhaustion:
    """What `allotment exhaust` says of a variant when it is asked one slice."""
    (bounds,) = (bounds for bounds in SMALL if bounds.slice == name)
    adapter = f"allotment_conformance.zoo.variants:Served?variant={quote(variant)}"
    return exhaust(Order(adapter=adapter, scope=Scope.SMALL, slices=(bounds,)))


ONE_SLOT = cluster(host("A", 1))
TWO_HOSTS = cluster(host("A", 1), host("B", 1))
LICENCE = primary(1, uses("lic", 1))

SMALLEST: dict[tuple[str, str], Json] = {
    ("one plan too few", "splits"): case(ONE_SLOT, submit("a", 1), RUN),
    ("ascending buckets", "splits"): case(cluster(host("A", 1), host("B", 2)), submit("a", 3), RUN),
    ("no rollback", "splits"): case(
        cluster(host("A", 1), host("B", 1), host("C", 2)), submit("a", 4), RUN
    ),
    ("key without span", "span pairs"): case(
        cluster(host("A", 0)), submit("a", 1), submit("b", primary(1, ptile=1)), RUN
    ),
    ("cache filled inside a compound", "compounds"): case(
        ONE_SLOT, submit("a", [1, 1]), submit("b", 1), RUN
    ),
    ("compound keeps parts", "compounds"): case(ONE_SLOT, submit("a", [1, 1]), RUN),
    ("hit pends the job", "compounds"): case(
        cluster(), submit("a", 1), submit("b", [1, 1], [2]), RUN
    ),
    ("priorities ignored", "queues"): case(
        ONE_SLOT, submit("a", 1, priority=0), submit("b", 1, priority=1), RUN
    ),
    ("pool debits of the attempt not seen", "pools"): case(
        cluster(host("A", 1), shared=["lic"], pools={"lic": 1}),
        submit("a", [LICENCE, LICENCE]),
        RUN,
    ),
    ("limit want of the first host", "limit pairs"): case(
        {**TWO_HOSTS, "limits": [limit("user", None, "host", "slots", 1)]}, submit("a", 2), RUN
    ),
    ("no short circuit", "selects"): case(
        cluster(host("A", 1), attributes={"x": "number", "y": "number"}),
        submit("a", primary(1, select=operation("||", number(1000), attribute("x")))),
        RUN,
    ),
    ("leak at finish", "sessions"): case(ONE_SLOT, submit("a", 1), RUN, finish("a"), RUN, BEGIN),
    ("cache outlives the session", "sessions"): case(
        cluster(host("A", 0)), RUN, submit("a", 1), RUN, BEGIN, RUN
    ),
    ("counts never arrive", "counts"): case(ONE_SLOT, submit("a", primary(counts(1, 2))), RUN),
}
"""What is found of some faults: nothing that comes from it by deleting or lowering shows them."""


@pytest.mark.parametrize(("variant", "name"), SMALLEST, ids="".join)
def test_fault_is_shown_by_its_smallest_case(variant: str, name: str) -> None:
    state = found(variant, name)
    assert state.counterexample is not None
    assert SMALLEST[variant, name] == {
        field: value for field, value in state.counterexample.case.items() if field != "report"
    }
    assert variant.replace(" ", "-") in state.counterexample.diagnosis.faults
    assert state.smallest is not None
    assert 0 < state.smallest.below <= state.smallest.before


def first_slice_that_finds(variant: str) -> Bounds:
    """The slice in which `allotment exhaust` comes upon a variant."""
    return next(bounds for bounds in SMALL if variant in slice_of(bounds).finds)


FOUND = sorted({name for bounds in SMALL for name in slice_of(bounds).finds})
"""Every variant but those that no case tells apart (test_slices.py)."""


@pytest.mark.parametrize("variant", FOUND)
def test_every_variant_is_shown_by_the_smallest_case_of_its_slice(variant: str) -> None:
    bounds = first_slice_that_finds(variant)
    state = found(variant, bounds.slice)
    agreeing = list(takewhile(lambda one: not differs(bounds, one, variant), points(bounds)))
    wrong = points(bounds)[len(agreeing)]
    smaller = list(below(slice_of(bounds), wrong))
    assert state.counterexample is not None
    case, _answers = right_answers(bounds, wrong)
    shown = state.counterexample.case
    up_to_the_difference = case["events"][: len(shown["events"])]
    assert {**case, "events": up_to_the_difference} == shown
    assert variant.replace(" ", "-") in state.counterexample.diagnosis.faults
    assert state.smallest == Smallest(
        slice=bounds.slice, before=len(agreeing), below=len(smaller), not_asked=0
    )
    assert not any(differs(bounds, point, variant) for point in smaller)
