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


def change_of(world: World) -> Json | None:
    """A change that will be accepted; None if the features of this case know none."""
    draw = world.draw
    kinds = []
    if "host-changes" in world.features:
        kinds += [_host_change, _host_change, _host_add]
    if world.pools:
        kinds.append(_pool_change)
    if "limits" in world.features:
        kinds += [_limit_set, _limit_remove]
    return draw.pick(kinds)(world) if kinds else None


def _host_change(world: World) -> Json | None:
    draw = world.draw
    if not world.slots:
        return _host_add(world)
    name = draw.pick(list(world.slots))
    event: Json = {"event": "host_change", "host": name}
    kind = draw.below(4)
    if kind == 0:
        event["open"] = draw.chance(0.6)
    elif kind == 1 and world.amounts:
        resource = draw.pick(list(world.amounts))
        event["capacity"] = {resource: world.some_of(resource)}
    elif kind == 2 and world.attributes:
        attribute = draw.pick(list(world.attributes))
        gone = draw.chance(0.3)
        value = None if gone else attribute_value(world, world.attributes[attribute])
        event["attributes"] = {attribute: value}
    else:
        world.slots[name] = slots_of(world)
        event["capacity"] = {"slots": world.slots[name]}
    return event


def _host_add(world: World) -> Json | None:
    if not world.names_left or len(world.slots) >= world.largest.hosts:
        return None
    return {"event": "host_add", "host": host_of(world)}


def _pool_change(world: World) -> Json:
    pool = world.draw.pick(list(world.pools))
    return pool_change(pool, world.some_of(pool))


def _limit_set(world: World) -> Json:
    """A new limit, or another cap for one that is there."""
    if world.limits and world.draw.chance(0.5):
        known = world.draw.pick(world.limits)
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
    return {"event": "limit_remove", "limit": without_cap(gone)}
