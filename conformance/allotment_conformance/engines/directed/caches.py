"""CACHE: what is remembered of hopeless requests, by which key, and what a hit does."""

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
    uses,
)
from allotment_conformance.wire.messages import Json

MEM = uses("mem", 1000, "task")
TRUE, ALSO_TRUE = number(1000), operation("<", number(1000), number(2000))
FALSE = number(0)


def _other_key(field: str, made: Json, hopeless: Json, other: Json) -> Directed:
    """Two jobs whose keys differ in one field; the second is placed, or tried by itself."""
    why = f"The keys differ in {field}: what is known of the first says nothing of the second."
    return directed(f"key-{field}", "CACHE-1", why, case(made, hopeless, other, RUN))


def _same_key(what: str, made: Json, first: Json, second: Json) -> Directed:
    """Two jobs with the same key, written in two ways; the second is a hit."""
    why = f"The requests differ only in {what}: they have one key, and the second is a hit."
    return directed(f"same-key-{what}", "CACHE-1 CACHE-8", why, case(made, first, second, RUN))


def _capped(kind: str, name: str) -> Json:
    return cluster(host("A", 1), limits=[limit(kind, name, "cluster", "slots", 0)])


NO_PLAN = primary(1, hosts_min=2)
ONE_SLOT = cluster(host("A", 1))
TWO_HOSTS = cluster(host("A", 1), host("B", 1))
ONE_MEMORY = cluster(host("A", 1, mem=500), amounts=["mem"])
SOME_WIDTH = cluster(host("A", 1, attributes={"width": 1000}), attributes={"width": "number"})
TWICE = uses("mem", 2000, "task")

KEYS = (
    _other_key("user", _capped("user", "u"), submit("j", 1), submit("k", 1, user="v")),
    _other_key("queue", _capped("queue", "q"), submit("j", 1), submit("k", 1, queue="r")),
    _other_key("project", _capped("project", "p"), submit("j", 1), submit("k", 1, project="o")),
    _other_key(
        "tasks-max",
        ONE_SLOT,
        submit("j", primary(counts(1, 2))),
        submit("k", primary(counts(1, 1))),
    ),
    _other_key(
        "tasks-min",
        ONE_SLOT,
        submit("j", primary(counts(1, 2))),
        submit("k", primary(counts(2, 2))),
    ),
    _other_key(
        "select",
        SOME_WIDTH,
        submit("j", primary(1, select=FALSE)),
        submit("k", primary(1, select=TRUE)),
    ),
    _other_key(
        "select-of-other-operand-order",
        SOME_WIDTH,
        submit("j", primary(2, select=operation("<", number(1000), number(2000)))),
        submit("k", primary(2, select=operation(">", number(2000), number(1000)))),
    ),
    _other_key(
        "select-of-swapped-operands",
        SOME_WIDTH,
        submit("j", primary(1, select=operation("<", attribute("width"), number(0)))),
        submit("k", primary(1, select=operation("<", number(0), attribute("width")))),
    ),
    _other_key(
        "select-left-out",
        SOME_WIDTH,
        submit("j", primary(2, select=ALSO_TRUE)),
        submit("k", primary(2)),
    ),
    _other_key(
        "rusage",
        ONE_MEMORY,
        submit("j", primary(1, MEM)),
        submit("k", primary(1, uses("mem", 500, "task"))),
    ),
    _other_key("rusage-left-out", ONE_MEMORY, submit("j", primary(1, MEM)), submit("k", 1)),
    _other_key(
        "rusage-per",
        cluster(host("A", 2, mem=1000), amounts=["mem"]),
        submit("j", primary(2, MEM)),
        submit("k", primary(2, uses("mem", 1000, "host"))),
    ),
    _other_key(
        "rusage-resource",
        cluster(host("A", 1, disk=1000), amounts=["mem", "disk"]),
        submit("j", primary(1, MEM)),
        submit("k", primary(1, uses("disk", 1000, "task"))),
    ),
    _other_key(
        "rusage-of-a-pool",
        cluster(host("A", 1), shared=["lic"], pools={"lic": 1000}),
        submit("j", primary(1, uses("lic", 2000, "job"))),
        submit("k", primary(1, uses("lic", 1000, "job"))),
    ),
    _other_key("hosts-min", TWO_HOSTS, submit("j", primary(1, hosts_min=2)), submit("k", 1)),
    _other_key("hosts-max", TWO_HOSTS, submit("j", primary(2, hosts_max=1)), submit("k", 2)),
    _other_key(
        "tasks-per-host",
        cluster(host("A", 2)),
        submit("j", primary(2, tasks_per_host=1)),
        submit("k", 2),
    ),
    _other_key("ptile", cluster(host("A", 2)), submit("j", primary(2, ptile=1)), submit("k", 2)),
    _same_key(
        "order-of-entries",
        cluster(host("A", 1), amounts=["mem", "disk"]),
        submit("j", primary(1, MEM, uses("disk", 1, "host"))),
        submit("k", primary(1, uses("disk", 1, "host"), MEM)),
    ),
    _same_key(
        "entries-summed",
        ONE_MEMORY,
        submit("j", primary(1, TWICE)),
        submit("k", primary(1, MEM, MEM)),
    ),
    _same_key(
        "zeros-dropped",
        ONE_SLOT | {"resources": {"host": ["mem"]}},
        submit("j", 2),
        submit("k", primary(2, uses("mem", 0, "task"))),
    ),
    _same_key(
        "per-of-a-pool-filled-in",
        cluster(host("A", 1), shared=["lic"]),
        submit("j", primary(1, uses("lic", 1000, "job"))),
        submit("k", primary(1, uses("lic", 1000))),
    ),
    _same_key(
        "span-filled-in",
        ONE_SLOT,
        submit("j", 2),
        submit("k", primary(2, hosts_min=1, hosts_max=2**20, tasks_per_host=2**20)),
    ),
    _same_key(
        "counts-of-the-job",
        ONE_SLOT,
        submit("j", primary(None), tasks=counts(2, 2)),
        submit("k", primary(counts(2, 2))),
    ),
    _same_key("name-and-priority", ONE_SLOT, submit("j", 2, priority=1), submit("k", 2)),
)

