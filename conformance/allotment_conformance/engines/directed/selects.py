"""SELECT in every form: what is undefined in any place, exact numbers, texts on both sides."""

from functools import reduce

from allotment_conformance.engines.directed.case import Directed, directed, not_probed
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    host,
    number,
    operation,
    primary,
    submit,
    text,
)
from allotment_conformance.wire.messages import Json

TYPES = {"width": "number", "depth": "number", "arch": "text", "maker": "text"}
MADE = cluster(
    host("A", 1, attributes={"width": 2000, "arch": "x86", "maker": ""}),
    host("B", 1, attributes={"width": 500, "depth": -1000, "arch": "x86", "maker": "x86"}),
    attributes=TYPES,
)
"""A has no depth; B has all."""

WIDTH, DEPTH = attribute("width"), attribute("depth")
ARCH, MAKER, X86 = attribute("arch"), attribute("maker"), text("x86")
ZERO, HALF, ONE, TWO, THREE = map(number, (0, 500, 1000, 2000, 3000))
THOUSANDTH, LARGEST, NEXT_LARGEST = number(1), number(2**53 - 1), number(2**53 - 2)


def _not(value: Json) -> Json:
    return operation("!", value)


def _minus(value: Json) -> Json:
    return operation("neg", value)


def _equal(left: Json, right: Json) -> Json:
    return operation("==", left, right)


def _divided(left: Json, right: Json) -> Json:
    return operation("/", left, right)


THIRD = _divided(ONE, THREE)
SHALLOW = operation("<", DEPTH, ZERO)
"""True on B, undefined on A."""


def _select(name: str, clauses: str, why: str, select: Json) -> Directed:
    """A bare task with a select."""
    return directed(name, clauses, why, case(MADE, submit("j", primary(1, select=select)), RUN))


def _undefined(name: str, why: str, select: Json) -> Directed:
    """Evaluated on A, so A is left out."""
    return _select(f"select-undefined-{name}", "SELECT-4", why, select)


UNDEFINED = (
    _undefined("compared", "A has no depth, also under `!`.", _not(_equal(DEPTH, ONE))),
    _undefined("beside-itself", "What is undefined does not equal itself.", _equal(DEPTH, DEPTH)),
    _undefined(
        "less-itself",
        "What is undefined less itself is not zero.",
        _equal(operation("-", DEPTH, DEPTH), ZERO),
    ),
    _undefined(
        "times-zero",
        "Zero times what is undefined is not zero.",
        _equal(operation("*", ZERO, DEPTH), ZERO),
    ),
    _undefined(
        "negative",
        "The negative of what is undefined is no number.",
        _not(_equal(_minus(DEPTH), TWO)),
    ),
    _undefined(
        "left-of-and",
        "The left side of && is evaluated first, whatever the right side is.",
        _not(operation("&&", SHALLOW, ZERO)),
    ),
    _undefined(
        "right-of-and",
        "The right side of && decides, so it is evaluated.",
        _not(operation("&&", ONE, SHALLOW)),
    ),
    _undefined(
        "right-of-or",
        "The right side of || decides, so it is evaluated.",
        _not(operation("||", ZERO, SHALLOW)),
    ),
    _undefined(
        "division-on-the-right",
        "width − 2 is zero on A, and the right side of || decides there.",
        _not(operation("||", ZERO, operation(">", _divided(ONE, operation("-", WIDTH, TWO)), ONE))),
    ),
)


def _number(name: str, clauses: str, why: str, select: Json) -> Directed:
    return _select(f"select-{name}", clauses, why, select)


def _all_of(*selects: Json) -> Json:
    return reduce(lambda left, right: operation("&&", left, right), selects)


def _product(factor: Json, times: int) -> Json:
    return reduce(lambda left, right: operation("*", left, right), [factor] * times)


