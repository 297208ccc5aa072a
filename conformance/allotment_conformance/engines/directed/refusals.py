"""INGEST and the refusal codes of SPEC.md 2.3: each code, on each event that may have it."""

from allotment_conformance.engines.directed.case import Directed, directed, not_probed
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
    limit_set,
    number,
    operation,
    pool_change,
    primary,
    submit,
    text,
    uses,
    withdraw,
)
from allotment_conformance.wire.messages import Json

LARGEST = 2**53 - 1
MADE = cluster(
    host("A", 3, mem=1000),
    amounts=["mem"],
    shared=["lic"],
    attributes={"width": "number", "arch": "text"},
    pools={"lic": 1000},
    limits=[limit("user", "u", "cluster", "slots", 9)],
)
WIDTH, ARCH = attribute("width"), attribute("arch")


def _refused(name: str, clauses: str, why: str, *events: Json) -> Directed:
    """A refused event, and a job behind it that shows that nothing has changed."""
    behind = submit("behind", primary(3, uses("mem", 1000, "host"), uses("lic", 1000)))
    return directed(name, clauses, why, case(MADE, *events, BEGIN, behind, RUN))


def _job(name: str, clauses: str, why: str, *alternatives: Alternative, **more: object) -> Directed:
    """A job that is refused; its name is free for the next one."""
    return _refused(name, clauses, why, submit("j", *alternatives, **more), submit("j", 1), RUN)


def _select(name: str, clauses: str, why: str, select: Json) -> Directed:
    return _job(name, clauses, why, primary(1, select=select))


def _nested(levels: int) -> Json:
    """A select that is so many levels deep."""
    select = number(0)
    for _ in range(levels - 1):
        select = operation("!", select)
    return select


COUNTS = (
    _job(
        "counts-missing", "INGEST-1 INGEST-2", "Neither primary nor job has counts.", primary(None)
    ),
    _job(
        "counts-of-the-job-taken",
        "INGEST-1",
        "A lone primary without counts takes those of the job: two tasks, not one.",
        primary(None),
        tasks=counts(2, 2),
    ),
    _job(
        "counts-taken-in-every-alternative",
        "INGEST-1",
        "Also the second alternative takes the counts of the job.",
        primary(None, hosts_min=2),
        primary(None),
        tasks=counts(2, 2),
    ),
    _job(
        "counts-unequal",
        "INGEST-1",
        "A lone primary has other counts than the job.",
        primary(counts(1, 2)),
        tasks=counts(2, 2),
    ),
    _job("counts-equal", "INGEST-1", "Equal counts are accepted.", 2, tasks=counts(2, 2)),
    _job(
        "counts-of-parts-sum",
        "INGEST-1",
        "The maxima of the parts sum to the job's and so do the minima: accepted.",
        [primary(counts(1, 2)), 1],
        tasks=counts(2, 3),
    ),
    _job(
        "counts-of-parts-sum-wrongly",
        "INGEST-1",
        "The maxima of the parts sum to two and the job says three.",
        [1, 1],
        tasks=counts(2, 3),
    ),
    _job(
        "minima-of-parts-sum-wrongly",
        "INGEST-1",
        "The minima of the parts sum to two and the job says one.",
        [1, 1],
        tasks=counts(1, 2),
    ),
    _job(
        "part-without-counts",
        "INGEST-1",
        "A part of a compound has no counts; the job's are not shared out.",
        [primary(None), 1],
        tasks=counts(2, 2),
    ),
    _job("alternatives-agree", "INGEST-1", "Both alternatives have two tasks.", 2, [1, 1]),
    _job("alternatives-disagree", "INGEST-1", "One has two tasks and the other three.", 2, [1, 2]),
    _job(
        "alternatives-disagree-in-minima",
        "INGEST-1",
        "Both have two tasks at most, and other minima.",
        primary(counts(1, 2)),
        [1, 1],
    ),
)

