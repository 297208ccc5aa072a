"""Cases in parts: what a scheduler has to keep where a case without `cluster` goes on.

SPEC.md 2.1 lets a case end anywhere. What waits, what runs, what is known and what a session has
seen is the same on both sides of its end.
"""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    finish,
    host,
    host_add,
    host_change,
    limit,
    limit_remove,
    limit_set,
    pool_change,
    primary,
    submit,
    uses,
    withdraw,
)
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.parts import events_of

ONE_SLOT = cluster(host("A", 1))
TWO_SLOTS = cluster(host("A", 2))


def _in_parts(name: str, clauses: str, why: str, world: Json, *parts: list[Json]) -> Directed:
    """The first part comes with the cluster; the others go on."""
    return directed(name, clauses, why, case(world, *events_of(parts)))


PARTS: tuple[Directed, ...] = (
    _in_parts(
        "cluster-without-events",
        "SESSION-6",
        "The first case starts a scheduler, and nothing more.",
        ONE_SLOT,
        [],
        [submit("j", 1), RUN],
    ),
    _in_parts(
        "pending-over-two-cases",
        "SESSION-6 SESSION-1",
        "Both jobs wait at the ends of their cases, and are tried in the order of coming.",
        ONE_SLOT,
        [submit("a", 1)],
        [submit("b", 1)],
        [RUN],
    ),
    _in_parts(
        "tried-in-the-case-before",
        "SESSION-1",
        "The session goes on, so the job that was tried in it is not tried again.",
        ONE_SLOT,
        [submit("j", 2), RUN],
        [RUN],
    ),
    _in_parts(
        "live-over-two-cases",
        "SESSION-3",
        "What was dispatched in the first case holds its slot in the second.",
        ONE_SLOT,
        [submit("a", 1), RUN],
        [submit("b", 1), RUN],
    ),
    _in_parts(
        "finish-waits-over-two-cases",
        "SESSION-2 SESSION-4",
        "The end of a job waits for the session to begin, in whatever case it does.",
        ONE_SLOT,
        [submit("a", 1), RUN, finish("a")],
        [submit("b", 1), RUN],
        [BEGIN],
        [RUN],
    ),
    _in_parts(
        "withdrawn-in-the-next-case",
        "SESSION-6",
        "The job pends in one case, is withdrawn in another, and not tried in a third.",
        ONE_SLOT,
        [submit("j", 1)],
        [withdraw("j")],
        [RUN],
    ),
    _in_parts(
        "name-taken-in-the-case-before",
        "SESSION-7",
        "The name of a job that has finished is taken, in later cases, too.",
        ONE_SLOT,
        [submit("j", 1), RUN, finish("j"), BEGIN],
        [submit("j", 1)],
    ),
    _in_parts(
        "cached-in-the-case-before",
        "CACHE-8",
        "The session goes on, and what it has learnt of the request is known.",
        ONE_SLOT,
        [submit("a", 2), RUN],
        [submit("b", 2), RUN],
    ),
    _in_parts(
        "host-change-waits-over-two-cases",
        "SESSION-2 HOST-1",
        "The host closes when the session begins: neither earlier nor not at all.",
        TWO_SLOTS,
        [host_change("A", open=False)],
        [submit("a", 1), RUN],
        [BEGIN, submit("b", 1), RUN],
    ),
    _in_parts(
        "host-waits-to-join-over-two-cases",
        "SESSION-2",
        "The name of a host that waits to join is taken in the next case.",
        ONE_SLOT,
        [host_add(host("B", 1))],
        [host_add(host("B", 2))],
        [BEGIN, submit("j", 2), RUN],
    ),
    _in_parts(
        "limit-over-two-cases",
        "LIMIT-2 SESSION-3",
        "The limit counts what the user's job of an earlier case holds.",
        TWO_SLOTS,
        [submit("a", 1), RUN],
        [limit_set("user", "u", "cluster", "slots", 1)],
        [BEGIN],
        [submit("b", 1), RUN],
    ),
    _in_parts(
        "licences-over-two-cases",
        "SHARED-1 SESSION-3",
        "The licence that was taken in the first case is taken in the second.",
        cluster(host("A", 2), shared=["lic"], pools={"lic": 1000}),
        [submit("a", primary(1, uses("lic", 1000))), RUN],
        [submit("b", primary(1, uses("lic", 1000))), RUN],
    ),
    _in_parts(
        "name-withdrawn-in-the-case-before",
        "SESSION-7",
        "The name of a job that was withdrawn is taken, and it is not pending any more.",
        ONE_SLOT,
        [submit("j", 1), withdraw("j")],
        [submit("j", 1)],
        [withdraw("j"), RUN],
    ),
    _in_parts(
        "finished-once-over-two-cases",
        "SESSION-2",
        "The job has ended, though it is charged until the session begins: it does not end again.",
        ONE_SLOT,
        [submit("j", 1), RUN, finish("j")],
        [finish("j")],
        [BEGIN],
        [finish("j")],
    ),
    _in_parts(
        "priorities-over-two-cases",
        "SESSION-1",
        "The later jobs go first, by their priority and then by their coming.",
        ONE_SLOT,
        [submit("a", 1), submit("b", 1, priority=2)],
        [submit("c", 1, priority=2), submit("d", 1, priority=3)],
        [RUN],
    ),
    _in_parts(
        "changes-of-all-kinds-wait-over-two-cases",
        "SESSION-2",
        "A smaller pool, a limit less, a limit more and a host all wait until the session begins.",
        cluster(
            host("A", 4),
            shared=["lic"],
            pools={"lic": 2000},
            limits=[limit("user", "u", "cluster", "slots", 1)],
        ),
        [
            pool_change("lic", 1000),
            limit_remove("user", "u", "cluster", "slots"),
            limit_set("user", "v", "cluster", "slots", 0),
            host_add(host("B", 4)),
        ],
        [submit("a", primary(1, uses("lic", 2000))), submit("b", 1), RUN],
        [submit("c", 1, user="v"), submit("d", 4, user="w"), RUN],
        [BEGIN, submit("e", 1, user="v"), RUN],
    ),
    _in_parts(
        "changes-in-order-over-two-cases",
        "SESSION-2",
        "Of two changes of a host, a pool and a limit the later one stands.",
        cluster(host("A", 1), shared=["lic"], pools={"lic": 0}),
        [host_change("A", open=False), pool_change("lic", 2000)],
        [limit_set("user", "u", "cluster", "slots", 0), host_change("A", open=True)],
        [pool_change("lic", 1000), limit_set("user", "u", "cluster", "slots", 1)],
        [BEGIN, submit("a", primary(1, uses("lic", 1000))), RUN],
    ),
    _in_parts(
        "case-without-events-between",
        "SESSION-2 SESSION-6",
        "A case without events and without a cluster begins and ends nothing: the session goes on.",
        ONE_SLOT,
        [submit("a", 2), RUN, host_add(host("B", 2))],
        [],
        [submit("b", 2), RUN],
        [],
        [],
        [RUN, BEGIN],
        [],
        [RUN],
    ),
)
"""They are not probed: a clause is told from its absence as well in one part."""
