"""Selects: values, truth, what is undefined, and agreement with a second evaluator."""

from fractions import Fraction
from random import Random

import pytest

from allotment_model.request import Attribute, Defined, Expression, Number, Operation, Text
from allotment_model.select import depth, evaluate, parts_of, passes, type_of
from model import sceptic_select
from model.worlds import RESOURCES, random_host, random_number

ONE, ZERO, HALF = (Number(thousandths=n) for n in (1000, 0, 500))
CORES, ARCH, AGE = (Attribute(name=name) for name in ("cores", "arch", "age"))
ON: dict[str, int | str] = {"cores": 2500, "arch": "x86"}


def operation(operator: str, *operands: Expression) -> Operation:
    """An operator and its operands."""
    return Operation(operator=operator, operands=operands)


X86 = operation("==", ARCH, Text(text="x86"))


@pytest.mark.parametrize(
    ("value", "expression"),
    [
        (Fraction(5, 2), CORES),
        (Fraction(1, 3), operation("/", ONE, Number(thousandths=3000))),
        (Fraction(1, 10**6), operation("*", Number(thousandths=1), Number(thousandths=1))),
        (Fraction(-5, 2), operation("neg", CORES)),
        (1, operation("!", ZERO)),
        (0, operation("!", HALF)),
        (2, operation("+", ONE, operation("<", ONE, CORES))),
        (1, operation("&&", HALF, CORES)),
        (1, operation("||", HALF, AGE)),
        (0, operation("&&", ZERO, AGE)),
        (1, X86),
        (0, operation("!=", ARCH, Text(text="x86"))),
        (1, Defined(name="cores")),
        (0, Defined(name="age")),
    ],
)
def test_value_is_exact(value: Fraction | int, expression: Expression) -> None:
    assert value == evaluate(expression, ON)


@pytest.mark.parametrize(
    "expression",
    [
        AGE,
        operation("!", AGE),
        operation("/", ONE, ZERO),
        operation("!", operation("/", ONE, ZERO)),
        operation("||", ZERO, AGE),
        operation("&&", ONE, AGE),
        operation("||", AGE, ONE),
        operation("&&", AGE, ZERO),
        operation("==", AGE, AGE),
        operation("*", ZERO, AGE),
    ],
)
def test_undefined_leaves_the_host_out(expression: Expression) -> None:
    assert not passes(expression, ON)


def test_third_times_three_is_one() -> None:
    third = operation("/", ONE, Number(thousandths=3000))
    assert passes(operation("==", operation("*", third, Number(thousandths=3000)), ONE), ON)


def test_not_zero_passes() -> None:
    assert passes(None, {})
    assert passes(HALF, {})
    assert passes(operation("neg", ONE), {})
    assert not passes(ZERO, {})


def test_defined_guards_what_follows() -> None:
    guarded = operation("&&", Defined(name="age"), operation(">", AGE, ZERO))
    assert not passes(guarded, {})
    assert passes(guarded, {"age": 1})


@pytest.mark.parametrize(
    "expression",
    [
        Text(text="x"),
        ARCH,
        operation("!", ARCH),
        operation("neg", ARCH),
        operation("<", ARCH, Text(text="x")),
        operation("==", ARCH, ONE),
        operation("&&", X86, ARCH),
        operation("+", ONE, Text(text="x")),
    ],
)
def test_texts_elsewhere_are_no_numbers(expression: Expression) -> None:
    assert "number" != type_of(expression, RESOURCES.attributes)


def test_compared_texts_are_a_number() -> None:
    assert "number" == type_of(operation("+", X86, ONE), RESOURCES.attributes)


def test_leaf_is_one_level() -> None:
    assert [1, 2, 3] == [depth(one) for one in (ONE, operation("!", ONE), operation("+", ONE, X86))]


def test_parts_are_all_nodes() -> None:
    assert [X86, ARCH, Text(text="x86")] == list(parts_of(X86))


def test_random_selects_agree_with_second_evaluator() -> None:
    random, passed = Random(13), 0
    for _ in range(8000):
        on, expression = random_host(random, "A"), random_number(random, random.randint(0, 4))
        assert "number" == type_of(expression, RESOURCES.attributes)
        expected = sceptic_select.passes(expression, on)
        passed += expected
        assert expected == passes(expression, on.attributes)
    assert 1000 < passed < 7000
