"""COMPOUND, ALTER, SELECT: requests of several primaries, and the filter on hosts."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    defined,
    host,
    limit,
    number,
    operation,
    primary,
    submit,
    text,
    uses,
)
from allotment_conformance.wire.messages import Json

MEM_A_HOST = uses("mem", 1000, "host")
LICENCE = uses("lic", 1000, "job")
WIDE = primary(1, select=operation(">", attribute("width"), number(1000)))

COMPOUNDS = (
    directed(
        "all-parts-or-none",
        "COMPOUND-1",
        "The first part fits and the second does not: the compound pends as a whole.",
        case(cluster(host("A", 2)), submit("j", [1, 2]), RUN),
    ),
    directed(
        "parts-see-debits",
        "COMPOUND-2",
        "The slot of A is taken by the first part: the second goes to B.",
        case(cluster(host("A", 1), host("B", 1)), submit("j", [1, 1]), RUN),
    ),
    directed(
        "parts-in-order",
        "COMPOUND-2",
        "The part of one goes first and takes A; the part of two then finds B and no third.",
        case(cluster(host("A", 2), host("B", 1)), submit("j", [1, 2]), RUN),
    ),
    directed(
        "parts-are-greedy",
        "COMPOUND-2 WHY-2",
        "{1}+{4} on 4 and 1 slots pends though a joint choice exists, and `never` is false (E5).",
        case(cluster(host("A", 4), host("B", 1)), submit("j", [1, 4]), RUN),
    ),
    directed(
        "per-host-amount-for-each-part",
        "COMPOUND-2",
        "Two parts on one host charge the per-host amount twice; A has it once.",
        case(
            cluster(host("A", 2, mem=1000), amounts=["mem"]),
            submit("j", [primary(1, MEM_A_HOST), primary(1, MEM_A_HOST)]),
            RUN,
        ),
    ),
    directed(
        "failed-compound-leaves-nothing",
        "COMPOUND-3 UNDO-4",
        "The first part had taken A; the next job gets all of it.",
        case(cluster(host("A", 2)), submit("j", [1, 2]), submit("k", 2), RUN),
    ),
    directed(
        "failed-compound-gives-pool-back",
        "COMPOUND-3 UNDO-4",
        "The first part had taken the licence; the next job gets it.",
        case(
            cluster(host("A", 1), shared=["lic"], pools={"lic": 1000}),
            submit("j", [primary(1, LICENCE), 1]),
            submit("k", primary(1, LICENCE)),
            RUN,
        ),
    ),
)

NO_PLAN = primary(1, hosts_min=2)

ALTERS = (
    directed(
        "first-that-is-placed",
        "ALTER-1",
        "Both alternatives fit: the first is answered.",
        case(cluster(host("A", 1)), submit("j", 1, primary(1, hosts_max=1)), RUN),
    ),
    directed(
        "later-alternative-wins",
        "ALTER-1",
        "One host is too small for both tasks; the second alternative takes two.",
        case(cluster(host("A", 1), host("B", 1)), submit("j", primary(2, hosts_max=1), 2), RUN),
    ),
    directed(
        "last-of-three-wins",
        "ALTER-1 ALTER-2",
        "Two alternatives fail, one of them after its first part was placed.",
        case(
            cluster(host("A", 2)),
            submit("j", primary(2, hosts_min=2), [1, NO_PLAN], [1, 1]),
            RUN,
        ),
    ),
    directed(
        "failed-alternative-leaves-ledger",
        "ALTER-2",
        "The first alternative had taken a slot of A; the second needs both.",
        case(cluster(host("A", 2)), submit("j", [1, NO_PLAN], 2), RUN),
    ),
    directed(
        "failed-alternative-gives-pool-back",
        "ALTER-2",
        "The first alternative had taken the licence; the second needs it.",
        case(
            cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
            submit("j", [primary(1, LICENCE), NO_PLAN], [primary(1, LICENCE), 1]),
            RUN,
        ),
    ),
)


def _nested(what: str, made: Json, refused: Json, why: str) -> tuple[Directed, Directed]:
    """A check that a bare primary meets, inside a compound and inside an alter."""
    return (
        directed(
            f"nested-{what}-in-compound", "ALTER-3", why, case(made, submit("j", [refused, 1]), RUN)
        ),
        directed(
            f"nested-{what}-in-alter",
            "ALTER-3",
            why,
            case(made, submit("j", primary(1, hosts_min=3), refused), RUN),
        ),
    )


NESTED = (
    *_nested(
        "limit",
        cluster(
            host("A", 3, mem=1000),
            amounts=["mem"],
            limits=[limit("user", "u", "cluster", "mem", 0)],
        ),
        primary(1, uses("mem", 1, "task")),
        "The user may hold no memory, nested or not.",
    ),
    *_nested(
        "pool",
        cluster(host("A", 3), shared=["lic"], pools={"lic": 0}),
        primary(1, LICENCE),
        "There is no licence, nested or not.",
    ),
    *_nested(
        "amount",
        cluster(host("A", 3), amounts=["mem"]),
        primary(1, MEM_A_HOST),
        "No host has memory, nested or not.",
    ),
    *_nested(
        "select",
        cluster(host("A", 3, attributes={"width": 1000}), attributes={"width": "number"}),
        WIDE,
        "No host passes the select, nested or not.",
    ),
    *_nested(
        "span",
        cluster(host("A", 3)),
        NO_PLAN,
        "One task has no plan for two hosts, nested or not.",
    ),
)

TYPES = {"width": "number", "depth": "number", "arch": "text"}
WIDTH, DEPTH, ARCH = attribute("width"), attribute("depth"), attribute("arch")
ONE, TWO, THREE, ZERO = number(1000), number(2000), number(3000), number(0)


def _select(name: str, clauses: str, why: str, select: Json) -> Directed:
    """A bare task with a select, on hosts of which A has width 2 and B all attributes."""
    hosts = (
        host("A", 1, attributes={"width": 2000}),
        host("B", 1, attributes={"width": 500, "depth": -1000, "arch": "x86"}),
    )
    made = cluster(*hosts, attributes=TYPES)
    return directed(name, clauses, why, case(made, submit("j", primary(1, select=select)), RUN))


SELECTS = (
    _select(
        "select-passes-one",
        "SELECT-5 HOST-1",
        "A does not pass, B does.",
        operation("<", WIDTH, ONE),
    ),
    _select(
        "select-value-not-zero",
        "SELECT-5",
        "Any value but zero passes, also 2 and −1: width − 2 is zero on A.",
        operation("-", WIDTH, TWO),
    ),
    _select(
        "select-negative-is-true",
        "SELECT-5 SELECT-2",
        "−1 is true: only B has a depth, and its depth is not zero.",
        operation("&&", defined("depth"), DEPTH),
    ),
    directed(
        "no-select-selects-all",
        "SELECT-5",
        "A host without attributes is a candidate for who does not select.",
        case(cluster(host("A", 1), attributes=TYPES), submit("j", 1), RUN),
    ),
    _select(
        "select-fraction",
        "SELECT-1",
        "Twice 0.5 is 1 on B.",
        operation("==", operation("*", WIDTH, TWO), ONE),
    ),
    _select(
        "select-thirds-are-exact",
        "SELECT-1",
        "A third times three is one: quotients are not rounded.",
        operation("==", operation("*", operation("/", ONE, THREE), THREE), ONE),
    ),
    _select(
        "select-quotients-are-not-whole",
        "SELECT-1",
        "A quarter of width is less than one and more than zero.",
        operation(">", operation("/", WIDTH, number(4000)), ZERO),
    ),
    _select(
        "select-thousandths",
        "SELECT-1",
        "0.1 + 0.2 is 0.3 exactly.",
        operation("==", operation("+", number(100), number(200)), number(300)),
    ),
    _select(
        "select-truth-is-a-number",
        "SELECT-2",
        "(1 < 2) + 1 is 2.",
        operation("==", operation("+", operation("<", ONE, TWO), ONE), TWO),
    ),
    _select(
        "select-not-yields-one",
        "SELECT-2",
        "!0 is 1, and !2 is 0.",
        operation("==", operation("+", operation("!", ZERO), operation("!", TWO)), ONE),
    ),
    _select(
        "select-defined-yields-one",
        "SELECT-2",
        "defined(arch) is 1 on B.",
        operation("==", defined("arch"), ONE),
    ),
    _select(
        "select-defined-yields-zero",
        "SELECT-4",
        "defined(arch) is 0 on A, which is not left out for having no arch.",
        operation("==", defined("arch"), ZERO),
    ),
    _select(
        "select-text-equals",
        "SELECT-2",
        "A text is compared with a text; A has none and is left out.",
        operation("==", ARCH, text("x86")),
    ),
    _select(
        "select-text-differs",
        "SELECT-2 WHY-1",
        "B has this arch and A has none, so no host passes `!=`.",
        operation("!=", ARCH, text("x86")),
    ),
    _select(
        "select-and-yields-one",
        "SELECT-3",
        "(2 && 3) is 1, not 3.",
        operation("==", operation("&&", TWO, THREE), ONE),
    ),
    _select(
        "select-or-yields-one",
        "SELECT-3",
        "(0 || 3) is 1, not 3.",
        operation("==", operation("||", ZERO, THREE), ONE),
    ),
    _select(
        "select-and-stops-early",
        "SELECT-3",
        "On A the right side of && would be undefined and is not evaluated, so A passes.",
        operation("!", operation("&&", defined("depth"), operation("<", DEPTH, ZERO))),
    ),
    _select(
        "select-or-stops-early",
        "SELECT-3",
        "On A the left side is true and the undefined right side is not evaluated.",
        operation("||", operation(">", WIDTH, ONE), DEPTH),
    ),
    _select(
        "select-left-side-first",
        "SELECT-3 SELECT-4",
        "The left side is evaluated first, so A, without a depth, is left out.",
        operation("||", DEPTH, ONE),
    ),
    _select(
        "select-undefined-under-not",
        "SELECT-4",
        "A has no depth: it is left out also under `!`.",
        operation("!", operation(">", DEPTH, ZERO)),
    ),
    _select(
        "select-undefined-is-not-zero",
        "SELECT-4",
        "A has no depth, which is not a depth of zero.",
        operation("==", operation("*", DEPTH, DEPTH), ONE),
    ),
    _select(
        "select-division-by-zero",
        "SELECT-4",
        "width − 2 is zero on A: the division leaves A out, also under `!`.",
        operation("!", operation(">", operation("/", ONE, operation("-", WIDTH, TWO)), ZERO)),
    ),
    _select(
        "select-zero-by-zero",
        "SELECT-4",
        "Zero by zero leaves every host out.",
        operation("||", operation("/", ZERO, ZERO), ONE),
    ),
    _select(
        "select-unary-minus",
        "SELECT-1",
        "−depth is 1 on B.",
        operation("==", operation("neg", DEPTH), ONE),
    ),
    _select(
        "select-bounds-included",
        "SELECT-1 SELECT-2",
        "Width is at least and at most two on A.",
        operation("&&", operation("<=", WIDTH, TWO), operation(">=", WIDTH, TWO)),
    ),
)

CASES = COMPOUNDS + ALTERS + NESTED + SELECTS
