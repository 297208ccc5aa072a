"""Several fields of one event or record at once, and several events about one thing.

A reader of events that looks at the first field it knows, or at the last, answers all cases in
which one field is given. So here are cases in which several are, and all of them matter.
"""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    Alternative,
    attribute,
    case,
    cluster,
    defined,
    finish,
    host,
    host_add,
    host_change,
    limit,
    limit_remove,
    limit_set,
    operation,
    pool_change,
    primary,
    submit,
    uses,
)
from allotment_conformance.wire.messages import Json

TYPES = {"width": "number", "depth": "number", "arch": "text"}
WIDE, DEEP = attribute("width"), attribute("depth")
MEM, DISK = uses("mem", 1000, "task"), uses("disk", 1000, "task")
LIC, NET = uses("lic", 1000, "job"), uses("net", 1000, "job")
U_SLOTS = ("user", "u", "cluster", "slots")


def _without(name: str) -> Json:
    return operation("!", defined(name))


def _changed(name: str, why: str, made: Json, changes: list[Json], asked: Json) -> Directed:
    """A job before and behind the changes of A, which take effect between the two runs."""
    events = (submit("j", asked), *(host_change("A", **one) for one in changes), RUN, BEGIN, RUN)
    return directed(name, "SESSION-2", why, case(made, *events))


HOST_CHANGES = (
    _changed(
        "host-changes-in-every-way",
        "A opens, has two slots, and amounts and attributes all at once; one was never there.",
        cluster(
            host("A", 1, closed=True, attributes={"width": 1000}),
            amounts=["mem", "disk"],
            attributes=TYPES,
        ),
        [
            {
                "open": True,
                "capacity": {"slots": 2, "mem": 2000, "disk": 2000},
                "attributes": {"width": None, "depth": 1000, "arch": None},
            }
        ],
        primary(2, MEM, DISK, select=operation("&&", _without("width"), DEEP)),
    ),
    _changed(
        "host-closes-as-it-grows",
        "A has a second slot and is closed, by one change: the job pends.",
        cluster(host("A", 1)),
        [{"capacity": {"slots": 2}, "open": False}],
        primary(2),
    ),
    _changed(
        "host-changes-attributes-and-grows",
        "A has a second slot and no width any more, by one change.",
        cluster(host("A", 1, attributes={"width": 1000}), attributes=TYPES),
        [{"attributes": {"width": None}, "capacity": {"slots": 2}}],
        primary(2, select=_without("width")),
    ),
    _changed(
        "host-closes-as-an-attribute-goes",
        "A has no width any more and is closed, by one change: the job pends, and by capacity.",
        cluster(host("A", 1, attributes={"width": 1000}), attributes=TYPES),
        [{"open": False, "attributes": {"width": None}}],
        primary(1, select=_without("width")),
    ),
    _changed(
        "attribute-goes-as-another-comes",
        "A loses its width by the change that gives it a depth.",
        cluster(host("A", 1, attributes={"width": 1000}), attributes=TYPES),
        [{"attributes": {"width": None, "depth": 1000}}],
        primary(1, select=operation("&&", _without("width"), DEEP)),
    ),
    _changed(
        "changed-attributes-keep-the-others",
        "A keeps its width when it is given a depth.",
        cluster(host("A", 1, attributes={"width": 1000}), attributes=TYPES),
        [{"attributes": {"depth": 1000}}],
        primary(1, select=operation("&&", WIDE, DEEP)),
    ),
    _changed(
        "closed-host-grows",
        "A grows while it is closed, and is opened later in the same session.",
        cluster(host("A", 1, closed=True)),
        [{"capacity": {"slots": 2}}, {"open": True}],
        primary(2),
    ),
    directed(
        "host-changes-in-nothing",
        "SESSION-5",
        "A change that names nothing is accepted: A is closed, and is closed afterwards.",
        case(cluster(host("A", 1, closed=True)), host_change("A"), BEGIN, submit("j", 1), RUN),
    ),
    directed(
        "host-added-in-full",
        "SESSION-2 SESSION-5",
        "B comes with memory and a width, and closed; opened later, it has what it came with.",
        case(
            cluster(host("A", 0), amounts=["mem"], attributes=TYPES),
            host_add(host("B", 1, closed=True, mem=1000, attributes={"width": 1000})),
            BEGIN,
            submit("j", primary(1, MEM, select=WIDE)),
            RUN,
            host_change("B", open=True),
            RUN,
            BEGIN,
            RUN,
        ),
    ),
    directed(
        "hosts-without-slots",
        "RES-2",
        "Slots that are left out are none, in the cluster and in a host that is added.",
        case(
            {
                "resources": {"host": ["mem"]},
                "hosts": [{"name": "A", "capacity": {"mem": 1000}}, {"name": "B", "capacity": {}}],
            },
            host_add({"name": "C", "capacity": {}}),
            BEGIN,
            submit("j", primary(1, MEM)),
            submit("k", 1),
            RUN,
        ),
    ),
    directed(
        "changed-host-keeps-its-place",
        "HOST-9",
        "A is closed and opened again, and stands before B as it did.",
        case(
            cluster(host("A", 1), host("B", 1)),
            host_change("A", open=False),
            BEGIN,
            host_change("A", open=True),
            BEGIN,
            submit("j", 1),
            RUN,
        ),
    ),
)

