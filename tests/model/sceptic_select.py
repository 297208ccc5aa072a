"""Selects, read from SPEC.md a second time: undefined is a value here, not an exception."""

from collections.abc import Mapping
from fractions import Fraction

from allotment_model.cluster import Host
from allotment_model.request import Attribute, Defined, Expression, Number, Operation, Text

Value = Fraction | str | None


def value_of(expression: Expression, attributes: Mapping[str, int | str]) -> Value:
    """SELECT-1 … SELECT-4: the value; None where something undefined is evaluated."""
    match expression:
        case Number():
            return Fraction(expression.thousandths, 1000)
        case Text():
            return expression.text
        case Defined():
            return Fraction(int(expression.name in attributes))
        case Attribute():
            found = attributes.get(expression.name)
            return Fraction(found, 1000) if isinstance(found, int) else found
        case Operation():
            return _operated(expression, attributes)


def _operated(expression: Operation, attributes: Mapping[str, int | str]) -> Value:
    left = value_of(expression.operands[0], attributes)
    if left is None:
        return None
    operator = expression.operator
    if operator == "!":
        return Fraction(int(left == 0))
    if operator == "neg":
        assert isinstance(left, Fraction)
        return -left
    if (operator == "&&" and left == 0) or (operator == "||" and left != 0):
        return Fraction(int(operator == "||"))
    right = value_of(expression.operands[1], attributes)
    if right is None:
        return None
    if operator in ("==", "!="):
        return Fraction(int((left == right) == (operator == "==")))
    assert isinstance(left, Fraction)
    assert isinstance(right, Fraction)
    if operator in ("&&", "||"):
        return Fraction(int(right != 0))
    if operator == "/":
        return left / right if right != 0 else None
    numbers = {"*": left * right, "+": left + right, "-": left - right}
    truths = {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right}
    return numbers[operator] if operator in numbers else Fraction(int(truths[operator]))


def passes(select: Expression | None, on: Host) -> bool:
    """SELECT-5: not undefined, and not zero."""
    return select is None or value_of(select, on.attributes) not in (None, 0)
