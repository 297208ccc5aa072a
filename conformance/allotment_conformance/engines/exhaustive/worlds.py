"""Worlds: finite sets of points that can be enumerated from the smallest to the largest.

A point is a nested tuple of whole numbers and names. Its *size* is the sum of its numbers, plus
one for each name and for each item of a list, so whatever is deleted or lowered makes it smaller.
The *product order* of a world says which points come from another by deleting items and lowering
numbers. A point below another has a smaller size; enumeration by size meets it first.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import product
from typing import Any

Point = Any
"""A whole number, a name, or a tuple of points."""


class World(ABC):
    """A finite set of points of one shape; `largest` is the size of its largest."""

    def __init__(self, largest: int) -> None:
        self.largest = largest
        self._of_size: dict[int, Sequence[Point]] = {}

    @abstractmethod
    def each(self, size: int) -> Iterator[Point]:
        """The points of that size, each once, in a fixed order."""

    @abstractmethod
    def is_below(self, one: Point, other: Point) -> bool:
        """Whether one point is the other, or comes from it by deleting and lowering."""

    @abstractmethod
    def size(self, point: Point) -> int:
        """How large a point of this world is."""

    def of_size(self, size: int) -> Sequence[Point]:
        """The points of that size, kept: a part is asked for them again and again."""
        if size not in self._of_size:
            self._of_size[size] = tuple(self.each(size))
        return self._of_size[size]

    def points(self) -> Iterator[Point]:
        """All points in size order."""
        for size in range(self.largest + 1):
            yield from self.each(size)


class Whole(World):
    """Whole numbers from `least` to `most`; a smaller one is below."""

    def __init__(self, least: int, most: int) -> None:
        super().__init__(most)
        self.least = least

    def each(self, size: int) -> Iterator[Point]:
        """The number itself is its size."""
        if self.least <= size <= self.largest:
            yield size

    def is_below(self, one: Point, other: Point) -> bool:
        """Lowering is what the product order does to numbers."""
        return bool(one <= other)

    def size(self, point: Point) -> int:
        """The number itself."""
        return int(point)


class Name(World):
    """One of some names; none is below another."""

    def __init__(self, *names: str) -> None:
        super().__init__(1)
        self.names = names

    def each(self, size: int) -> Iterator[Point]:
        """All names have the size 1."""
        if size == 1:
            yield from self.names

    def is_below(self, one: Point, other: Point) -> bool:
        """Names are the same or have nothing to do with each other."""
        return bool(one == other)

    def size(self, point: Point) -> int:
        """Always 1."""
        return 1


class Items(World):
    """Lists of `least` to `most` items; below a list are those with items left out or lowered.

    `ascending` keeps the lists whose items are fields of which the first ascends: sets, or
    mappings, in the only order in which they are to be told.
    """

    def __init__(self, item: World, least: int, most: int, *, ascending: bool = False) -> None:
        super().__init__(most * (1 + item.largest))
        self.item, self.least, self.most = item, least, most
        self.ascending = ascending

    def each(self, size: int) -> Iterator[Point]:
        """Shorter lists first."""
        for length in range(self.least, self.most + 1):
            if self.ascending:
                yield from self._ascending(length, size - length, 0)
            else:
                yield from _tuples([self.item] * length, size - length)

    def _ascending(self, length: int, size: int, start: int) -> Iterator[Point]:
        """The lists of that many items, all of them behind the first `start`."""
        if length == 0:
            if size == 0:
                yield ()
            return
        for place, (item, taken) in enumerate(self._items[start:], start=start + 1):
            if taken <= size:
                for others in self._ascending(length - 1, size - taken, place):
                    if not others or item[0] < others[0][0]:
                        yield (item, *others)

    @cached_property
    def _items(self) -> Sequence[tuple[Point, int]]:
        """All items in their order, with their sizes."""
        return [(item, self.item.size(item)) for item in sorted(self.item.points())]

    def is_below(self, one: Point, other: Point) -> bool:
        """Each item of the one below some item of the other, in order."""
        rest = iter(other)
        return all(any(self.item.is_below(item, wanted) for wanted in rest) for item in one)

    def size(self, point: Point) -> int:
        """One for each item, and what the items are."""
        return sum(1 + self.item.size(item) for item in point)


class Fields(World):
    """Tuples with a place for each field; below are those with every field below or the same."""

    def __init__(self, *fields: World) -> None:
        super().__init__(sum(field.largest for field in fields))
        self.fields = fields

    def each(self, size: int) -> Iterator[Point]:
        """Those with a smaller first field first."""
        yield from _tuples(self.fields, size)

    def is_below(self, one: Point, other: Point) -> bool:
        """Field by field."""
        triples = zip(self.fields, one, other, strict=True)
        return all(field.is_below(mine, its) for field, mine, its in triples)

    def size(self, point: Point) -> int:
        """What the fields are together."""
        pairs = zip(self.fields, point, strict=True)
        return sum(field.size(value) for field, value in pairs)


class Kept(World):
    """The points of a world that are to be kept."""

    def __init__(self, world: World, keeps: Callable[[Point], bool]) -> None:
        super().__init__(world.largest)
        self.world, self.keeps = world, keeps

    def each(self, size: int) -> Iterator[Point]:
        """As the world has them."""
        return filter(self.keeps, self.world.each(size))

    def is_below(self, one: Point, other: Point) -> bool:
        """As the world says."""
        return self.world.is_below(one, other)

    def size(self, point: Point) -> int:
        """As the world says."""
        return self.world.size(point)


def optional(world: World) -> Items:
    """A field that may be left out: a list of at most one."""
    return Items(world, 0, 1)


def _tuples(worlds: Sequence[World], size: int) -> Iterator[Point]:
    """The tuples of one point of each world, of that size together."""
    for sizes in _sizes([world.largest for world in worlds], size):
        yield from product(*map(World.of_size, worlds, sizes))


def _sizes(largest: Sequence[int], size: int) -> Iterator[tuple[int, ...]]:
    """The ways to divide a size among worlds whose points have at most these sizes."""
    if not largest:
        if size == 0:
            yield ()
        return
    first, rest = largest[0], largest[1:]
    for taken in range(max(0, size - sum(rest)), min(first, size) + 1):
        for others in _sizes(rest, size - taken):
            yield (taken, *others)
