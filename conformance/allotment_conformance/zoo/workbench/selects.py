"""The value of a select on one host (SELECT-1 … SELECT-5)."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, mul, ne, sub

from allotment_conformance.wire.messages import Json

Value = Fraction | str
Attributes = Mapping[str, int | str]

NUMBERS: Mapping[str, Callable[[Fraction, Fraction], Fraction]] = {"+": add, "-": sub, "*": mul}
COMPARISONS: Mapping[str, Callable[[Value, Value], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "==": eq,
    "!=": ne,
}


class LeftOutError(Exception):
    """SELECT-4: an undefined attribute or a division by zero was evaluated."""


class Select:
    """Evaluates selects; each rule is a method of its own, so that a mutant can break one."""

    def passes(self, select: Json | None, attributes: Attributes) -> bool:
        """SELECT-5: no select selects all."""
        if select is None:
            return True
        try:
            return self.value(select, attributes) != 0
        except LeftOutError:
            return False

    def value(self, node: Json, attributes: Attributes) -> Value:
        """The value of a node; numbers are exact."""
        match node:
            case {"number": thousandths}:
                return self.number(thousandths)
            case {"text": str(text)}:
                return text
            case {"attribute": name}:
                return self.attribute(name, attributes)
            case {"defined": name}:
                return Fraction(name in attributes)
            case {"op": operator, "args": [operand]}:
                return self.unary(operator, self.value(operand, attributes))
            case {"op": "&&" | "||", "args": [left, right]}:
                return self.logical(node["op"], left, right, attributes)
            case _:
                left, right = (self.value(operand, attributes) for operand in node["args"])
                return self.binary(node["op"], left, right)

    def number(self, thousandths: int) -> Fraction:
        """SELECT-1: thousandths are read as such."""
        return Fraction(thousandths, 1000)

    def attribute(self, name: str, attributes: Attributes) -> Value:
        """SELECT-4: the value on this host, if it has one."""
        if name not in attributes:
            raise LeftOutError
        value = attributes[name]
        return value if isinstance(value, str) else self.number(value)

    def unary(self, operator: str, operand: Value) -> Value:
        """Negation, of a truth value or of a number."""
        assert isinstance(operand, Fraction), "texts were refused"
        return Fraction(operand == 0) if operator == "!" else -operand

    def logical(self, operator: str, left: Json, right: Json, attributes: Attributes) -> Value:
        """SELECT-3: the right side only if it decides."""
        first = self.value(left, attributes) != 0
        if first == (operator == "||"):
            return Fraction(first)
        return Fraction(self.value(right, attributes) != 0)

    def binary(self, operator: str, left: Value, right: Value) -> Value:
        """Arithmetic and comparisons; a quotient is not rounded."""
        if operator in COMPARISONS:
            return Fraction(COMPARISONS[operator](left, right))
        assert isinstance(left, Fraction), "texts were refused"
        assert isinstance(right, Fraction), "texts were refused"
        if operator in NUMBERS:
            return NUMBERS[operator](left, right)
        if right == 0:
            raise LeftOutError
        return self.quotient(left, right)

    def quotient(self, left: Fraction, right: Fraction) -> Fraction:
        """SELECT-1: exact."""
        return left / right
