"""The recount: from the bounds alone, and different as soon as one case is lost or doubled."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from allotment_conformance.engines.exhaustive import recount as recount_module
from allotment_conformance.engines.exhaustive.bounds import BOUNDS, SMALL, Bounds, Scope
from allotment_conformance.engines.exhaustive.recount import Count, recount
from allotment_conformance.engines.exhaustive.slices import Slice, slice_of
from allotment_conformance.engines.exhaustive.worlds import Kept, Point, World
from allotment_conformance.runs import exhaustion
from allotment_conformance.runs.exhaustion import Exhaustion, Order, exhaust
from allotment_conformance.runs.verification import End

MODEL = "allotment_conformance.zoo.variants:Served"
MOST_CASES = 60_000
"""What takes a second to enumerate; a run of a larger slice compares the counts itself."""

ALL_BOUNDS = [
    (scope, bounds)
    for scope in Scope
    for bounds in BOUNDS[scope]
    if recount(bounds).cases <= MOST_CASES
]


class Doubled(Kept):
    """A world with one of its points twice."""

    def each(self, size: int) -> Iterator[Point]:
        for point in self.world.each(size):
            yield point
            if not self.keeps(point):
                yield point


def enumerated(of: Slice) -> Count:
    points = [of.is_first(point) for point in of.world.points()]
    return Count(cases=len(points), unlike=sum(points))


@pytest.mark.parametrize(
    ("scope", "bounds"), ALL_BOUNDS, ids=lambda one: getattr(one, "slice", one)
)
def test_enumeration_is_as_recounted(scope: Scope, bounds: Bounds) -> None:
    assert recount(bounds) == enumerated(slice_of(bounds))


def test_recount_knows_nothing_of_the_enumerator() -> None:
    source = Path(str(recount_module.__file__)).read_text(encoding="utf-8")
    imported = {
        f"{node.module}.{name.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
        if str(node.module).startswith("allotment")
    }
    exhaustive = "allotment_conformance.engines.exhaustive"
    assert {f"{exhaustive}.bounds", f"{exhaustive}.bounds.Bounds"} == imported


@pytest.mark.parametrize("bounds", SMALL, ids=lambda one: one.slice)
def test_every_bound_counts(bounds: Bounds) -> None:
    """A slice that is larger in one way has more cases, or other letters than there are."""
    for name, number in bounds.numbers().items():
        larger = replace(bounds, **{name: number + 1})  # type: ignore[arg-type]
        assert recount(bounds).cases < recount(larger).cases or name == "together"


def bounds_named(name: str) -> Bounds:
    (found,) = (bounds for bounds in SMALL if bounds.slice == name)
    return found


def run_with(
    changed: type[World], name: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> Exhaustion:
    """Run a slice of which the point in some place is lost or doubled."""
    bounds = bounds_named(name)
    of = slice_of(bounds)
    points = [point for point in of.world.points() if of.is_first(point)]
    wrong = points[place % len(points)]
    world = changed(of.world, lambda point: point != wrong)  # type: ignore[arg-type,call-arg]
    monkeypatch.setattr(exhaustion, "slice_of", lambda _bounds: replace(of, world=world))
    return exhaust(Order(adapter=MODEL, scope=Scope.SMALL, slices=(bounds,)))


@pytest.mark.parametrize("place", [0, 57, -1])
@pytest.mark.parametrize("name", ["pools", "count pairs"])
@pytest.mark.parametrize(("changed", "more"), [(Kept, -1), (Doubled, 1)])
def test_one_case_more_or_less_is_noticed(
    changed: type[World], more: int, name: str, place: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = run_with(changed, name, place, monkeypatch)
    assert End.DONE is state.end
    (miscounted,) = state.miscounted
    assert recount(miscounted.bounds).cases + more == miscounted.cases


def test_a_case_like_another_that_is_lost_is_noticed() -> None:
    of = slice_of(bounds_named("words"))
    (lost,) = [point for point in of.world.points() if point == (("run", "submit b"),)]
    assert not of.is_first(lost)
    others = replace(of, world=Kept(of.world, lambda point: point != lost))
    assert recount(of.bounds).cases - 1 == enumerated(others).cases
    assert recount(of.bounds).unlike == enumerated(others).unlike
