"""Several parts and alternatives: what is in one of them counts, in whichever place it stands."""

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    Alternative,
    attribute,
    case,
    cluster,
    finish,
    host,
    limit,
    number,
    operation,
    primary,
    run,
    submit,
    uses,
    withdraw,
)
from allotment_conformance.engines.several.numbers import MANY, MOST, NOWHERE
from allotment_conformance.wire.messages import Json

NOT_THE_FIRST = operation("==", attribute("rack"), number(2000))
"""Every host of `_racks` passes but A."""

ON_THE_FIRST = primary(1, select=operation("==", attribute("rack"), number(1000)))
"""One task that goes to A, so that even where hosts are free to choose there is no choice."""


def _one_unlike(many: int, place: int, unlike: Json, like: int | Json = 1) -> list[int | Json]:
    """So many parts, or alternatives, of one task, but for the one in that place."""
    return [unlike if each == place else like for each in range(many)]


def _by_turns(items: tuple[Json, ...], many: int, first: int) -> list[int | Json]:
    """So many parts, or alternatives: the items in their order, again and again."""
    return [items[(first + each) % len(items)] for each in range(many)]


def _racks() -> Json:
    """Three hosts, the first of which stands in another rack, with amounts and a pool."""
    return cluster(
        *(
            host(name, 2000, attributes={"rack": rack}, mem=10**6, disk=10**6)
            for name, rack in (("A", 1000), ("B", 2000), ("C", 2000))
        ),
        amounts=["mem", "disk"],
        shared=["lic"],
        pools={"lic": 10**6},
        attributes={"rack": "number"},
    )


FIELDS: tuple[Json, ...] = (
    primary(
        4,
        uses("mem", 5, "task"),
        uses("disk", 3, "host"),
        uses("lic", 2, "task"),
        uses("lic", 1),
        select=NOT_THE_FIRST,
        ptile=2,
    ),
    primary(4, tasks_per_host=2),
    primary(4, hosts_min=3),
)
"""Primaries that `_racks` place otherwise if one field is overlooked, or taken of another."""


def _on_one_host(vary: int) -> Json:
    """A primary that `_racks` place only if its span is overlooked; each is another one."""
    return primary(2500 + vary, hosts_max=1)


HOPELESS: tuple[Json, ...] = (
    primary(1, hosts_min=2),
    primary(1, select=NOWHERE),
    primary(1, uses("lic", 10**7)),
    primary(1, uses("net", 9)),
    primary(1, uses("mem", 10**7, "task")),
)
"""Primaries that are never placeable: `span`, `select`, `shared`, `limit` and `capacity`."""


def _hopeless_world() -> Json:
    return cluster(
        host("A", 20, mem=1000),
        amounts=["mem"],
        shared=["lic", "net"],
        pools={"lic": 1000, "net": 1000},
        limits=[limit("user", "u", "cluster", "net", 8)],
    )


def _never_in_a_part() -> Json:
    """Compounds, one part of which can never be placed: the last one, or one with others behind."""
    last = [(many, many - 1, HOPELESS[many % len(HOPELESS)]) for many in MANY]
    # The first place stands at the end: what fails there is known, and a hit in later jobs.
    between = [(MOST, *one) for one in zip((13, 7, 3, 1, 0), HOPELESS, strict=True)]
    return case(
        _hopeless_world(),
        *(
            submit(f"{many}-{place}", _one_unlike(many, place, hopeless))
            for many, place, hopeless in (*last, *between)
        ),
        submit("last", _one_unlike(33, 32, HOPELESS[0])),
        RUN,
    )


