"""Slices about plans: splits, spans, compounds and alters, and the order of the queue."""

from allotment_conformance.engines.exhaustive.bounds import Compounds, Queues, Spans, Splits
from allotment_conformance.engines.exhaustive.slices.slice import (
    HOSTS,
    JOBS,
    Slice,
    submissions,
)
from allotment_conformance.engines.exhaustive.worlds import (
    Fields,
    Items,
    Kept,
    Point,
    Whole,
    World,
    optional,
)
from allotment_conformance.engines.notation import RUN, case, cluster, host, primary, submit
from allotment_conformance.wire.messages import Json

SPAN_BOUNDS = ("hosts_min", "hosts_max", "tasks_per_host", "ptile")


def hosts_of(slots: Point) -> Json:
    """A cluster of hosts with nothing but slots."""
    return cluster(*(host(name, n) for name, n in zip(HOSTS, slots, strict=False)))


def splits(bounds: Splits) -> Slice:
    """One job on an empty cluster."""

    def made(point: Point) -> Json:
        slots, tasks = point
        return case(hosts_of(slots), submit("a", tasks), RUN)

    return Slice(
        bounds=bounds,
        about="one job of some tasks; hosts with some slots",
        world=Fields(Items(Whole(0, bounds.slots), 0, bounds.hosts), Whole(1, bounds.tasks)),
        case=made,
    )


def spans(bounds: Spans) -> Slice:
    """Jobs with a span."""

    def made(point: Point) -> Json:
        slots, jobs = point
        return case(hosts_of(slots), *submissions([_spread(*job) for job in jobs]), RUN)

    limits: list[World] = [optional(Whole(1, bounds.span)) for _name in SPAN_BOUNDS[:-1]]
    job = Fields(Whole(1, bounds.tasks), *limits, optional(Whole(1, bounds.ptile)))
    hosts = Items(Whole(0, bounds.slots), 1, bounds.hosts)
    return Slice(
        bounds=bounds,
        about="jobs with the four bounds of a span; hosts with some slots",
        world=Fields(hosts, Items(job, 1, bounds.jobs)),
        case=made,
    )


def _spread(tasks: int, *values: Point) -> Json:
    given = {name: value[0] for name, value in zip(SPAN_BOUNDS, values, strict=True) if value}
    return primary(tasks, **given)


def _agrees_in_tasks(request: Point) -> bool:
    """INGEST-1: whether no alternative asks for more tasks than another."""
    return len({sum(parts) for parts in request}) == 1


def compounds(bounds: Compounds) -> Slice:
    """Jobs of alternatives of parts."""

    def made(point: Point) -> Json:
        slots, requests = point
        jobs = [
            submit(name, *(list(parts) for parts in request))
            for name, request in zip(JOBS, requests, strict=False)
        ]
        return case(hosts_of(slots), *jobs, RUN)

    parts = Items(Whole(1, bounds.tasks), 1, bounds.parts)
    request = Kept(Items(parts, 1, bounds.alternatives), _agrees_in_tasks)
    hosts = Items(Whole(0, bounds.slots), 0, bounds.hosts)
    return Slice(
        bounds=bounds,
        about="jobs of alternatives of parts, with as many tasks; hosts with some slots",
        world=Fields(hosts, Items(request, 1, bounds.jobs)),
        case=made,
    )


def queues(bounds: Queues) -> Slice:
    """Jobs that wait for one host."""

    def made(point: Point) -> Json:
        slots, waiting = point
        jobs = [
            submit(name, tasks, priority=priority)
            for name, (priority, tasks) in zip(JOBS, waiting, strict=False)
        ]
        return case(hosts_of([slots]), *jobs, RUN)

    job = Fields(Whole(0, bounds.priority), Whole(1, bounds.tasks))
    return Slice(
        bounds=bounds,
        about="jobs of some priority and some tasks; one host",
        world=Fields(Whole(1, bounds.slots), Items(job, 1, bounds.jobs)),
        case=made,
    )
