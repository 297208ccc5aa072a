"""Symbols: values that only Z3 knows, on which the model's own functions are run.

Python itself runs the function. Its operators on a symbol make terms of Z3; where it asks whether
a symbol is true, the run takes one branch, and is repeated for the other. The branches are then
joined in one term, condition by condition. A run that raises (a division by zero, an index that
is not there, a failed assertion) becomes an *obligation* of the proof: that no values go there.
What cannot be asked of a symbol is an `Unsupported`, where it is asked.
"""

import operator
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from functools import partial
from types import BuiltinFunctionType, FunctionType, MethodType, NoneType
from typing import Any

import z3

from allotment_model.rules import Rules

Value = Any
Term = Any
Met = tuple[tuple[Term, bool], ...]
"""The conditions that a run met, and the branch that it took on each."""

LONGEST = 100
"""Conditions that one run may meet: a loop that asks a symbol for its end has none."""


PLAIN = re.compile(r"[ -\[\]-~]*")
"""Texts that are the same to Z3: without backslashes, which it reads, and control characters."""


class Unsupported(Exception):
    """Something is asked of a symbol that has no term."""


TRUTHS = {one.get_id(): (one, bool(z3.is_true(one))) for one in map(z3.BoolVal, (True, False))}
"""The conditions that are no conditions, by the identity by which Z3 knows each."""


@dataclass(slots=True)
class Reading:
    """`obligations` must hold for the terms to mean what Python computes, or else it raises that.

    `runs` are those going on, innermost last: the branches to take first, and what was met.
    `known` are values of calls on numbers, and conditions made simple, beside which the numbers
    are kept: no other term may get the identity by which Z3 knows one.
    """

    obligations: list[tuple[Term, Exception]] = field(default_factory=list)
    runs: list[tuple[list[bool], dict[int, tuple[Term, bool]]]] = field(default_factory=list)
    known: dict[tuple[object, ...], tuple[Value, ...]] = field(default_factory=dict)


READINGS: list[Reading] = []
"""The readings that have begun and not ended; functions are run in the last."""


@contextmanager
def begun(known: dict[tuple[object, ...], tuple[Value, ...]] | None = None) -> Iterator[Reading]:
    """A reading, which ends with the block. It may know what another knows."""
    READINGS.append(Reading(known={} if known is None else known))
    try:
        yield READINGS[-1]
    finally:
        READINGS.pop()


def decide(condition: Term) -> bool:
    """The branch that this run takes on a condition.

    What a run in which this one is nested has met holds here too: its terms are used there only.
    """
    memo, asked = READINGS[-1].known, (z3.simplify, condition.get_id())
    if asked not in memo:
        memo[asked] = z3.simplify(condition), condition
    condition = memo[asked][0]
    known = condition.get_id()
    for met in (TRUTHS, *(one for _planned, one in READINGS[-1].runs)):
        if known in met:
            return met[known][1]
    planned, met = READINGS[-1].runs[-1]
    if len(met) == LONGEST:
        raise Unsupported("a run that meets ever more conditions")
    met[known] = condition, planned[len(met)] if len(met) < len(planned) else True
    return met[known][1]


def explored(function: Callable[..., Value], given: Sequence[Value]) -> list[tuple[Met, Value]]:
    """What a call returns on each branch, and what was met there; arguments are copied for each."""
    reading, found, waiting = READINGS[-1], list[tuple[Met, Value]](), list[list[bool]]([[]])
    while waiting:
        planned = waiting.pop()
        met: dict[int, tuple[Term, bool]] = {}
        reading.runs.append((planned, met))
        try:
            value = function(*mapped(lambda one: one, tuple(given)))
            found.append((tuple(met.values()), value))
        except (TypeError, AttributeError, NameError, z3.Z3Exception) as unknown:
            raise Unsupported(str(unknown)) from unknown
        except Unsupported:
            raise
        except Exception as raised:
            here = holding(pair for _planned, one in reading.runs for pair in one.values())
            reading.obligations.append((z3.Not(z3.And(*here)), raised))
        finally:
            reading.runs.pop()
        truths = [truth for _condition, truth in met.values()]
        waiting += [[*truths[:one], False] for one in range(len(planned), len(met))]
    return found


def holding(met: Iterable[tuple[Term, bool]]) -> list[Term]:
    """What holds on a branch."""
    return [condition if truth else z3.Not(condition) for condition, truth in met]


def merged(function: Callable[..., Value], *given: Value) -> Value:
    """The value of a call, for a caller that is itself run on symbols."""
    return joined_branches(explored(function, given), 0)


def joined(function: Callable[..., Value], *given: Value) -> Value:
    """`merged`; of numbers it is found once in a reading, under no conditions of its callers.

    A call that raises on some branch is made anew each time, under the conditions met there.
    """
    if not {*map(type, given)} <= {Symbol, int, bool}:
        return merged(function, *given)
    numbers = (one.term.get_id() if type(one) is Symbol else (type(one), one) for one in given)
    known, asked = READINGS[-1].known, (function, *numbers)
    if asked not in known:
        with begun(known) as apart:
            value = merged(function, *given)
        if apart.obligations:
            return merged(function, *given)
        known[asked] = value, given
    return known[asked][0]


def paths(function: Callable[..., Value], *given: Value) -> list[tuple[Term, Value]]:
    """The values of a call on terms, each with the condition under which it is returned."""
    return [(z3.And(*holding(met)), outer(v)) for met, v in explored(function, inner(given))]


