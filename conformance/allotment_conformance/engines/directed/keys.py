"""CACHE-1: requests that are two keys, however alike they are, and some that are one."""

from functools import reduce

from allotment_conformance.engines.directed.case import Directed, directed, not_probed
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    counts,
    defined,
    host,
    limit,
    number,
    operation,
    primary,
    submit,
    text,
    uses,
)
from allotment_conformance.wire.messages import Json

LARGEST = 2**53 - 1
ONE_SLOT = cluster(host("A", 1))
TWO_SLOTS = cluster(host("A", 2))


def _two_keys(name: str, why: str, made: Json, first: Json, second: Json) -> Directed:
    """The first job fails, the second has another key and is placed."""
    return directed(f"key-{name}", "CACHE-1", why, case(made, first, second, RUN))


def _as(name: str, user: str, queue: str, project: str) -> Json:
    return submit(name, 1, user=user, queue=queue, project=project)


def _closed_to(name: str, kind: str = "user") -> Json:
    return cluster(host("A", 1), limits=[limit(kind, name, "cluster", "slots", 0)])


NINE = [f"r{number}" for number in range(1, 10)]


def _long(last: int) -> Json:
    """A sum of sixty numbers, zero if the last is."""
    return reduce(
        lambda left, right: operation("+", left, right), [number(0)] * 59 + [number(last)]
    )


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
        _closed_to("qp", "queue"),
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
        _closed_to("x", "queue"),
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
        "key-counts-equal-in-few-bits",
        "CACHE-1",
        "257 and 65,537 in 8 or 16 bits are 1: both fail, and one task fits. Two plans are enough.",
        case(
            ONE_SLOT,
            submit("i", primary(counts(1, 2**8 + 1), hosts_max=2)),
            submit("j", primary(counts(1, 2**16 + 1), hosts_max=2)),
            submit("k", primary(1, hosts_max=2)),
            RUN,
        ),
    ),
    _two_keys(
        "last-of-nine-resources",
        "The rusages differ in the last of nine resources.",
        cluster(
            {"name": "A", "capacity": {"slots": 1, **dict.fromkeys(NINE, 1)}},
            amounts=NINE,
        ),
        submit("j", primary(1, *(uses(name, 1 + (name == "r9"), "task") for name in NINE))),
        submit("k", primary(1, *(uses(name, 1, "task") for name in NINE))),
    ),
    _two_keys(
        "end-of-a-long-select",
        "The selects differ in the last of sixty numbers, which decides.",
        ONE_SLOT,
        submit("j", primary(1, select=_long(0))),
        submit("k", primary(1, select=_long(1000))),
    ),
    _two_keys(
        "bound-without-effect",
        "Two tasks are on two hosts at most whatever is said: saying it makes another key.",
        ONE_SLOT,
        submit("j", 2),
        submit("k", primary(2, hosts_max=2)),
    ),
    _two_keys(
        "bounds-of-the-same-plans",
        "One task on each host is two hosts at least: the plans are the same, the keys are two.",
        ONE_SLOT,
        submit("j", primary(2, tasks_per_host=1)),
        submit("k", primary(2, hosts_min=2)),
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
    "at-most-and-less": (operation("<=", WIDTH, ONE), operation("<", WIDTH, ONE)),
    "sign-of-a-number": (operation("==", WIDTH, number(-1000)), operation("==", WIDTH, ONE)),
    "half-of-a-number": (operation("==", WIDTH, number(1500)), operation("==", WIDTH, ONE)),
    "letter-case": (operation("==", ARCH, text("X86")), operation("==", ARCH, text("x86"))),
    "blank": (operation("==", ARCH, text("x 86")), operation("==", ARCH, text("x86"))),
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


TREES_APART = tuple(_two_trees(name, *trees) for name, trees in TREES.items())
CASES: tuple[Directed, ...] = (*KEYS, *not_probed(TREES_APART))
