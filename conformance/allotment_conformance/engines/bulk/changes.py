"""Changes of the configuration: hosts that join, close, reopen, shrink; pools; limits."""

from allotment_conformance.engines.bulk.world import (
    World,
    attribute_value,
    cap_of,
    host_of,
    limit_of,
    slots_of,
    without_cap,
)
from allotment_conformance.engines.notation import pool_change
from allotment_conformance.wire.messages import Json

FIELDS: tuple[tuple[str, ...], ...] = (
    *(("open",), ("open",), ("capacity",), ("capacity",), ("capacity",), ("attributes",)),
    *(("open", "capacity"), ("open", "attributes"), ("capacity", "attributes")),
    *(("open", "capacity", "attributes"), ()),
)
"""What one change of a host names: whoever reads one field only does well in half of them."""


def changes_of(world: World) -> list[Json]:
    """Changes that will be accepted, mostly one; none if the features of this case know none.

    What waits together may be about one thing: a limit is removed and set again.
    """
    draw = world.draw
    kinds = []
    if "host-changes" in world.features:
        kinds += [_host_change, _host_change, _host_add]
    if world.pools:
        kinds.append(_pool_change)
    if "limits" in world.features:
        kinds += [_limit_set, _limit_remove]
    if not kinds:
        return []
    made = [draw.pick(kinds)(world) for _ in range(1 + draw.small(2))]
    return [one for one in made if one is not None]


def _host_change(world: World) -> Json | None:
    draw = world.draw
    if not world.slots:
        return _host_add(world)
    name = draw.pick(list(world.slots))
    event: Json = {"event": "host_change", "host": name}
    fields = draw.pick(FIELDS)
    if "open" in fields:
        event["open"] = draw.chance(0.6)
    if "attributes" in fields and world.attributes:
        event["attributes"] = _new_attributes(world)
    if "capacity" in fields or (fields == ("attributes",) and not world.attributes):
        event["capacity"] = _new_capacity(world, name)
    return event


def _new_attributes(world: World) -> Json:
    """One attribute or two, each set or taken away."""
    draw, names = world.draw, list(world.attributes)
    return {
        name: None if draw.chance(0.3) else attribute_value(world, world.attributes[name])
        for name in (draw.pick(names), draw.pick(names))
    }


def _new_capacity(world: World, host: str) -> Json:
    """Slots, or an amount, or both."""
    draw, capacity = world.draw, {}
    if not world.amounts or draw.chance(0.6):
        capacity["slots"] = world.slots[host] = slots_of(world)
    if world.amounts and (not capacity or draw.chance(0.4)):
        resource = draw.pick(list(world.amounts))
        capacity[resource] = world.some_of(resource)
    return capacity


def _host_add(world: World) -> Json | None:
    if not world.names_left or len(world.slots) >= world.largest.hosts:
        return None
    return {"event": "host_add", "host": host_of(world)}


def _pool_change(world: World) -> Json:
    pool = world.draw.pick(list(world.pools))
    return pool_change(pool, world.some_of(pool))


def _limit_set(world: World) -> Json:
    """A new limit, or another cap for one that is there or was."""
    if (limits := world.limits + world.limits_gone) and world.draw.chance(0.5):
        known = world.draw.pick(limits)
        made = {**known, "cap": cap_of(world, known["resource"])}
    else:
        made = limit_of(world)
    name = without_cap(made)
    world.limits = [one for one in world.limits if without_cap(one) != name] + [made]
    return {"event": "limit_set", "limit": made}


def _limit_remove(world: World) -> Json | None:
    if not world.limits:
        return None
    gone = world.draw.pick(world.limits)
    world.limits = [one for one in world.limits if one is not gone]
    world.limits_gone = [*world.limits_gone, gone][-2:]
    return {"event": "limit_remove", "limit": without_cap(gone)}
