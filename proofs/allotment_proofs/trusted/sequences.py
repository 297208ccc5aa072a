"""Sequences of unknown length: the plans of any request, the buckets of any plan.

Python cannot loop over a range whose ends only Z3 knows. Where the model makes plans, such a range
is an `Items`: for each number of the range one item. A generator expression over it is run by
Python on one item, of any number, and so is an `Items` as well; whatever else goes through one is
refused.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from inspect import GEN_CREATED, getgeneratorstate
from types import CellType, FrameType, FunctionType, GeneratorType, NoneType
from typing import Any, cast

import z3

from allotment_model import plans
from allotment_model.variants import plans as wrong_plans
from allotment_proofs.trusted import symbols
from allotment_proofs.trusted.forms import check_sources
from allotment_proofs.trusted.symbols import Symbol, Term, Unknown, Unsupported, Value, merged

MODULES = (plans, wrong_plans)
"""Where the model makes sequences of unknown length."""


class Items(Unknown):
    """For each i of start … stop − 1 what `make(i)` has, one item or none, in that order.

    `is_whole` tells that it always has one.
    """

    def __init__(self, start: Value, stop: Value, make: Any, *, is_whole: bool = True) -> None:
        self._start, self._stop, self._make, self._is_whole = start, stop, make, is_whole

    def __iter__(self) -> Any:  # type: ignore[override]
        """What Python goes through, and is refused; `items_of` takes it apart."""
        yield self._refuse()

    def __getitem__(self, key: int | slice) -> Value:
        """`items[0]`, `items[n]`, `items[:n]` and `items[::-1]`, with n known and not negative."""
        start, length = self._start, length_of(self)
        match key:
            case int() if key >= 0:
                if key >= length:
                    raise IndexError
                return merged(self._make, start + key)[0]
            case slice(start=None, stop=int(n), step=None) if n >= 0:
                return Items(0, merged(min, n, length), lambda i: self._make(start + i))
            case slice(start=None, stop=None, step=-1):
                return Items(0, length, lambda i: self._make(start + length - 1 - i))
            case _:
                raise Unsupported("an index or a slice of this kind")

    length = property(lambda self: symbols.outer(length_of(self)))

    def at(self, index: Term) -> Value:
        """The item of that number, where there is one, for a theorem."""
        there = [(met, made) for met, made in self.found(Symbol(index)) if made]
        return symbols.outer(symbols.joined_branches(there, 0)[0])

    def present(self, index: Term) -> Term:
        """Whether there is an item of that number, for a theorem."""
        return symbols.term(merged(lambda i: bool(self._within(i)), Symbol(index)))

    def found(self, index: Value) -> list[tuple[symbols.Met, Value]]:
        """What is made of that number on each branch, or None beyond the ends."""
        return symbols.explored(self._within, (index,))

    def _within(self, index: Value) -> Value:
        return self._make(index) if self._start <= index and index < self._stop else None


Sequence.register(Items)  # So that a pattern asks for its length, and is refused.


def items_of(source: Any) -> Any:
    """The items of what is gone through: of a generator expression over items, what it makes.

    Its code is run on what was made of one number, and reads what it encloses as it is now.
    Anything else is given back as it is.
    """
    if type(source) is not GeneratorType:
        return source
    if getgeneratorstate(source) != GEN_CREATED:
        raise Unsupported("a generator that is gone through twice")
    code, frame = source.gi_code, cast(FrameType, source.gi_frame)
    names, read = frame.f_globals, frame.f_locals
    given = read["self"] if code is Items.__iter__.__code__ else items_of(read.get(".0"))
    if type(given) is not Items:
        return source
    enclosed = fixed(tuple(read[name] for name in code.co_freevars))
    source.close()
    if code is Items.__iter__.__code__:
        return given
    again = FunctionType(code, names, closure=tuple(map(CellType, enclosed)))
    return Items(given._start, given._stop, lambda i: tuple(again(iter(given._make(i)))))


def fixed(value: Value) -> Value:
    """The value, if it never changes: what a generator encloses or makes is asked for again."""
    if type(value) is tuple:
        return tuple(map(fixed, value))
    if type(value) not in (Symbol, Items, int, bool, str, NoneType):
        raise Unsupported(f"a generator of what may change, or with it: {type(value).__name__}")
    return value


def length_of(items: Value) -> Value:
    """`len(items)`."""
    if type(items) is not Items:
        return len(items)
    if not items._is_whole:
        raise Unsupported("the length of items which a condition picks")
    return merged(max, 0, items._stop - items._start)


def range_of(*ends: Value) -> Value:
    """`range(stop)` and `range(start, stop)`."""
    if Symbol not in map(type, ends):
        return range(*ends)
    start, stop = ends if len(ends) == 2 else (0, *ends)
    for end in (start, stop):
        symbols.integer(end)
    return Items(start, stop, lambda i: (i,))


def tuple_of(source: Value) -> Any:
    """`tuple(source)`. It makes all items: what one of any number raises is an obligation."""
    items = items_of(source)
    if type(items) is not Items:
        return tuple(items)
    found = items.found(Symbol(_any_number(sum(len(one.runs) for one in symbols.READINGS))))
    sizes = {len(made) for _met, made in found if fixed(made) is not None}
    if not sizes <= {0, 1}:
        raise Unsupported("a generator that makes several items of one")
    return Items(items._start, items._stop, items._make, is_whole=0 not in sizes)


@cache
def _any_number(depth: int) -> Term:
    """A number that stands nowhere else, but in runs that are as deep."""
    return z3.FreshInt("item")


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
    if taken := NAMES.keys() & {name for module in MODULES for name in vars(module)}:
        raise Unsupported(f"a module that makes plans has a name of its own for {min(taken)}")
    for module in MODULES:
        vars(module).update(NAMES)
    try:
        with symbols.begun() as found:
            yield found
    finally:
        for module in MODULES:
            for name in NAMES:
                del vars(module)[name]
