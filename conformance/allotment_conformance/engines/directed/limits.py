"""LIMIT over time and beside others: limits that come, go and come back, and several at once."""

from allotment_conformance.engines.directed.case import Directed, directed, not_probed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    Alternative,
    case,
    cluster,
    finish,
    host,
    host_change,
    limit,
    limit_remove,
    limit_set,
    pool_change,
    primary,
    submit,
    uses,
)
from allotment_conformance.wire.messages import Json

LIC = uses("lic", 1000, "job")
U_SLOTS = ("user", "u", "cluster", "slots")


def _new_limit(
    name: str, why: str, made: Json, running: Alternative, asked: Alternative, *changes: Json
) -> Directed:
    """A job that runs when limits are set, and one that is tried under them."""
    events = (submit("r", running), RUN, *changes, BEGIN, submit("j", asked), RUN)
    return directed(name, "SESSION-3", why, case(made, *events))


LIMIT_CHANGES = (
    directed(
        "limit-removed-and-set-higher",
        "SESSION-2 SESSION-5",
        "A limit is removed, and set with a higher cap before the session: the new cap stands.",
        case(
            cluster(host("A", 2), limits=[limit(*U_SLOTS, 1)]),
            submit("j", 2),
            limit_remove(*U_SLOTS),
            limit_set(*U_SLOTS, 2),
            RUN,
            BEGIN,
            RUN,
        ),
    ),
    directed(
        "limit-removed-and-set-lower",
        "SESSION-2",
        "A limit is removed, and set with a lower cap before the session: the new cap stands.",
        case(
            cluster(host("A", 2), limits=[limit(*U_SLOTS, 2)]),
            limit_remove(*U_SLOTS),
            limit_set(*U_SLOTS, 1),
            BEGIN,
            submit("j", 2),
            RUN,
        ),
    ),
    directed(
        "limit-set-higher-a-session-later",
        "SESSION-5",
        "Of a limit that was gone for a session nothing is left: neither cap nor use.",
        case(
            cluster(host("A", 3), limits=[limit(*U_SLOTS, 1)]),
            limit_remove(*U_SLOTS),
            BEGIN,
            limit_set(*U_SLOTS, 2),
            BEGIN,
            submit("j", 2),
            RUN,
            limit_set(*U_SLOTS, 3),
            BEGIN,
            submit("k", 1),
            RUN,
        ),
    ),
    directed(
        "limits-that-differ-in-one-field",
        "LIMIT-1 SESSION-2",
        "One of three limits that differ in scope or kind goes; the others stay.",
        case(
            cluster(
                host("A", 2),
                limits=[
                    limit("user", "u", "cluster", "slots", 0),
                    limit("user", "u", "host", "slots", 1),
                    limit("queue", "u", "cluster", "slots", 0),
                ],
            ),
            limit_remove(*U_SLOTS),
            BEGIN,
            submit("j", 2),
            submit("k", 1, user="v", queue="u"),
            submit("n", 1),
            RUN,
        ),
    ),
    directed(
        "limit-on-memory-beside-one-on-slots",
        "LIMIT-1 SESSION-2",
        "A limit on memory comes; the one on slots, of the same user, stays.",
        case(
            cluster(host("A", 2, mem=1000), amounts=["mem"], limits=[limit(*U_SLOTS, 1)]),
            limit_set("user", "u", "cluster", "mem", 0),
            BEGIN,
            submit("j", 2),
            submit("k", primary(1, uses("mem", 1, "task"))),
            RUN,
        ),
    ),
    _new_limit(
        "new-limit-on-a-pool",
        "The licence that a job holds counts on a limit that comes later.",
        cluster(host("A", 2), shared=["lic"], pools={"lic": 2000}),
        primary(1, LIC),
        primary(1, LIC),
        limit_set("user", "u", "cluster", "lic", 1000),
    ),
    _new_limit(
        "limit-removed-and-set-counts-what-runs",
        "A limit that goes and comes back before the session counts the job that runs.",
        cluster(host("A", 2), limits=[limit(*U_SLOTS, 1)]),
        1,
        1,
        limit_remove(*U_SLOTS),
        limit_set(*U_SLOTS, 1),
    ),
    _new_limit(
        "new-limit-counts-every-part",
        "Both parts of a compound that runs count on a limit that comes later.",
        cluster(host("A", 3)),
        [1, 1],
        1,
        limit_set(*U_SLOTS, 2),
    ),
    _new_limit(
        "new-limit-on-each-host",
        "What a job holds on A counts there, and says nothing about B.",
        cluster(host("A", 2), host("B", 1)),
        1,
        1,
        limit_set("project", "p", "host", "slots", 1),
    ),
    _new_limit(
        "new-limit-of-each-queue",
        "What a job holds counts for its queue on a limit of each queue.",
        cluster(host("A", 2)),
        1,
        1,
        limit_set("queue", None, "cluster", "slots", 1),
    ),
    _new_limit(
        "new-limit-and-a-finish-behind-it",
        "The job that ran ends by an event behind the limit: nothing is counted for it.",
        cluster(host("A", 1)),
        1,
        1,
        limit_set(*U_SLOTS, 1),
        finish("r"),
    ),
)

