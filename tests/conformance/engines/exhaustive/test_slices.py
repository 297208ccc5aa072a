"""The slices: cases that are cases, each once, and names that no rule tells apart."""

from functools import cache
from itertools import islice

import pytest

from allotment_conformance.engines.exhaustive.bounds import MEDIUM, SMALL, Bounds
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.engines.exhaustive.smallest import alike, below
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import as_json, read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.variants import VARIANTS

FEW = 100
"""Points of a slice that are looked at where it takes long: spread over all sizes."""

NEVER_DIFFER = {"zero want blocked", "free goes negative"}
"""Variants that no case tells from the specification; tests/model/test_variants.py says why."""

BY_NAME = pytest.mark.parametrize("bounds", SMALL, ids=lambda one: one.slice)


@BY_NAME
def test_every_point_is_another_case(bounds: Bounds) -> None:
    of = slice_of(bounds)
    cases = [as_json(of.case(point)) for point in of.world.points()]
    assert len(cases) == len(set(cases))


@BY_NAME
def test_every_point_is_a_case(bounds: Bounds) -> None:
    of = slice_of(bounds)
    for point in spread(bounds):
        sent = read_case(of.case(point))
        assert sent.cluster, "a case of the small world starts a scheduler"
        to_model.cluster(sent.cluster)


@cache
def spread(bounds: Bounds) -> list[object]:
    """Some points of all sizes."""
    of = slice_of(bounds)
    points = list(of.world.points())
    return list(islice(points, 0, None, max(1, len(points) // FEW)))


@BY_NAME
def test_one_of_those_alike_is_run(bounds: Bounds) -> None:
    of = slice_of(bounds)
    for point in spread(bounds):
        same = alike(of, point)
        assert 1 == sum(map(of.is_first, same))
        assert 1 == len({of.world.size(one) for one in same})


def decisions(bounds: Bounds, point: object) -> list[object]:
    """What the model decides, names apart."""
    answers = ModelAdapter().run(slice_of(bounds).case(point))
    return [
        answer.get("code") or [{**one, "job": ""} for one in answer.get("jobs", [])]
        for answer in answers
    ]


@BY_NAME
def test_those_alike_are_answered_alike(bounds: Bounds) -> None:
    of = slice_of(bounds)
    for point in spread(bounds):
        expected = decisions(bounds, point)
        assert all(expected == decisions(bounds, other) for other in alike(of, point))


@BY_NAME
def test_smaller_cases_are_below(bounds: Bounds) -> None:
    of = slice_of(bounds)
    point = spread(bounds)[len(spread(bounds)) // 3]
    smaller = list(below(of, point))
    assert all(of.world.size(one) < of.world.size(point) for one in smaller)
    assert len(smaller) == len(set(map(str, smaller)))


def test_scopes_have_the_same_slices() -> None:
    assert [one.slice for one in SMALL] == [one.slice for one in MEDIUM]
    assert len(SMALL) == len({one.slice for one in SMALL})


@pytest.mark.parametrize(
    ("small", "medium"), list(zip(SMALL, MEDIUM, strict=True)), ids=lambda one: one.slice
)
def test_medium_holds_small(small: Bounds, medium: Bounds) -> None:
    larger = medium.numbers()
    assert type(small) is type(medium)
    assert all(number <= larger[name] for name, number in small.numbers().items())
    assert slice_of(small).finds == slice_of(medium).finds


def test_every_variant_that_can_be_told_is_found() -> None:
    claimed = {name for bounds in SMALL for name in slice_of(bounds).finds}
    assert {variant.name for variant in VARIANTS} - NEVER_DIFFER == claimed
