"""Cases of texts: requests that mean something else if one bracket, or one word, is read otherwise.

They are for allocators that read requests as texts (SPEC.md 2.1). Bulk cases seldom hold a select
in which the order of operators decides.
"""

from allotment_conformance.engines.directed.case import Directed, directed
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

ZERO, ONE, TWO = number(0), number(1000), number(2000)

STYLE = 0
"""Of the kit's wordings the plainest, with brackets only where they are needed."""


def _as_text(request: Json) -> Json:
    sent = submit("j", request)
    return {**sent, "job": {**sent["job"], "text": STYLE}}


def _asked(*hosts: Json, request: Json) -> Json:
    return case(cluster(*hosts), _as_text(request), RUN)


def _select(name: str, why: str, select: Json) -> Directed:
    asked = _asked(host("A", 1), request={**primary(1), "select": select})
    return directed(name, "SELECT-5", why, asked)


TEXTS: tuple[Directed, ...] = (
    _select(
        "equal-in-brackets",
        "(2 == 1) < 2 is true, and 2 == (1 < 2) is not.",
        operation("<", operation("==", TWO, ONE), TWO),
    ),
    _select(
        "sum-in-brackets",
        "(1 + 1) * 0 is zero, and 1 + (1 * 0) is not.",
        operation("*", operation("+", ONE, ONE), ZERO),
    ),
    _select(
        "or-in-brackets",
        "(1 || 0) && 0 is false, and 1 || (0 && 0) is not.",
        operation("&&", operation("||", ONE, ZERO), ZERO),
    ),
    _select(
        "not-in-brackets",
        "!(0 + 1) is false, and (!0) + 1 is not.",
        operation("!", operation("+", ZERO, ONE)),
    ),
    directed(
        "text-with-a-hyphen",
        "SELECT-2",
        "The text is all of `disk-7`, which is no difference and no word `disk`.",
        case(
            cluster(host("A", 1, attributes={"arch": "disk-7"}), attributes={"arch": "text"}),
            _as_text(primary(1, select=operation("==", attribute("arch"), text("disk-7")))),
            RUN,
        ),
    ),
    directed(
        "stripe-is-no-ptile",
        "PLAN-9",
        "Four tasks, at most three a host, are split in two and two; ptile would make it 3 and 1.",
        _asked(host("A", 2), host("B", 2), request=primary(4, tasks_per_host=3)),
    ),
)