NUMBERS = (
    _number("half-is-true", "SELECT-5", "One half is not 0.", HALF),
    _number(
        "half-is-true-to-and",
        "SELECT-2",
        "One half is true to &&.",
        operation("&&", HALF, operation("||", ZERO, HALF)),
    ),
    _number("not-of-a-half", "SELECT-2", "!0.5 is 0.", _equal(_not(HALF), ZERO)),
    _number("not-of-minus-one", "SELECT-2", "!(−1) is 0.", _equal(_not(_minus(ONE)), ZERO)),
    _number("not-of-not", "SELECT-2", "!!2 is 1, not 2.", _equal(_not(_not(TWO)), ONE)),
    _number(
        "product-of-thousandths",
        "SELECT-1",
        "0.001 × 0.001 is not zero: products are not rounded.",
        operation("*", THOUSANDTH, THOUSANDTH),
    ),
    _number(
        "sum-of-thirds",
        "SELECT-1",
        "A third and a third, three times, are two: a sum of quotients is not rounded.",
        _equal(operation("*", operation("+", THIRD, THIRD), THREE), TWO),
    ),
    _number(
        "third-of-a-third",
        "SELECT-1",
        "A third of a third, nine times, is one.",
        _equal(operation("*", operation("*", THIRD, THIRD), number(9000)), ONE),
    ),
    _number(
        "zero-divided",
        "SELECT-1",
        "0 / 2 is 0 and adds nothing to a quarter; what is divided may be zero.",
        _equal(operation("+", _divided(ZERO, TWO), _divided(HALF, TWO)), number(250)),
    ),
    _number(
        "minus-one-divided",
        "SELECT-1",
        "(−1) / 2 is −0.5, neither 0 nor −1 nor 0.5.",
        _equal(_divided(_minus(ONE), TWO), _minus(HALF)),
    ),
    _number(
        "below-zero-included",
        "SELECT-1",
        "−1 is at most −1 and at least −1.",
        operation("&&", operation("<=", DEPTH, number(-1000)), operation(">=", DEPTH, _minus(ONE))),
    ),
    _number(
        "largest-and-next",
        "SELECT-1",
        "The two largest numbers differ by a thousandth, which doubles cannot tell.",
        _equal(operation("-", LARGEST, NEXT_LARGEST), THOUSANDTH),
    ),
    _number(
        "largest-squared",
        "SELECT-1",
        "The square of the largest number is more than its product with the next.",
        operation(">", operation("*", LARGEST, LARGEST), operation("*", LARGEST, NEXT_LARGEST)),
    ),
    _number(
        "every-comparison-of-neighbours",
        "SELECT-1",
        "The largest number is more than the next one, not less and not equal, in every form.",
        _all_of(
            operation(">", LARGEST, NEXT_LARGEST),
            operation("<", NEXT_LARGEST, LARGEST),
            operation("!=", LARGEST, NEXT_LARGEST),
            _not(operation("<=", LARGEST, NEXT_LARGEST)),
            _not(operation(">=", NEXT_LARGEST, LARGEST)),
            _not(_equal(LARGEST, NEXT_LARGEST)),
        ),
    ),
    _number(
        "nearly-zero",
        "SELECT-1",
        "0.001 to the fourth power is not zero, and neither less nor equal.",
        _all_of(
            _not(_equal(_product(THOUSANDTH, 4), ZERO)),
            operation(">", _product(THOUSANDTH, 4), ZERO),
        ),
    ),
    _number(
        "beyond-every-width",
        "SELECT-1",
        "Products, sums and differences of three and more largest numbers are exact.",
        _all_of(
            _equal(_divided(_product(LARGEST, 3), LARGEST), _product(LARGEST, 2)),
            _equal(
                _divided(operation("+", _product(LARGEST, 2), _product(LARGEST, 2)), LARGEST),
                operation("+", LARGEST, LARGEST),
            ),
            operation("<", operation("-", ZERO, _product(LARGEST, 3)), _minus(LARGEST)),
            operation(">", operation("+", _product(LARGEST, 3), ONE), _product(LARGEST, 3)),
        ),
    ),
    _number(
        "signs-of-a-quotient",
        "SELECT-1",
        "−1 / −2 is one half, and 1 / −2 is −1 / 2.",
        _all_of(
            _equal(_divided(_minus(ONE), _minus(TWO)), HALF),
            _equal(_divided(ONE, _minus(TWO)), _divided(_minus(ONE), TWO)),
        ),
    ),
    _number(
        "attribute-with-attribute",
        "SELECT-4",
        "Width and depth are compared with each other; only B has both.",
        operation(">", WIDTH, DEPTH),
    ),
)

TEXTS = (
    _select(
        "select-text-on-the-left",
        "SELECT-2",
        "A text may stand on either side of `==`.",
        _equal(X86, MAKER),
    ),
    _select(
        "select-text-attributes",
        "SELECT-2",
        "Two text attributes are compared with each other: on B they are equal.",
        _equal(ARCH, MAKER),
    ),
    _select(
        "select-literal-texts",
        "SELECT-2",
        "Two texts are compared with each other.",
        _equal(text("a"), text("a")),
    ),
    _select(
        "select-not-the-empty-text",
        "SELECT-2",
        "The empty text is not `x86`, and it equals itself.",
        _all_of(operation("!=", MAKER, X86), _equal(text(""), text(""))),
    ),
    _select(
        "select-text-in-a-list",
        "SELECT-2",
        "A text with commas is one text, which is no part of it.",
        _all_of(operation("!=", text("arm,x86"), X86), _equal(X86, X86)),
    ),
    _select(
        "select-empty-text",
        "SELECT-4",
        "The empty text is a text like others.",
        _equal(MAKER, text("")),
    ),
)


def _chains(operator: str, first: Json, others: Json) -> list[Json]:
    """As deep as a select may be, to the left and to the right; `first` is at the bottom."""
    operands = [others] * 99
    return [
        reduce(lambda deep, other: operation(operator, deep, other), operands, first),
        reduce(lambda deep, other: operation(operator, other, deep), operands, first),
    ]


DEEP = {
    "conjunction": ("Its innermost operand decides.", _chains("&&", ZERO, ONE)),
    "disjunction": ("Its innermost operand decides.", _chains("||", ONE, ZERO)),
    "sum": ("Its innermost operand is all there is.", _chains("+", ONE, ZERO)),
    "comparison": ("Each level turns the truth of the one below round.", _chains("<", ZERO, ONE)),
}


def _deep(name: str, why: str, selects: list[Json]) -> Directed:
    asked = (submit(f"j{at}", primary(1, select=one)) for at, one in enumerate(selects))
    made = cluster(host("A", 9))
    return directed(
        f"select-deep-{name}", "SELECT-5", f"100 levels. {why}", case(made, *asked, RUN)
    )


CASES: tuple[Directed, ...] = (
    *UNDEFINED,
    *NUMBERS,
    *TEXTS,
    *not_probed(_deep(name, *one) for name, one in DEEP.items()),
)
