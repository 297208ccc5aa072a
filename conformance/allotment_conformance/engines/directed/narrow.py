"""Clauses that every profile claims, or every profile with one feature, shown with no other one.

Elsewhere they are shown among more, where a case says more; an allocator that declares few features
is asked only what is here.
"""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    RUN,
    Alternative,
    case,
    cluster,
    counts,
    host,
    limit,
    number,
    primary,
    submit,
    text,
    uses,
)
from allotment_conformance.wire.messages import Json

ONE_SLOT = cluster(host("A", 1))
WITH_MEMORY = cluster(host("A", 2, mem=1000), amounts=["mem"])


TWO_SLOTS = cluster(host("A", 2))
_SELECTS_NONE = primary(1, select=number(0))


def _hit_in_the_first(
    feature: str, made: Json, failing: Alternative, fitting: Alternative
) -> Directed:
    """Alternatives that differ by one feature; the first is known to fail."""
    return directed(
        f"hit-then-{feature}",
        "CACHE-4",
        "The first alternative is known to fail; the second is tried all the same.",
        case(made, submit("a", failing), submit("b", failing, fitting), RUN),
    )


CASES: tuple[Directed, ...] = (
    directed(
        "no-hosts-cached",
        "CACHE-5 WHY-1 WHY-3",
        "Without hosts none passes the select: the second job repeats that from the cache.",
        case(cluster(), submit("a", 1), submit("b", 1), RUN),
    ),
    directed(
        "counts-unequal-alone",
        "INGEST-1",
        "The primary says two tasks and the job one.",
        case(ONE_SLOT, submit("j", 2, tasks=counts(1, 1)), RUN),
    ),
    directed(
        "user-missing-alone",
        "INGEST-3",
        "The user is the empty text.",
        case(ONE_SLOT, submit("j", 1, user=""), RUN),
    ),
    directed(
        "second-part-does-not-fit",
        "ALTER-3 COMPOUND-1 COMPOUND-2",
        "The second part meets the check that a bare primary meets: the slot is taken.",
        case(ONE_SLOT, submit("j", [1, 1]), RUN),
    ),
    directed(
        "failed-compound-frees-the-slot",
        "UNDO-4",
        "The part that was placed is given back; another user's job takes the slot.",
        case(ONE_SLOT, submit("j", [1, 1]), submit("k", 1, user="v"), RUN),
    ),
    directed(
        "first-of-two-alternatives",
        "ALTER-1",
        "Either would do, and the first one is taken.",
        case(ONE_SLOT, submit("j", 1, 1), RUN),
    ),
    _hit_in_the_first("select", ONE_SLOT, _SELECTS_NONE, primary(1)),
    _hit_in_the_first("rusage", WITH_MEMORY, primary(1, uses("mem", 2000, "task")), primary(1)),
    _hit_in_the_first("span", TWO_SLOTS, primary(2, hosts_min=2), primary(2)),
    _hit_in_the_first("ptile", TWO_SLOTS, primary(2, ptile=1), primary(2)),
    _hit_in_the_first("compound", cluster(host("A", 3), host("B", 1)), 4, [3, 1]),
    directed(
        "passed-over-for-its-limit",
        "HOST-3 HOST-6 HOST-9",
        "A has the most free slots; its limit has no room for two tasks, and room for one.",
        case(
            cluster(host("A", 5), host("B", 2), limits=[limit("user", "u", "host", "slots", 2)]),
            submit("i", 1),
            submit("j", 3),
            RUN,
        ),
    ),
    directed(
        "text-is-no-truth",
        "SELECT-2",
        "A select that is a text has no truth value.",
        case(ONE_SLOT, submit("j", primary(1, select=text("x"))), RUN),
    ),
    directed(
        "amount-not-declared",
        "RES-1",
        "Nothing is called `disk`.",
        case(WITH_MEMORY, submit("j", primary(1, uses("disk", 1, "task"))), RUN),
    ),
    directed(
        "per-job-on-a-host-alone",
        "RES-3",
        "A host amount is not counted once a job.",
        case(WITH_MEMORY, submit("j", primary(1, uses("mem", 1, "job"))), RUN),
    ),
    directed(
        "product-out-of-range",
        "AMOUNT-2",
        "Two tasks with 2^52 each want 2^53 together.",
        case(WITH_MEMORY, submit("j", primary(2, uses("mem", 2**52, "task"))), RUN),
    ),
)

COUNTS_OF_ALTERNATIVES: tuple[Directed, ...] = (
    directed(
        "lone-alternatives-disagree",
        "INGEST-1",
        "One alternative has two tasks and the other one, and neither has parts.",
        case(TWO_SLOTS, submit("j", 2, 1), RUN),
    ),
    directed(
        "lone-alternatives-disagree-in-minima",
        "INGEST-1",
        "Both have two tasks at most, and other minima.",
        case(TWO_SLOTS, submit("j", primary(counts(1, 2)), 2), RUN),
    ),
)
"""Asked last of all: where one declares no compound, nothing else shows this."""