def _never_but_for_one() -> Json:
    """Alters, one alternative of which could be placed if nothing ran; and one that never can."""
    return case(
        _hopeless_world(),
        submit("all", 20, user="v"),
        RUN,
        *(
            submit(f"{many}-{place}", *hopeless[:place], 1, *hopeless[place + 1 :])
            for many in MANY
            for hopeless in (_by_turns(HOPELESS, many, many),)
            for place in (many - 1, (many - 1) // 2)
        ),
        submit("never", *HOPELESS),
        submit("one", *HOPELESS, *HOPELESS, *HOPELESS, *HOPELESS, 1),
        RUN,
    )


def _taken_by_parts_before() -> Json:
    """Each of the parts takes its share, and the last one lacks what those before it took."""
    pairs = (
        (primary(1, uses("lic", 1)), primary(1, uses("lic", 1000))),
        (primary(1, uses("net", 8)), primary(1, uses("net", 1))),
        (primary(1, uses("mem", 1000, "task")), primary(1, uses("mem", 1, "task"))),
    )
    jobs = []
    for many in MANY:
        first, last = pairs[many % len(pairs)]
        jobs.append(submit(f"{many}", [first, *[1] * (many - 2), last]))
    return case(
        _hopeless_world(),
        *jobs,
        RUN,
        submit("all", primary(20, uses("lic", 1000), uses("mem", 50, "task"))),
        RUN,
    )


def _unknown_behind_debits() -> Json:
    """What fails alone is known in any part; what fails behind other parts is not, by that."""
    sizes = {many: 40 + 2 - many for many in MANY}
    return case(
        cluster(host("A", 40)),
        submit("bare", 41),
        *(submit(f"k{many}", _one_unlike(many, many - 1, primary(41))) for many in MANY),
        RUN,
        BEGIN,
        *(
            submit(f"c{many}", _one_unlike(many, many - 1, primary(size)))
            for many, size in sizes.items()
        ),
        *(submit(f"b{many}", size) for many, size in sizes.items()),
        RUN,
    )


def _known_of_alternatives() -> Json:
    """First parts of all alternatives are known, and only the last one is told of."""
    fail = [30 + each for each in range(17)]
    pairs: list[Alternative] = [[size, 50 - size] for size in fail]
    return case(
        cluster(host("A", 24)),
        submit("j", *pairs),
        *(submit(f"k{size}", size) for size in fail),
        *(submit(f"m{size}", [1, 50 - size, size]) for size in fail[::4]),
        *(submit(f"n{size}", primary(size, hosts_max=1), size) for size in fail[::4]),
        *(submit(f"f{size}", size, primary(size, hosts_max=2)) for size in fail[::4]),
        RUN,
    )


def _fields_of_parts() -> Json:
    """Compounds in which each part has some fields, and some in which one part has any."""
    return case(
        _racks(),
        *(submit(f"all-{at}", _by_turns(FIELDS, MOST, at)) for at in range(len(FIELDS))),
        *(
            submit(f"{many}-{place}-{at}", _one_unlike(many, place, one, ON_THE_FIRST))
            for many, place in ((17, 16), (9, 7), (5, 3), (4, 3), (3, 2), (3, 1))
            for at, one in enumerate(FIELDS)
        ),
        *(
            submit(f"{many}", _one_unlike(many, many - 1, _on_one_host(0), ON_THE_FIRST))
            for many in MANY
        ),
        RUN,
    )


def _fields_of_alternatives() -> Json:
    """Alters of which the last alternative holds, by its fields, or would do without them."""
    jobs = []
    for many in MANY:
        one = _on_one_host(many)
        lasts: list[list[Json]] = [[*FIELDS, ON_THE_FIRST], [one]]
        if many < 6:
            lasts += [[FIELDS[many % len(FIELDS)]], [ON_THE_FIRST, one, ON_THE_FIRST]]
        for at, last in enumerate(lasts):
            tasks = sum(part["tasks"]["max"] for part in last)
            nowhere = primary(tasks, select=NOWHERE)
            jobs.append(submit(f"{many}-{at}", *[nowhere] * (many - 1), [*last]))
    return case(_racks(), *jobs, RUN)


def _nothing_left_of_alternatives() -> Json:
    """Alternatives that fail in some part, one way or another; the last one needs all."""
    each = (uses("mem", 1000, "task"), uses("disk", 7, "host"), uses("lic", 10, "task"))
    fails = (primary(6, *each, ptile=3), primary(6, *each, select=NOWHERE))
    alternatives: list[Alternative] = [
        [*[primary(1, *each)] * before, fails[before % 2], primary(MOST - before)]
        for before in range(1, MOST)
    ]
    everything = primary(24, uses("mem", 1000, "task"), uses("disk", 126, "host"), uses("lic", 240))
    return case(
        cluster(
            host("A", 24, mem=24_000, disk=126),
            host("B", 2),
            amounts=["mem", "disk"],
            shared=["lic"],
            pools={"lic": 240},
            limits=[
                limit("user", "u", "cluster", "slots", 24),
                limit("queue", None, "host", "mem", 24_000),
                limit("project", "p", "cluster", "lic", 240),
            ],
        ),
        submit("j", *alternatives, everything),
        RUN,
        finish("j"),
        BEGIN,
        submit("k", *alternatives[::-4], everything),
        RUN,
    )


def _cancelled_in_parts() -> Json:
    """Compounds cancelled after so many polls; behind all of them everything is there."""
    parts: list[int | Json] = [primary(2, uses("lic", 1), ptile=1)] * 5
    return case(
        cluster(host("A", 5), host("B", 5), shared=["lic"], pools={"lic": 5}),
        *(
            event
            for polls in range(18)
            for event in (
                submit(f"j{polls}", parts),
                run(polls),
                finish(f"j{polls}"),
                withdraw(f"j{polls}"),
                BEGIN,
            )
        ),
        submit("last", parts),
        RUN,
    )


CASES: tuple[Directed, ...] = (
    directed(
        "never-in-a-part-of-several",
        "WHY-2 WHY-1",
        "A compound is never placeable for any one of its parts, whichever that is.",
        _never_in_a_part(),
    ),
    directed(
        "never-but-for-one-alternative",
        "WHY-2",
        "All but one of several alternatives are never placeable, so it waits for that one.",
        _never_but_for_one(),
    ),
    directed(
        "taken-by-the-parts-before",
        "COMPOUND-2 SHARED-2 COMPOUND-3",
        "Each part sees what those before it took, and when the last one fails all is given back.",
        _taken_by_parts_before(),
    ),
    directed(
        "unknown-behind-other-parts",
        "CACHE-3 CACHE-4",
        "What failed while parts held something is not known; what failed alone is, in any part.",
        _unknown_behind_debits(),
    ),
    directed(
        "known-of-seventeen-alternatives",
        "CACHE-3 WHY-3",
        "The first part of each alternative is filled in, and no later one is.",
        _known_of_alternatives(),
    ),
    directed(
        "fields-of-every-part",
        "COMPOUND-1 ALTER-3",
        "Select, rusage and span of a part count, whichever part it is.",
        _fields_of_parts(),
    ),
    directed(
        "fields-of-every-alternative",
        "ALTER-1 ALTER-3",
        "Select, rusage and span of an alternative count, whichever alternative it is.",
        _fields_of_alternatives(),
    ),
    directed(
        "nothing-left-of-alternatives",
        "ALTER-2 UNDO-4",
        "Whichever part fails of whichever alternative, what was taken for it is given back.",
        _nothing_left_of_alternatives(),
    ),
    directed(
        "cancelled-in-every-part",
        "CANCEL-1 UNDO-4",
        "Whichever part a cancellation comes in, nothing is left of the attempt.",
        _cancelled_in_parts(),
    ),
)
