"""HOST, WANT, LIMIT, SHARED, RES: which hosts are candidates, and what they are asked for."""

from allotment_conformance.engines.directed.case import directed, not_probed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    host,
    host_change,
    limit,
    primary,
    submit,
    uses,
)

U_SLOT_A_HOST = limit("user", "u", "host", "slots", 1)
U_SLOT = limit("user", "u", "cluster", "slots", 1)
LARGEST = 2**53 - 1

CANDIDATES = (
    directed(
        "first-with-room",
        "HOST-1",
        "A is taken: the candidate is B, after the debits of the job before.",
        case(cluster(host("A", 1), host("B", 1)), submit("j", 1), submit("k", 1), RUN),
    ),
    directed(
        "amount-makes-no-room",
        "HOST-1 WANT-1",
        "A has a slot but no memory.",
        case(
            cluster(host("A", 1), host("B", 1, mem=1000), amounts=["mem"]),
            submit("j", primary(1, uses("mem", 1000, "task"))),
            RUN,
        ),
    ),
    directed(
        "shared-cursor-trap",
        "HOST-3 HOST-6",
        "The bucket of two passes over A; the bucket of one searches afresh and finds it.",
        case(cluster(host("A", 1), host("B", 2)), submit("j", 3), RUN),
    ),
    directed(
        "passed-over-for-memory",
        "HOST-3 HOST-6",
        "As before, whatever the host order: A has most slots and memory for one task only.",
        case(
            cluster(host("A", 5, mem=1000), host("B", 2, mem=2000), amounts=["mem"]),
            submit("j", primary(3, uses("mem", 1000, "task"))),
            RUN,
        ),
    ),
    directed(
        "distinct-hosts-by-slots",
        "HOST-7",
        "Three buckets of two: A has room for two of them, and may take one.",
        case(cluster(host("A", 4), host("B", 2), host("C", 1)), submit("j", 6), RUN),
    ),
    directed(
        "distinct-hosts",
        "HOST-7",
        "Two buckets of one do not share A, though it has two slots.",
        case(cluster(host("A", 2), host("B", 0)), submit("j", primary(2, hosts_min=2)), RUN),
    ),
    directed(
        "claimed-only-in-this-plan",
        "HOST-7 COMPOUND-2",
        "A was claimed by the first part; the second part may take it too.",
        case(cluster(host("A", 2)), submit("j", [1, 1]), RUN),
    ),
    directed(
        "host-order",
        "HOST-9",
        "B has more free slots. Listed: A; most free: B.",
        case(cluster(host("A", 1), host("B", 2)), submit("j", 1), RUN),
    ),
    directed(
        "host-order-of-equals",
        "HOST-9",
        "Equally free hosts stand in cluster order; after the first job they are not equal.",
        case(cluster(host("B", 2), host("A", 2)), submit("j", 1), submit("k", 1), RUN),
    ),
    directed(
        "host-order-by-slots-alone",
        "HOST-9",
        "A has more memory, B more slots. Listed: A; most free: B.",
        case(cluster(host("A", 1, mem=9), host("B", 2), amounts=["mem"]), submit("j", 1), RUN),
    ),
    directed(
        "host-order-in-the-attempt",
        "HOST-9",
        "Most free counts what the parts before have taken.",
        case(cluster(host("A", 2), host("B", 3)), submit("j", [2, 1]), RUN),
    ),
)

LARGE_HOSTS = tuple(
    directed(
        f"host-order-at-2-to-the-{bits}",
        "HOST-9",
        f"B has more free slots, also where A and B are counted in {kept}.",
        case(cluster(host("A", fewer), host("B", 2**bits + more)), submit("j", 1), RUN),
    )
    for bits, fewer, more, kept in (
        (15, 1, 0, "16 bits"),
        (31, 1, 0, "32 bits"),
        (24, 2**24, 1, "floats"),
    )
)

