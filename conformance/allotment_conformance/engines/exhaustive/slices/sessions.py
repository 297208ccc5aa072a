"""Slices about what lasts from one session to the next, and words of events."""

from collections.abc import Iterator, Mapping

from allotment_conformance.engines.exhaustive.bounds import Changes, Sessions, Words
from allotment_conformance.engines.exhaustive.slices.slice import (
    HOSTS,
    JOBS,
    LICENCES,
    Slice,
    submissions,
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
    BEGIN,
    RUN,
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
    withdraw,
)
from allotment_conformance.wire.messages import Json

FATES = {"finishes": finish, "withdrawn": withdraw}
CLOSED, CLOSES, OPENS = ("closed",), ("closes",), ("opens",)
CLOSED_AT_FIRST, DOORS_THAT_MOVE = (CLOSED, OPENS), (CLOSES, OPENS)
"""Of a host that is not open all the time: how it is at first, and whether that changes."""

CAPPED = ("user", None, "cluster", "slots")
"""The limit that may be set and removed: what each user holds of slots over all hosts."""


def _ended(fates: Point) -> Iterator[Json]:
    for name, fate in zip(JOBS, fates, strict=False):
        if fate:
            yield FATES[fate[0]](name)


def _two_sessions(before: list[Json], changes: list[Json], after: list[Json]) -> list[Json]:
    """Jobs run, something changes; more jobs are tried at once, and all again in a new session."""
    return [*before, RUN, *changes, *after, RUN, BEGIN, RUN]


def _changed(door: Point, slots: Point) -> Json:
    """What changes of a host."""
    moved = {"open": door == OPENS} if door in DOORS_THAT_MOVE else {}
    return {**moved, **({"capacity": {"slots": slots[0]}} if slots else {})}


def sessions(bounds: Sessions) -> Slice:
    """Jobs that end, and hosts that change."""

    def made(point: Point) -> Json:
        hosts, first, later = point
        before = submissions([primary(tasks) for tasks, _fate in first])
        after = submissions([primary(tasks) for tasks in later], JOBS[len(first) :])
        changes = [
            *_ended([fate for _tasks, fate in first]),
            *(
                host_change(name, **_changed(door, slots))
                for name, (_slots, door, slots) in zip(HOSTS, hosts, strict=False)
                if slots or door in DOORS_THAT_MOVE
            ),
        ]
        world = cluster(
            *(
                host(name, slots, closed=door in CLOSED_AT_FIRST)
                for name, (slots, door, _slots) in zip(HOSTS, hosts, strict=False)
            )
        )
        return case(world, *_two_sessions(before, changes, after))

    a_host = Fields(
        Whole(0, bounds.slots),
        optional(Name(*CLOSED, *CLOSES, *OPENS)),
        optional(Whole(0, bounds.slots)),
    )
    job = Fields(Whole(1, bounds.tasks), optional(Name(*FATES)))
    return Slice(
        bounds=bounds,
        about="two sessions: jobs end, hosts close, open and change their slots; more jobs come",
        world=Fields(
            Items(a_host, 1, bounds.hosts),
            Items(job, 0, bounds.jobs_before),
            Items(Whole(1, bounds.tasks), 0, bounds.jobs_after),
        ),
        case=made,
    )


def changes(bounds: Changes) -> Slice:
    """A pool and a limit that change."""

    def made(point: Point) -> Json:
        pool, new_pool, cap, removed, new_cap, first, later = point
        before = submissions([_asking(*asked) for *asked, _fate in first])
        after = submissions([_asking(*asked) for asked in later], JOBS[len(first) :])
        changed = [
            *_ended([fate for *_asked, fate in first]),
            *(pool_change(LICENCES, n) for n in new_pool),
            *(limit_remove(*CAPPED) for _word in removed),
            *(limit_set(*CAPPED, n) for n in new_cap),
        ]
        world = cluster(
            host("A", 2),
            shared=[LICENCES],
            pools={LICENCES: pool},
            limits=[limit(*CAPPED, n) for n in cap],
        )
        return case(world, *_two_sessions(before, changed, after))

    job = (Whole(1, bounds.tasks), Whole(0, bounds.amount))
    return Slice(
        bounds=bounds,
        about="two sessions: jobs finish, a pool changes, a limit is set and removed",
        world=Fields(
            Whole(0, bounds.pool),
            optional(Whole(0, bounds.pool)),
            optional(Whole(0, bounds.cap)),
            optional(Name("removed")),
            optional(Whole(0, bounds.cap)),
            Items(Fields(*job, optional(Name("finishes"))), 0, bounds.jobs_before),
            Items(Fields(*job), 0, bounds.jobs_after),
        ),
        case=made,
    )


def _asking(tasks: int, licences: int) -> Json:
    return primary(tasks, *([uses(LICENCES, licences, "job")] if licences else []))


def of_job(name: str) -> dict[str, Json]:
    """The letters of one job."""
    return {
        f"submit {name}": submit(name, 1),
        f"finish {name}": finish(name),
        f"withdraw {name}": withdraw(name),
    }


OF_NONE: Mapping[str, Json] = {
    "begin": BEGIN,
    "run": RUN,
    "A closes": host_change("A", open=False),
    "A grows": host_change("A", capacity={"slots": 2}),
    "B joins": host_add(host("B", 1)),
    "B closes": host_change("B", open=False),
    "limit": limit_set(*CAPPED, 0),
    "no limit": limit_remove(*CAPPED),
}
"""The letters that name no job."""

ONE, OTHER = "a", "b"
LETTERS: Mapping[str, Json] = {**OF_NONE, **of_job(ONE), **of_job(OTHER)}
EXCHANGED: Mapping[str, str] = {
    **dict(zip(of_job(ONE), of_job(OTHER), strict=True)),
    **dict(zip(of_job(OTHER), of_job(ONE), strict=True)),
}


def _exchanged(point: Point) -> Point:
    """The word with the names of the two jobs exchanged."""
    (letters,) = point
    return (tuple(EXCHANGED.get(letter, letter) for letter in letters),)


def _begins_with_one(point: Point) -> bool:
    """Whether the first letter of a job, if there is any, is of the first job."""
    (letters,) = point
    return next((letter in of_job(ONE) for letter in letters if letter in EXCHANGED), True)


def words(bounds: Words) -> Slice:
    """All orders of events."""
    assert bounds.letters_of_a_job == len(of_job(ONE)), "the letters of the bounds are these"
    assert bounds.letters_of_none == len(OF_NONE), "the letters of the bounds are these"

    def made(point: Point) -> Json:
        (letters,) = point
        return case(cluster(host("A", 1)), *(LETTERS[letter] for letter in letters))

    return Slice(
        bounds=bounds,
        about="all orders of events about two jobs of one task, a host, another, and a limit",
        world=Fields(Items(Name(*LETTERS), 1, bounds.length)),
        case=made,
        renamings=(_exchanged,),
        is_first=_begins_with_one,
    )