POOL_CHANGES = (
    directed(
        "two-pools-change",
        "SESSION-2",
        "Both pools have a licence from the next session on.",
        case(
            cluster(host("A", 1), shared=["lic", "net"]),
            submit("j", primary(1, LIC, NET)),
            pool_change("lic", 1000),
            pool_change("net", 1000),
            RUN,
            BEGIN,
            RUN,
        ),
    ),
)


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
        "One of five limits that differ in scope, resource, kind or holder goes; the others stay.",
        case(
            cluster(
                host("A", 3, mem=9000),
                amounts=["mem"],
                limits=[
                    limit("user", "u", "cluster", "slots", 0),
                    limit("user", "u", "host", "slots", 1),
                    limit("user", "u", "cluster", "mem", 1000),
                    limit("queue", "u", "cluster", "slots", 0),
                    limit("user", None, "cluster", "slots", 2),
                ],
            ),
            limit_remove(*U_SLOTS),
            BEGIN,
            submit("j", 2),
            submit("k", primary(1, uses("mem", 1001, "task"))),
            submit("l", 1, user="v", queue="u"),
            submit("m", 3, user="v"),
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

SPANS: tuple[tuple[str, str, tuple[int, ...], Json], ...] = (
    (
        "hosts-max-beside-tasks-per-host",
        "At most two hosts with two tasks each: [2, 1] fails, and [1, 1, 1] is no plan.",
        (1, 1, 1),
        primary(3, hosts_max=2, tasks_per_host=2),
    ),
    (
        "tasks-per-host-beside-hosts-max",
        "At most two hosts with one task each: [2] is no plan.",
        (2, 1),
        primary(2, hosts_max=2, tasks_per_host=1),
    ),
    (
        "hosts-min-beside-tasks-per-host",
        "At least three hosts with two tasks at most: [2, 1] is no plan.",
        (2, 1, 1),
        primary(3, hosts_min=3, tasks_per_host=2),
    ),
    (
        "tasks-per-host-beside-hosts-min",
        "At least two hosts with one task each: [2, 2] is no plan.",
        (2, 2),
        primary(4, hosts_min=2, tasks_per_host=1),
    ),
    (
        "hosts-min-beyond-hosts-max",
        "At least two hosts and at most one: accepted, and no plan.",
        (2, 1),
        primary(2, hosts_min=2, hosts_max=1),
    ),
)

PTILES: tuple[tuple[str, str, tuple[int, ...], Json], ...] = (
    (
        "ptile-beyond-the-count",
        "Two tasks with three on a host are [2], the only plan: [1, 1] is not tried.",
        (1, 1),
        primary(2, ptile=3),
    ),
    (
        "ptile-of-the-count",
        "Two tasks with two on a host are [2], the only plan.",
        (1, 1),
        primary(2, ptile=2),
    ),
    (
        "ptile-beyond-count-and-bound",
        "Two tasks with three on a host are [2], which has more than one on a host: no plan.",
        (2, 2),
        primary(2, ptile=3, tasks_per_host=1),
    ),
    (
        "ptile-beyond-the-bound",
        "Two tasks with three on a host are [2], and no bucket has more than two.",
        (2, 2),
        primary(2, ptile=3, tasks_per_host=2),
    ),
    (
        "ptile-beside-tasks-per-host",
        "Four tasks with two on a host are [2, 2], which has more than one on a host: no plan.",
        (2, 2, 2),
        primary(4, ptile=2, tasks_per_host=1),
    ),
    (
        "ptile-beside-hosts-min",
        "Two tasks with two on a host are [2], and two hosts are wanted: no plan.",
        (2, 2),
        primary(2, ptile=2, hosts_min=2),
    ),
    (
        "ptile-beside-every-bound",
        "Four tasks with three on a host are [3, 1], within all bounds.",
        (3, 2),
        primary(4, ptile=3, hosts_min=2, hosts_max=2, tasks_per_host=3),
    ),
    (
        "ptile-and-more-hosts-than-wanted",
        "Five tasks with two on a host are [2, 2, 1]: three hosts, and two at most are wanted.",
        (3, 3, 3),
        primary(5, ptile=2, hosts_max=2, tasks_per_host=3),
    ),
)


def _spread(clause: str, name: str, why: str, slots: tuple[int, ...], asked: Json) -> Directed:
    """A lone job on hosts with these slots."""
    hosts = (host(letter, count) for letter, count in zip("ABC", slots, strict=False))
    return directed(name, clause, why, case(cluster(*hosts), submit("j", asked), RUN))


CASES: tuple[Directed, ...] = (
    *HOST_CHANGES,
    *POOL_CHANGES,
    *LIMIT_CHANGES,
    *(_spread("PLAN-9", *one) for one in SPANS),
    *(_spread("PLAN-10", *one) for one in PTILES),
)