WANTS = (
    directed(
        "slots-for-each-task",
        "WANT-1",
        "Two tasks want two slots.",
        case(cluster(host("A", 1)), submit("j", 2), RUN),
    ),
    directed(
        "per-task-amount",
        "WANT-1",
        "Two tasks want the amount twice.",
        case(
            cluster(host("A", 2, mem=1000), amounts=["mem"]),
            submit("j", primary(2, uses("mem", 1000, "task"))),
            RUN,
        ),
    ),
    directed(
        "per-host-amount",
        "WANT-1",
        "Two tasks on one host want the per-host amount once.",
        case(
            cluster(host("A", 2, mem=1000), amounts=["mem"]),
            submit("j", primary(2, uses("mem", 1000, "host"))),
            RUN,
        ),
    ),
    directed(
        "entries-are-summed",
        "WANT-2",
        "Two entries of one resource want their sum; each alone would fit.",
        case(
            cluster(host("A", 1, mem=1000), amounts=["mem"]),
            submit("j", primary(1, uses("mem", 600, "task"), uses("mem", 600, "task"))),
            RUN,
        ),
    ),
    directed(
        "entries-are-summed-for-each-per",
        "WANT-2 WANT-1",
        "Two tasks with 1 a task and 1 a host want three on one host, not two and not four.",
        case(
            cluster(host("A", 2, mem=2000), host("B", 2, mem=3000), amounts=["mem"]),
            submit("j", primary(2, uses("mem", 1000, "task"), uses("mem", 1000, "host"))),
            RUN,
        ),
    ),
    directed(
        "exactly-enough",
        "WANT-4",
        "One task fits on one slot.",
        case(cluster(host("A", 1)), submit("j", 1), RUN),
    ),
    directed(
        "a-thousandth-too-much",
        "WANT-4",
        "Three times 0.334 is not within 1; three times 0.333 is.",
        case(
            cluster(host("A", 3, mem=1000), amounts=["mem"]),
            submit("j", primary(3, uses("mem", 334, "task"))),
            submit("k", primary(3, uses("mem", 333, "task"))),
            RUN,
        ),
    ),
    directed(
        "want-computed-afresh",
        "WANT-5",
        "The user's slot on A is used; what A's limit counts says nothing about B.",
        case(
            cluster(host("A", 2), host("B", 1), limits=[U_SLOT_A_HOST]),
            submit("j", 1),
            submit("k", 1),
            RUN,
        ),
    ),
    directed(
        "no-amount-on-a-host",
        "RES-2",
        "A declared amount that A lacks is zero there.",
        case(
            cluster(host("A", 1), host("B", 1, mem=1), amounts=["mem"]),
            submit("j", primary(1, uses("mem", 1, "task"))),
            RUN,
        ),
    ),
    directed(
        "per-left-out",
        "RES-3",
        "The profile says whether an amount without `per` is per task (too much) or per host.",
        case(
            cluster(host("A", 2, mem=1000), amounts=["mem"]),
            submit("j", primary(2, uses("mem", 1000))),
            RUN,
        ),
    ),
    directed(
        "largest-amount",
        "WANT-4 HOST-1",
        "2^53 − 1 is held exactly: a thousandth more is not there.",
        case(
            cluster(host("A", 2, mem=LARGEST), amounts=["mem"]),
            submit("j", primary(1, uses("mem", LARGEST - 1, "task"))),
            submit("k", primary(1, uses("mem", 2, "task"))),
            submit("l", primary(1, uses("mem", 1, "task"))),
            RUN,
        ),
    ),
    directed(
        "amounts-beyond-int32",
        "WANT-1 WANT-4",
        "Two times 2^31 is 2^32: neither negative nor zero.",
        case(
            cluster(host("A", 2, mem=2**32 - 1), host("B", 2, mem=2**32), amounts=["mem"]),
            submit("j", primary(2, uses("mem", 2**31, "task"))),
            RUN,
        ),
    ),
)

