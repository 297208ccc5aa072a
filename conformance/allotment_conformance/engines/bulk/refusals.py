"""Events that are refused: each code of SPEC.md 2.3, on what would else be accepted."""

from collections.abc import Callable, Mapping

from allotment_conformance.engines.bulk.world import World, limit_of
from allotment_conformance.engines.notation import attribute, counts, number, operation, text
from allotment_conformance.wire.messages import Json
from allotment_model.cluster import LARGEST_AMOUNT, LARGEST_TASKS
from allotment_model.ingest import DEEPEST_SELECT

Spoil = Callable[[World, Json], Json]
"""Makes a good job bad in one way; a job is never changed in place."""


def spoiled_job(world: World, job: Json) -> Json:
    """The job with something wrong in it, by what this case knows of features."""
    draw = world.draw
    made = draw.pick(_applicable(world))(world, job)
    return made if draw.chance(0.9) else draw.pick(_applicable(world))(world, made)


def _applicable(world: World) -> list[Spoil]:
    kinds = [*ALWAYS]
    for feature, spoils in WITH_FEATURE.items():
        if feature in world.features:
            kinds += spoils
    if world.pools:
        kinds.append(_per_host_on_pool)
    if world.largest.amount < LARGEST_AMOUNT and _select_range in kinds:
        kinds.remove(_select_range)
    return kinds


def _with_last(job: Json, **fields: object) -> Json:
    """The job with fields of its last primary replaced."""
    if not job["request"] or not job["request"][-1]:
        return job
    *others, last = job["request"]
    *parts, primary = last
    return {**job, "request": [*others, [*parts, {**primary, **fields}]]}


def _identity_missing(world: World, job: Json) -> Json:
    return {**job, world.draw.pick(("user", "queue", "project")): ""}


def _empty_compound(world: World, job: Json) -> Json:
    request = [*job["request"], []] if "alter" in world.features else []
    return {**job, "request": request}


def _tasks_range(world: World, job: Json) -> Json:
    draw = world.draw
    wrong = [counts(0, 0), counts(0, 1), counts(2, 1), counts(-1, 1)]
    if world.largest.tasks == LARGEST_TASKS:
        wrong.append(counts(1, LARGEST_TASKS + 1))
    if draw.chance(0.3):
        return {**job, "tasks": draw.pick(wrong)}
    return _with_last(job, tasks=draw.pick(wrong))


def _counts(world: World, job: Json) -> Json:
    """Counts of the job that are not those of its request, or a request without any."""
    if world.draw.chance(0.5):
        most = min(7, world.largest.tasks)
        return {**job, "tasks": counts(most, most)}
    request = [
        [{name: value for name, value in part.items() if name != "tasks"} for part in compound]
        for compound in job["request"]
    ]
    return {**{name: value for name, value in job.items() if name != "tasks"}, "request": request}


def _span_range(world: World, job: Json) -> Json:
    bound = world.draw.pick(("hosts_min", "hosts_max", "tasks_per_host"))
    return _with_last(job, span={bound: world.draw.pick((0, -1, LARGEST_TASKS + 1))})


def _ptile_range(world: World, job: Json) -> Json:
    return _with_last(job, span={"ptile": world.draw.pick((0, -1, LARGEST_TASKS + 1))})


def _uses(resource: str, amount: int, per: str) -> list[Json]:
    return [{"resource": resource, "amount": amount, "per": per}]


def _slots_in_rusage(world: World, job: Json) -> Json:
    return _with_last(job, rusage=_uses("slots", 1, "task"))


def _unknown_amount(world: World, job: Json) -> Json:
    return _with_last(job, rusage=_uses(world.draw.pick(("gold", "arch")), 1, "task"))


def _unknown_attribute(world: World, job: Json) -> Json:
    name = world.draw.pick(("gold", "age"))
    return _with_last(job, select=world.draw.pick((attribute(name), {"defined": name})))


def _not_an_attribute(world: World, job: Json) -> Json:
    name = world.draw.pick(("slots", *world.amounts, *world.pools))
    return _with_last(job, select=world.draw.pick((attribute(name), {"defined": name})))


