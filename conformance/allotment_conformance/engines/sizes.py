"""Cases of sizes: a thousand hosts, long queues, long sessions, wide plans, deep selects."""

from collections.abc import Iterator

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    finish,
    host,
    host_change,
    primary,
    submit,
)
from allotment_conformance.wire.messages import Json


def _hosts(count: int, slots: int = 0) -> list[Json]:
    return [host(f"h{number}", slots) for number in range(1, count + 1)]


def _full_then_free(sessions: int) -> Iterator[Json]:
    """One slot that is taken and given back, session after session."""
    for number in range(sessions):
        yield submit(f"j{number}", 1)
        yield RUN
        yield finish(f"j{number}")
        yield BEGIN


QUICK_SIZES: tuple[Directed, ...] = (
    directed(
        "thousandth-host",
        "HOST-1 HOST-9",
        "Only the last of 1,000 hosts has a slot, and it is found.",
        case(cluster(*_hosts(999), host("last", 1)), submit("j", 1), RUN),
    ),
    directed(
        "hosts-in-the-order-of-numbers",
        "HOST-9",
        "The order is that of the cluster, not of the names: h2 stands before h10.",
        case(cluster(*_hosts(12, slots=1)), submit("j", primary(12, tasks_per_host=1)), RUN),
    ),
    directed(
        "queue-of-70",
        "SESSION-1",
        "70 jobs of one task on 70 slots: all are tried in one run.",
        case(cluster(host("A", 70)), *(submit(f"j{number}", 1) for number in range(70)), RUN),
    ),
    directed(
        "forty-sessions",
        "SESSION-3 SESSION-4",
        "One slot is taken and given back forty times; nothing is left over.",
        case(cluster(host("A", 1)), *_full_then_free(40)),
    ),
    directed(
        "host-opened-and-closed-often",
        "SESSION-2 SESSION-5",
        "Of twenty changes that wait the last one stands: the host is open.",
        case(
            cluster(host("A", 1)),
            *(host_change("A", open=number % 2 == 1) for number in range(20)),
            BEGIN,
            submit("j", 1),
            RUN,
        ),
    ),
)
"""Those that the model answers in some thousandths of a second: every run can ask them."""

SIZES: tuple[Directed, ...] = (
    *QUICK_SIZES,
    directed(
        "one-task-on-each-of-300-hosts",
        "PLAN-1 PAR-1",
        "300 hosts of one slot: only the last plan holds, with 300 buckets.",
        case(cluster(*_hosts(300, slots=1)), submit("j", 300), submit("k", 1), RUN),
    ),
)
"""All of them."""
