"""Edges of names and numbers at which allocators were wrong that all other cases called exact."""

from collections.abc import Mapping

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.directed.names import LONG, Pairs, alike_in
from allotment_conformance.engines.notation import (
    RUN,
    case,
    cluster,
    host,
    limit,
    limit_set,
    primary,
    submit,
    uses,
    withdraw,
)

MORE_FAMILIES: Mapping[str, Pairs] = {
    "great-length": (
        (f"{4 * LONG}a", f"{4 * LONG}b"),
        ("x" * 127, "x" * 128),
        ("y", "y" * 65),
    ),
    "brackets": (("a[1]", "a[2]"), ("b(1)", "b(2)"), ("{c}", "{d}")),
    "parts-of-paths": (("d\\u", "u"), ("e/", "e"), ("f+g", "f g")),
    "line-ends-and-entities": (("h\ni", "h i"), ("k\r", "k"), ("l&m", "l&amp;m")),
    "words-of-yes-and-no": (("yes", "true"), ("no", "0"), ("stra\u00dfe", "strasse")),
    "nothing-and-zero": (("", "0"), ("nil", "undefined"), ("\u00a0", "\u200b")),
}
"""Three pairs each, of names that are alike."""

ODD_CAPS = (1001, 2**31 + 1, 2**31 + 999_000, 2**40 + 1, 2**53 - 1)
"""Caps, in thousandths, that a float, 32 bits or whole units do not hold."""


def _cap(cap: int) -> Directed:
    """One job takes all that the cap allows, and another one asks for the least there is."""
    return directed(
        f"cap-of-{cap}",
        "LIMIT-3",
        "The cap is all that the first job takes; the second one asks for the least there is.",
        case(
            cluster(
                host("A", 2, mem=2**53 - 1),
                host("B", 2, mem=2**53 - 1),
                amounts=["mem"],
                limits=[limit("user", "u", "cluster", "mem", cap)],
            ),
            submit("j", primary(1, uses("mem", cap))),
            submit("k", primary(1, uses("mem", 1))),
            RUN,
            report=["books"],
        ),
    )


def _cap_of_nothing(scope: str, resource: str, name: str | None) -> Directed:
    """A job that a cap of zero holds back."""
    return directed(
        f"cap-of-nothing-on-{resource}-{'of-each' if name is None else 'by-name'}-{scope}",
        "LIMIT-3",
        "A cap of zero lets nothing through: it is not the same as no limit.",
        case(
            cluster(
                host("A", 1, mem=1000),
                amounts=["mem"],
                limits=[limit("user", name, scope, resource, 0)],
            ),
            submit("j", primary(1, uses("mem", 1000, "task"))),
            RUN,
        ),
    )


def _nameless(kind: str, scope: str) -> Directed:
    """A limit of nobody, which would hold back everybody if it were taken for one of each."""
    return directed(
        f"limit-of-a-nameless-{kind}-{scope}",
        "INGEST-2",
        "A limit is of a name that is not empty, or of each.",
        case(
            cluster(host("A", 1)),
            limit_set(kind, "", scope, "slots", 0),
            submit("j", primary(1)),
            RUN,
        ),
    )


def _all_of(hosts: int) -> Directed:
    """A job that takes every host."""
    return directed(
        f"all-of-{hosts}-hosts",
        "PLAN-11",
        f"{hosts} tasks on {hosts} hosts of one slot: each is needed, whatever choices are made.",
        case(cluster(*(host(f"h{n}", 1) for n in range(hosts))), submit("j", hosts), RUN),
    )


ALL_HOSTS: tuple[Directed, ...] = (_all_of(4), _all_of(5))
"""Cases of many hosts that leave few choices: they are in whatever order, 24 or 120."""

EDGES: tuple[Directed, ...] = (
    *alike_in(MORE_FAMILIES),
    *map(_cap, ODD_CAPS),
    *(
        _cap_of_nothing(scope, resource, name)
        for scope in ("host", "cluster")
        for resource in ("slots", "mem")
        for name in ("u", None)
    ),
    directed(
        "ptile-beyond-16-bits",
        "PLAN-10",
        "70,000 tasks, 70,000 on each host: in 16 bits these are 4,464, and 32,767 at the most.",
        case(cluster(host("A", 70_000)), submit("j", primary(70_000, ptile=70_000)), RUN),
    ),
    *(_nameless(kind, scope) for kind in ("queue", "project") for scope in ("host", "cluster")),
    directed(
        "numbers-of-the-withdrawn",
        "SESSION-1",
        "Two jobs leave the queue: their numbers of submission are not given to others.",
        case(
            cluster(host("A", 1)),
            *(submit(name, primary(1)) for name in ("first", "second", "third")),
            *map(withdraw, ("first", "second")),
            *(submit(name, primary(1)) for name in ("fourth", "fifth")),
            RUN,
        ),
    ),
    *ALL_HOSTS,
)
"""They are not probed. No vector is made of them but of those of all hosts, for who chooses."""
