"""Hosts beyond the 64th: what a mask of 32 or 64 bits, or a block of so many, has no place for.

In each case the first hosts and the last ones matter, and those between have no slots.
"""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    finish,
    host,
    host_change,
    limit,
    limit_set,
    number,
    operation,
    primary,
    submit,
    uses,
    withdraw,
)
from allotment_conformance.wire.messages import Json

BEFORE = 64
"""As many hosts as the widest mask has bits."""

LATE = range(BEFORE, BEFORE + 4)
"""The hosts behind them."""

EACH = range(1, len(LATE) + 1)
"""The amounts that they have: each one more than the one before it."""


def _behind(first: Json, *late: Json) -> tuple[Json, ...]:
    """The first host, those that have nothing, and the late ones."""
    return first, *(host(f"h{at}", 0) for at in range(1, BEFORE)), *late


def _amounts() -> Json:
    """Each late host in turn is the one with enough; then nothing is left, and it comes back."""
    late = (host(f"h{at}", 6, mem=2 * each, disk=each) for at, each in zip(LATE, EACH, strict=True))
    all_slots = 6 * len(LATE)
    spread: Json = {"hosts_min": len(LATE), "hosts_max": len(LATE)}
    wider: Json = {"hosts_min": len(LATE) + 1, "hosts_max": len(LATE) + 1}
    jobs = {
        **{f"mem{n}": primary(2, uses("mem", n, "task"), hosts_max=1) for n in EACH},
        **{f"disk{n}": primary(2, uses("disk", n, "host"), hosts_max=1) for n in EACH},
        "more-mem": primary(1, uses("mem", 1, "task")),
        "more-disk": primary(1, uses("disk", 1, "host")),
        "rest": primary(2 * len(LATE), **spread),
        "more": primary(1),
    }
    return case(
        cluster(*_behind(host("h0", 0), *late), amounts=["mem", "disk"]),
        *(submit(name, one) for name, one in jobs.items()),
        RUN,
        *(withdraw(name) if name.startswith("more") else finish(name) for name in jobs),
        BEGIN,
        submit("too-many", primary(all_slots + 1, **wider)),
        submit("all", primary(2 * len(LATE), uses("mem", 1, "task"), **spread)),
        RUN,
    )


def _changes() -> Json:
    """The late hosts grow, close but for the last, and open; the first host stays as it is."""
    names = [f"h{at}" for at in LATE]
    return case(
        cluster(*_behind(host("h0", 1), *(host(name, 1, closed=True) for name in names))),
        submit("first", 1),
        submit("shut", 1),
        RUN,
        *(host_change(name, open=True) for name in names),
        BEGIN,
        submit("opened", primary(len(names), tasks_per_host=1)),
        RUN,
        *(host_change(name, capacity={"slots": 3}) for name in names),
        BEGIN,
        submit("grown", primary(2 * len(names), hosts_min=len(names))),
        RUN,
        *(host_change(name, capacity={"slots": 4}, open=name == names[-1]) for name in names),
        finish("first"),
        BEGIN,
        submit("again", primary(2, tasks_per_host=1)),
        RUN,
    )


def _limits() -> Json:
    """On each late host by itself u may hold two slots, and v only one of the two of everybody."""
    names = [f"h{at}" for at in LATE]
    many = len(names)
    return case(
        cluster(
            *_behind(host("h0", 0), *(host(name, 5) for name in names)),
            limits=[
                limit("user", None, "host", "slots", 2),
                limit("user", "v", "host", "slots", 1),
                limit("queue", "all", "cluster", "slots", many),
            ],
        ),
        submit("u", primary(2 * many, hosts_min=many)),
        submit("more-u", 1),
        submit("v", primary(many, hosts_min=many), user="v"),
        submit("more-v", 1, user="v"),
        submit("w", primary(many, hosts_min=many), user="w", queue="all"),
        submit("more-w", 1, user="x", queue="all"),
        RUN,
        limit_set("project", "p", "host", "slots", 4),
        BEGIN,
        submit("more-p", 1, user="y"),
        submit("other", 1, user="y", project="o"),
        RUN,
        finish("u"),
        BEGIN,
        submit("u-again", primary(2 * many, hosts_min=many), project="o"),
        RUN,
    )


def _racks() -> Json:
    """The first host and each late one have a rack; the racks of the late ones then change."""
    racks = {f"h{at}": 1000 * each for at, each in zip(LATE, EACH, strict=True)}
    late = (host(name, 2, attributes={"rack": rack}) for name, rack in racks.items())
    first = host("h0", 1, attributes={"rack": 0})
    to_a_rack = {
        rack: primary(1, select=operation("==", attribute("rack"), number(rack)))
        for rack in (*racks.values(), 0, *(7 * rack for rack in racks.values()))
    }
    return case(
        cluster(*_behind(first, *late), attributes={"rack": "number"}),
        *(submit(f"rack{rack}", one) for rack, one in to_a_rack.items()),
        RUN,
        *(host_change(name, attributes={"rack": 7 * rack}) for name, rack in racks.items()),
        BEGIN,
        RUN,
    )


def _most_free() -> Json:
    """Behind many hosts of one slot the late ones have two to four, in no order."""
    slots = (3, 2, 4, 2)
    ones = (host(f"h{at}", 1) for at in range(BEFORE))
    late = (host(f"h{at}", many) for at, many in zip(LATE, slots, strict=True))
    return case(cluster(*ones, *late), *(submit(f"j{at}", 1) for at in range(sum(slots))), RUN)


CASES: tuple[Directed, ...] = (
    directed(
        "amounts-beyond-the-64th-host",
        "WANT-1 UNDO-1 SESSION-4",
        "The 65th host and those behind it have the amounts that count, and get them back.",
        _amounts(),
    ),
    directed(
        "changes-beyond-the-64th-host",
        "SESSION-2 SESSION-5",
        "Hosts behind the 64th are closed, open, grow and close: each by itself.",
        _changes(),
    ),
    directed(
        "limits-beyond-the-64th-host",
        "LIMIT-1 LIMIT-2 SESSION-3",
        "Limits of each user and of one count on each of the hosts behind the 64th.",
        _limits(),
    ),
    directed(
        "selects-beyond-the-64th-host",
        "SELECT-5 SESSION-2",
        "Attributes of the hosts behind the 64th are read, and read again when they change.",
        _racks(),
    ),
    directed(
        "most-free-beyond-the-64th-host",
        "HOST-9",
        "By most free slots the hosts behind the 64th go first; as listed, they go last.",
        _most_free(),
    ),
)
