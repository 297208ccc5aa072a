"""Several fields of one event or record at once, and several events about one thing.

A reader of events that looks at the first field it knows, or at the last, answers all cases in
which one field is given. So here are cases in which several are, and all of them matter.
"""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    counts,
    defined,
    host,
    host_add,
    host_change,
    limit_remove,
    limit_set,
    number,
    operation,
    pool_change,
    primary,
    submit,
    text,
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
        "attributes-that-are-next-to-nothing",
        "SESSION-2 SELECT-4",
        "Zero, a negative number and the empty text are values: A has them from the change on.",
        case(
            cluster(host("A", 9, attributes={"arch": "x"}), attributes=TYPES),
            host_change("A", attributes={"width": 0, "depth": -1000, "arch": ""}),
            BEGIN,
            submit("i", primary(1, select=defined("width"))),
            submit("j", primary(1, select=operation("==", WIDE, number(0)))),
            submit("k", primary(1, select=operation("==", DEEP, number(-1000)))),
            submit("l", primary(1, select=defined("arch"))),
            submit("m", primary(1, select=operation("==", attribute("arch"), text("")))),
            submit("n", primary(1, select=operation("!=", attribute("arch"), text("x")))),
            RUN,
        ),
    ),
    directed(
        "hosts-that-change-keep-their-places",
        "HOST-9",
        "A grows, and B is given a width: each stands where it stood.",
        case(
            cluster(host("A", 1), host("B", 2), host("C", 2), attributes=TYPES),
            host_change("A", capacity={"slots": 2}),
            BEGIN,
            host_change("B", attributes={"width": 1000}),
            BEGIN,
            submit("i", 2),
            submit("j", 2),
            submit("k", 2),
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


PARTLY_WRONG = (
    directed(
        "refused-change-changes-no-capacity",
        "INGEST-2",
        "The slots are in order and the other amount is not declared: A keeps its one slot.",
        case(
            cluster(host("A", 1)),
            host_change("A", capacity={"slots": 9, "disk": 1}),
            BEGIN,
            submit("j", 2),
            RUN,
        ),
    ),
    directed(
        "refused-change-takes-no-attribute-away",
        "INGEST-2 RES-1",
        "The width may go and the height is not declared: A keeps its width.",
        case(
            cluster(host("A", 1, attributes={"width": 1000}), attributes=TYPES),
            host_change("A", attributes={"width": None, "height": 1}),
            BEGIN,
            submit("j", primary(1, select=WIDE)),
            RUN,
        ),
    ),
    directed(
        "refused-host-takes-no-name",
        "INGEST-2 RES-1",
        "The first B is refused, so the second one's name is free.",
        case(
            cluster(host("A", 0)),
            host_add(host("B", 1, disk=1)),
            host_add(host("B", 1)),
            BEGIN,
            submit("j", 1),
            RUN,
        ),
    ),
    directed(
        "refused-limit-is-not-there",
        "INGEST-2",
        "The cap is refused: there is no limit to remove, and nobody is held back.",
        case(
            cluster(host("A", 1)),
            limit_set(*U_SLOTS, -1),
            limit_remove(*U_SLOTS),
            BEGIN,
            submit("j", 1),
            RUN,
        ),
    ),
)

HALF_OF_RANGE = 2**52
RANGES = (
    directed(
        "product-with-counts-of-the-job",
        "AMOUNT-2",
        "The primary takes the two tasks of its job, and 2^52 each are 2^53.",
        case(
            cluster(host("A", 2), amounts=["mem"]),
            submit("j", primary(None, uses("mem", HALF_OF_RANGE, "task")), tasks=counts(2, 2)),
        ),
    ),
    directed(
        "product-of-the-most-tasks",
        "AMOUNT-2",
        "One task would do for `min`; the range is that of `max`.",
        case(
            cluster(host("A", 2), amounts=["mem"]),
            submit("j", primary(counts(1, 2), uses("mem", HALF_OF_RANGE, "task"))),
        ),
    ),
    directed(
        "product-of-per-job",
        "AMOUNT-2",
        "Whatever its `per`: two tasks with 2^52 for the job.",
        case(
            cluster(host("A", 2), shared=["lic"]),
            submit("j", primary(2, uses("lic", HALF_OF_RANGE, "job"))),
        ),
    ),
    directed(
        "products-of-two-parts",
        "AMOUNT-2",
        "The range is that of one primary: two parts with the largest amount each are accepted.",
        case(
            cluster(host("A", 2, mem=1), amounts=["mem"]),
            submit("i", primary(1, uses("mem", 2 * HALF_OF_RANGE, "task"))),
            submit("j", [primary(1, uses("mem", 2 * HALF_OF_RANGE - 1, "task"))] * 2),
            RUN,
        ),
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
    *PARTLY_WRONG,
    *RANGES,
    *(_spread("PLAN-9", *one) for one in SPANS),
    *(_spread("PLAN-10", *one) for one in PTILES),
)
