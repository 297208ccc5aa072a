"""What a lifted expression can be, and Python's operators on it.

A value is a term of Z3 (an integer, a truth value, a text, or something that is not looked into),
or a Python value that may hold such terms: a tuple, a dictionary with known keys, a frozen
dataclass. A term is never None.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields, is_dataclass
from functools import reduce
from typing import Any

import z3

Value = Any
Truth = Any
"""A bool of Python or of Z3."""


class Unsupported(Exception):
    """The lifter does not know what an expression means; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Oracle:
    """A function that a theorem leaves open: lifted code calls it and does not look into it."""

    answer: Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Items:
    """A sequence of unknown length: `at(i)` for each i of start … stop − 1 with `guard(i)`."""

    start: Value
    stop: Value
    at: Callable[[Value], Value]
    guard: Callable[[Value], Truth] | None = None

    def present(self, index: Value) -> Truth:
        """Whether there is an item of that number."""
        return both(self.start <= index, index < self.stop, not self.guard or self.guard(index))

    @property
    def length(self) -> Value:
        """How many items there are."""
        if self.guard:
            raise Unsupported("the length of a sequence from which a condition takes items")
        return choose(less(self.start, self.stop), self.stop - self.start, 0)

    def item(self, key: int | slice) -> Value:
        """`items[0]`, `items[n]`, `items[:n]` and `items[::-1]`, with n known and not negative."""
        match key:
            case int() if key >= 0 and not self.guard:
                return self.at(self.start + key)
            case slice(start=None, stop=int(n), step=None) if n >= 0:
                kept = choose(less(n, self.length), n, self.length)
                return Items(0, kept, lambda index: self.at(self.start + index))
            case slice(start=None, stop=None, step=-1):
                last = self.start + self.length - 1
                return Items(0, self.length, lambda index: self.at(last - index))
            case _:
                raise Unsupported("an index or a slice of this kind")


def parts_of(value: Value) -> list[Value]:
    """What a structured Python value is made of."""
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, tuple | list | set | frozenset):
        return list(value)
    if is_dataclass(value) and not isinstance(value, type | Items | Oracle):
        return [getattr(value, field.name) for field in fields(value)]
    return []


def is_symbolic(value: Value) -> bool:
    """Whether a value is or holds something that only Z3 knows."""
    return isinstance(value, z3.ExprRef | Items | Oracle) or any(map(is_symbolic, parts_of(value)))


def term(value: Value) -> Value:
    """The term of Z3 for a value."""
    for kind, of in ((bool, z3.BoolVal), (int, z3.IntVal), (str, z3.StringVal)):
        if isinstance(value, kind):
            return of(str(value) if kind is str else value)
    if isinstance(value, z3.ExprRef):
        return value
    raise Unsupported(f"no term for {type(value).__name__}")


def alike(left: Value, right: Value) -> tuple[Value, Value]:
    """Two values as terms of one sort."""
    first, second = term(left), term(right)
    if first.sort() != second.sort():
        raise Unsupported(f"{first.sort()} and {second.sort()} side by side")
    return first, second


def integer(value: Value) -> Value:
    """The value, which must be an integer: True and False are not taken for 1 and 0."""
    if (isinstance(value, int) and not isinstance(value, bool)) or z3.is_int(value):
        return value
    raise Unsupported(f"not an integer: {value}")


def truth(value: Value) -> Truth:
    """Whether a value counts as true in a condition."""
    if isinstance(value, Items | Oracle):
        raise Unsupported("whether something unknown is true")
    if isinstance(value, z3.ExprRef):
        return value if z3.is_bool(value) else integer(value) != 0
    return bool(value)


def both(*conditions: Truth) -> Truth:
    """Whether all conditions hold; a Python bool where no term is needed."""
    terms = [one for one in conditions if one is not True]
    if any(one is False for one in terms):
        return False
    return z3.And(*terms) if len(terms) > 1 else terms[0] if terms else True


def opposite(condition: Truth) -> Truth:
    """Whether the condition does not hold."""
    if isinstance(condition, bool):
        return not condition
    return condition.arg(0) if z3.is_not(condition) else z3.Not(condition)


def either(*conditions: Truth) -> Truth:
    """Whether some condition holds."""
    return opposite(both(*map(opposite, conditions)))


def choose(condition: Truth, yes: Value, no: Value) -> Value:
    """`yes if condition else no` in one value, for which both must have the same shape."""
    if isinstance(condition, bool):
        return yes if condition else no
    if not is_symbolic((yes, no)) and type(yes) is type(no) and yes == no:
        return yes
    if type(yes) is tuple and type(no) is tuple and len(yes) == len(no):
        return tuple(choose(condition, *pair) for pair in zip(yes, no, strict=True))
    return z3.If(condition, *alike(yes, no))


def as_items(known: tuple[Value, ...]) -> Items:
    """Known items, as a sequence of which an item may be asked by a term."""

    def at(index: Value) -> Value:
        numbered = list(enumerate(known))[:-1]
        return reduce(lambda rest, one: choose(index == one[0], one[1], rest), numbered, known[-1])

    return Items(0, len(known), at)


def equal(left: Value, right: Value) -> Truth:
    """`left == right`."""
    if not is_symbolic((left, right)):
        return bool(left == right)
    if left is None or right is None:
        return False
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and both(*map(equal, left, right))
    if is_dataclass(left) and type(left) is type(right):
        return both(*map(equal, parts_of(left), parts_of(right)))
    first, second = alike(left, right)
    return first == second


def less(left: Value, right: Value) -> Truth:
    """`left < right`, for integers and, item by item, for tuples of one length."""
    if isinstance(left, tuple) and isinstance(right, tuple) and len(left) == len(right):
        if not left:
            return False
        later = both(equal(left[0], right[0]), less(left[1:], right[1:]))
        return either(less(left[0], right[0]), later)
    return integer(left) < integer(right)


def floor_division(left: Value, right: Value) -> Value:
    """`left // right`, rounded down; Z3 rounds so that the rest is not negative."""
    if not is_symbolic((left, right)):
        return left // right
    return z3.If(right > 0, term(left) / term(right), -term(left) / -term(right))


def modulo(left: Value, right: Value) -> Value:
    """`left % right`, which has the sign of the divisor."""
    if not is_symbolic((left, right)):
        return left % right
    return z3.If(right > 0, term(left) % term(right), -(-term(left) % -term(right)))
