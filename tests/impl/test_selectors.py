"""What selects mean: exact numbers, left-out hosts, one object for equal trees."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment_impl.expressions import LEVELS_READ, read_expression
from allotment_impl.refusals import Findings, Refused
from allotment_impl.requests import AttributeType, Resources
from allotment_impl.selectors import SELECTORS_KEPT, Selectors, check_select
from allotment_impl.vocabulary import Vocabulary
from impl.building import Raw
from impl.test_expressions import nested

VOCABULARY = Vocabulary.declare(
    Resources(
        host=("mem",),
        shared=("licence",),
        attributes={
            "x": AttributeType.NUMBER,
            "y": AttributeType.NUMBER,
            "os": AttributeType.TEXT,
            "arch": AttributeType.TEXT,
        },
    )
)


def number(thousandths: int) -> Raw:
    return {"number": thousandths}


def text(value: str) -> Raw:
    return {"text": value}


def attribute(name: str) -> Raw:
    return {"attribute": name}


def op(operator: str, *arguments: Raw) -> Raw:
    return {"op": operator, "args": list(arguments)}


def passes(raw: Raw, **attributes: Any) -> bool:
    return Selectors(VOCABULARY).of(read_expression(raw)).passes(attributes)


def code(raw: Raw) -> str | None:
    findings = Findings()
    check_select(read_expression(raw), VOCABULARY, findings)
    try:
        findings.raise_first()
    except Refused as refusal:
        return refusal.code.value
    return None


THIRD = op("/", number(1000), number(3000))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (number(0), False),
        (number(1), True),
        (number(-1), True),
        (op("==", op("*", number(1500), number(1500)), number(2250)), True),
        (op("==", op("*", number(1), number(1)), number(0)), False),
        (op("==", op("*", THIRD, number(3000)), number(1000)), True),
        (op("==", op("+", op("+", THIRD, THIRD), THIRD), number(1000)), True),
        (op("==", THIRD, number(333)), False),
        (op("<", number(333), THIRD), True),
        (op("==", op("/", THIRD, THIRD), number(1000)), True),
        (op("==", op("-", number(1000), number(1500)), op("neg", number(500))), True),
        (op("==", op("<", number(1), number(2)), number(1000)), True),
        (op("+", op("<", number(1), number(2)), number(-1000)), False),
        (op("==", op("!", number(0)), number(1000)), True),
        (op("!", number(500)), False),
        (op("==", op("&&", number(2000), number(3000)), number(1000)), True),
        (op("==", op("||", number(0), number(3000)), number(1000)), True),
        (op("||", number(0), number(0)), False),
        (op("<=", number(2), number(2)), True),
        (op(">=", number(1), number(2)), False),
        (op(">", number(2), number(2)), False),
        (op("!=", number(2), number(2)), False),
        (op("==", text("a"), text("a")), True),
        (op("!=", text("a"), text("A")), True),
    ],
)
def test_values_are_exact(raw: Raw, expected: bool) -> None:
    assert code(raw) is None
    assert expected == passes(raw)


@given(st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6), st.integers(-(10**6), 10**6))
def test_arithmetic_agrees_with_fractions(x: int, y: int, z: int) -> None:
    a, b, c = (Fraction(value, 1000) for value in (x, y, z))
    formula = op("+", op("*", attribute("x"), attribute("y")), op("neg", number(z)))
    assert (a * b - c != 0) == passes(formula, x=x, y=y)
    if y:
        quotient = op("/", op("-", attribute("x"), number(z)), attribute("y"))
        assert ((a - c) / b < a * c) == passes(
            op("<", quotient, op("*", attribute("x"), number(z))), x=x, y=y
        )


UNDEFINED = op("==", attribute("x"), attribute("x"))
ZERO = op("/", number(1000), number(0))


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (UNDEFINED, False),
        (op("!", UNDEFINED), False),
        (ZERO, False),
        (op("!", ZERO), False),
        (op("==", attribute("os"), text("linux")), False),
        (op("!=", attribute("os"), text("linux")), False),
        (op("||", number(1), ZERO), True),
        (op("||", ZERO, number(1)), False),
        (op("!", op("&&", number(0), UNDEFINED)), True),
        (op("!", op("&&", UNDEFINED, number(0))), False),
        (op("*", number(0), attribute("x")), False),
        ({"defined": "x"}, False),
        (op("!", {"defined": "x"}), True),
        ({"defined": "y"}, True),
        (op("||", op("!", {"defined": "x"}), op(">", attribute("x"), number(0))), True),
        (op("/", number(1), op("-", attribute("y"), number(2))), False),
    ],
)
def test_what_is_evaluated_in_vain_leaves_the_host_out(raw: Raw, expected: bool) -> None:
    assert code(raw) is None
    assert expected == passes(raw, y=2)


def test_defined_reads_texts_as_well() -> None:
    assert passes({"defined": "os"}, os="")
    assert passes(op("==", attribute("os"), attribute("arch")), os="a", arch="a")


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (text("a"), "type"),
        (attribute("os"), "type"),
        (op("==", text("a"), number(1)), "type"),
        (op("==", attribute("x"), attribute("os")), "type"),
        (op("<", text("a"), text("b")), "type"),
        (op("+", text("a"), text("b")), "type"),
        (op("&&", number(1), text("b")), "type"),
        (op("!", attribute("os")), "type"),
        (op("neg", attribute("os")), "type"),
        (op("==", op("==", text("a"), text("b")), text("c")), "type"),
        (attribute("slots"), "not-an-attribute"),
        (attribute("mem"), "not-an-attribute"),
        (attribute("licence"), "not-an-attribute"),
        ({"defined": "mem"}, "not-an-attribute"),
        (attribute("nothing"), "unknown-resource"),
        ({"defined": "nothing"}, "unknown-resource"),
        (number(2**53), "amount-range"),
        (number(-(2**53)), "amount-range"),
        (number(2**53 - 1), None),
        (nested(100), None),
        (nested(101), "syntax"),
        (nested(LEVELS_READ), "syntax"),
        (op("==", attribute("nothing"), text("a")), "unknown-resource"),
        (op("+", attribute("mem"), attribute("nothing")), "unknown-resource"),
        (op("+", text("a"), attribute("mem")), "not-an-attribute"),
        (op("+", text("a"), number(2**53)), "type"),
    ],
)
def test_what_a_select_cannot_mean_has_a_code(raw: Raw, expected: str | None) -> None:
    assert expected == code(raw)


def test_equal_trees_share_a_selector_and_old_ones_go() -> None:
    selectors = Selectors(VOCABULARY)
    first = selectors.of(read_expression(number(-1)))
    assert first is selectors.of(read_expression(number(-1)))
    for other in range(SELECTORS_KEPT):
        selectors.of(read_expression(number(other)))
    assert first is not selectors.of(read_expression(number(-1)))
