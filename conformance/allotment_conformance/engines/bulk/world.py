"""The cluster of a case, and what the generator remembers of it while it makes events.

Amounts of one resource are multiples of one *unit* in a case, now and then one thousandth off:
so exact fits, ties and near misses are the rule, at every magnitude.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from allotment_conformance.engines.bulk.draw import Draw
from allotment_conformance.engines.bulk.shapes import LEAST_WIDE, MOST_WIDE, SMALL, WIDE, Shape
from allotment_conformance.wire.messages import Json, Largest, Profile
from allotment_model.cluster import LARGEST_AMOUNT, LARGEST_TASKS

SHARE_OF_FEATURE = {
    "compound": 0.6,
    "alter": 0.6,
    "select": 0.35,
    "rusage": 0.65,
    "span": 0.4,
    "ptile": 0.25,
    "shared": 0.5,
    "limits": 0.45,
    "priorities": 0.4,
    "host-changes": 0.4,
    "cancel": 0.2,
    "events": 0.1,
    "books": 0.3,
    "text": 0.3,
}
"""How many of the cases use each feature. Leaving features out makes room for the others: a case
that uses everything a little shows nothing well."""

UNITS = (1000, 1000, 1000, 500, 100, 200, 300, 333, 1, 2**31, 2**32, 2**52, 2**53 - 1)
"""Whole, halves, the tenths that doubles cannot hold, a third, and the edges of 32 and 53 bits."""

LARGE_UNIT = 1024 * 1000
"""A thousand and twenty-four, which a text may give in another unit."""

MULTIPLES = (0, 1, 1, 2, 2, 2, 3, 3, 4, 6)
"""Capacities in units: what one to three primaries want, so that the last one just fits."""

OFF_BY = (0, 0, 0, 0, 0, 0, 0, 0, -1, 1)
"""A fifth of all amounts miss by a thousandth: enough to catch a comparison that is not exact."""

HOST_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
ATTRIBUTES = {"width": "number", "depth": "number", "arch": "text", "maker": "text"}
NUMBERS = (0, 1000, 1000, 2000, 2000, 3000, 500, -1000, 1, 333)
TEXTS = ("x86", "arm", "")
QUOTED_TEXTS = ("x86", "arm", "disk-7", "it's", 'so "named"', "a b", "x] || {", "(y", "naïve")
"""Values of attributes in cases with requests as texts: what a reader of texts trips over."""

KINDS = {"user": ("u", "u", "v", "w"), "queue": ("q", "q", "r"), "project": ("p", "p", "o")}
"""Few identities, so that limits bind and keys differ in one of them."""

ALIKE = dict.fromkeys(KINDS, ("u", "u", "v", "uv"))
SHARE_OF_ALIKE = 0.15
"""In so many cases the names of users, queues and projects are the same ones and run together, and
jobs are named like hosts: whoever confuses two kinds of names does so there."""


@dataclass(slots=True)
class World:
    """A cluster under construction. `tasks_most` and the maps of units bound what is asked of it.

    `slots` is what each host was last said to have; nothing here knows what is in use.
    """

    draw: Draw
    features: frozenset[str]
    largest: Largest
    slots: dict[str, int] = field(default_factory=dict)
    names_left: list[str] = field(default_factory=list)
    amounts: dict[str, int] = field(default_factory=dict)
    pools: dict[str, int] = field(default_factory=dict)
    attributes: dict[str, str] = field(default_factory=dict)
    limits: list[Json] = field(default_factory=list)
    limits_gone: list[Json] = field(default_factory=list)
    is_alike: bool = False
    shape: Shape = SMALL

    @property
    def holders(self) -> Mapping[str, tuple[str, ...]]:
        """The users, queues and projects of this case."""
        return ALIKE if self.is_alike else KINDS

    def job_name(self, number: int) -> str:
        """The name of the job of that number."""
        by_letter = self.is_alike and number < len(HOST_NAMES)
        return HOST_NAMES[number] if by_letter else f"j{number}"

    @property
    def texts(self) -> tuple[str, ...]:
        """The values of attributes that are texts."""
        return QUOTED_TEXTS if "text" in self.features else TEXTS

    def within(self, numbers: Sequence[int]) -> Sequence[int]:
        """Those of the numbers that may be asked; 0 always may."""
        most = self.largest.amount
        return [number for number in numbers if -most <= number <= most] or [0]

    def unit_of(self, resource: str) -> int:
        """The unit of a host amount or a pool."""
        return self.amounts.get(resource) or self.pools[resource]

    def amount(self, whole: int) -> int:
        """A capacity or cap of so much, now and then one thousandth off."""
        return min(max(0, whole + self.draw.pick(OFF_BY)), self.largest.amount)

    def some_of(self, resource: str) -> int:
        """A capacity or cap of some units of that resource."""
        return self.amount(self.unit_of(resource) * self.draw.pick(MULTIPLES))


def world_of(draw: Draw, profile: Profile, size: int, shape: Shape = SMALL) -> tuple[World, Json]:
    """A new world and the cluster that a case begins with."""
    features = frozenset(
        feature
        for feature in sorted(profile.features)
        if draw.chance(SHARE_OF_FEATURE.get(feature, 0.0))
    )
    largest = _within_the_spec(profile.largest)
    world = World(draw=draw, features=features, largest=largest, shape=shape)
    world.is_alike = draw.chance(SHARE_OF_ALIKE)
    _declare(world)
    hosts = _hosts(world, size)
    if "limits" in features:
        world.limits = _distinct(limit_of(world) for _ in range(1 + draw.small(3)))
    return world, _cluster(world, hosts)


def _hosts(world: World, size: int) -> list[Json]:
    """The hosts that are there at the beginning; names are left for two more."""
    draw, is_wide = world.draw, world.shape is WIDE
    most = min(MOST_WIDE if is_wide else min(2 + size, 6), world.largest.hosts)
    # Many hosts have numbers, as in the field: in the order of letters n10 goes before n9.
    names = [f"n{number}" for number in range(most + 2)] if is_wide else HOST_NAMES[: most + 2]
    world.names_left = draw.shuffled(names) if draw.chance(0.5) else list(names)
    same = draw.pick(world.shape.slots) if draw.chance(world.shape.same) else None
    if is_wide:
        # Drawn as a square of a square: a decision over forty hosts takes the model longest.
        count = LEAST_WIDE + draw.small(draw.small(most - LEAST_WIDE))
    else:
        count = 0 if draw.chance(0.02) else draw.between(1, most)
    return [host_of(world, same) for _ in range(count)]


def _within_the_spec(largest: Largest) -> Largest:
    """Of an implementation that takes more than the spec knows, no more is asked."""
    return replace(
        largest,
        tasks=min(largest.tasks, LARGEST_TASKS),
        amount=min(largest.amount, LARGEST_AMOUNT),
    )


def _declare(world: World) -> None:
    """Which resources the cluster has, and the unit of each."""
    draw = world.draw
    units = [unit for unit in UNITS if unit <= world.largest.amount] or [1]
    if "text" in world.features and world.largest.amount >= LARGE_UNIT:
        units += [LARGE_UNIT, LARGE_UNIT]
    if "rusage" in world.features:
        for name in ("mem", "disk")[: 1 + draw.small(1)]:
            world.amounts[name] = draw.pick(units)
        if "shared" in world.features:
            for name in ("lic", "net")[: 1 + draw.small(1)]:
                world.pools[name] = draw.pick(units)
    if "select" in world.features:
        world.attributes = dict(list(ATTRIBUTES.items())[draw.below(2) :])


def _cluster(world: World, hosts: list[Json]) -> Json:
    resources: Json = {}
    if world.amounts:
        resources["host"] = list(world.amounts)
    if world.pools:
        resources["shared"] = list(world.pools)
    if world.attributes:
        resources["attributes"] = dict(world.attributes)
    cluster: Json = {"resources": resources, "hosts": hosts}
    if world.pools:
        left_out = world.draw.chance(0.05)
        cluster["pools"] = {} if left_out else {pool: world.some_of(pool) for pool in world.pools}
    if world.limits:
        cluster["limits"] = list(world.limits)
    return cluster


def host_of(world: World, slots: int | None = None) -> Json:
    """A host that is not there yet."""
    draw, name = world.draw, world.names_left.pop(0)
    world.slots[name] = slots_of(world) if slots is None else min(slots, world.largest.amount)
    capacity = {"slots": world.slots[name]} if world.slots[name] or draw.chance(0.5) else {}
    for resource, unit in world.amounts.items():
        if draw.chance(world.shape.amounts):
            is_enough = draw.chance(world.shape.enough)
            enough = world.slots[name] if is_enough else draw.pick(MULTIPLES)
            capacity[resource] = world.amount(unit * enough)
    made: Json = {"name": name, "capacity": capacity}
    if world.attributes:
        made["attributes"] = {
            name: attribute_value(world, kind)
            for name, kind in world.attributes.items()
            if draw.chance(0.75)
        }
    if draw.chance(world.shape.closed):
        made["open"] = False
    return made


def slots_of(world: World) -> int:
    """Slots of a host; in one of fifty of a small cluster more than any task count."""
    is_large = world.shape is SMALL and world.draw.chance(0.02)
    drawn = 2**21 if is_large else world.draw.pick(world.shape.slots)
    return min(drawn, world.largest.amount)


def attribute_value(world: World, kind: str) -> int | str:
    """A value of an attribute of that type; few, so that comparisons meet equal ones."""
    values: Sequence[int | str] = world.within(NUMBERS) if kind == "number" else world.texts
    return world.draw.pick(values)


def limit_of(world: World) -> Json:
    """A limit, on slots or an amount; few holders, so that it applies."""
    draw = world.draw
    kind = draw.pick(("user", "user", "queue", "project"))
    resource = draw.pick(("slots", "slots", *world.amounts, *world.pools))
    per_host = resource not in world.pools and draw.chance(0.4)
    who: Json = {"each": True} if draw.chance(0.4) else {"name": draw.pick(world.holders[kind])}
    scope = "host" if per_host else "cluster"
    return {
        "kind": kind,
        **who,
        "scope": scope,
        "resource": resource,
        "cap": cap_of(world, resource),
    }


def cap_of(world: World, resource: str) -> int:
    """A cap: a few slots, in a wide cluster up to all, or a few units."""
    if resource == "slots":
        most = 5 if world.shape is SMALL else sum(world.slots.values())
        return min(world.draw.below(1 + most), world.largest.amount)
    return world.some_of(resource)


def without_cap(limit: Json) -> Json:
    """What makes it the same limit."""
    return {name: value for name, value in limit.items() if name != "cap"}


def _distinct(limits: Iterable[Json]) -> list[Json]:
    kept: list[Json] = []
    for limit in limits:
        if all(without_cap(limit) != without_cap(other) for other in kept):
            kept.append(limit)
    return kept
