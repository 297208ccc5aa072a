"""Each slice finds the variants that it claims to find, on the smallest of its cases."""

from functools import cache
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
from allotment_conformance.verdict.exhaustion import Exhaustion, Order, exhaust
from allotment_conformance.verdict.exhaustion_work import asked
from allotment_conformance.verdict.probe import exercises
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_model.variants import VARIANTS, Variant

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


def differs(bounds: Bounds, point: Point, variant: Variant) -> bool:
    """Whether a variant answers the case of a point otherwise."""
    return exercises(*right_answers(bounds, point), variant, MODEL_PROFILE)


@pytest.mark.parametrize("bounds", SMALL, ids=lambda one: one.slice)
def test_slice_finds_what_it_claims(bounds: Bounds) -> None:
    for name in slice_of(bounds).finds:
        assert any(differs(bounds, point, BY_NAME[name]) for point in points(bounds)), name


def found(variant: str, name: str) -> Exhaustion:
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


@pytest.mark.parametrize(("variant", "name"), SMALLEST, ids="".join)
def test_all_that_is_below_agrees(variant: str, name: str) -> None:
    (bounds,) = (bounds for bounds in SMALL if bounds.slice == name)
    fault = BY_NAME[variant]
    wrong = next(point for point in points(bounds) if differs(bounds, point, fault))
    smaller = list(below(slice_of(bounds), wrong))
    assert smaller
    assert not any(differs(bounds, point, fault) for point in smaller)