SEVERAL = (
    directed(
        "fourth-limit-holds",
        "LIMIT-1",
        "Of six limits that apply the fourth is the one that holds the job back.",
        case(
            cluster(
                host("A", 3),
                limits=[
                    limit("user", "u", "cluster", "slots", 9),
                    limit("user", None, "host", "slots", 9),
                    limit("queue", None, "cluster", "slots", 9),
                    limit("queue", "q", "host", "slots", 1),
                    limit("project", "p", "cluster", "slots", 9),
                    limit("project", None, "host", "slots", 9),
                ],
            ),
            submit("j", 2),
            submit("k", 2, queue="r"),
            RUN,
        ),
    ),
    directed(
        "limit-on-a-pool-of-each-queue",
        "LIMIT-2 LIMIT-1",
        "Each queue may hold one of the licences: the second job of q waits, that of r runs.",
        case(
            cluster(
                host("A", 3),
                shared=["lic"],
                pools={"lic": 3000},
                limits=[limit("queue", None, "cluster", "lic", 1000)],
            ),
            submit("i", primary(1, LIC)),
            submit("j", primary(1, LIC)),
            submit("k", primary(1, LIC), queue="r"),
            RUN,
        ),
    ),
    directed(
        "limit-counts-per-task-and-per-host",
        "WANT-1",
        "Two tasks with one a task and one a host are three, and the user may hold two.",
        case(
            cluster(
                host("A", 2, mem=9000),
                amounts=["mem"],
                limits=[limit("user", "u", "cluster", "mem", 2000)],
            ),
            submit("j", primary(2, uses("mem", 1000, "task"), uses("mem", 1000, "host"))),
            RUN,
        ),
    ),
    directed(
        "limit-of-each-after-a-finish",
        "LIMIT-2",
        "One of two jobs of the user ends: what the other one holds still counts.",
        case(
            cluster(host("A", 4), limits=[limit("user", None, "cluster", "slots", 2)]),
            submit("r", 1),
            submit("s", 1),
            RUN,
            finish("r"),
            BEGIN,
            submit("j", 2),
            submit("k", 1),
            RUN,
        ),
    ),
    directed(
        "limit-on-each-host-and-parts",
        "LIMIT-2 COMPOUND-2",
        "The user may hold one slot on each host: the second part takes B.",
        case(
            cluster(host("A", 2), host("B", 1), limits=[limit("user", "u", "host", "slots", 1)]),
            submit("j", [1, 1]),
            RUN,
        ),
    ),
)


def _every_limit(kind: str, name: str | None) -> Directed:
    """Limits of both scopes on slots, memory and a licence; each holds a job back, or spreads it.

    Three hosts have room for all; the jobs ask for five slots, three with memory, two licences, two
    with memory, two.
    """
    caps = (
        ("cluster", "slots", 4),
        ("host", "slots", 2),
        ("cluster", "mem", 2000),
        ("host", "mem", 1000),
        ("cluster", "lic", 1000),
    )
    return directed(
        f"every-limit-of-{'each' if name is None else 'one'}-{kind}",
        "LIMIT-1 LIMIT-2",
        "On slots, memory and a licence, over the cluster and on each host: all five count.",
        case(
            cluster(
                *(host(letter, 9, mem=9000) for letter in "ABC"),
                amounts=["mem"],
                shared=["lic"],
                pools={"lic": 9000},
                limits=[limit(kind, name, *one) for one in caps],
            ),
            submit("h", 5),
            submit("i", primary(3, uses("mem", 1000, "task"))),
            submit("j", primary(1, uses("lic", 2000))),
            submit("k", primary(2, uses("mem", 1000, "task"))),
            submit("l", 2),
            RUN,
            report=["books"],
        ),
    )


