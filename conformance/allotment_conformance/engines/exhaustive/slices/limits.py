"""Slices about limits: whom they cap, and what they count."""

from collections.abc import Sequence
from functools import partial

from allotment_conformance.engines.exhaustive.bounds import Holdings, Limits
from allotment_conformance.engines.exhaustive.slices.slice import (
    HOSTS,
    JOBS,
    LICENCES,
    MEMORY,
    Slice,
)
from allotment_conformance.engines.exhaustive.worlds import Fields, Items, Name, Point, Whole
from allotment_conformance.engines.notation import (
    RUN,
    case,
    cluster,
    host,
    limit,
    primary,
    submit,
    uses,
)
from allotment_conformance.wire.messages import Json

KINDS = ("user", "queue", "project")
EACH, ONE, OTHER = "each", "u", "v"
"""Whom a limit caps, and whom a job belongs to. The names of each kind are told apart by nothing
but that they differ."""

SLOTS_COUNTED = ("cluster slots", "host slots")
ALL_COUNTED = (
    *SLOTS_COUNTED,
    f"cluster {MEMORY}",
    f"host {MEMORY}",
    f"cluster {LICENCES}",
)
"""Scope and resource of a limit; there is none of a pool on each host."""


def _limit(point: Point) -> Json:
    (kind, who, counted), cap = point
    scope, resource = counted.split()
    return limit(kind, None if who == EACH else who, scope, resource, cap)


def _limits(kinds: Sequence[str], counted: Sequence[str], most: int, cap: int) -> Items:
    """Sets of limits; in which order they are told decides nothing."""
    name = Fields(Name(*kinds), Name(EACH, ONE, OTHER), Name(*counted))
    return Items(Fields(name, Whole(0, cap)), 0, most, ascending=True)


def _exchanged(name: str) -> str:
    return {ONE: OTHER, OTHER: ONE}.get(name, name)


def _renamed(kinds: Sequence[str], kind: str, point: Point) -> Point:
    """The point with the two names of one kind exchanged."""
    place = kinds.index(kind)
    *hosts, limits, jobs = point
    renamed_jobs = tuple((*job[:place], _exchanged(job[place]), *job[place + 1 :]) for job in jobs)
    renamed_limits = sorted(
        ((named, _exchanged(who) if named == kind else who, counted), cap)
        for (named, who, counted), cap in limits
    )
    return (*hosts, tuple(renamed_limits), renamed_jobs)


def _begins_with_one(kinds: int, point: Point) -> bool:
    """Of points that differ in names, the one whose first job has the first name of each kind."""
    return all(name == ONE for name in point[-1][0][:kinds])


def limits(bounds: Limits) -> Slice:
    """Jobs of two users, queues and projects."""
    kinds = KINDS[: bounds.kinds]

    def made(point: Point) -> Json:
        hosts, caps, jobs = point
        world = cluster(
            *(host(name, slots) for name, slots in zip(HOSTS, hosts, strict=False)),
            limits=map(_limit, caps),
        )
        asked = [
            submit(name, tasks, **dict(zip(kinds, names, strict=True)))
            for name, (*names, tasks) in zip(JOBS, jobs, strict=False)
        ]
        return case(world, *asked, RUN)

    job = Fields(*(Name(ONE, OTHER) for _kind in kinds), Whole(1, bounds.tasks))
    return Slice(
        bounds=bounds,
        about="jobs of two names of each kind, and limits on slots; hosts with some slots",
        world=Fields(
            Items(Whole(1, bounds.slots), 1, bounds.hosts),
            _limits(kinds, SLOTS_COUNTED, bounds.limits, bounds.cap),
            Items(job, 1, bounds.jobs),
        ),
        case=made,
        renamings=tuple(partial(_renamed, kinds, kind) for kind in kinds),
        is_first=partial(_begins_with_one, len(kinds)),
    )


def holdings(bounds: Holdings) -> Slice:
    """Jobs of two users that hold more than slots."""

    def made(point: Point) -> Json:
        hosts, pool, caps, jobs = point
        world = cluster(
            *(
                host(name, slots, **{MEMORY: memory})
                for name, (slots, memory) in zip(HOSTS, hosts, strict=False)
            ),
            amounts=[MEMORY],
            shared=[LICENCES],
            pools={LICENCES: pool},
            limits=map(_limit, caps),
        )
        asked = [
            submit(name, _asking(tasks, memory, licences), user=user)
            for name, (user, tasks, memory, licences) in zip(JOBS, jobs, strict=False)
        ]
        return case(world, *asked, RUN)

    a_host = Fields(Whole(1, bounds.slots), Whole(0, bounds.memory))
    job = Fields(
        Name(ONE, OTHER), Whole(1, bounds.tasks), Whole(0, bounds.memory), Whole(0, bounds.pool)
    )
    return Slice(
        bounds=bounds,
        about="jobs of two users that use a host amount and a pool, and limits on all of it",
        world=Fields(
            Items(a_host, 1, bounds.hosts),
            Whole(0, bounds.pool),
            _limits(KINDS[:1], ALL_COUNTED, bounds.limits, bounds.cap),
            Items(job, 1, bounds.jobs),
        ),
        case=made,
        renamings=(partial(_renamed, KINDS[:1], KINDS[0]),),
        is_first=partial(_begins_with_one, 1),
    )


def _asking(tasks: int, memory: int, licences: int) -> Json:
    """Memory per host, licences per job; nothing is asked for where it would be none."""
    asked = [(MEMORY, memory, "host"), (LICENCES, licences, "job")]
    return primary(tasks, *(uses(*entry) for entry in asked if entry[1]))