def _type(world: World, job: Json) -> Json:
    mixed = operation("==", number(0), text("x86"))
    wrong = (
        text("x86"),
        mixed,
        operation("!", text("")),
        operation("&&", number(0), attribute("arch")),
    )
    return _with_last(job, select=world.draw.pick(wrong))


def _per_host_on_pool(world: World, job: Json) -> Json:
    return _with_last(job, rusage=_uses(world.draw.pick(list(world.pools)), 1, "host"))


def _per_job_on_host(world: World, job: Json) -> Json:
    return _with_last(job, rusage=_uses(world.draw.pick(list(world.amounts)), 1, "job"))


def _amount_range(world: World, job: Json) -> Json:
    resource = world.draw.pick(list(world.amounts))
    amount = (
        -1 if world.largest.amount < LARGEST_AMOUNT else world.draw.pick((-1, LARGEST_AMOUNT + 1))
    )
    return _with_last(job, rusage=_uses(resource, amount, "task"))


def _select_range(world: World, job: Json) -> Json:
    beyond = LARGEST_AMOUNT + 1
    return _with_last(
        job, select=operation("<", number(world.draw.pick((beyond, -beyond))), number(0))
    )


def _too_deep(world: World, job: Json) -> Json:
    select = number(0)
    for _ in range(DEEPEST_SELECT):
        select = operation("!", select)
    return _with_last(job, select=select)


ALWAYS: tuple[Spoil, ...] = (_identity_missing, _empty_compound, _tasks_range, _counts, _counts)
WITH_FEATURE: Mapping[str, tuple[Spoil, ...]] = {
    "span": (_span_range,),
    "ptile": (_ptile_range,),
    "rusage": (_slots_in_rusage, _unknown_amount, _per_job_on_host, _amount_range),
    "select": (_unknown_attribute, _not_an_attribute, _type, _type, _select_range, _too_deep),
}


def spoiled_change(world: World) -> Json | None:
    """A change that is refused; None if the features of this case know none."""
    kinds: list[Callable[[World], Json]] = []
    if "host-changes" in world.features:
        kinds += [_bad_host, _bad_host_change]
    if world.pools:
        kinds.append(_bad_pool)
    if "limits" in world.features:
        kinds += [_bad_limit, _unknown_limit]
    return world.draw.pick(kinds)(world) if kinds else None


def _bad_host(world: World) -> Json:
    draw = world.draw
    host: Json = {"name": draw.pick(["Z", *world.slots]), "capacity": {"slots": 1}}
    if host["name"] == "Z":
        host["capacity"] = draw.pick(({"slots": -1}, {"gold": 1}, {"slots": 1, "gold": -1}))
        if world.attributes and draw.chance(0.4):
            host |= {"capacity": {}, "attributes": {"arch": 0}}
    return {"event": "host_add", "host": host}


def _bad_host_change(world: World) -> Json:
    draw, event = world.draw, {"event": "host_change", "host": "Z"}
    if not world.slots or draw.chance(0.3):
        return {**event, "open": False}
    wrong: list[Json] = [{"capacity": {"slots": -1}}, {"capacity": {"gold": 1}}]
    if world.attributes:
        of_other_type = min(1000, world.largest.amount)
        wrong += [{"attributes": {"arch": of_other_type}}, {"attributes": {"age": None}}]
    return {**event, "host": draw.pick(list(world.slots)), "open": False, **draw.pick(wrong)}


def _bad_pool(world: World) -> Json:
    wrong = [{"pool": "gold", "capacity": 0}, {"pool": next(iter(world.pools)), "capacity": -1}]
    return {"event": "pool_change", **world.draw.pick(wrong)}


def _bad_limit(world: World) -> Json:
    limit = limit_of(world)
    wrong: list[Json] = [{"resource": "gold"}, {"cap": -1}]
    if "name" in limit:
        wrong.append({"name": ""})
    if world.pools:
        wrong += 2 * [{"scope": "host", "resource": next(iter(world.pools))}]
    return {"event": "limit_set", "limit": {**limit, **world.draw.pick(wrong)}}


def _unknown_limit(world: World) -> Json:
    limit = {"kind": "user", "name": "nobody", "scope": "cluster", "resource": "slots"}
    return {"event": "limit_remove", "limit": limit}