EVERY = tuple(
    _every_limit(kind, name)
    for kind, holder in (("user", "u"), ("queue", "q"), ("project", "p"))
    for name in (holder, None)
)


def _siblings(name: str, why: str, change: Json) -> Directed:
    """A limit changes beside five that differ from it in one field each, and stay as they are."""
    return directed(
        f"{name}-beside-its-siblings",
        "LIMIT-1",
        why,
        case(
            cluster(
                host("A", 9, mem=9000),
                host("B", 9),
                amounts=["mem"],
                limits=[
                    limit(*U_SLOTS, 0),
                    limit("user", "u", "host", "slots", 1),
                    limit("queue", "u", "cluster", "slots", 1),
                    limit("user", None, "cluster", "slots", 3),
                    limit("user", "u", "cluster", "mem", 1000),
                    limit("user", "v", "cluster", "slots", 1),
                ],
            ),
            change,
            BEGIN,
            submit("i", 2),
            submit("j", 2, user="w", queue="u"),
            submit("k", 4, user="w"),
            submit("l", primary(1, uses("mem", 1001, "task"))),
            submit("m", 2, user="v"),
            RUN,
            report=["books"],
        ),
    )


COUNTED = (
    _siblings(
        "limit-removed",
        "Kind, name, scope and resource together say which limit goes.",
        limit_remove(*U_SLOTS),
    ),
    _siblings(
        "limit-set",
        "Kind, name, scope and resource together say which limit has a new cap.",
        limit_set(*U_SLOTS, 5),
    ),
    _siblings(
        "limit-of-each-set",
        "A limit of each user takes the place of no limit of one user.",
        limit_set("user", None, "cluster", "slots", 9),
    ),
    directed(
        "limits-count-through-changes",
        "LIMIT-2 SESSION-5",
        "A host that grows, closes and opens, and a pool that grows, forget nothing that is held.",
        case(
            cluster(
                host("A", 2),
                shared=["lic"],
                pools={"lic": 1000},
                limits=[
                    limit("user", "u", "host", "slots", 1),
                    limit("user", "v", "cluster", "lic", 1000),
                ],
            ),
            submit("r", 1),
            RUN,
            submit("s", primary(1, LIC), user="v"),
            RUN,
            host_change("A", capacity={"slots": 4}, open=False),
            pool_change("lic", 2000),
            BEGIN,
            host_change("A", open=True),
            BEGIN,
            submit("j", 1),
            submit("k", primary(1, LIC), user="v"),
            submit("l", primary(1, LIC), user="w"),
            RUN,
            report=["books"],
        ),
    ),
    directed(
        "lower-caps-and-capacities-stand",
        "SESSION-2",
        "Caps and pools are cut, some of them to nothing: the new figure stands, and zero is none.",
        case(
            cluster(
                host("A", 9),
                shared=["lic", "net"],
                pools={"lic": 2000, "net": 1000},
                limits=[limit(*U_SLOTS, 2), limit("user", "v", "cluster", "slots", 1)],
            ),
            pool_change("lic", 1000),
            pool_change("net", 0),
            limit_set(*U_SLOTS, 1),
            limit_set("user", "v", "cluster", "slots", 0),
            BEGIN,
            submit("i", primary(1, uses("lic", 2000)), user="w"),
            submit("j", primary(1, uses("net", 1)), user="w"),
            submit("k", 2),
            submit("l", 1, user="v"),
            RUN,
        ),
    ),
    directed(
        "later-of-two-figures-stands",
        "SESSION-2",
        "Pools and caps change twice before the session, up or down: the later change stands.",
        case(
            cluster(host("A", 9), shared=["lic", "net"], limits=[limit(*U_SLOTS, 2)]),
            *(pool_change("lic", capacity) for capacity in (3000, 1000)),
            *(pool_change("net", capacity) for capacity in (1000, 3000)),
            *(limit_set(*U_SLOTS, cap) for cap in (3, 1)),
            *(limit_set("user", "v", "cluster", "slots", cap) for cap in (1, 3)),
            BEGIN,
            submit("j", primary(2, uses("lic", 2000), uses("net", 2000)), user="v"),
            submit("k", primary(2, uses("lic", 1000), uses("net", 2000)), user="v"),
            submit("l", 2),
            RUN,
        ),
    ),
)

CASES: tuple[Directed, ...] = LIMIT_CHANGES + SEVERAL + COUNTED + not_probed(EVERY)