SUBMISSIONS = (
    _refused(
        "duplicate-job",
        "INGEST-2 SESSION-7",
        "The name is taken by a pending job, which stays as it was.",
        submit("j", 1),
        submit("j", 2),
        RUN,
    ),
    _refused(
        "duplicate-of-a-live-job",
        "SESSION-7",
        "The name is taken by a live job.",
        submit("j", 1),
        RUN,
        submit("j", 1),
        RUN,
    ),
    _refused(
        "refused-name-is-free",
        "INGEST-2 SESSION-7",
        "A job that was refused has taken no name.",
        submit("j", 0),
        submit("j", 1),
        RUN,
    ),
    _job("user-missing", "INGEST-3 INGEST-2", "The user is the empty text.", 1, user=""),
    _job("queue-missing", "INGEST-3", "The queue is the empty text.", 1, queue=""),
    _job("project-missing", "INGEST-3", "The project is the empty text.", 1, project=""),
    _job("no-alternatives", "INGEST-2", "A request without alternatives."),
    _job("empty-compound", "INGEST-2", "An alternative without primaries.", 1, []),
    _job("no-tasks", "INGEST-2", "A count of zero.", 0),
    _job("tasks-beyond-largest", "INGEST-2", "One more than 2^20 tasks.", 2**20 + 1),
    _job("min-beyond-max", "INGEST-2", "At least two and at most one.", primary(counts(2, 1))),
    _job("no-minimum", "INGEST-2", "A minimum of zero.", primary(counts(0, 1))),
    _job(
        "counts-of-the-job-out-of-range",
        "INGEST-2",
        "The job's own counts are out of range, which stands before `counts`.",
        1,
        tasks=counts(1, 0),
    ),
    _job("span-of-zero", "INGEST-2", "At most zero hosts.", primary(1, hosts_max=0)),
    _job("span-negative", "INGEST-2", "At least minus one host.", primary(1, hosts_min=-1)),
    _job(
        "span-too-large",
        "INGEST-2",
        "More than 2^20 on a host.",
        primary(1, tasks_per_host=2**20 + 1),
    ),
    _job("ptile-of-zero", "INGEST-2", "No task on a host.", primary(1, ptile=0)),
    _job(
        "span-largest",
        "INGEST-2",
        "Bounds of 2^20 are bounds, and do not bind.",
        primary(2, hosts_max=2**20, tasks_per_host=2**20),
    ),
    _job(
        "slots-in-rusage",
        "INGEST-2",
        "The tasks ask for slots already.",
        primary(1, uses("slots", 1, "task")),
    ),
    _job(
        "unknown-amount",
        "RES-1 INGEST-2",
        "No such amount is declared.",
        primary(1, uses("disk", 1, "task")),
    ),
    _job(
        "attribute-as-amount",
        "RES-1",
        "An attribute is no amount.",
        primary(1, uses("width", 1, "task")),
    ),
    _select(
        "unknown-attribute",
        "RES-1",
        "No such attribute is declared.",
        operation(">", attribute("depth"), number(0)),
    ),
    _select("unknown-in-defined", "RES-1", "Also inside `defined`.", defined("depth")),
    _select(
        "select-reads-slots",
        "SELECT-1 INGEST-2",
        "Slots are no attribute.",
        operation(">", attribute("slots"), number(0)),
    ),
    _select(
        "select-reads-amount",
        "SELECT-1",
        "An amount is no attribute.",
        operation(">", attribute("mem"), number(0)),
    ),
    _select(
        "select-reads-pool",
        "SELECT-1",
        "A pool is no attribute.",
        operation(">", attribute("lic"), number(0)),
    ),
    _select("defined-reads-amount", "SELECT-1", "Also inside `defined`.", defined("mem")),
    _select("text-as-select", "SELECT-2 INGEST-2", "A text is no truth value.", text("x86")),
    _select("text-attribute-as-select", "SELECT-2", "A text attribute is none either.", ARCH),
    _select(
        "text-with-number",
        "SELECT-2",
        "A text is not compared with a number.",
        operation("==", ARCH, number(0)),
    ),
    _select("text-ordered", "SELECT-2", "Texts have no order.", operation("<", ARCH, text("x86"))),
    _select(
        "text-added",
        "SELECT-2",
        "A text is no operand.",
        operation("==", operation("+", ARCH, text("x")), ARCH),
    ),
    _select("text-negated", "SELECT-2", "Nor is it under a minus.", operation("neg", text("x"))),
    _select("text-denied", "SELECT-2", "Nor under a not.", operation("!", text("x"))),
    _select(
        "text-not-evaluated",
        "SELECT-2",
        "A text beside && is refused also where it would not be evaluated.",
        operation("&&", number(0), text("x")),
    ),
    _job(
        "per-host-on-pool",
        "RES-3 INGEST-2",
        "A pool is not counted by hosts.",
        primary(1, uses("lic", 1, "host")),
    ),
    _job(
        "per-job-on-host",
        "RES-3 INGEST-2",
        "A host amount is not counted once.",
        primary(1, uses("mem", 1, "job")),
    ),
    _job("amount-negative", "INGEST-2", "Less than nothing.", primary(1, uses("mem", -1, "task"))),
    _job("amount-beyond-largest", "INGEST-2", "2^53.", primary(1, uses("mem", 2**53, "task"))),
    _job(
        "product-beyond-largest",
        "AMOUNT-2",
        "Two tasks with 2^52 each want 2^53 together.",
        primary(2, uses("mem", 2**52, "task")),
    ),
    _job(
        "product-of-per-host-beyond-largest",
        "AMOUNT-2",
        "Whatever its `per`: two tasks with 2^52 a host.",
        primary(2, uses("mem", 2**52, "host")),
    ),
    _job(
        "sum-beyond-largest",
        "AMOUNT-2 WANT-2",
        "Each entry is in range and their sum is not.",
        primary(1, uses("mem", LARGEST, "task"), uses("mem", 1, "host")),
    ),
    _job(
        "product-within-largest",
        "AMOUNT-2",
        "Just within: it is not refused.",
        primary(2, uses("mem", 2**52 - 1, "task")),
    ),
    _select("select-number-beyond-largest", "INGEST-2", "2^53 in a select.", number(2**53)),
    _select("select-number-below-least", "INGEST-2", "−2^53 in a select.", number(-(2**53))),
    _select("select-number-least", "INGEST-2", "−(2^53 − 1) is a number.", number(-LARGEST)),
    _select("select-too-deep", "INGEST-2", "101 levels.", _nested(101)),
    _select("select-just-deep-enough", "INGEST-2", "100 levels are a select.", _nested(100)),
    _job(
        "first-code-of-many",
        "INGEST-2",
        "An empty user, a bad count and an unknown amount: the first in the table is answered.",
        primary(0, uses("disk", -1, "job")),
        user="",
    ),
    _job(
        "first-code-wherever",
        "INGEST-2",
        "The later alternative breaks the code that stands first.",
        primary(1, uses("lic", 2**53, "host")),
        primary(1, uses("disk", 1)),
    ),
)