LIMITS = (
    directed(
        "limit-of-the-user",
        "LIMIT-1",
        "User u may hold one slot and has it; user v is not limited.",
        case(
            cluster(host("A", 3), limits=[U_SLOT]),
            submit("j", 1),
            submit("k", 1),
            submit("l", 1, user="v"),
            RUN,
        ),
    ),
    directed(
        "limit-of-the-queue",
        "LIMIT-1",
        "Queue q may hold one slot; queue r is not limited.",
        case(
            cluster(host("A", 3), limits=[limit("queue", "q", "cluster", "slots", 1)]),
            submit("j", 1),
            submit("k", 1, user="v", project="o"),
            submit("l", 1, queue="r"),
            RUN,
        ),
    ),
    directed(
        "limit-of-the-project",
        "LIMIT-1",
        "Project p may hold one slot; project o is not limited.",
        case(
            cluster(host("A", 3), limits=[limit("project", "p", "cluster", "slots", 1)]),
            submit("j", 1),
            submit("k", 1, user="v", queue="r"),
            submit("l", 1, project="o"),
            RUN,
        ),
    ),
    directed(
        "each-user-by-itself",
        "LIMIT-1",
        "Each user may hold one slot: u has it, v gets one of its own.",
        case(
            cluster(host("A", 3), limits=[limit("user", None, "cluster", "slots", 1)]),
            submit("j", 1),
            submit("k", 1, user="v"),
            submit("l", 1),
            RUN,
        ),
    ),
    directed(
        "named-does-not-replace-each",
        "LIMIT-1",
        "Each user may hold one slot, and u by name two: both hold, so two do not fit.",
        case(
            cluster(
                host("A", 2),
                limits=[
                    limit("user", None, "cluster", "slots", 1),
                    limit("user", "u", "cluster", "slots", 2),
                ],
            ),
            submit("j", 2),
            RUN,
        ),
    ),
    directed(
        "each-does-not-replace-named",
        "LIMIT-1",
        "Each user may hold two slots, and u by name one: both hold, so two do not fit.",
        case(
            cluster(
                host("A", 2),
                limits=[
                    limit("user", None, "cluster", "slots", 2),
                    limit("user", "u", "cluster", "slots", 1),
                ],
            ),
            submit("j", 2),
            RUN,
        ),
    ),
    directed(
        "limits-hold-at-once",
        "LIMIT-1",
        "Two limits apply and each by itself has room; together they are tested for one claim.",
        case(
            cluster(
                host("A", 4),
                limits=[
                    limit("user", "u", "cluster", "slots", 2),
                    limit("queue", "q", "cluster", "slots", 3),
                ],
            ),
            submit("j", 2, user="v"),
            submit("k", 2),
            RUN,
        ),
    ),
    directed(
        "limit-on-each-host",
        "LIMIT-2",
        "One slot on each host: two tasks spread over two hosts though A has two slots.",
        case(cluster(host("A", 2), host("B", 1), limits=[U_SLOT_A_HOST]), submit("j", 2), RUN),
    ),
    directed(
        "limit-over-all",
        "LIMIT-2",
        "One slot over the cluster: nothing is left on B for the second job.",
        case(
            cluster(host("A", 1), host("B", 1), limits=[U_SLOT]),
            submit("j", 1),
            submit("k", 1),
            RUN,
        ),
    ),
    directed(
        "limit-over-all-parts",
        "LIMIT-2 COMPOUND-2",
        "The second part finds the user's slot taken by the first one.",
        case(cluster(host("A", 2), limits=[U_SLOT]), submit("j", [1, 1]), RUN),
    ),
    directed(
        "per-host-amount-counts-once-a-claim",
        "LIMIT-2",
        "Two claims of a per-host amount count two; two tasks in one claim count one.",
        case(
            cluster(
                host("A", 2, mem=1000),
                host("B", 1, mem=1000),
                amounts=["mem"],
                limits=[limit("user", "u", "cluster", "mem", 1000)],
            ),
            submit("j", primary(2, uses("mem", 1000, "host"), hosts_min=2)),
            submit("k", primary(2, uses("mem", 1000, "host"))),
            RUN,
        ),
    ),
    directed(
        "limit-on-a-pool",
        "LIMIT-2 SHARED-1",
        "The pool has two licences, the user may hold one.",
        case(
            cluster(
                host("A", 3),
                shared=["lic"],
                pools={"lic": 2000},
                limits=[limit("user", "u", "cluster", "lic", 1000)],
            ),
            submit("j", primary(1, uses("lic", 1000))),
            submit("k", primary(1, uses("lic", 1000))),
            submit("l", primary(1, uses("lic", 1000)), user="v"),
            RUN,
        ),
    ),
    directed(
        "limit-exactly-used",
        "LIMIT-3",
        "A cap of two holds two slots, and not a third.",
        case(
            cluster(host("A", 3), limits=[limit("user", "u", "cluster", "slots", 2)]),
            submit("j", 2),
            submit("k", 1),
            RUN,
        ),
    ),
    directed(
        "zero-want-is-not-blocked",
        "LIMIT-3",
        "A cap of zero on memory does not block who wants none of it, also when it says so.",
        case(
            cluster(
                host("A", 3, mem=1000),
                amounts=["mem"],
                limits=[limit("user", "u", "cluster", "mem", 0)],
            ),
            submit("j", 1),
            submit("k", primary(1, uses("mem", 0, "task"))),
            submit("l", primary(1, uses("mem", 1, "task"))),
            RUN,
        ),
    ),
    directed(
        "cap-of-zero",
        "LIMIT-3",
        "A cap of zero is a limit, and a limit that is absent is none.",
        case(
            cluster(host("A", 2), limits=[limit("user", "u", "cluster", "slots", 0)]),
            submit("j", 1),
            submit("k", 1, user="v"),
            RUN,
        ),
    ),
)

