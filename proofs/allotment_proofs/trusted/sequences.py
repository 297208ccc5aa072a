"""Sequences of unknown length: the plans of any request, the buckets of any plan.

Python cannot loop over a range whose ends only Z3 knows. So where the model makes plans, each
generator expression is rewritten into a call of `each`, which makes an `Items`: for each number of
a range one item, and a condition under which it is there. Whatever else is done to such a
sequence is refused.
"""

import ast
import builtins
import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from allotment_model import plans
from allotment_model.variants import plans as wrong_plans
from allotment_proofs.trusted import symbols
from allotment_proofs.trusted.forms import check_generators, check_sources
from allotment_proofs.trusted.symbols import Symbol, Term, Unknown, Unsupported, Value, merged

MODULES = (plans, wrong_plans)
"""Where the model makes sequences of unknown length."""


class Items(Unknown):
    """For each i of start … stop − 1 with `guard(i)` the item `make(i)`, in that order."""

    def __init__(self, start: Value, stop: Value, make: Any, guard: Any = None) -> None:
        self._ends, self._make, self._guard = (start, stop), make, guard

    def __getitem__(self, key: int | slice) -> Value:
        """`items[0]`, `items[n]`, `items[:n]` and `items[::-1]`, with n known and not negative."""
        start, length = self._ends[0], length_of(self)
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
        """The item of that number, for a theorem."""
        return symbols.outer(merged(self._make, Symbol(index)))

    def present(self, index: Term) -> Term:
        """Whether there is an item of that number, for a theorem."""
        return symbols.term(merged(self._is_there, Symbol(index)))

    def _is_there(self, index: Value) -> Value:
        start, stop = self._ends
        return start <= index and index < stop and (not self._guard or self._guard(index))

    def each(self, make: Any, guard: Any) -> "Items":
        """`make(one) for one in self if guard(one)`."""

        def passes(index: Value) -> Value:
            there = not self._guard or self._guard(index)
            return there and (not guard or guard(self._make(index)))

        is_whole = not (self._guard or guard)
        return Once(*self._ends, lambda i: make(self._make(i)), None if is_whole else passes)

    def taken(self) -> "Items":
        """The items, for who goes through them."""
        return self


class Once(Items):
    """The items of a generator expression: who goes through them is the only one."""

    _is_taken = False
    __getitem__ = Unknown._refuse

    def taken(self) -> Items:
        """The items, for the first who goes through them."""
        if self._is_taken:
            raise Unsupported("a generator that is gone through twice")
        self._is_taken = True
        return Items(*self._ends, self._make, self._guard)


Sequence.register(Items)  # So that a pattern asks for its length, and is refused.


def each(source: Value, make: Callable[..., Value], guard: Any = None) -> Value:
    """`make(one) for one in source if guard(one)`. What they read later has a hash: no list may."""
    if isinstance(source, Items):
        for cell in (*(make.__closure__ or ()), *(guard.__closure__ or () if guard else ())):
            hash(symbols.outer(cell.cell_contents))
        return source.taken().each(make, guard)
    return (make(one) for one in source if not guard or guard(one))


def length_of(items: Value) -> Value:
    """`len(items)`."""
    if not isinstance(items, Items):
        return builtins.len(items)
    if items._guard or type(items) is Once:
        raise Unsupported("the length of a generator, or of items which a condition picks")
    return merged(builtins.max, 0, items._ends[1] - items._ends[0])


def range_of(*ends: Value) -> Value:
    """`range(stop)` and `range(start, stop)`."""
    start, stop = ends if builtins.len(ends) == 2 else (0, *ends)
    is_known = Symbol not in (type(start), type(stop))
    return range(start, stop) if is_known else Items(start, stop, lambda i: i)


def tuple_of(source: Value) -> Value:
    """`tuple(source)`."""
    return source.taken() if isinstance(source, Items) else builtins.tuple(source)


NAMES = {
    ".each": each,
    "len": length_of,
    "range": range_of,
    "tuple": tuple_of,
    "min": lambda *numbers: merged(builtins.min, *numbers),
    "max": lambda *numbers: merged(builtins.max, *numbers),
}
"""What stands for Python's own functions in these modules while the model is read."""


class _Rewriting(ast.NodeTransformer):
    """Generators as calls of `each`. What is of another kind stays, and refuses sequences."""

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> ast.expr:
        self.generic_visit(node)
        match node.generators:
            case [ast.comprehension(target=ast.Name(id=name), iter=source, ifs=tests)]:
                of = ast.arguments([], [ast.arg(name)], None, [], [], None, [])
                given = [source, *(ast.Lambda(of, one) for one in (node.elt, *tests))]
                return ast.Call(ast.Name(".each", ast.Load()), given, [])
            case _:
                return node


def compiled(source: Any, file: str, names: Mapping[str, Any]) -> dict[str, Any]:
    """What a source binds, beside these names, with its generators as calls of `each`."""
    check_generators(source, Path(file).name)
    source, found = ast.fix_missing_locations(_Rewriting().visit(source)), dict(names)
    exec(compile(source, file, "exec"), found)
    return found


@cache
def _codes() -> dict[FunctionType, CodeType]:
    """The functions of these modules, each with its code as it is read."""
    found = {}
    for module in MODULES:
        if taken := NAMES.keys() & vars(module).keys():
            raise Unsupported(f"{module.__name__} has a name of its own for {min(taken)}")
        own = compiled(ast.parse(inspect.getsource(module)), str(module.__file__), vars(module))
        for name, one in vars(module).items():
            if isinstance(one, FunctionType) and one.__module__ == module.__name__:
                found[one] = own[name].__code__
    return found


def exchanged(codes: Mapping[FunctionType, CodeType]) -> dict[FunctionType, CodeType]:
    """Give each function that code; the codes that they had."""
    before = {one: one.__code__ for one in codes}
    for one, code in codes.items():
        one.__code__ = code
    return before


@contextmanager
def reading() -> Iterator[symbols.Reading]:
    """A reading of the model: meanwhile its functions may be run on symbols."""
    check_sources()
    before = exchanged(_codes())
    symbols.READINGS.append(symbols.Reading())
    for module in MODULES:
        vars(module).update(NAMES)
    try:
        yield symbols.READINGS[-1]
    finally:
        symbols.READINGS.pop()
        exchanged(before)
        for module in MODULES:
            for name in NAMES:
                del vars(module)[name]
