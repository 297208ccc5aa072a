"""Priorities beyond narrow integers and floats."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit

ONE_SLOT = cluster(host("A", 1))
LARGEST = 2**53 - 1
"""docs/protocol.md: no number that is sent is further from zero."""


def _later_is_higher(name: str, why: str, first: int, second: int) -> Directed:
    """The slot is for the second job. A queue in which they tie gives it to the first one."""
    events = (submit("j", 1, priority=first), submit("k", 1, priority=second), RUN)
    return directed(f"priority-{name}", "SESSION-1", why, case(ONE_SLOT, *events))


CASES: tuple[Directed, ...] = (
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
