"""Bounds of a span in each part: of a compound, and of the compounds that are alternatives.

Every compound would be placed, but for one bound of one of its parts.
"""

from collections.abc import Callable, Mapping

from allotment_conformance.engines.directed.case import Directed, directed
from allotment_conformance.engines.notation import RUN, case, cluster, host, primary, submit
from allotment_conformance.wire.messages import Json

SLOTS = 3
HOSTS = cluster(*(host(name, SLOTS) for name in "ABC"))
TASKS = 8
"""As many as all alternatives have: one less than there are slots."""

MOST_PARTS = 4

Place = tuple[int, int]
"""A number of parts, and the part that the bound is of."""

Span = Callable[[int], Json]
"""A span with which so many tasks are not placed, and without one bound of which they are."""

BOUNDS: Mapping[str, Span] = {
    "hosts_max": lambda tasks: {"hosts_max": 1},
    "hosts_min": lambda tasks: {"hosts_min": 4},
    "tasks_per_host": lambda tasks: {"tasks_per_host": 1},
}

BESIDE_PTILE: Mapping[str, Span] = {
    "hosts_max": lambda tasks: {"ptile": SLOTS, "hosts_max": -(-tasks // SLOTS) - 1},
    "hosts_min": lambda tasks: {"ptile": SLOTS, "hosts_min": -(-tasks // SLOTS) + 1},
    "tasks_per_host": lambda tasks: {"ptile": SLOTS, "tasks_per_host": SLOTS - 1},
}


def places(least: int) -> list[Place]:
    """Each place of so many parts and more. The first parts come last: they fill the cache."""
    found = [(many, at) for many in range(least, MOST_PARTS + 1) for at in range(many)]
    return sorted(found, key=lambda place: place[1] == 0)


def _compound(place: Place, span: Span) -> list[int | Json]:
    """Parts of one task, but for the one in that place, which has the rest and the span."""
    many, at = place
    tasks = TASKS - (many - 1)
    bound = primary(tasks, **span(tasks))
    return [bound if each == at else 1 for each in range(many)]


def _compounds(spans: Mapping[str, Span]) -> Json:
    """A job for each bound in each place."""
    jobs = (
        submit(f"{name}-{at}-of-{many}", _compound((many, at), span))
        for name, span in spans.items()
        for many, at in places(2)
    )
    return case(HOSTS, *jobs, RUN)


def _alternatives(spans: Mapping[str, Span]) -> Json:
    """A job for each bound, with an alternative for each place; the first has more than fits."""
    jobs = (
        submit(name, primary(TASKS, hosts_max=2), *(_compound(one, span) for one in places(1)))
        for name, span in spans.items()
    )
    return case(HOSTS, *jobs, RUN)


CASES: tuple[Directed, ...] = tuple(
    directed(f"{what}-of-{of}", clauses, why, make(spans))
    for what, clauses, spans in (
        ("each-bound", "PLAN-9 ALTER-3", BOUNDS),
        ("each-bound-beside-ptile", "PLAN-10 ALTER-3", BESIDE_PTILE),
    )
    for of, why, make in (
        ("every-part", "Each part is bound by its own span, wherever it stands.", _compounds),
        (
            "parts-of-alternatives",
            "The parts of later alternatives are bound by their spans as those of the first are.",
            _alternatives,
        ),
    )
)
