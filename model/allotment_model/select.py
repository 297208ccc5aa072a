"""Select: which hosts a primary may use, by their attributes (SELECT-1 … SELECT-5)."""

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub, truediv
from typing import assert_never

from allotment_model.request import Attribute, Defined, Expression, Number, Operation, Text

Value = Fraction | str
Attributes = Mapping[str, int | str]

BINARY: Mapping[str, Callable[[Fraction, Fraction], Fraction | bool]] = {
    "*": mul,
    "/": truediv,
    "+": add,
    "-": sub,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "==": eq,
    "!=": ne,
}
"""SELECT-1: the operators that need both sides, on exact rationals."""


class LeftOutError(Exception):
    """SELECT-4: something undefined was evaluated, so the host is left out."""


def passes(select: Expression | None, attributes: Attributes) -> bool:
    """SELECT-5: whether a host with these attributes passes."""
    if select is None:
        return True
    try:
        return evaluate(select, attributes) != 0
    except LeftOutError:
        return False


def evaluate(expression: Expression, attributes: Attributes) -> Value:
    """The value of an expression on a host. Raises LeftOutError as SELECT-4 says."""
    match expression:
        case Number(thousandths=thousandths):
            return Fraction(thousandths, 1000)
        case Text(text=text):
            return text
        case Defined(name=name):
            return Fraction(name in attributes)
        case Attribute(name=name):
            return _attribute(name, attributes)
        case Operation(operator="&&" | "||" as operator, operands=(left, right)):
            return _logical(operator, left, right, attributes)
        case Operation(operator="!", operands=(operand,)):
            return Fraction(evaluate(operand, attributes) == 0)
        case Operation(operator="neg", operands=(operand,)):
            return -_number(evaluate(operand, attributes))
        case Operation(operator=operator, operands=(left, right)):
            return _binary(operator, evaluate(left, attributes), evaluate(right, attributes))
        case Operation():
            raise ValueError(f"operator {expression.operator!r} with that many operands")
        case _:
            assert_never(expression)


def _attribute(name: str, attributes: Attributes) -> Value:
    value = attributes.get(name)
    if value is None:
        raise LeftOutError
    return value if isinstance(value, str) else Fraction(value, 1000)


def _logical(operator: str, left: Expression, right: Expression, attributes: Attributes) -> Value:
    """SELECT-3: the right side is evaluated only if it decides."""
    left_is_true = evaluate(left, attributes) != 0
    if left_is_true == (operator == "||"):
        return Fraction(left_is_true)
    return Fraction(evaluate(right, attributes) != 0)


def _binary(operator: str, left: Value, right: Value) -> Value:
    """SELECT-2: numbers with numbers; texts with texts, for equality only."""
    if isinstance(left, str) and isinstance(right, str):
        return Fraction((left == right) == (operator == "=="))
    dividend, divisor = _number(left), _number(right)
    if operator == "/" and divisor == 0:
        raise LeftOutError
    return Fraction(BINARY[operator](dividend, divisor))


def _number(value: Value) -> Fraction:
    """A text where a number is needed; ingest refuses it, so no accepted select comes here."""
    if isinstance(value, str):
        raise LeftOutError
    return value


def type_of(expression: Expression, types: Mapping[str, str]) -> str | None:
    """SELECT-2: `number` or `text`, or None if the expression mixes them."""
    match expression:
        case Number() | Defined():
            return "number"
        case Text():
            return "text"
        case Attribute(name=name):
            return types.get(name)
        case Operation(operator=operator, operands=operands):
            operand_types = {type_of(operand, types) for operand in operands}
            texts_compared = operator in ("==", "!=") and operand_types == {"text"}
            return "number" if operand_types == {"number"} or texts_compared else None
        case _:
            assert_never(expression)


def parts_of(expression: Expression) -> Iterator[Expression]:
    """The expression and everything in it."""
    found = [expression]
    while found:
        part = found.pop()
        yield part
        if isinstance(part, Operation):
            found.extend(reversed(part.operands))


def depth(expression: Expression) -> int:
    """How many levels an expression has; a leaf has one."""
    if isinstance(expression, Operation):
        return 1 + max(depth(operand) for operand in expression.operands)
    return 1
