"""Slices about submission: where counts are given, and what is refused."""

from collections.abc import Mapping

from allotment_conformance.engines.exhaustive.bounds import Counts, Refusals
from allotment_conformance.engines.exhaustive.slices.slice import (
    JOBS,
    LICENCES,
    MEMORY,
    Slice,
)
from allotment_conformance.engines.exhaustive.worlds import (
    Fields,
    Items,
    Name,
    Point,
    Whole,
    optional,
)
from allotment_conformance.engines.notation import (
    RUN,
    Alternative,
    attribute,
    case,
    cluster,
    counts,
    host,
    number,
    operation,
    primary,
    submit,
    text,
    uses,
)
from allotment_conformance.wire.messages import Json
from allotment_model.cluster import LARGEST_AMOUNT
from allotment_model.ingest import DEEPEST_SELECT


def counts_given(bounds: Counts) -> Slice:
    """Jobs and primaries that name counts, or leave it to each other."""

    def made(point: Point) -> Json:
        slots, jobs = point
        asked = [
            submit(name, *map(_compound, request), tasks=_counts(of_job))
            for name, (of_job, request) in zip(JOBS, jobs, strict=False)
        ]
        return case(cluster(host("A", slots)), *asked, RUN)

    given = optional(Fields(Whole(0, bounds.count), Whole(0, bounds.count)))
    request = Items(Items(given, 1, bounds.parts), 1, bounds.alternatives)
    of_job = Items(given.item, 0, bounds.of_job)
    return Slice(
        bounds=bounds,
        about="jobs and primaries with fewest and most tasks, or without; one host",
        world=Fields(Whole(1, bounds.slots), Items(Fields(of_job, request), 1, bounds.jobs)),
        case=made,
    )


def _compound(parts: Point) -> Alternative:
    return [primary(_counts(part)) for part in parts]


def _counts(point: Point) -> Json | None:
    return counts(*point[0]) if point else None


def _deep() -> Json:
    """A select that is nested one level too deep."""
    made = number(1000)
    for _level in range(DEEPEST_SELECT):
        made = operation("!", made)
    return made


ALTERNATIVES: Mapping[str, Alternative] = {
    "no part": [],
    "no task": primary(counts(0, 1)),
    "a span of no host": primary(1, hosts_min=0),
    "slots as an amount": primary(1, uses("slots", 1, "task")),
    "unknown resource": primary(1, uses("nothing", 1, "task")),
    "slots as an attribute": primary(1, select=attribute("slots")),
    "a text as a select": primary(1, select=text("x")),
    "pool per host": primary(1, uses(LICENCES, 1, "host")),
    "memory per job": primary(1, uses(MEMORY, 1, "job")),
    "too much": primary(1, uses(MEMORY, LARGEST_AMOUNT + 1, "task")),
    "too deep": primary(1, select=_deep()),
}
"""Defects of an alternative of one task."""

OF_THE_JOB: Mapping[str, Json] = {
    "name taken": {"name": "a"},
    "no user": {"user": ""},
    "other counts": {"tasks": counts(2, 2)},
}
"""Defects of the job: what is written over its fields."""


def refusals(bounds: Refusals) -> Slice:
    """A job with several things wrong: the first in the table of SPEC.md 2.3 is the answer."""
    assert bounds.defects == len(ALTERNATIVES) + len(OF_THE_JOB), "the defects are these"

    def made(point: Point) -> Json:
        (defects,) = point
        names = [name for (name,) in defects]
        wrong = [ALTERNATIVES[name] for name in names if name in ALTERNATIVES]
        submitted = submit("b", 1, *wrong)
        for name in names:
            submitted["job"] |= OF_THE_JOB.get(name, {})
        world = cluster(host("A", 2), amounts=[MEMORY], shared=[LICENCES])
        return case(world, submit("a", 1), submitted, RUN)

    defect = Fields(Name(*sorted([*ALTERNATIVES, *OF_THE_JOB])))
    return Slice(
        bounds=bounds,
        about="a job with several things wrong, behind one that is right",
        world=Fields(Items(defect, 0, bounds.together, ascending=True)),
        case=made,
    )