POOLS = (
    directed(
        "per-job-counts-once",
        "SHARED-1",
        "Two tasks on two hosts want the per-job licence once, also where `per` is left out.",
        case(
            cluster(host("A", 1), host("B", 1), shared=["lic"], pools={"lic": 1000}),
            submit("j", primary(2, uses("lic", 1000))),
            RUN,
        ),
    ),
    directed(
        "per-task-counts-each",
        "SHARED-1 WHY-1",
        "Two tasks want the per-task licence twice, whatever the plan.",
        case(
            cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
            submit("j", primary(2, uses("lic", 1000, "task"))),
            RUN,
        ),
    ),
    directed(
        "pool-is-debited",
        "SHARED-1",
        "The second job finds the licence gone.",
        case(
            cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
            submit("j", primary(1, uses("lic", 1000, "job"))),
            submit("k", primary(1, uses("lic", 1000, "job"))),
            RUN,
        ),
    ),
    directed(
        "parts-debit-one-after-another",
        "SHARED-2",
        "Each part fits the full pool, both together do not.",
        case(
            cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
            submit("j", [primary(1, uses("lic", 1000)), primary(1, uses("lic", 1000))]),
            RUN,
        ),
    ),
    directed(
        "pool-that-is-left-out",
        "SHARED-1",
        "A declared pool without a capacity is empty.",
        case(
            cluster(host("A", 1), shared=["lic"]),
            submit("j", primary(1, uses("lic", 1))),
            RUN,
        ),
    ),
    directed(
        "cut-host-and-zero-want",
        "SESSION-5",
        "Memory on A is cut below its use: nothing is free, and who wants none is not affected.",
        case(
            cluster(host("A", 3, mem=2000), amounts=["mem"]),
            submit("j", primary(1, uses("mem", 2000, "host"))),
            RUN,
            host_change("A", capacity={"mem": 1000}),
            BEGIN,
            submit("k", primary(1, uses("mem", 1, "task"))),
            submit("l", primary(1, uses("mem", 0, "task"))),
            RUN,
        ),
    ),
)

CASES = CANDIDATES + not_probed(LARGE_HOSTS) + WANTS + LIMITS + POOLS
