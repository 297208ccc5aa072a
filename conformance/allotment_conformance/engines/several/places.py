"""Each place in each number: part three of exactly seven, alternative two of exactly nine.

An allocator that is wrong at one such pair alone answers everything else right. There is one case
for each number of parts, and one for each number of alternatives; in both, every place counts.
"""

from collections.abc import Callable

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    attribute,
    case,
    cluster,
    finish,
    host,
    number,
    operation,
    primary,
    submit,
    uses,
    withdraw,
)
from allotment_conformance.engines.several.numbers import MANY
from allotment_conformance.wire.messages import Json

SPARE = 100
"""What is left of everything when all parts are placed: one more is too much."""

TOO_MANY = 10**6
"""More than there is of any amount."""

RACKS = (1000, 2000)
"""The parts take turns: the first, the third and so on go to the two hosts of the first rack."""

ON_TWO_HOSTS: tuple[dict[str, int], ...] = ({"ptile": 1}, {"tasks_per_host": 1}, {"hosts_min": 2})
"""Spans that put two tasks on two hosts; without them one host takes both."""

PER_HOST = ("mem", "disk")
POOLS = ("lic", "net")


def _on(rack: int) -> Json:
    return operation("==", attribute("rack"), number(rack))


def _part(place: int, many: int) -> Json:
    """Two tasks on the two hosts of a rack, with amounts that no other part has."""
    return primary(
        2,
        uses("mem", 1 + place, "task"),
        uses("disk", 2 + place, "host"),
        uses("lic", 3 + place, "job"),
        uses("net", 4 + place, "task"),
        select=_on(RACKS[place % len(RACKS)]),
        **ON_TWO_HOSTS[(place + many) % len(ON_TWO_HOSTS)],
    )


def _racks(many: int) -> Json:
    """What so many parts take, and `SPARE`, but for the first host, to which no part may go."""
    hosts = [host("first", TOO_MANY, mem=TOO_MANY, disk=TOO_MANY)]
    for turn, rack in enumerate(RACKS):
        places = range(turn, many, len(RACKS))
        hosts += (
            host(
                name,
                len(places) + SPARE,
                attributes={"rack": rack},
                mem=sum(1 + place for place in places) + SPARE,
                disk=sum(2 + place for place in places) + SPARE,
            )
            for name in (f"{rack}-left", f"{rack}-right")
        )
    return cluster(
        *hosts,
        amounts=PER_HOST,
        shared=POOLS,
        pools={
            "lic": sum(3 + place for place in range(many)) + SPARE,
            "net": sum(2 * (4 + place) for place in range(many)) + SPARE,
        },
        attributes={"rack": "number"},
    )


TOO_MUCH: tuple[Json, ...] = (
    *(
        primary(1, uses(amount, SPARE + 1, "task"), select=_on(rack))
        for rack in RACKS
        for amount in PER_HOST
    ),
    *(primary(1, uses(pool, SPARE + 1)) for pool in POOLS),
)
"""Primaries that a part that took less than it asked for leaves room for."""

ALL_THE_REST: tuple[Json, ...] = tuple(
    primary(
        2 * SPARE,
        uses("mem", 1, "task"),
        uses("disk", SPARE, "host"),
        *(uses(pool, SPARE // len(RACKS)) for pool in POOLS),
        select=_on(rack),
    )
    for rack in RACKS
)
"""Primaries that together find room only if nothing is in use but what the parts asked for."""


def _each_part(many: int) -> Json:
    """Compounds of so many parts, all of which have fields that matter, and end.

    One has two claims and two pools in each part, the other one has one claim in each.
    """
    parts: list[int | Json] = [_part(place, many) for place in range(many)]
    singles: list[int | Json] = [
        primary(1, uses("mem", 1, "task"), select=_on(RACKS[0])) for _ in parts
    ]
    return case(
        _racks(many),
        submit("j", parts),
        *(submit(f"more{at}", one) for at, one in enumerate(TOO_MUCH)),
        RUN,
        *(withdraw(f"more{at}") for at in range(len(TOO_MUCH))),
        finish("j"),
        BEGIN,
        submit("singles", singles),
        RUN,
        finish("singles"),
        BEGIN,
        submit("k", parts),
        *(submit(f"rest{at}", one) for at, one in enumerate(ALL_THE_REST)),
        RUN,
    )


FAIL_BY: tuple[tuple[Callable[[int], Json], ...], ...] = (
    (lambda place: primary(3, select=operation("==", number(0), number(1 + place))),),
    (
        lambda place: primary(3, uses("mem", TOO_MANY + place, "task")),
        lambda place: primary(3, uses("mem", TOO_MANY + place, "host")),
        lambda place: primary(3, uses("lic", TOO_MANY + place, "task")),
        lambda place: primary(3, uses("lic", TOO_MANY + place, "job")),
    ),
    (
        lambda place: primary(3, ptile=3 + place),
        lambda place: primary(3, hosts_min=3, hosts_max=3 + place),
        lambda place: primary(3, hosts_max=1, tasks_per_host=3 + place),
        lambda place: primary(3, tasks_per_host=1, hosts_max=3 + place),
    ),
)
"""Three tasks that fail by one field on hosts of two slots and one: by select, by rusage, or by
span, each of these in several ways. No two places have equal ones, so none is known to fail."""


def _each_alternative(many: int) -> Json:
    """Alters of so many alternatives, each of which would hold but for one field of it."""
    return case(
        cluster(
            host("A", 2, mem=1000),
            host("B", 1, mem=1000),
            amounts=["mem"],
            shared=["lic"],
            pools={"lic": 1000},
        ),
        *(
            submit(f"j{at}", *(ways[(place + many) % len(ways)](place) for place in range(many)))
            for at, ways in enumerate(FAIL_BY)
        ),
        RUN,
    )


CASES: tuple[Directed, ...] = (
    *(
        directed(
            f"each-of-{many}-parts",
            "COMPOUND-1 COMPOUND-2 ALTER-3 SESSION-4",
            "Select, rusage and span of each part count, and all of it comes back at the end.",
            _each_part(many),
        )
        for many in MANY
    ),
    *(
        directed(
            f"each-of-{many}-alternatives",
            "ALTER-1 ALTER-3",
            "Each alternative fails by its select, its rusage or its span, and none is taken.",
            _each_alternative(many),
        )
        for many in MANY
    ),
)
