"""Worlds: every point once, smaller ones first, and what is below what."""

from itertools import pairwise, product

import pytest

from allotment_conformance.engines.exhaustive.worlds import (
    Fields,
    Items,
    Kept,
    Name,
    Whole,
    World,
    optional,
)

WORLDS: dict[str, tuple[World, int]] = {
    "numbers": (Whole(2, 5), 4),
    "names": (Name("x", "y"), 2),
    "lists": (Items(Whole(0, 2), 0, 3), 1 + 3 + 9 + 27),
    "optional": (optional(Name("x", "y")), 3),
    "fields": (Fields(Whole(0, 2), optional(Whole(1, 2)), Name("x")), 9),
    "sets": (Items(Fields(Name("x", "y", "z"), Whole(0, 1)), 0, 2, ascending=True), 1 + 6 + 12),
    "kept": (Kept(Items(Whole(0, 3), 2, 2), lambda point: sum(point) == 3), 4),
    "nested": (Items(Items(Whole(1, 2), 1, 2), 1, 2), 6 + 36),
}


@pytest.mark.parametrize("name", WORLDS)
def test_every_point_comes_once(name: str) -> None:
    world, expected = WORLDS[name]
    points = list(world.points())
    assert expected == len(points) == len(set(points))


@pytest.mark.parametrize("name", WORLDS)
def test_smaller_points_come_first(name: str) -> None:
    world, _expected = WORLDS[name]
    sizes = [world.size(point) for point in world.points()]
    assert all(one <= other for one, other in pairwise(sizes))
    assert sizes[-1] <= world.largest


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_below_is_smaller(name: str) -> None:
    world, _expected = WORLDS[name]
    for one, other in product(world.points(), repeat=2):
        if one == other:
            assert world.is_below(one, other)
        elif world.is_below(one, other):
            assert world.size(one) < world.size(other)


@pytest.mark.parametrize("name", WORLDS)
def test_what_is_below_is_a_partial_order(name: str) -> None:
    world, _expected = WORLDS[name]
    points = list(world.points())
    below = {point: {one for one in points if world.is_below(one, point)} for point in points}
    for point in points:
        assert all(below[one] <= below[point] for one in below[point])


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ((), (0,), True),
        ((1,), (0, 2), True),
        ((1, 0), (2, 1, 0), True),
        ((0, 1), (2, 0), False),
        ((1, 1), (0, 2), False),
        ((2, 1), (1, 2), False),
    ],
)
def test_lists_are_below_by_leaving_out_and_lowering(
    one: tuple[int, ...], other: tuple[int, ...], expected: bool
) -> None:
    assert expected == Items(Whole(0, 2), 0, 3).is_below(one, other)


def test_sets_are_told_in_one_order() -> None:
    world = Items(Fields(Name("b", "a")), 0, 2, ascending=True)
    assert [(), (("a",),), (("b",),), (("a",), ("b",))] == list(world.points())
