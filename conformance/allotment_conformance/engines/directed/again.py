"""What profiles with few features claim, shown once more in another way.

Of such a profile some clauses would otherwise rest on one case, and so on all that this one case
needs besides.
"""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    counts,
    finish,
    host,
    limit,
    number,
    operation,
    primary,
    submit,
    text,
    uses,
)

ONE_SLOT = cluster(host("A", 1))
TWO_SLOTS = cluster(host("A", 2))
WITH_MEMORY = cluster(host("A", 2, mem=1000), amounts=["mem"])
WITH_SPEED = cluster(
    host("A", 1, attributes={"speed": 500}), amounts=["mem"], attributes={"speed": "number"}
)

OF_ALL: tuple[Directed, ...] = (
    directed(
        "seven-on-six-two-and-one",
        "HOST-7",
        "Buckets of three, two and two need three hosts: A has room for two of them and takes one.",
        case(cluster(host("A", 6), host("B", 2), host("C", 1)), submit("j", 7), RUN),
    ),
    directed(
        "seven-on-four-two-and-two",
        "PLAN-2 UNDO-1",
        "Four and three fail on B. What A gave is free again for three, two and two.",
        case(cluster(host("A", 4), host("B", 2), host("C", 2)), submit("j", 7), RUN),
    ),
    directed(
        "all-slots-of-two-hosts",
        "WANT-4",
        "Four tasks fit exactly on two hosts with two slots each.",
        case(cluster(host("A", 2), host("B", 2)), submit("j", 4), RUN),
    ),
    directed(
        "larger-host-is-closed",
        "HOST-1 SESSION-5",
        "A would hold both tasks and is closed: each of the others takes one.",
        case(cluster(host("A", 2, closed=True), host("B", 1), host("C", 1)), submit("j", 2), RUN),
    ),
    directed(
        "job-without-hosts-twice-cached",
        "CACHE-5 WHY-3",
        "The same category again, in the next run of the session, too.",
        case(cluster(), submit("a", 2), RUN, submit("b", 2), RUN),
    ),
    directed(
        "searched-anew-in-each-session",
        "CACHE-2 SESSION-6",
        "The job is tried in the second session, and what the first one learnt is forgotten.",
        case(cluster(host("A", 0)), submit("j", 1), RUN, BEGIN, RUN),
    ),
    directed(
        "two-finish-and-one-waits",
        "SESSION-2 SESSION-4 SESSION-6",
        "Both slots are held until the session ends, and then hold the job that waited.",
        case(
            TWO_SLOTS,
            submit("a", 1),
            submit("b", 1),
            RUN,
            finish("a"),
            finish("b"),
            submit("c", 2),
            RUN,
            BEGIN,
            RUN,
        ),
    ),
    directed(
        "counts-of-the-job-alone",
        "INGEST-1",
        "The primary has no counts and takes those of the job: two tasks.",
        case(TWO_SLOTS, submit("j", primary(None), tasks=counts(2, 2)), RUN),
    ),
    directed(
        "queue-missing-alone",
        "INGEST-3",
        "The queue is the empty text.",
        case(ONE_SLOT, submit("j", 1, queue=""), RUN),
    ),
    directed(
        "project-missing-alone",
        "INGEST-3",
        "The project is the empty text.",
        case(ONE_SLOT, submit("j", 1, project=""), RUN),
    ),
)
"""Needed by every profile: no features."""

OF_ONE_FEATURE: tuple[Directed, ...] = (
    directed(
        "first-of-three-alternatives",
        "ALTER-1",
        "All three would do, and the first one is taken.",
        case(TWO_SLOTS, submit("j", 2, 2, 2), RUN),
    ),
    directed(
        "first-part-does-not-fit",
        "ALTER-3",
        "The first part meets the check that a bare primary meets.",
        case(ONE_SLOT, submit("j", [2, 1]), RUN),
    ),
    directed(
        "one-slot-left-for-the-second-part",
        "ALTER-2 CACHE-3 COMPOUND-2 COMPOUND-3 UNDO-4",
        "The second part fails behind the first: both slots are free again, nothing is cached.",
        case(cluster(host("A", 2)), submit("j", [2, 1]), submit("k", 1), RUN),
    ),
    directed(
        "largest-product-out-of-range",
        "AMOUNT-2",
        "As many tasks as there may be, with 2^33 each, want 2^53 together.",
        case(WITH_MEMORY, submit("j", primary(2**20, uses("mem", 2**33, "task"))), RUN),
    ),
    directed(
        "second-entry-not-declared",
        "RES-1",
        "`mem` is declared, and nothing is called `gpu`.",
        case(WITH_MEMORY, submit("j", primary(1, uses("mem", 1), uses("gpu", 1))), RUN),
    ),
    directed(
        "none-of-it-on-the-first-host",
        "RES-2",
        "A does not have the amount, so it has none of it.",
        case(
            cluster(host("A", 1), host("B", 1, mem=1000), amounts=["mem"]),
            submit("j", primary(1, uses("mem", 1))),
            RUN,
        ),
    ),
    directed(
        "per-job-beside-per-task",
        "RES-3",
        "One of the two entries counts a host amount once a job.",
        case(WITH_MEMORY, submit("j", primary(1, uses("mem", 1, "task"), uses("mem", 1, "job")))),
    ),
    directed(
        "half-is-more-than-nothing",
        "SELECT-1",
        "A speed of one half is more than zero.",
        case(
            WITH_SPEED,
            submit("j", primary(1, select=operation(">", attribute("speed"), number(0)))),
            RUN,
        ),
    ),
    directed(
        "amount-in-a-select",
        "SELECT-1",
        "`mem` is an amount, and a select reads attributes.",
        case(WITH_SPEED, submit("j", primary(1, select=attribute("mem"))), RUN),
    ),
    directed(
        "text-as-an-operand",
        "SELECT-2",
        "A text cannot be added to.",
        case(
            ONE_SLOT,
            submit("j", primary(1, select=operation("+", text("x"), number(1000)))),
            RUN,
        ),
    ),
    directed(
        "limit-of-each-host",
        "WANT-5",
        "The user may hold two slots on each host, so four tasks go on two of them.",
        case(
            cluster(host("A", 4), host("B", 4), limits=[limit("user", None, "host", "slots", 2)]),
            submit("j", 4),
            RUN,
        ),
    ),
    directed(
        "limit-taken-to-the-full",
        "LIMIT-3",
        "Two tasks are all that the queue may hold.",
        case(
            cluster(host("A", 4), limits=[limit("queue", "q", "cluster", "slots", 2)]),
            submit("j", 2),
            submit("k", 1),
            RUN,
        ),
    ),
)
"""Needed where a profile has the feature and no other."""

CASES: tuple[Directed, ...] = OF_ALL + OF_ONE_FEATURE
