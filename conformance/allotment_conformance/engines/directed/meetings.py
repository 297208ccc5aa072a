"""Where two features meet: keys and identities, limits and pools, the cache and other events."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    Alternative,
    case,
    cluster,
    counts,
    finish,
    host,
    host_add,
    host_change,
    limit,
    limit_remove,
    limit_set,
    pool_change,
    primary,
    run,
    submit,
    uses,
    withdraw,
)
from allotment_conformance.wire.messages import Json

LARGEST = 2**53 - 1
ONE_SLOT = cluster(host("A", 1))
TWO_SLOTS = cluster(host("A", 2))
U_SLOTS = ("user", "u", "cluster", "slots")


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

LATER = (
    directed(
        "names-are-taken-for-good",
        "SESSION-7",
        "The names of a withdrawn and a finished job are not free in any later session.",
        case(
            ONE_SLOT,
            submit("i", 1),
            withdraw("i"),
            submit("j", 1),
            RUN,
            finish("j"),
            BEGIN,
            submit("i", 1),
            BEGIN,
            BEGIN,
            BEGIN,
            submit("i", 1),
            submit("j", 1),
        ),
    ),
    directed(
        "waiting-raises-no-priority",
        "SESSION-1",
        "A job has waited for four sessions: one of a higher priority goes first all the same.",
        case(
            ONE_SLOT,
            submit("r", 1),
            submit("j", 1),
            RUN,
            BEGIN,
            RUN,
            BEGIN,
            BEGIN,
            BEGIN,
            finish("r"),
            BEGIN,
            submit("k", 1, priority=1),
            RUN,
        ),
    ),
    directed(
        "three-parts-end",
        "SESSION-4",
        "All three parts of a job are given back when it ends.",
        case(
            cluster(host("A", 3)),
            submit("r", [1, 1, 1]),
            RUN,
            finish("r"),
            BEGIN,
            submit("j", 3),
            RUN,
        ),
    ),
    directed(
        "ends-on-a-closed-host",
        "SESSION-4 SESSION-5",
        "A job ends while its host is closed: A is empty when it is opened.",
        case(
            ONE_SLOT,
            submit("r", 1),
            RUN,
            host_change("A", open=False),
            BEGIN,
            finish("r"),
            BEGIN,
            host_change("A", open=True),
            BEGIN,
            submit("j", 1),
            RUN,
        ),
    ),
    directed(
        "limit-counts-beyond-53-bits",
        "SESSION-3",
        "Three jobs hold the largest amount each, all of which a new limit counts.",
        case(
            cluster(*(host(letter, 2, mem=LARGEST) for letter in "ABC"), amounts=["mem"]),
            *(submit(name, primary(1, uses("mem", LARGEST, "task"))) for name in "rst"),
            RUN,
            limit_set("user", "u", "cluster", "mem", LARGEST),
            BEGIN,
            finish("r"),
            finish("s"),
            BEGIN,
            submit("j", primary(1, uses("mem", 1, "task"))),
            finish("t"),
            BEGIN,
            RUN,
            report=["books"],
        ),
    ),
    directed(
        "first-host-after-a-finish",
        "HOST-9",
        "A was in use and is free again, B is in use still: A stands first, as ever.",
        case(
            cluster(host("A", 3), host("B", 3)),
            submit("r", 3),
            submit("s", 1),
            RUN,
            finish("r"),
            BEGIN,
            submit("j", 1),
            submit("k", 1),
            RUN,
        ),
    ),
    directed(
        "cancel-is-for-one-run",
        "SESSION-1",
        "What is asked of one run is not asked of the next one, reached or not.",
        case(
            cluster(host("A", 9)),
            submit("i", 1),
            run(5),
            *(submit(name, 1) for name in "jklm"),
            RUN,
            BEGIN,
            RUN,
        ),
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
        case(
            cluster(host("A", 1), limits=[limit("user", "x", "cluster", "slots", 0)]),
            submit("j", 1, queue="x", project="x"),
            RUN,
        ),
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
        "span-before-shared",
        "WHY-1",
        "There is no plan over two hosts for one task, and the pool is empty: `span`.",
        case(
            cluster(host("A", 1), shared=["lic"]),
            submit("j", primary(1, LICENCE, hosts_min=2)),
            RUN,
        ),
    ),
    directed(
        "no-hosts-before-shared",
        "WHY-1",
        "There is no host, and the pool is empty: `select`.",
        case(cluster(shared=["lic"]), submit("j", primary(1, LICENCE)), RUN),
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
    *CACHED,
    *LATER,
    *NAMESAKES,
    *REASONS,
    *PROSPECTS,
    *GROWTH,
)