LIVES = (
    _refused("finish-unknown", "INGEST-2", "No job of that name.", finish("j")),
    _refused(
        "finish-pending",
        "INGEST-2 SESSION-6",
        "A pending job is not live.",
        submit("j", 1),
        finish("j"),
        RUN,
    ),
    _refused(
        "finish-twice",
        "INGEST-2 SESSION-2",
        "Its finish waits already.",
        submit("j", 1),
        RUN,
        finish("j"),
        finish("j"),
    ),
    _refused(
        "finish-finished",
        "INGEST-2 SESSION-6",
        "It has finished.",
        submit("j", 1),
        RUN,
        finish("j"),
        BEGIN,
        finish("j"),
    ),
    _refused(
        "finish-refused-name",
        "INGEST-2 SESSION-6",
        "A refused job is unknown.",
        submit("j", 0),
        finish("j"),
    ),
    _refused("withdraw-unknown", "INGEST-2", "No job of that name.", withdraw("j")),
    _refused(
        "withdraw-live",
        "INGEST-2 SESSION-6",
        "A live job is not pending.",
        submit("j", 1),
        RUN,
        withdraw("j"),
    ),
    _refused(
        "withdraw-ended",
        "INGEST-2 SESSION-6",
        "A job that ends is not pending, before the session and after it.",
        submit("j", 1),
        RUN,
        finish("j"),
        withdraw("j"),
        BEGIN,
        withdraw("j"),
    ),
    _refused(
        "withdraw-twice",
        "INGEST-2 SESSION-6",
        "It is withdrawn.",
        submit("j", 1),
        withdraw("j"),
        withdraw("j"),
        RUN,
    ),
    _refused(
        "finish-withdrawn",
        "INGEST-2 SESSION-6",
        "It is withdrawn, not live.",
        submit("j", 1),
        withdraw("j"),
        finish("j"),
        RUN,
    ),
)

