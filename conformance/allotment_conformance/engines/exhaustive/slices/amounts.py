"""Slices about amounts: pools, and per-task and per-host amounts of hosts."""

from allotment_conformance.engines.exhaustive.bounds import Amounts, Pools
from allotment_conformance.engines.exhaustive.slices.slice import (
    HOSTS,
    JOBS,
    LICENCES,
    MEMORY,
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
    RUN,
    case,
    cluster,
    host,
    primary,
    submit,
    uses,
)
from allotment_conformance.wire.messages import Json


def _entry(resource: str, point: Point) -> Json:
    amount, per = point
    return uses(resource, amount, *per)


def _primary(resource: str, point: Point) -> Json:
    tasks, entries = point
    return primary(tasks, *(_entry(resource, entry) for entry in entries))


def pools(bounds: Pools) -> Slice:
    """Jobs that ask for licences."""

    def made(point: Point) -> Json:
        slots, pool, jobs = point
        world = cluster(host("A", slots), shared=[LICENCES], pools={LICENCES: pool})
        asked = [
            submit(name, [_primary(LICENCES, part) for part in parts])
            for name, parts in zip(JOBS, jobs, strict=False)
        ]
        return case(world, *asked, RUN)

    entry = Fields(Whole(1, bounds.amount), optional(Name("task", "job")))
    part = Fields(Whole(1, bounds.tasks), optional(entry))
    jobs = Items(Items(part, 1, bounds.parts), 1, bounds.jobs)
    return Slice(
        bounds=bounds,
        about="jobs of parts that ask a pool for an amount per task or per job; one host",
        world=Fields(Whole(1, bounds.slots), Whole(0, bounds.pool), jobs),
        case=made,
    )


def amounts(bounds: Amounts) -> Slice:
    """Jobs that ask for memory."""

    def made(point: Point) -> Json:
        hosts, jobs = point
        world = cluster(
            *(
                host(name, slots, **dict.fromkeys([MEMORY][: len(memory)], *memory))
                for name, (slots, memory) in zip(HOSTS, hosts, strict=False)
            ),
            amounts=[MEMORY],
        )
        return case(world, *submissions([_primary(MEMORY, job) for job in jobs]), RUN)

    entry = Fields(Whole(0, bounds.amount), optional(Name("host", "task")))
    job = Fields(Whole(1, bounds.tasks), Items(entry, 0, bounds.entries))
    a_host = Fields(Whole(1, bounds.slots), optional(Whole(0, bounds.memory)))
    return Slice(
        bounds=bounds,
        about="jobs that ask hosts for amounts per task or per host; hosts with some or none",
        world=Fields(Items(a_host, 1, bounds.hosts), Items(job, 1, bounds.jobs)),
        case=made,
    )
