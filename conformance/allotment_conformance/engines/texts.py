"""Cases of texts: requests that mean something else if one bracket, or one word, is read otherwise.

They are for allocators that read requests as texts (SPEC.md 2.1). Bulk cases seldom hold a select
in which the order of operators decides, and never a text that is refused.
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
    uses,
)
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.request_texts import (
    ANY,
    NO_REQUESTS,
    UNREADABLE,
    Style,
    on_every_host,
)

ZERO, ONE, TWO = number(0), number(1000), number(2000)

PLAINEST = 0
"""Of the kit's wordings the plainest, with brackets only where they are needed."""


def _as_text(*request: Json, style: int = PLAINEST) -> Json:
    sent = submit("j", *request)
    return {**sent, "job": {**sent["job"], "text": style}}


def _asked(*hosts: Json, request: Json) -> Json:
    return case(cluster(*hosts), _as_text(request), RUN)


def _select(name: str, why: str, select: Json) -> Directed:
    asked = _asked(host("A", 1), request={**primary(1), "select": select})
    return directed(name, "SELECT-5", why, asked)


def _any(name: str) -> Directed:
    """A task for each of two hosts, one of which has the attribute."""
    return directed(
        f"{name}-equals-any",
        "SELECT-5",
        "The word `any` is no text: every host passes, also one that has nothing to compare.",
        case(
            cluster(host("A", 1, attributes={name: "x"}), host("B", 1), attributes={name: "text"}),
            _as_text(primary(2, select=on_every_host(name))),
            RUN,
        ),
    )


def _unused(name: str, why: str, style: int) -> Directed:
    """All that A has, in the words of a style."""
    return directed(
        name,
        "WANT-1",
        why,
        case(
            cluster(host("A", 2, mem=2000, disk=1000), amounts=["mem", "disk"]),
            _as_text(
                primary(2, uses("mem", 1000, "task"), uses("disk", 1000, "host")), style=style
            ),
            RUN,
            report=["books"],
        ),
    )


def _refused(number: int, what: str) -> Directed:
    """A text that is no request; its name is not taken."""
    return directed(
        f"text-refused-for-{what}",
        "INGEST-2",
        "What is no request in the language is refused with `syntax`, and changes nothing.",
        case(cluster(host("A", 1)), _as_text(UNREADABLE, style=number), _as_text(primary(1)), RUN),
    )


DURATIONS = Style.DURATIONS | Style.COMMAS
SECTIONS = Style.UNUSED_SECTIONS | Style.SECTIONS_REVERSED

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
    *(_any(attribute) for attribute in ANY),
    directed(
        "delays-of-alternatives",
        "ALTER-1",
        "What stands behind @ delays nothing: the first alternative that holds is taken.",
        case(
            cluster(host("A", 2)),
            _as_text(primary(2, ptile=1), primary(2, hosts_max=1), primary(2), style=Style.DELAYS),
            RUN,
        ),
    ),
    _unused("durations-of-amounts", "A duration takes nothing and gives nothing back.", DURATIONS),
    _unused("sections-that-are-not-used", "`same` and `order` choose no host.", SECTIONS),
    *(_refused(number, what) for number, what in enumerate(NO_REQUESTS)),
)