CHANGES = (
    _refused("add-known-host", "INGEST-2", "There is an A.", host_add(host("A", 9))),
    _refused(
        "add-waiting-host",
        "INGEST-2 SESSION-2",
        "A host that waits to be added has a name that is taken.",
        host_add(host("B", 0)),
        host_add(host("B", 9)),
    ),
    _refused("add-with-unknown-amount", "RES-1", "No such amount.", host_add(host("B", 9, disk=1))),
    _refused("add-with-pool", "RES-1", "A pool is not on a host.", host_add(host("B", 9, lic=1))),
    _refused(
        "add-with-wrong-type",
        "INGEST-2",
        "A text as a number.",
        host_add(host("B", 9, attributes={"width": "x"})),
    ),
    _refused("add-with-negative-slots", "INGEST-2", "Less than no slots.", host_add(host("B", -1))),
    _refused(
        "add-beyond-largest",
        "INGEST-2",
        "An attribute of 2^53.",
        host_add(host("B", 9, attributes={"width": 2**53})),
    ),
    _refused("change-unknown-host", "INGEST-2", "There is no B.", host_change("B", open=False)),
    _refused(
        "change-unknown-amount",
        "RES-1",
        "No such amount.",
        host_change("A", open=False, capacity={"disk": 1}),
    ),
    _refused(
        "change-unknown-attribute",
        "RES-1",
        "No such attribute.",
        host_change("A", open=False, attributes={"depth": None}),
    ),
    _refused(
        "change-to-wrong-type",
        "INGEST-2",
        "A number as a text.",
        host_change("A", open=False, attributes={"arch": 1}),
    ),
    _refused(
        "change-beyond-largest",
        "INGEST-2",
        "2^53 of memory.",
        host_change("A", open=False, capacity={"mem": 2**53}),
    ),
    _refused("change-unknown-pool", "RES-1", "A host amount is no pool.", pool_change("mem", 0)),
    _refused("change-pool-negative", "INGEST-2", "Less than nothing.", pool_change("lic", -1)),
    _refused(
        "limit-without-name",
        "INGEST-2",
        "The name is empty.",
        limit_set("user", "", "cluster", "slots", 0),
    ),
    _refused(
        "limit-on-unknown", "RES-1", "No such amount.", limit_set("user", "u", "cluster", "disk", 0)
    ),
    _refused(
        "limit-on-attribute",
        "RES-1",
        "An attribute is no amount.",
        limit_set("user", "u", "cluster", "width", 0),
    ),
    _refused(
        "limit-per-host-on-pool",
        "INGEST-2 LIMIT-2",
        "A pool is not on hosts.",
        limit_set("user", "u", "host", "lic", 0),
    ),
    _refused(
        "limit-negative",
        "INGEST-2",
        "A cap below zero.",
        limit_set("user", "u", "cluster", "slots", -1),
    ),
    _refused(
        "remove-unknown-limit",
        "INGEST-2",
        "Of another kind.",
        limit_remove("queue", "u", "cluster", "slots"),
    ),
    _refused(
        "remove-limit-twice",
        "INGEST-2 SESSION-2",
        "It waits to be removed.",
        limit_remove("user", "u", "cluster", "slots"),
        limit_remove("user", "u", "cluster", "slots"),
    ),
    _refused(
        "remove-waiting-limit",
        "SESSION-2",
        "A limit that waits to be set can be removed.",
        limit_set("user", None, "cluster", "slots", 0),
        limit_remove("user", None, "cluster", "slots"),
    ),
)

CASES = COUNTS + SUBMISSIONS + not_probed(LIVES) + CHANGES
