"""Where two features meet: keys and identities, limits and pools, the cache and other events."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    Alternative,
    attribute,
    case,
    cluster,
    counts,
    defined,
    finish,
    host,
    host_add,
    host_change,
    limit,
    limit_remove,
    number,
    operation,
    pool_change,
    primary,
    run,
    submit,
    text,
    uses,
    withdraw,
)
from allotment_conformance.wire.messages import Json

LARGEST = 2**53 - 1
ONE_SLOT = cluster(host("A", 1))
TWO_SLOTS = cluster(host("A", 2))
U_SLOTS = ("user", "u", "cluster", "slots")


def _two_keys(name: str, why: str, made: Json, first: Json, second: Json) -> Directed:
    """The first job fails, the second has another key and is placed."""
    return directed(f"key-{name}", "CACHE-1", why, case(made, first, second, RUN))


def _as(name: str, user: str, queue: str, project: str) -> Json:
    return submit(name, 1, user=user, queue=queue, project=project)


def _closed_to(user: str) -> Json:
    return cluster(host("A", 1), limits=[limit("user", user, "cluster", "slots", 0)])


KEYS = (
    _two_keys(
        "user-and-queue-run-together",
        "Users `u` and `uq` are two, though with their queues both read `uqr`.",
        _closed_to("uq"),
        _as("j", "uq", "r", "p"),
        _as("k", "u", "qr", "p"),
    ),
    _two_keys(
        "queue-and-project-run-together",
        "Queues `q` and `qp` are two, though with their projects both read `qpo`.",
        cluster(host("A", 1), limits=[limit("queue", "qp", "cluster", "slots", 0)]),
        _as("j", "u", "qp", "o"),
        _as("k", "u", "q", "po"),
    ),
    _two_keys(
        "user-and-queue-change-places",
        "Who is the user and what is the queue matters, not the names alone.",
        _closed_to("x"),
        _as("j", "x", "y", "p"),
        _as("k", "y", "x", "p"),
    ),
    _two_keys(
        "queue-and-project-change-places",
        "Which is the queue and which the project matters.",
        cluster(host("A", 1), limits=[limit("queue", "x", "cluster", "slots", 0)]),
        _as("j", "u", "x", "y"),
        _as("k", "u", "y", "x"),
    ),
    _two_keys(
        "counts-run-together",
        "1 to 111 tasks and 11 to 11 are two, though both read 1111.",
        cluster(host("A", 11)),
        submit("j", primary(counts(1, 111), hosts_max=1)),
        submit("k", primary(counts(11, 11), hosts_max=1)),
    ),
    _two_keys(
        "bounds-run-together",
        "From 11 to 2 hosts and from 1 to 12 are two, though both read 112.",
        TWO_SLOTS,
        submit("j", primary(2, hosts_min=11, hosts_max=2)),
        submit("k", primary(2, hosts_min=1, hosts_max=12)),
    ),
    _two_keys(
        "amounts-run-together",
        "1 a task and 11 a host, and 11 a task and 1 a host, are two, though both read 111.",
        cluster(host("A", 2, mem=13), amounts=["mem"]),
        submit("j", primary(2, uses("mem", 11, "task"), uses("mem", 1, "host"))),
        submit("k", primary(2, uses("mem", 1, "task"), uses("mem", 11, "host"))),
    ),
    _two_keys(
        "second-resource",
        "The rusages are equal in memory and differ in disk.",
        cluster(host("A", 1, mem=1, disk=1), amounts=["mem", "disk"]),
        submit("j", primary(1, uses("mem", 1, "task"), uses("disk", 2, "task"))),
        submit("k", primary(1, uses("mem", 1, "task"), uses("disk", 1, "task"))),
    ),
    _two_keys(
        "amounts-equal-in-32-bits",
        "2^32 + 1 is 1 in 32 bits.",
        cluster(host("A", 1, mem=1), amounts=["mem"]),
        submit("j", primary(1, uses("mem", 2**32 + 1, "task"))),
        submit("k", primary(1, uses("mem", 1, "task"))),
    ),
    _two_keys(
        "largest-amounts",
        "2^53 − 1 and 2^53 − 2 thousandths are one number to a float, and to most doubles / 1000.",
        cluster(host("A", 1, mem=LARGEST - 1), amounts=["mem"]),
        submit("j", primary(1, uses("mem", LARGEST, "task"))),
        submit("k", primary(1, uses("mem", LARGEST - 1, "task"))),
    ),
    _two_keys(
        "ptile-without-effect",
        "A `ptile` beyond every count leaves one plan, [2]; without it there is [1, 1], too.",
        cluster(host("A", 1), host("B", 1)),
        submit("j", primary(2, ptile=2**20)),
        submit("k", 2),
    ),
    _two_keys(
        "ptile-as-a-bound",
        "Three tasks with two on a host are [2, 1] alone; with two at most, [1, 1, 1] as well.",
        cluster(host("A", 1), host("B", 1), host("C", 1)),
        submit("j", primary(3, ptile=2)),
        submit("k", primary(3, tasks_per_host=2)),
    ),
    directed(
        "same-key-per-of-a-host-amount",
        "RES-3",
        "`per` is left out: what the profile says, and so the key of whoever says it.",
        case(
            cluster(host("A", 1, mem=1), amounts=["mem"]),
            submit("j", primary(1, uses("mem", 2, "task"))),
            submit("k", primary(1, uses("mem", 2))),
            submit("l", primary(1, uses("mem", 2, "host"))),
            RUN,
        ),
    ),
    directed(
        "same-key-lower-priority-first",
        "CACHE-1 CACHE-8",
        "A higher priority does not pass over what is known: it is no part of the key.",
        case(ONE_SLOT, submit("j", 2), RUN, submit("k", 2, priority=9), RUN),
    ),
)

WIDTH, ARCH = attribute("width"), attribute("arch")
ONE, TWO, THREE = number(1000), number(2000), number(3000)
WIDE, NARROW = operation("<", ONE, WIDTH), operation("<", WIDTH, THREE)
TREES = {
    "sides-of-a-sum": (operation("+", ONE, TWO), operation("+", TWO, ONE)),
    "sides-of-a-product": (operation("*", WIDTH, TWO), operation("*", TWO, WIDTH)),
    "sides-of-equality": (operation("==", WIDTH, TWO), operation("==", TWO, WIDTH)),
    "sides-of-and": (operation("&&", WIDE, NARROW), operation("&&", NARROW, WIDE)),
    "sides-of-or": (operation("||", WIDE, NARROW), operation("||", NARROW, WIDE)),
    "negative-number": (operation("neg", ONE), number(-1000)),
    "double-not": (operation("!", operation("!", WIDE)), WIDE),
    "not-of-a-comparison": (operation("!", WIDE), operation(">=", ONE, WIDTH)),
    "constant-sum": (operation("+", ONE, ONE), TWO),
    "neutral-one": (operation("&&", ONE, WIDE), WIDE),
    "one-is-true": (ONE, TWO),
    "grouping-of-and": (
        operation("&&", operation("&&", ONE, WIDE), NARROW),
        operation("&&", ONE, operation("&&", WIDE, NARROW)),
    ),
    "grouping-of-a-difference": (
        operation("-", operation("-", THREE, ONE), ONE),
        operation("-", THREE, operation("-", ONE, ONE)),
    ),
    "attribute-and-defined": (WIDTH, defined("width")),
    "text-and-attribute": (operation("==", ARCH, text("arch")), operation("==", ARCH, ARCH)),
}
"""Two trees that most would take for one, whose text is alike, or that are true of the same hosts.
The selects pass A or not; the jobs are hopeless either way."""


def _two_trees(name: str, first: Json, second: Json) -> Directed:
    """Two jobs that no host has room for; the second is tried by itself."""
    made = cluster(
        host("A", 1, attributes={"width": 2000, "arch": "arch"}),
        attributes={"width": "number", "arch": "text"},
    )
    jobs = (submit("j", primary(2, select=first)), submit("k", primary(2, select=second)))
    why = "Two different trees are two keys: there is no algebra, so the second is no hit."
    return directed(f"key-tree-{name}", "CACHE-1", why, case(made, *jobs, RUN))


CACHED = (
    directed(
        "known-through-other-events",
        "CACHE-8",
        "Withdrawal, finish, refusal and changes that wait forget nothing of this session.",
        case(
            cluster(host("A", 1), limits=[limit("user", "v", "cluster", "slots", 1)]),
            submit("r", 1),
            submit("j", 2),
            RUN,
            finish("r"),
            withdraw("j"),
            submit("i", 0),
            host_change("A", capacity={"slots": 2}),
            limit_remove("user", "v", "cluster", "slots"),
            submit("k", 2),
            RUN,
        ),
    ),
    directed(
        "equal-alternatives",
        "CACHE-4 WHY-3",
        "The second alternative hits what the first one filled in, at the first attempt.",
        case(ONE_SLOT, submit("j", 2, 2), RUN),
    ),
    directed(
        "part-equal-to-an-alternative",
        "CACHE-4 WHY-3",
        "A part of the second alternative hits what the first one filled in.",
        case(ONE_SLOT, submit("j", [2, 1], [1, 2]), RUN),
    ),
    directed(
        "last-alternative-is-a-hit",
        "WHY-3",
        "The first alternative is tried and the last is a hit: `cached` is true.",
        case(ONE_SLOT, submit("i", 2), submit("j", primary(2, hosts_max=1), 2), RUN),
    ),
    directed(
        "known-after-a-cancel",
        "CACHE-8",
        "An attempt that is cancelled, if it is, forgets nothing that was known before it.",
        case(ONE_SLOT, submit("i", 2), RUN, submit("j", 3), run(0), submit("k", 2), RUN),
    ),
    directed(
        "tried-once-whatever-happens",
        "SESSION-1",
        "A finish, a change and a withdrawal wake nobody: what pended waits for the next session.",
        case(
            ONE_SLOT,
            *(submit(name, 1) for name in "rij"),
            RUN,
            finish("r"),
            withdraw("i"),
            host_change("A", capacity={"slots": 2}),
            RUN,
            BEGIN,
            RUN,
        ),
    ),
    directed(
        "withdrawn-after-a-try",
        "SESSION-6",
        "A job that was tried in this session is pending, and can be withdrawn.",
        case(ONE_SLOT, submit("j", 2), RUN, withdraw("j"), BEGIN, RUN),
    ),
)

NAMESAKES = (
    directed(
        "one-name-for-all",
        "SESSION-7 LIMIT-1",
        "A job, its user, queue, project, host, resource and attribute may have one name.",
        case(
            cluster(
                host("x", 2, x=1000),
                amounts=["x"],
                limits=[
                    limit("user", None, "cluster", "slots", 1),
                    limit("queue", None, "cluster", "slots", 1),
                ],
            ),
            submit("x", primary(1, uses("x", 1000)), user="x", project="x"),
            submit("x", 1),
            host_add(host("y", 0)),
            submit("y", 1, user="y", queue="x", project="x"),
            host_add(host("q", 0)),
            RUN,
            report=["books"],
        ),
    ),
    directed(
        "host-with-the-name-of-a-job",
        "INGEST-2",
        "Jobs and hosts have names apart; the host's own name is taken.",
        case(ONE_SLOT, submit("j", 1), host_add(host("j", 1)), host_add(host("j", 1)), BEGIN, RUN),
    ),
    directed(
        "queue-with-the-name-of-a-user",
        "LIMIT-1",
        "A limit of user x says nothing of queue x or project x.",
        case(_closed_to("x"), _as("j", "u", "x", "x"), RUN),
    ),
)

LICENCE = uses("lic", 1000)

REASONS = (
    directed(
        "limit-on-each-host-is-limit",
        "WHY-1 WHY-2",
        "A has two slots, of which the user may hold one: `limit`, and never.",
        case(
            cluster(host("A", 2), limits=[limit("user", "u", "host", "slots", 1)]),
            submit("j", primary(2, hosts_max=1)),
            RUN,
        ),
    ),
    directed(
        "two-limits-at-once-are-limit",
        "WHY-1",
        "Either limit alone holds the job back; all are lifted to tell the category.",
        case(
            cluster(
                host("A", 1),
                limits=[limit(*U_SLOTS, 0), limit("queue", "q", "host", "slots", 0)],
            ),
            submit("j", 1),
            RUN,
        ),
    ),
    directed(
        "free-slots-without-a-split",
        "WHY-1",
        "Four slots are free and no split fits: `capacity`, also beside a limit.",
        case(cluster(host("A", 3), host("B", 1), limits=[limit(*U_SLOTS, 3)]), submit("j", 4), RUN),
    ),
    directed(
        "pool-before-its-limit",
        "WHY-1",
        "The pool is empty, and the user may hold none of it: `shared`.",
        case(
            cluster(
                host("A", 1),
                shared=["lic"],
                limits=[limit("user", "u", "cluster", "lic", 0)],
            ),
            submit("j", primary(1, LICENCE)),
            RUN,
        ),
    ),
    directed(
        "pool-used-by-an-earlier-part",
        "WHY-1 SHARED-2",
        "The first part holds the licence: the second fails by `shared`, not never.",
        case(
            cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
            submit("j", [primary(1, LICENCE), primary(1, LICENCE)]),
            RUN,
        ),
    ),
)


def _never(name: str, why: str, made: Json, asked: Alternative, change: Json) -> Directed:
    """A job that pends behind one that runs, before and after a change of the configuration."""
    events = (submit("r", 1, user="v"), submit("j", asked), RUN, change, BEGIN, RUN)
    return directed(f"never-and-{name}", "WHY-2", why, case(made, *events))


PROSPECTS = (
    _never(
        "a-host-that-grows",
        "Two tasks fit, once A is free.",
        ONE_SLOT,
        2,
        host_change("A", capacity={"slots": 2}),
    ),
    _never(
        "a-host-that-joins", "Two tasks fit, once A is free.", ONE_SLOT, 2, host_add(host("B", 1))
    ),
    _never(
        "a-host-that-shrinks",
        "Two tasks fit no more.",
        cluster(host("A", 2)),
        2,
        host_change("A", capacity={"slots": 1}),
    ),
    _never(
        "a-limit-that-goes",
        "The user may hold a slot, once A is free.",
        cluster(host("A", 1), limits=[limit(*U_SLOTS, 0)]),
        1,
        limit_remove(*U_SLOTS),
    ),
    directed(
        "never-and-a-pool-that-grows",
        "WHY-2",
        "Two licences are there, once the one in use is back.",
        case(
            cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
            submit("r", primary(1, LICENCE)),
            submit("j", primary(1, uses("lic", 2000))),
            RUN,
            pool_change("lic", 2000),
            BEGIN,
            RUN,
        ),
    ),
)

GROWTH = (
    directed(
        "host-grows-under-a-job",
        "SESSION-2",
        "A grows while a job runs on it: the new slots are there at once for the next session.",
        case(
            ONE_SLOT,
            submit("r", 1),
            RUN,
            host_change("A", capacity={"slots": 3}),
            submit("j", 2),
            RUN,
            BEGIN,
            RUN,
        ),
    ),
    directed(
        "minimum-and-pools",
        "SHARED-1 TASKS-1",
        "Of one to two tasks two are placed, and two licences are wanted.",
        case(
            cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
            submit("j", primary(counts(1, 2), uses("lic", 1000, "task"))),
            RUN,
        ),
    ),
    directed(
        "all-of-three-parts",
        "COMPOUND-1",
        "Two parts fit and the third one does not.",
        case(TWO_SLOTS, submit("j", [1, 1, 1]), RUN),
    ),
    directed(
        "pools-are-apart",
        "SHARED-1 WHY-1",
        "Of one pool there is enough for both, and of the other nothing.",
        case(
            cluster(host("A", 1), shared=["lic", "net"], pools={"lic": 2000}),
            submit("j", primary(1, LICENCE, uses("net", 1))),
            RUN,
        ),
    ),
    directed(
        "limit-on-a-pool-counts-each-task",
        "LIMIT-2 SHARED-1",
        "Two tasks want two licences, which the pool has; the user may hold one.",
        case(
            cluster(
                host("A", 2),
                shared=["lic"],
                pools={"lic": 2000},
                limits=[limit("user", "u", "cluster", "lic", 1000)],
            ),
            submit("j", primary(2, uses("lic", 1000, "task"))),
            RUN,
        ),
    ),
    directed(
        "pool-for-the-job-and-each-task",
        "SHARED-1 WANT-2",
        "Two tasks with one licence each and one for the job want three, with two and with net.",
        case(
            cluster(host("A", 4), shared=["lic", "net"], pools={"lic": 2000, "net": 500}),
            submit("j", primary(2, LICENCE, uses("lic", 1000, "task"))),
            submit("k", primary(2, uses("lic", 2000), uses("net", 501))),
            submit("l", primary(2, uses("lic", 2000), uses("net", 500))),
            RUN,
        ),
    ),
    directed(
        "per-left-out-beside-per-host",
        "RES-3 WANT-2",
        "An entry without `per` is what the profile says, whatever stands beside it.",
        case(
            cluster(host("A", 2, mem=3000), amounts=["mem"]),
            submit("j", primary(2, uses("mem", 1000), uses("mem", 1000, "host"))),
            submit("k", primary(2, uses("mem", 1001), uses("mem", 1000, "host"))),
            RUN,
        ),
    ),
)

CASES: tuple[Directed, ...] = (
    *KEYS,
    *(_two_trees(name, *trees) for name, trees in TREES.items()),
    *CACHED,
    *NAMESAKES,
    *REASONS,
    *PROSPECTS,
    *GROWTH,
)