FILLS = (
    directed(
        "emptied-at-begin",
        "CACHE-2",
        "The slot is free in the second session: what was known in the first is forgotten.",
        case(ONE_SLOT, submit("r", 1), submit("j", 1), RUN, finish("r"), BEGIN, RUN),
    ),
    directed(
        "emptied-for-a-new-job",
        "CACHE-2",
        "In the second session an equal job is tried by itself, and is not a hit.",
        case(ONE_SLOT, submit("j", 2), RUN, BEGIN, submit("k", 2, priority=1), RUN),
    ),
    directed(
        "kept-within-a-session",
        "CACHE-2 CACHE-8",
        "A second run of the same session still knows what the first one found.",
        case(ONE_SLOT, submit("j", 2), RUN, submit("k", 2), RUN),
    ),
    directed(
        "not-filled-while-debits-are-held",
        "CACHE-3",
        "{1}+{1} fails at its second part while it holds a slot; one task still fits (E1).",
        case(ONE_SLOT, submit("j", [1, 1]), submit("k", 1), RUN),
    ),
    directed(
        "filled-by-a-first-part",
        "CACHE-3 UNDO-4",
        "The first part of a compound fails with nothing held: that is known of a bare one too.",
        case(ONE_SLOT, submit("j", [2, 1]), submit("k", 2), RUN),
    ),
    directed(
        "filled-by-a-later-alternative",
        "CACHE-3",
        "The second alternative begins with nothing held, so its failure is known.",
        case(ONE_SLOT, submit("j", [1, 1], [2]), submit("k", 2), RUN),
    ),
    directed(
        "kept-by-a-dispatch",
        "CACHE-3 UNDO-4",
        "The first alternative failed with nothing held; that the second won does not undo it.",
        case(ONE_SLOT, submit("j", NO_PLAN, 1), submit("k", NO_PLAN), RUN),
    ),
    directed(
        "filled-with-span",
        "CACHE-3 CACHE-5",
        "A request without a plan is remembered too.",
        case(ONE_SLOT, *(submit(name, NO_PLAN) for name in "jk"), RUN),
    ),
    directed(
        "filled-with-select",
        "CACHE-3 CACHE-5",
        "A select that no host passes is remembered too.",
        case(SOME_WIDTH, *(submit(name, primary(1, select=FALSE)) for name in "jk"), RUN),
    ),
    directed(
        "filled-with-shared",
        "CACHE-3 CACHE-5",
        "A pool that is too small is remembered too.",
        case(
            cluster(host("A", 1), shared=["lic"]),
            *(submit(name, primary(1, uses("lic", 1))) for name in "jk"),
            RUN,
        ),
    ),
    directed(
        "filled-with-limit",
        "CACHE-3 CACHE-5",
        "A limit that is reached is remembered too, for its holder.",
        case(_capped("user", "u"), submit("j", 1), submit("k", 1), RUN),
    ),
)

HITS = (
    directed(
        "hit-fails-its-primary-only",
        "CACHE-4",
        "The first alternative is a hit; the second is tried and wins (E10).",
        case(ONE_SLOT, submit("j", NO_PLAN), submit("k", NO_PLAN, 1), RUN),
    ),
    directed(
        "hit-fails-the-compound",
        "CACHE-4",
        "The hit on the second part fails the compound, and the slot of the first goes back.",
        case(cluster(host("A", 2)), submit("j", 3), submit("k", [1, 3]), submit("l", 2), RUN),
    ),
    directed(
        "hit-on-a-later-part",
        "CACHE-4 WHY-3",
        "The second part is a hit wherever it stands.",
        case(ONE_SLOT, submit("j", 2), submit("k", [1, 2]), RUN),
    ),
    directed(
        "hit-keeps-its-category",
        "CACHE-5",
        "`limit` was stored; afresh it would be `capacity`, since a slot has gone meanwhile.",
        case(
            cluster(host("A", 2), limits=[limit("user", "u", "cluster", "slots", 1)]),
            submit("j", 2),
            submit("r", 1, user="v"),
            submit("k", 2),
            RUN,
        ),
    ),
    directed(
        "second-of-two-is-cached",
        "CACHE-8 WHY-3",
        "Two equal bare primaries that fail: the second says `cached`.",
        case(ONE_SLOT, submit("j", 2), submit("k", 2), RUN),
    ),
    directed(
        "cached-speaks-of-the-last-alternative",
        "WHY-3 CACHE-4",
        "The first alternative is a hit and the last is not: `cached` is false; then it is true.",
        case(
            ONE_SLOT,
            submit("j", 2),
            submit("k", 2, primary(2, hosts_max=1)),
            submit("l", primary(2, hosts_max=1), 2),
            RUN,
        ),
    ),
)

CASES = KEYS + FILLS + HITS
