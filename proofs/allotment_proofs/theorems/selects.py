"""A theorem about the types of selects (SELECT-2).

No amount is in it: Python runs the model on every operator with operands of every form, and that
is all there is to show.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from allotment_model.cluster import AttributeType
from allotment_model.request import Attribute, Defined, Expression, Number, Operation, Text
from allotment_model.select import type_of
from allotment_proofs.statement import Case, Lifting, Theorem
from allotment_proofs.theorems.words import is_empty

TYPES = {"x": AttributeType.NUMBER, "t": AttributeType.TEXT}
NUMBER, TEXT, NONE = "number", "text", "no type"
X = Attribute(name="x")

OPERANDS: Mapping[str, tuple[Expression, str]] = {
    "a number": (Number(thousandths=1), NUMBER),
    "a text": (Text(text="a"), TEXT),
    "a numeric attribute": (X, NUMBER),
    "a text attribute": (Attribute(name="t"), TEXT),
    "an attribute that is not declared": (Attribute(name="y"), NONE),
    "`defined` of a text": (Defined(name="t"), NUMBER),
    "a sum": (Operation(operator="+", operands=(X, X)), NUMBER),
    "a negative text": (Operation(operator="neg", operands=(Text(text="a"),)), NONE),
}
"""Every form of an expression, and its type."""

UNARY = "!", "neg"
EQUALITY = "==", "!="
BINARY = *EQUALITY, "<", "<=", ">", ">=", "+", "-", "*", "/", "&&", "||"
"""SPEC.md's operators, spelled out, so that the model is not asked."""


def _right(operator: str, *types: str) -> str:
    """SPEC.md's words for the type of an operation whose operands have these types (ghost)."""
    is_number = {*types} == {NUMBER} or (operator in EQUALITY and {*types} == {TEXT})
    return NUMBER if is_number else NONE


def _operations() -> Iterator[tuple[str, Expression, str]]:
    """Each expression with what it is in words, and its type."""
    for told, (operand, its_type) in OPERANDS.items():
        yield told, operand, its_type
        for operator in UNARY:
            operation = Operation(operator=operator, operands=(operand,))
            yield f"`{operator}` of {told}", operation, _right(operator, its_type)
    for (told, (left, its_type)), (other, (right, another)) in product(OPERANDS.items(), repeat=2):
        for operator in BINARY:
            operation = Operation(operator=operator, operands=(left, right))
            words = f"`{operator}` between {told} and {other}"
            yield words, operation, _right(operator, its_type, another)


EXPRESSIONS = tuple(_operations())


def _wrong_type() -> str:
    """The first expression that has another type than it should; empty if none has."""
    for told, expression, right in EXPRESSIONS:
        found = type_of(expression, TYPES) or NONE
        if found != right:
            return f"{told} has the type {found}, and should have {right}"
    return ""


def _types(lifting: Lifting) -> Iterator[Case]:
    claim, wrong = is_empty(lifting.paths(_wrong_type))
    yield Case(claim=claim, told="{wrong}", values=wrong)


THEOREMS = (
    Theorem(
        name="Numbers go with numbers, texts are compared with texts, and nothing else has a type",
        clauses=("SELECT-2",),
        scope=f"of `type_of` alone, without symbols: {len(EXPRESSIONS)} selects run, each operator "
        "with operands of each form, one of them an operation; deeper ones are tested",
        cases=_types,
    ),
)
"""The theorems of this module."""
