"""Wrong ways to evaluate a select, each the right one with one thing changed."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from allotment_model import select
from allotment_model.request import Attribute, Defined, Expression, Operation, Text

Passes = Callable[[Expression | None, Mapping[str, int | str]], bool]
Value = Fraction | str


class Evaluator:
    """A second evaluator, in which each decision is a method."""

    def __init__(self, attributes: Mapping[str, int | str]) -> None:
        self.attributes = attributes

    def passes(self, value: Value) -> bool:
        """Whether a host with this value passes."""
        return value != 0

    def is_true(self, value: Value) -> bool:
        """The truth of an operand."""
        return value != 0

    def value(self, expression: Expression) -> Value:
        """The value of an expression."""
        match expression:
            case Attribute(name=name):
                return self.attribute(name)
            case Operation(operator="&&" | "||" as operator, operands=(left, right)):
                return self.logical(operator, left, right)
            case Operation(operator="/", operands=(left, right)):
                return self.quotient(self.value(left), self.value(right))
            case Operation(operator="!", operands=(operand,)):
                return self.truth(not self.is_true(self.value(operand)))
            case Operation(operator="neg", operands=(operand,)):
                return self.negated(Fraction(self.value(operand)))
            case Operation(operator=operator, operands=(left, right)):
                return self.binary(operator, self.value(left), self.value(right))
            case Defined(name=name):
                return self.truth(name in self.attributes)
            case Text(text=text):
                return text
            case _:
                return select.evaluate(expression, self.attributes)

    def attribute(self, name: str) -> Value:
        """The value of an attribute."""
        return select.evaluate(Attribute(name=name), self.attributes)

    def logical(self, operator: str, left: Expression, right: Expression) -> Value:
        """A conjunction or disjunction."""
        decided = self.is_true(self.value(left)) == (operator == "||")
        return self.truth(operator == "||" if decided else self.is_true(self.value(right)))

    def quotient(self, left: Value, right: Value) -> Value:
        """A division."""
        if right == 0:
            raise select.LeftOutError
        return Fraction(left) / Fraction(right)

    def negated(self, value: Fraction) -> Value:
        """A unary minus."""
        return -value

    def binary(self, operator: str, left: Value, right: Value) -> Value:
        """A comparison or a sum, difference, product."""
        if isinstance(left, str) or isinstance(right, str):
            return self.truth((left == right) == (operator == "=="))
        told = select.BINARY[operator](left, right)
        return self.truth(told) if isinstance(told, bool) else Fraction(told)

    def truth(self, holds: bool) -> Value:
        """What a comparison yields."""
        return Fraction(holds)


def _rounded(number: Fraction) -> Fraction:
    return Fraction(float(number))


class _Positive(Evaluator):
    """only positive numbers are true"""

    def is_true(self, value: Value) -> bool:
        return isinstance(value, Fraction) and value > 0

    def passes(self, value: Value) -> bool:
        return self.is_true(value)


class _AttributesOnly(Evaluator):
    """a host without attributes never passes"""

    def passes(self, value: Value) -> bool:
        return bool(self.attributes) and value != 0


class _Doubles(Evaluator):
    """numbers are binary floating numbers"""

    def binary(self, operator: str, left: Value, right: Value) -> Value:
        if isinstance(left, str) or isinstance(right, str):
            return super().binary(operator, left, right)
        told = select.BINARY[operator](_rounded(left), _rounded(right))
        return Fraction(float(told))


class _Thousandths(Evaluator):
    """quotients are rounded to thousandths"""

    def quotient(self, left: Value, right: Value) -> Value:
        return Fraction(round(Fraction(super().quotient(left, right)) * 1000), 1000)


class _WholeQuotients(Evaluator):
    """quotients are whole"""

    def quotient(self, left: Value, right: Value) -> Value:
        return Fraction(Fraction(super().quotient(left, right)) // 1)


class _MinusIgnored(Evaluator):
    """a unary minus does nothing"""

    def negated(self, value: Fraction) -> Value:
        return value


class _StrictBounds(Evaluator):
    """<= and >= are read as < and >"""

    def binary(self, operator: str, left: Value, right: Value) -> Value:
        return super().binary({"<=": "<", ">=": ">"}.get(operator, operator), left, right)


class _TruthIsMinusOne(Evaluator):
    """what holds is −1"""

    def truth(self, holds: bool) -> Value:
        return Fraction(-holds)


class _TextsAllDiffer(Evaluator):
    """texts are compared as if they were never equal"""

    def binary(self, operator: str, left: Value, right: Value) -> Value:
        return super().binary(operator, left, "" if isinstance(right, str) else right)


class _LastValue(Evaluator):
    """&& and || yield the value of the side that decides"""

    def logical(self, operator: str, left: Expression, right: Expression) -> Value:
        first = self.value(left)
        decided = self.is_true(first) == (operator == "||")
        return first if decided else self.value(right)


class _RightFirst(Evaluator):
    """the right side is evaluated first"""

    def logical(self, operator: str, left: Expression, right: Expression) -> Value:
        return super().logical(operator, right, left)


class _UndefinedIsFalse(Evaluator):
    """something undefined makes the innermost comparison false, not the host left out"""

    def value(self, expression: Expression) -> Value:
        if not isinstance(expression, Operation):
            return super().value(expression)
        try:
            return super().value(expression)
        except select.LeftOutError:
            return Fraction(0)


class _UndefinedIsOne(Evaluator):
    """an attribute that is not defined is 1"""

    def attribute(self, name: str) -> Value:
        return super().attribute(name) if name in self.attributes else Fraction(1)


class _DefinedIsUnknown(Evaluator):
    """defined(x) leaves out hosts without x"""

    def value(self, expression: Expression) -> Value:
        if isinstance(expression, Defined) and expression.name not in self.attributes:
            raise select.LeftOutError
        return super().value(expression)


def _passes(evaluator: type[Evaluator]) -> Passes:
    def passes(expression: Expression | None, attributes: Mapping[str, int | str]) -> bool:
        judge = evaluator(attributes)
        try:
            return judge.passes(Fraction(1) if expression is None else judge.value(expression))
        except select.LeftOutError:
            return False

    return passes


WRONG_SELECTS = tuple(
    ((evaluator.__doc__ or "").strip(), clauses, _passes(evaluator))
    for evaluator, clauses in (
        (_Positive, "SELECT-2 SELECT-5"),
        (_AttributesOnly, "SELECT-5"),
        (_Doubles, "SELECT-1"),
        (_Thousandths, "SELECT-1"),
        (_WholeQuotients, "SELECT-1"),
        (_MinusIgnored, "SELECT-1"),
        (_StrictBounds, "SELECT-1 SELECT-2"),
        (_TruthIsMinusOne, "SELECT-2 SELECT-3"),
        (_TextsAllDiffer, "SELECT-2"),
        (_LastValue, "SELECT-3"),
        (_RightFirst, "SELECT-3"),
        (_UndefinedIsFalse, "SELECT-4"),
        (_UndefinedIsOne, "SELECT-4"),
        (_DefinedIsUnknown, "SELECT-4"),
    )
)
