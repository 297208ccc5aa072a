"""Several sessions, and jobs of all sorts of requests in their order."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    Alternative,
    attribute,
    case,
    cluster,
    counts,
    finish,
    host,
    host_add,
    host_change,
    limit_remove,
    limit_set,
    operation,
    pool_change,
    primary,
    submit,
    uses,
    withdraw,
)
from allotment_conformance.engines.several.numbers import NOWHERE
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.parts import events_of

WORLD = cluster(
    host("A", 100, attributes={"rack": 1000}, mem=1000),
    host("B", 100, mem=1000),
    amounts=["mem"],
    shared=["lic"],
    pools={"lic": 1000},
    attributes={"rack": "number"},
)


def _tried_in_each(sessions: int, *, in_parts: bool) -> Json:
    """Jobs that pend, session after session, in each of which they are tried once and in order."""
    waiting = (
        submit("a", 1),
        submit("b", [1, 1]),
        submit("c", primary(1, uses("lic", 1)), priority=1),
        submit("d", primary(1, select=NOWHERE), 1, priority=-1),
        submit("e", 1, user="v"),
    )
    each = [BEGIN, RUN, RUN]
    parts = [
        [
            submit("r", primary(2, uses("lic", 1)), priority=2),
            *waiting,
            RUN,
            *([RUN] if in_parts else []),
        ],
        *(
            [submit(f"s{at}", 2, user="v"), *each] if at % 8 == 7 else each
            for at in range(sessions)
        ),
        [finish("r"), BEGIN, RUN, finish("c"), finish("a"), BEGIN, RUN],
        [finish("b"), BEGIN, RUN],
    ]
    world = cluster(host("A", 2), shared=["lic"], pools={"lic": 1})
    events = events_of(parts) if in_parts else [event for part in parts for event in part]
    return case(world, *events)


def _in_order_of_priorities() -> Json:
    """Jobs of all sorts of requests, in pairs: each later one goes before all earlier ones."""
    lot = primary(2, uses("mem", 1, "task"), uses("mem", 1, "host"), uses("lic", 1))
    requests: list[list[Alternative]] = [
        [1],
        [[1, 1]],
        [1, 1],
        [[1, 1], 2],
        [2, [1, 1], primary(2, hosts_max=1)],
        [[1, 1, 1], [1, 2], 3],
        [primary(1, select=operation("!=", attribute("rack"), NOWHERE))],
        [primary(2, ptile=1)],
        [primary(3, hosts_min=2, hosts_max=3, tasks_per_host=2)],
        [lot],
        [[lot, lot, lot]],
        [lot, 2, 2, 2, 2],
        [primary(counts(1, 2))],
        [primary(1, hosts_min=2)],
        [primary(1, select=NOWHERE), primary(1, uses("lic", 10**7))],
    ]
    jobs = (
        submit(
            f"j{turn}-{at}", *request, priority=turn * len(requests) + at - 15, user=f"u{at % 3}"
        )
        for turn in range(2)
        for at, request in enumerate(requests)
    )
    return case(WORLD, *jobs, submit("last", 1, tasks=counts(1, 1), priority=-99), RUN)


def _named_by_numbers() -> Json:
    """Jobs that pend, whose names are numbers in another order than that of submission."""
    names = ("10", "9", "b", "2", "a", "01", "1")
    again = [event for _turn in range(3) for event in (BEGIN, RUN)]
    return case(cluster(host("A", 1)), *(submit(name, 2) for name in names), RUN, *again)


def _known_after_changes() -> Json:
    """What has failed is known to the end of the session, whatever changes wait."""
    changes = (
        pool_change("lic", 7),
        limit_set("user", "v", "cluster", "slots", 3),
        limit_set("user", "u", "cluster", "slots", 9),
        limit_remove("user", "u", "cluster", "slots"),
        host_add(host("B", 9)),
        host_change("A", capacity={"slots": 9}),
        host_change("A", open=False),
        finish("live"),
        withdraw("j"),
    )
    asked_again = (
        event for at, change in enumerate(changes) for event in (change, submit(f"k{at}", 2), RUN)
    )
    return case(
        cluster(host("A", 2), shared=["lic"], pools={"lic": 1}),
        submit("live", 1),
        submit("j", 2),
        RUN,
        *asked_again,
        BEGIN,
        RUN,
    )


CASES: tuple[Directed, ...] = (
    directed(
        "tried-in-each-of-33-sessions",
        "SESSION-1",
        "Jobs that pend are tried again in each session, in the same order, and once.",
        _tried_in_each(33, in_parts=False),
    ),
    directed(
        "tried-in-each-of-18-cases",
        "SESSION-1",
        "The same where each session is a case of its own.",
        _tried_in_each(18, in_parts=True),
    ),
    directed(
        "priorities-of-all-requests",
        "SESSION-1",
        "Higher priority goes first, whatever the job asks for.",
        _in_order_of_priorities(),
    ),
    directed(
        "names-of-numbers-in-the-queue",
        "SESSION-1",
        "Jobs of one priority are tried in the order of submission, however they are called.",
        _named_by_numbers(),
    ),
    directed(
        "known-while-changes-wait",
        "CACHE-2 CACHE-8",
        "The cache is emptied by the session's begin, and by no change that waits for it.",
        _known_after_changes(),
    ),
)
