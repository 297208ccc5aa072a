"""Sequences of unknown length: the plans of any request, the buckets of any plan.

Python cannot loop over a range whose ends only Z3 knows. Where the model makes plans, such a range
is an `Items`: for each number of the range one item. A generator expression over it is run by
Python on one item, of any number, and so is an `Items` as well; whatever else goes through one is
refused.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property, partial
from inspect import GEN_CREATED, getgeneratorlocals, getgeneratorstate
from types import CellType, FunctionType, GeneratorType
from typing import Any

import z3

from allotment_model import plans
from allotment_model.variants import plans as wrong_plans
from allotment_proofs.trusted import symbols
from allotment_proofs.trusted.forms import check_sources
from allotment_proofs.trusted.symbols import Symbol, Term, Unknown, Unsupported, Value, merged

MODULES = (plans, wrong_plans)
"""Where the model makes sequences of unknown length."""

ABSENT = object()
"""What stands where a condition leaves an item out."""


class Items(Unknown):
    """For each i of start … stop − 1 the item `make(i)`, in that order, unless it is ABSENT."""

    def __init__(self, start: Value, stop: Value, make: Callable[[Value], Value]) -> None:
        self._start, self._stop, self._make = start, stop, make

    def __iter__(self) -> Any:  # type: ignore[override]
        return Through(self)

    def __getitem__(self, key: int | slice) -> Value:
        """`items[0]`, `items[n]`, `items[:n]` and `items[::-1]`, with n known and not negative."""
        start, length = self._start, length_of(self)
        match key:
            case int() if key >= 0:
                if key >= length:
                    raise IndexError
                return merged(self._make, start + key)
            case slice(start=None, stop=int(n), step=None) if n >= 0:
                return Items(0, merged(min, n, length), lambda i: self._make(start + i))
            case slice(start=None, stop=None, step=-1):
                return Items(0, length, lambda i: self._make(start + length - 1 - i))
            case _:
                raise Unsupported("an index or a slice of this kind")

    length = property(lambda self: symbols.outer(length_of(self)))

    def at(self, index: Term) -> Value:
        """The item of that number, where there is one, for a theorem."""
        found = symbols.explored(self._make, (Symbol(index),))
        there = [(met, item) for met, item in found if item is not ABSENT]
        return symbols.outer(symbols.joined_branches(there, 0))

    def present(self, index: Term) -> Term:
        """Whether there is an item of that number, for a theorem."""
        return symbols.term(merged(self._is_there, Symbol(index)))

    def _is_there(self, index: Value) -> Value:
        return self._start <= index and index < self._stop and self._make(index) is not ABSENT

    @cached_property
    def is_whole(self) -> bool:
        """Whether no condition leaves an item out, whatever its number."""
        with symbols.begun():
            found = symbols.explored(self._make, (Symbol(z3.FreshInt()),))
        return all(item is not ABSENT for _met, item in found)


class Through(Unknown):
    """What Python gets that goes through items: it finds none, and is refused."""

    __slots__ = ("items",)
    __next__ = Unknown._refuse

    def __init__(self, items: Items) -> None:
        self.items = items


Sequence.register(Items)  # So that a pattern asks for its length, and is refused.


def items_of(source: Any) -> Value:
    """The items of what is gone through: of a generator expression over items, what it makes.

    Anything else is given back as it is.
    """
    if type(source) is Through:
        return source.items
    if type(source) is not GeneratorType or source.gi_code.co_name != "<genexpr>":
        return source
    if getgeneratorstate(source) != GEN_CREATED:
        raise Unsupported("a generator that is gone through twice")
    frame, read = source.gi_frame, getgeneratorlocals(source)
    given = items_of(read[".0"])
    if type(given) is not Items:
        return source
    enclosed = [read[name] for name in source.gi_code.co_freevars]
    for one in enclosed:  # What may have changed when an item is asked for has no hash.
        hash(symbols.outer(one))
        if callable(one):
            raise Unsupported("a generator that calls what it encloses")
    cells = tuple(map(CellType, enclosed))
    again = FunctionType(source.gi_code, frame.f_globals, closure=cells)
    source.close()

    def made(index: Value) -> Value:
        one = given._make(index)
        found = [] if one is ABSENT else [*again(iter((one,)))]
        if len(found) > 1:
            raise Unsupported("a generator that makes several items of one")
        return found[0] if found else ABSENT

    return Items(given._start, given._stop, made)


def length_of(items: Value) -> Value:
    """`len(items)`."""
    if type(items) is not Items:
        return len(items)
    if not items.is_whole:
        raise Unsupported("the length of items which a condition picks")
    return merged(max, 0, items._stop - items._start)


def range_of(*ends: Value) -> Value:
    """`range(stop)` and `range(start, stop)`."""
    start, stop = ends if len(ends) == 2 else (0, *ends)
    is_known = Symbol not in (type(start), type(stop))
    return range(start, stop) if is_known else Items(start, stop, lambda i: i)


def tuple_of(source: Value) -> Value:
    """`tuple(source)`."""
    items = items_of(source)
    return items if type(items) is Items else tuple(items)


NAMES = {
    "len": length_of,
    "range": range_of,
    "tuple": tuple_of,
    "min": partial(merged, min),
    "max": partial(merged, max),
}
"""What stands for Python's own functions in these modules while the model is read."""


@contextmanager
def reading() -> Iterator[symbols.Reading]:
    """A reading of the model: meanwhile its functions may be run on symbols."""
    check_sources()
    for module in MODULES:
        if taken := NAMES.keys() & vars(module).keys():
            raise Unsupported(f"{module.__name__} has a name of its own for {min(taken)}")
    for module in MODULES:
        vars(module).update(NAMES)
    try:
        with symbols.begun() as found:
            yield found
    finally:
        for module in MODULES:
            for name in NAMES:
                del vars(module)[name]