def joined_branches(found: list[tuple[Met, Value]], depth: int) -> Value:
    """Runs that took the same branches on the first conditions met the same one next."""
    if len(found) == 1:
        return found[0][1]
    if not found:
        raise Unsupported("a call that never returns")
    yes, no = ([one for one in found if one[0][depth][1] is truth] for truth in (True, False))
    if not (yes and no):
        return joined_branches(found, depth + 1)
    return choose(
        found[0][0][depth][0], joined_branches(yes, depth + 1), joined_branches(no, depth + 1)
    )


def _of_integers(compute: Callable[[Term, Term], Term]) -> Any:
    """An operator, and the same with its sides exchanged."""
    return (
        lambda self, other: Symbol(compute(integer(self), integer(other))),
        lambda self, other: Symbol(compute(integer(other), integer(self))),
    )


def _floor_division(left: Term, right: Term) -> Term:
    """Rounded down; Z3 rounds so that the rest is not negative."""
    if decide(right == 0):
        raise ZeroDivisionError
    return z3.If(right > 0, left / right, -left / -right)


def _modulo(left: Term, right: Term) -> Term:
    """With the sign of the divisor."""
    if decide(right == 0):
        raise ZeroDivisionError
    return z3.If(right > 0, left % right, -(-left % -right))


class Unknown:
    """What only Z3 knows: whatever is not defined for it is refused, and nothing is guessed."""

    __slots__ = ()

    def _refuse(self, *_asked: object) -> Any:
        raise Unsupported("more than is known of a symbol or sequence")

    __eq__ = __hash__ = __bool__ = __iter__ = __contains__ = _refuse
    __str__ = __repr__ = __format__ = _refuse
    __class__ = property(_refuse)


class Symbol(Unknown):
    """An integer, a truth value, a text, or something that is not looked into."""

    __slots__ = ("term",)

    def __init__(self, term: Term) -> None:
        self.term = term

    __add__, __radd__ = _of_integers(operator.add)
    __sub__, __rsub__ = _of_integers(operator.sub)
    __mul__, __rmul__ = _of_integers(operator.mul)
    __floordiv__, __rfloordiv__ = _of_integers(_floor_division)
    __mod__, __rmod__ = _of_integers(_modulo)
    __lt__, __gt__ = _of_integers(operator.lt)
    __le__, __ge__ = _of_integers(operator.le)

    def __neg__(self) -> "Symbol":
        return Symbol(-integer(self))

    def __abs__(self) -> "Symbol":
        return Symbol(z3.Abs(integer(self)))

    def __bool__(self) -> bool:  # type: ignore[override]
        return decide(self.term if z3.is_bool(self.term) else integer(self) != 0)

    def __eq__(self, other: object) -> Any:  # type: ignore[override]
        if other is None:
            return False
        left, right = term(self), term(other)
        if left.sort() != right.sort():
            raise Unsupported(f"{left.sort()} and {right.sort()} side by side")
        return Symbol(left == right)

    __hash__ = Unknown.__hash__  # type: ignore[assignment]


MAKERS = {bool: z3.BoolVal, int: z3.IntVal, str: z3.StringVal}
"""How a known value becomes a term."""


def term(value: Value) -> Term:
    """The term of a symbol, or of a known integer, truth value or text."""
    kind = type(value)
    if kind is Symbol:
        return value.term
    if kind not in MAKERS or (kind is str and not PLAIN.fullmatch(value)):
        raise Unsupported(f"no term for {kind.__name__}")
    return MAKERS[kind](value)


def integer(value: Value) -> Term:
    """The term, which must be an integer: True and False are not taken for 1 and 0."""
    number = term(value)
    if number.sort_kind() != z3.Z3_INT_SORT:
        raise Unsupported(f"not an integer: {number}")
    return number


def choose(condition: Term, yes: Value, no: Value) -> Value:
    """`yes if condition else no` in one value, for which both must have the same shape."""
    if yes is no:
        return yes
    if type(yes) is tuple and type(no) is tuple and len(yes) == len(no):
        return tuple(choose(condition, *pair) for pair in zip(yes, no, strict=True))
    one, other = term(yes), term(no)
    if one.sort() != other.sort():
        raise Unsupported(f"{one.sort()} on one branch and {other.sort()} on another")
    return Symbol(z3.If(condition, one, other))


CODE = (FunctionType, MethodType, BuiltinFunctionType, partial, type)
WHOLE = (str, int, NoneType, Rules, *CODE, Unknown, z3.ExprRef)
"""Kinds of values that have no parts. Code and rules are not looked into: a term there stays so."""


def mapped(change: Callable[[Value], Value], value: Value) -> Value:
    """A new value in which every part that has no parts is changed, also in keys."""
    kind = type(value)
    if issubclass(kind, WHOLE):
        return change(value)
    if kind is dict:
        return {mapped(change, key): mapped(change, held) for key, held in value.items()}
    if kind in (tuple, list, set, frozenset):
        return kind([mapped(change, part) for part in value])
    if issubclass(kind, tuple) and hasattr(kind, "_fields"):
        return kind(*(mapped(change, part) for part in value))
    if is_dataclass(kind):
        named = {one.name: mapped(change, getattr(value, one.name)) for one in fields(kind)}
        return kind(**named)
    raise Unsupported(f"a {kind.__name__}, whose parts are not known")


def inner(value: Value) -> Value:
    """The value with symbols for its terms."""
    return mapped(lambda one: Symbol(one) if issubclass(type(one), z3.ExprRef) else one, value)


def outer(value: Value) -> Value:
    """The value with terms for its symbols."""
    return mapped(lambda one: one.term if type(one) is Symbol else one, value)
