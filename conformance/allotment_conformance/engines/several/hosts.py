"""Many hosts: wide plans that are not even, and what the tenth host and later ones have."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    host,
    host_add,
    host_change,
    limit,
    number,
    operation,
    primary,
    submit,
    uses,
)
from allotment_conformance.engines.several.numbers import MANY, MOST
from allotment_conformance.wire.messages import Json

WIDEST = 33
"""More hosts than an edge at 32 leaves right."""


def _wide_plans() -> Json:
    """Plans of each number of hosts, with remainders of all sizes, and with `ptile`."""
    return case(
        cluster(*(host(f"h{each}", 2000) for each in range(WIDEST))),
        *(
            submit(f"{many}-{tasks}", primary(tasks, hosts_min=many, hosts_max=many))
            for many in (*MANY, WIDEST)
            for tasks in (many + many // 2, 2 * many - 1)
        ),
        *(
            submit(f"ptile-{many}", primary(3 * many - 1 - many % 2, ptile=3))
            for many in (*MANY, WIDEST)
        ),
        RUN,
    )


def _on(rack: int) -> Json:
    """A task that goes to the host of that rack."""
    return primary(1, select=operation("==", attribute("rack"), number(rack)))


def _each_host() -> Json:
    """Each host in turn is the one that has the amount, the attribute, or room below the limit."""
    hosts = [
        host(f"h{at}", 4, attributes={"rack": 1000 * at}, mem=1 + at, disk=MOST - at)
        for at in range(MOST)
    ]
    names = [one["name"] for one in hosts]
    everywhere = primary(MOST, ptile=1)
    return case(
        cluster(
            *hosts[:-4],
            amounts=["mem", "disk"],
            attributes={"rack": "number"},
            limits=[limit("user", "v", "host", "slots", 1)],
        ),
        *map(host_add, hosts[-4:]),
        BEGIN,
        *(submit(f"mem{most}", primary(1, uses("mem", most))) for most in range(MOST, 0, -1)),
        *(submit(f"rack{at}", _on(1000 * at)) for at in range(MOST)),
        *(submit(f"limit{at}", 1, user="v") for at in range(MOST + 1)),
        RUN,
        *(host_change(name, attributes={"rack": 7 * at}) for at, name in enumerate(names)),
        BEGIN,
        *(submit(f"moved{at}", _on(7 * at)) for at in range(MOST)),
        RUN,
        *(host_change(name, capacity={"slots": 5}) for name in names),
        BEGIN,
        submit("grown", everywhere),
        RUN,
        *(host_change(name, capacity={"slots": 7, "mem": 20}, open=False) for name in names[:-1]),
        host_change(names[-1], capacity={"slots": 7}),
        BEGIN,
        submit("last", 1),
        RUN,
        *(host_change(name, open=True) for name in names[:-1]),
        BEGIN,
        submit("opened", everywhere),
        RUN,
    )


CASES: tuple[Directed, ...] = (
    directed(
        "plans-that-are-wide-and-uneven",
        "PLAN-2 PLAN-10",
        "However many hosts a plan has, its remainder is spread, and with ptile on the last.",
        _wide_plans(),
    ),
    directed(
        "what-each-of-many-hosts-has",
        "HOST-1 WANT-5",
        "Amounts, attributes, limits and changes count on the tenth host as on the first.",
        _each_host(),
    ),
)
