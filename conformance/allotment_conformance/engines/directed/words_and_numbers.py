"""Priorities beyond narrow integers and floats, and names that are alike and not the same."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    finish,
    host,
    host_add,
    limit,
    operation,
    primary,
    submit,
    text,
    uses,
    withdraw,
)
from allotment_conformance.wire.messages import Json

ONE_SLOT = cluster(host("A", 1))
TWO_SLOTS = cluster(host("A", 2))
LARGEST = 2**53 - 1
"""docs/protocol.md: no number that is sent is further from zero."""

COMPOSED = "caf\u00e9"
DECOMPOSED = "cafe\u0301"
"""The same word to a reader, in the two forms of Unicode normalisation (NFC and NFD)."""


def _later_is_higher(name: str, why: str, first: int, second: int) -> Directed:
    """The slot is for the second job. A queue in which they tie gives it to the first one."""
    events = (submit("j", 1, priority=first), submit("k", 1, priority=second), RUN)
    return directed(f"priority-{name}", "SESSION-1", why, case(ONE_SLOT, *events))


PRIORITIES = (
    _later_is_higher("beyond-8-bits", "128 in a signed byte is −128, or 127.", 127, 128),
    _later_is_higher("below-8-bits", "−129 in a signed byte is 127, or −128.", -129, -128),
    _later_is_higher("equal-modulo-256", "256 in a byte is 0.", 0, 256),
    _later_is_higher("beyond-16-bits", "2^15 in 16 bits is −2^15.", 2**15 - 1, 2**15),
    _later_is_higher("equal-modulo-2-16", "2^16 in 16 bits is 0.", 0, 2**16),
    _later_is_higher("beyond-32-bits", "2^31 in 32 bits is −2^31.", 2**31 - 1, 2**31),
    _later_is_higher("below-32-bits", "−2^31 − 1 in 32 bits is 2^31 − 1.", -(2**31) - 1, -(2**31)),
    _later_is_higher("of-33-bits", "2^32 − 1 in 32 bits is more than 2^32.", 2**32 - 1, 2**32),
    _later_is_higher("equal-modulo-2-32", "2^32 + 1 in 32 bits is 1.", 1, 2**32 + 1),
    _later_is_higher("beyond-a-float", "To a float of 32 bits both are 2^24.", 2**24, 2**24 + 1),
    _later_is_higher("largest", "To a float of 32 bits both are 2^53.", LARGEST - 1, LARGEST),
    _later_is_higher("least", "To a float of 32 bits both are −2^53.", -LARGEST, 1 - LARGEST),
    _later_is_higher(
        "largest-distance",
        "The difference, 2^54 − 2, is −2 in 32 bits, and no number that may be sent.",
        -LARGEST,
        LARGEST,
    ),
    directed(
        "priorities-of-every-width",
        "SESSION-1",
        "Six priorities, submitted from the lowest to the highest, are tried the other way round.",
        case(
            cluster(host("A", 6)),
            submit("a", 1, priority=-LARGEST),
            submit("b", 1, priority=-(2**31)),
            submit("c", 1, priority=-1),
            submit("d", 1),
            submit("e", 1, priority=2**31 - 1),
            submit("f", 1, priority=LARGEST),
            RUN,
        ),
    ),
)

ALIKE = (
    ("letter-case", "a capital letter", "night", "Night"),
    ("blank-behind", "a blank at the end", "night", "night "),
    ("blank-before", "a blank at the beginning", "night", " night"),
    ("ninth-letter", "the ninth letter", "nightly-1", "nightly-2"),
    ("last-of-33-letters", "the last of 33 letters", "n" * 32 + "a", "n" * 32 + "b"),
    ("normalisation", "Unicode normalisation", COMPOSED, DECOMPOSED),
    ("accent", "an accent", "cafe", COMPOSED),
    ("wide-letters", "the width of a letter", "A1", "\uff211"),
    ("beyond-16-bits", "a character beyond the first 2^16", "\U0001f331", "\U0001f332"),
)
"""What two names differ in, and the names."""


def _alike_jobs(name: str, what: str, first: str, second: str) -> Directed:
    """Both are accepted, the first one's name is taken, and each ends by its own name."""
    return directed(
        f"jobs-differ-by-{name}",
        "SESSION-7",
        f"The names differ in {what}: these are two jobs, and either name is taken.",
        case(
            TWO_SLOTS,
            submit(first, 1),
            submit(second, 1),
            submit(first, 1),
            RUN,
            finish(second),
            BEGIN,
            submit(second, 1),
            report=["books"],
        ),
    )


def _alike_hosts(name: str, what: str, first: str, second: str) -> Directed:
    """The second host joins; the first one's name is taken."""
    return directed(
        f"hosts-differ-by-{name}",
        "INGEST-2",
        f"The names differ in {what}: these are two hosts, and either name is taken.",
        case(
            cluster(host(first, 1)),
            host_add(host(second, 1)),
            host_add(host(first, 9)),
            BEGIN,
            submit("j", 2),
            RUN,
            report=["books"],
        ),
    )


def _alike_holders(name: str, kind: str, first: str, second: str) -> Directed:
    """The limit of the one does not hold the other back, neither does what was learnt of it."""
    return directed(
        f"{kind}s-differ-by-{name}",
        "LIMIT-1 CACHE-1",
        f"The limit holds back the {kind} of that very name, and no hit is told of the other one.",
        case(
            cluster(host("A", 2), limits=[limit(kind, first, "cluster", "slots", 0)]),
            submit("j", 1, **{kind: first}),
            submit("k", 1, **{kind: second}),
            RUN,
        ),
    )


def _alike_texts(name: str, what: str, first: str, second: str) -> Directed:
    """A select for the text of A, behind one that fails for the other text."""
    events = (submit("j", _of_kind(second)), submit("k", _of_kind(first)), RUN)
    of_first = host("A", 1, attributes={"kind": first})
    return directed(
        f"texts-differ-by-{name}",
        "CACHE-1",
        f"The texts differ in {what}: they are not equal, and the selects are two keys.",
        case(cluster(of_first, attributes={"kind": "text"}), *events),
    )


def _of_kind(value: str) -> Json:
    return primary(1, select=operation("==", attribute("kind"), text(value)))


NAMES = (
    *(_alike_jobs(*one) for one in ALIKE),
    *(_alike_hosts(*one) for one in ALIKE),
    *(
        _alike_holders(name, kind, first, second)
        for name, _what, first, second in ALIKE
        for kind in ("user", "queue", "project")
    ),
    directed(
        "pending-jobs-of-alike-names",
        "INGEST-2 SESSION-6",
        "One of two jobs that differ in a capital letter is withdrawn: the other one runs.",
        case(ONE_SLOT, submit("j", 1), submit("J", 1), withdraw("j"), withdraw("j"), RUN),
    ),
)

TEXTS = (
    directed(
        "resource-of-another-letter-case",
        "RES-1",
        "`mem` is declared, and `MEM` is not.",
        case(
            cluster(host("A", 1, mem=1), amounts=["mem"]),
            submit("j", primary(1, uses("MEM", 1))),
        ),
    ),
    *(_alike_texts(*one) for one in ALIKE),
)

CASES: tuple[Directed, ...] = PRIORITIES + NAMES + TEXTS
