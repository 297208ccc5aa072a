"""Several texts and operands in one select."""

from collections.abc import Iterator

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    host,
    operation,
    primary,
    submit,
    text,
)
from allotment_conformance.engines.several.numbers import MANY, NOWHERE
from allotment_conformance.wire.messages import Json

ALIKE = (
    ("a", "a "),
    ("a", " a"),
    ("a ", "a  "),
    ("a b", "a  b"),
    ("a", "A"),
    ("a", "a\t"),
    ("a", "a\n"),
    ("a ", "a\n"),
    ("", " "),
    ("1", "1.0"),
    ("01", "1"),
    ("true", "True"),
    ("a", "a_"),
    ("a", "aa"),
    ("\u00e9", "e\u0301"),
    ("ss", "\u00df"),
    ("a\u00a0", "a "),
    ("'a'", "a"),
    ("a-b", "a_b"),
    ("*", "a"),
    ("x" * 300, "x" * 299),
)
"""Texts that are not the same: nothing is cut, folded or stripped (SPEC.md 2)."""


def _chain(operator: str, operands: list[Json], *, to_the_left: bool) -> Json:
    """The operands joined, nested to the left or to the right."""
    made, *others = operands if to_the_left else operands[::-1]
    for other in others:
        made = operation(operator, *((made, other) if to_the_left else (other, made)))
    return made


def _texts_compared() -> Json:
    """Two texts in the select, and two attributes: each way they are unlike, and never alike.

    The equalities of two texts stand alone, too: one that is taken for another is known to fail.
    """
    attributes = {
        f"{side}{at}": value
        for at, pair in enumerate(ALIKE)
        for side, value in zip("lr", pair, strict=True)
    }
    jobs = []
    for at, (left, right) in enumerate(ALIKE):
        sides = (
            (text(left), text(right)),
            (text(right), text(left)),
            (attribute(f"l{at}"), attribute(f"r{at}")),
            (attribute(f"r{at}"), text(left)),
            (text(right), attribute(f"l{at}")),
        )
        equal, unequal = ([operation(sign, *pair) for pair in sides] for sign in ("==", "!="))
        for name, select in (
            ("texts", equal[0]),
            ("any", _chain("||", equal[1:], to_the_left=True)),
            ("none", _chain("&&", unequal, to_the_left=True)),
        ):
            jobs.append(submit(f"{name}{at}", primary(1, select=select)))
    return case(
        cluster(
            host("A", len(ALIKE), attributes=attributes),
            attributes=dict.fromkeys(attributes, "text"),
        ),
        *jobs,
        RUN,
    )


def _places() -> Iterator[tuple[int, int, bool]]:
    """So many operands, the place of the one that decides, and whether they nest to the left.

    Short chains in all ways, longer ones by turns to the left and to the right.
    """
    for many in MANY:
        places = (0, many - 1) if many < 5 or many >= 17 else (many - 1,)
        ways = (True, False) if many < 5 else (many % 2 == 0,)
        yield from ((many, place, to_the_left) for place in places for to_the_left in ways)


def _chains() -> Json:
    """Of several operands one decides, wherever it stands."""
    return case(
        cluster(host("A", 200, attributes={"rack": 1000}), attributes={"rack": "number"}),
        *(
            submit(
                f"{operator}-{many}-{place}-{to_the_left}",
                primary(
                    1,
                    select=_chain(
                        operator,
                        [unlike if each == place else like for each in range(many)],
                        to_the_left=to_the_left,
                    ),
                ),
            )
            for operator, like, unlike in (
                ("&&", attribute("rack"), NOWHERE),
                ("||", NOWHERE, attribute("rack")),
                ("+", NOWHERE, attribute("rack")),
                ("*", attribute("rack"), NOWHERE),
            )
            for many, place, to_the_left in _places()
        ),
        RUN,
    )


CASES: tuple[Directed, ...] = (
    directed(
        "texts-on-both-sides",
        "SELECT-2",
        "Two texts that differ by a blank or a letter's case are two, written or read of a host.",
        _texts_compared(),
    ),
    directed(
        "one-of-several-operands",
        "SELECT-1",
        "Of a chain of operands the one that decides may stand anywhere.",
        _chains(),
    ),
)
