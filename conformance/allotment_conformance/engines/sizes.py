"""Cases of sizes: many hosts, jobs, sessions, changes, alternatives, parts; and wide plans."""

from collections.abc import Iterator

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
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


def _of_memory(amount: int) -> Json:
    """A task with so much memory."""
    return primary(1, uses("mem", amount, "task"))


def _seventeen() -> Json:
    """What each change does is seen by a job, the first and the last of its kind among them."""
    each = range(1, 18)
    shut = [limit("user", f"shut{number}", "cluster", "slots", 0) for number in each]
    changes = (
        *(limit_remove("user", one["name"], "cluster", "slots") for one in shut),
        *(pool_change(f"p{number}", 1000) for number in each),
        *(host_add(host(f"h{number}", 1)) for number in each),
        *(host_change(f"h{number}", capacity={"slots": 2}) for number in each),
        *(limit_set("user", f"one{number}", "cluster", "slots", 1) for number in each),
    )
    pools = [f"p{number}" for number in each]
    return case(
        cluster(host("A", 1), shared=pools, limits=shut),
        *changes,
        BEGIN,
        submit("wide", primary(34, tasks_per_host=2)),
        submit("licensed", primary(1, *(uses(pool, 1000) for pool in pools))),
        RUN,
        finish("wide"),
        finish("licensed"),
        BEGIN,
        *(submit(f"s{number}", 1, user=f"shut{number}") for number in each),
        *(submit(f"o{number}", 2, user=f"one{number}") for number in each),
        RUN,
    )


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
        "a-job-for-every-number-of-hosts",
        "PLAN-1",
        "One task a host: jobs of 1 to 20 tasks each have one plan, with as many buckets.",
        case(
            cluster(*_hosts(20, slots=20)),
            *(submit(f"j{tasks}", primary(tasks, tasks_per_host=1)) for tasks in range(1, 21)),
            RUN,
        ),
    ),
    directed(
        "a-plan-over-101-hosts",
        "PLAN-9",
        "One task a host, and 101 tasks: the only plan has 101 buckets.",
        case(cluster(*_hosts(101, slots=1)), submit("j", primary(101, tasks_per_host=1)), RUN),
    ),
    directed(
        "queue-of-101-that-ends",
        "SESSION-1 SESSION-4",
        "101 jobs of one task are all tried in one run, and all end before the next session.",
        case(
            cluster(host("A", 101)),
            *(submit(f"j{number}", 1) for number in range(101)),
            RUN,
            *(finish(f"j{number}") for number in range(101)),
            BEGIN,
            submit("j", 101),
            RUN,
        ),
    ),
    directed(
        "queue-of-33-with-ties",
        "SESSION-1",
        "33 jobs of five priorities: of equal ones the earlier submission goes first.",
        case(
            cluster(host("A", 20)),
            *(submit(f"j{number}", 1, priority=7 * number % 5) for number in range(33)),
            RUN,
        ),
    ),
    directed(
        "seventeen-changes-of-every-kind",
        "SESSION-2",
        "Hosts that join and grow, pools, limits that come and go: none of 85 changes is lost.",
        _seventeen(),
    ),
    directed(
        "sixty-five-alternatives",
        "ALTER-1 CACHE-8",
        "65 keys fail and are known, and of 65 alternatives the last one holds.",
        case(
            cluster(host("A", 1, mem=1), amounts=["mem"]),
            submit("j", *(_of_memory(amount) for amount in range(2, 67))),
            *(submit(f"k{amount}", _of_memory(amount)) for amount in (2, 3, 34, 66)),
            submit("l", *(_of_memory(amount) for amount in range(65, 0, -1))),
            RUN,
        ),
    ),
    directed(
        "thirty-three-parts",
        "COMPOUND-1",
        "Of 33 parts the last one does not fit beside another job, and then it does.",
        case(
            cluster(host("A", 33)),
            submit("r", 1),
            submit("j", [1] * 33),
            RUN,
            finish("r"),
            BEGIN,
            RUN,
        ),
    ),
    directed(
        "sixty-five-entries",
        "WANT-2",
        "65 entries of a thousandth each are 65, of which there are 64; and 64 are there.",
        case(
            cluster(host("A", 2, mem=64), amounts=["mem"]),
            *(
                submit(f"j{many}", primary(1, *[uses("mem", 1, "task")] * many))
                for many in (65, 64)
            ),
            RUN,
        ),
    ),
    directed(
        "sixty-five-attributes",
        "SELECT-4",
        "The last of 65 attributes of a host is read like the first.",
        case(
            cluster(
                host("A", 1, attributes={f"a{number}": 1000 for number in range(65)}),
                attributes={f"a{number}": "number" for number in range(65)},
            ),
            submit("j", primary(1, select=attribute("a64"))),
            RUN,
        ),
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
