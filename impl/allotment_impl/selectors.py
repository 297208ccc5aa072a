"""Selects, checked against the declared attributes and compiled to functions (SELECT-1 … 5).

**How numbers are kept exact.** A compiled node is a function of the host's attributes and a fixed
number of decimals d, counted in thousands: its value is what the function returns, divided by
1000^d. Literals and attributes have d = 1, a product the sum of its sides' d, a sum the larger.
All this is integers; a division alone yields a ``Fraction``, with d = 0, and from there on the
same formulas hold, because fractions multiply and add like integers. Nothing is rounded.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from operator import add, eq, ge, gt, le, lt, ne, sub
from typing import NamedTuple, TypeAlias, assert_never

from allotment_impl.expressions import (
    LEVELS_LARGEST,
    Attribute,
    Defined,
    Expression,
    Node,
    Number,
    Operation,
    Operator,
    Text,
    depth,
    node,
    walk,
)
from allotment_impl.refusals import AMOUNT_LARGEST, Findings, RefusalCode
from allotment_impl.requests import AttributeType
from allotment_impl.vocabulary import Vocabulary

Attributes: TypeAlias = Mapping[str, int | str]
Exact: TypeAlias = int | Fraction
Scalar: TypeAlias = Callable[[Attributes], Exact]

SELECTORS_KEPT = 4096
"""How many compiled selects outlive their jobs: as many as there are shapes, a few kilobytes each.
Past it the one that was not asked for the longest time is compiled again when it comes back."""

_ORDERINGS: dict[Operator, Callable[[Exact, Exact], bool]] = {
    Operator.LESS: lt,
    Operator.LESS_EQUAL: le,
    Operator.GREATER: gt,
    Operator.GREATER_EQUAL: ge,
    Operator.EQUAL: eq,
    Operator.UNEQUAL: ne,
}
_EQUALITIES: dict[Operator, Callable[[object, object], bool]] = {
    Operator.EQUAL: eq,
    Operator.UNEQUAL: ne,
}


class LeftOutError(Exception):
    """A host lacks an attribute that is evaluated, or divides by zero on it (SELECT-4)."""


def check_select(root: Expression, vocabulary: Vocabulary, findings: Findings) -> None:
    """Note what is wrong with a select: names, types, ranges, nesting (SELECT-1, SELECT-2)."""
    types: list[AttributeType | None] = []
    deepest = 1
    for item, level in walk(root):
        deepest = max(deepest, level)
        if isinstance(item, Operation):
            arguments = [types.pop() for _ in item.arguments]
            types.append(_check_operation(item.operator, arguments, findings))
        else:
            types.append(_check_leaf(item, vocabulary, findings))
    if types.pop() is AttributeType.TEXT:
        findings.note(RefusalCode.TYPE, "the whole select is a text")
    if deepest > LEVELS_LARGEST:
        findings.note(RefusalCode.SYNTAX, f"the select is nested {deepest} levels deep")


def _check_leaf(
    leaf: Number | Text | Attribute | Defined, vocabulary: Vocabulary, findings: Findings
) -> AttributeType | None:
    """The type of a leaf, or nothing if its name has none."""
    match leaf:
        case Number(thousandths):
            if abs(thousandths) > AMOUNT_LARGEST:
                findings.note(RefusalCode.AMOUNT_RANGE, f"a select has number {thousandths}")
            return AttributeType.NUMBER
        case Text():
            return AttributeType.TEXT
        case Attribute(name):
            _check_name(name, vocabulary, findings)
            return vocabulary.attributes.get(name)
        case Defined(name):
            _check_name(name, vocabulary, findings)
            return AttributeType.NUMBER
    assert_never(leaf)


def _check_name(name: str, vocabulary: Vocabulary, findings: Findings) -> None:
    if name in vocabulary.attributes:
        return
    if name in vocabulary.host or name in vocabulary.shared:
        findings.note(RefusalCode.NOT_AN_ATTRIBUTE, f"the select reads {name!r}")
    else:
        findings.note(RefusalCode.UNKNOWN_RESOURCE, f"the select reads {name!r}")


def _check_operation(
    operator: Operator, arguments: list[AttributeType | None], findings: Findings
) -> AttributeType:
    """All operators yield numbers; texts are for == and != among themselves (SELECT-2)."""
    if AttributeType.TEXT in arguments:
        others = set(arguments) - {AttributeType.TEXT, None}
        if operator not in _EQUALITIES or others:
            findings.note(RefusalCode.TYPE, f"{operator.value!r} is given a text")
    return AttributeType.NUMBER


class _Scaled(NamedTuple):
    """A compiled number: what ``scalar`` returns, divided by 1000^``decimals``."""

    scalar: Scalar
    decimals: int


def compile_select(
    root: Expression, types: Mapping[str, AttributeType]
) -> Callable[[Attributes], bool]:
    """A function that says whether a host with some attributes passes a checked select."""
    assert depth(root) <= LEVELS_LARGEST
    scalar = _compile_number(node(root), types).scalar

    def passes(attributes: Attributes) -> bool:
        try:
            return scalar(attributes) != 0
        except LeftOutError:
            return False

    return passes


def _compile_number(item: Node, types: Mapping[str, AttributeType]) -> _Scaled:
    match item:
        case Number(thousandths):
            return _Scaled(lambda _: thousandths, 1)
        case Attribute(name):
            return _Scaled(_compile_number_attribute(name), 1)
        case Defined(name):
            return _Scaled(lambda attributes: int(name in attributes), 0)
        case Operation(operator, (argument,)):
            return _compile_unary(operator, _compile_number(node(argument), types))
        case Operation(operator, (left, right)):
            if _is_text(node(left), types):
                return _compile_texts(operator, node(left), node(right))
            return _compile_binary(
                operator, _compile_number(node(left), types), _compile_number(node(right), types)
            )
        case _:
            raise AssertionError("a text that was let through as a number")


def _is_text(item: Node, types: Mapping[str, AttributeType]) -> bool:
    match item:
        case Text():
            return True
        case Attribute(name):
            return types[name] is AttributeType.TEXT
        case _:
            return False


def _compile_number_attribute(name: str) -> Scalar:
    def read(attributes: Attributes) -> Exact:
        value = attributes.get(name)
        if value is None:
            raise LeftOutError
        assert isinstance(value, int)
        return value

    return read


def _compile_text(item: Node) -> Callable[[Attributes], str]:
    if isinstance(item, Text):
        text = item.text
        return lambda _: text
    assert isinstance(item, Attribute)
    name = item.name

    def read(attributes: Attributes) -> str:
        value = attributes.get(name)
        if value is None:
            raise LeftOutError
        assert isinstance(value, str)
        return value

    return read


def _compile_texts(operator: Operator, left: Node, right: Node) -> _Scaled:
    compare, first, second = _EQUALITIES[operator], _compile_text(left), _compile_text(right)
    return _Scaled(lambda attributes: int(compare(first(attributes), second(attributes))), 0)


def _compile_unary(operator: Operator, argument: _Scaled) -> _Scaled:
    scalar, decimals = argument
    if operator is Operator.NOT:
        return _Scaled(lambda attributes: int(scalar(attributes) == 0), 0)
    assert operator is Operator.MINUS
    return _Scaled(lambda attributes: -scalar(attributes), decimals)


def _compile_binary(operator: Operator, left: _Scaled, right: _Scaled) -> _Scaled:
    first, second = left.scalar, right.scalar
    if operator is Operator.AND:
        return _Scaled(lambda a: int(first(a) != 0 and second(a) != 0), 0)
    if operator is Operator.OR:
        return _Scaled(lambda a: int(first(a) != 0 or second(a) != 0), 0)
    if operator is Operator.TIMES:
        return _Scaled(lambda a: first(a) * second(a), left.decimals + right.decimals)
    if operator is Operator.DIVIDE:
        return _compile_division(left, right)
    decimals = max(left.decimals, right.decimals)
    lower, upper = _rescaled(left, decimals), _rescaled(right, decimals)
    if operator in _ORDERINGS:
        compare = _ORDERINGS[operator]
        return _Scaled(lambda a: int(compare(lower(a), upper(a))), 0)
    combine = {Operator.PLUS: add, Operator.SUBTRACT: sub}[operator]
    return _Scaled(lambda a: combine(lower(a), upper(a)), decimals)


def _rescaled(value: _Scaled, decimals: int) -> Scalar:
    scalar, factor = value.scalar, 1000 ** (decimals - value.decimals)
    return scalar if factor == 1 else lambda attributes: scalar(attributes) * factor


def _compile_division(left: _Scaled, right: _Scaled) -> _Scaled:
    decimals = max(left.decimals, right.decimals)
    first, second = _rescaled(left, decimals), _rescaled(right, decimals)

    def divide(attributes: Attributes) -> Exact:
        dividend, divisor = first(attributes), second(attributes)
        if divisor == 0:
            raise LeftOutError
        return Fraction(dividend) / Fraction(divisor)

    return _Scaled(divide, 0)


class Selector:
    """A compiled select: one object for all primaries that share it, by which it is known.

    It remembers nothing of hosts; that is for ``selections``, which are bounded.
    """

    __slots__ = ("passes",)

    def __init__(self, passes: Callable[[Attributes], bool]) -> None:
        self.passes = passes


class Selectors:
    """The compiled selects of one cluster, one for each distinct tree."""

    __slots__ = ("_selectors", "_types")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._types = vocabulary.attributes
        self._selectors: dict[Expression, Selector] = {}

    def of(self, select: Expression) -> Selector:
        """The selector of a checked tree; equal trees share one while it is kept."""
        selector = self._selectors.pop(select, None)
        if selector is None:
            selector = Selector(compile_select(select, self._types))
            if len(self._selectors) >= SELECTORS_KEPT:
                del self._selectors[next(iter(self._selectors))]
        self._selectors[select] = selector
        return selector
