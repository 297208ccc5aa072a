"""Requests: primaries, compounds, alternatives, and the counts that have to agree.

What was asked before is asked again often, as it was or with one field changed, bare or inside
another request: only then do keys meet in the cache.
"""

from dataclasses import dataclass, field

from allotment_conformance.engines.bulk.selects import rewritten, select_of
from allotment_conformance.engines.bulk.shapes import LEAST_WIDE, WIDE
from allotment_conformance.engines.bulk.world import OFF_BY, World
from allotment_conformance.engines.notation import counts
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.request_texts import STYLES, worded

LARGE_COUNTS = (64, 1000, 2**16, 2**20)
SHARE_OF_TEXTS = 0.8  # so that a text meets the same request as a tree in the cache
SHARE_OF_WIDE = 0.8  # of the requests to a wide cluster; the others are as small as elsewhere
PRIORITIES = (
    *(-1, -1, -1, -1, -1, -1, -129, -(2**31) - 1),
    *(0, 0, 0, 0, 0, 0, 256, 2**32),
    *(1, 1, 1, 1, 1, 1, 2**24, 2**31),
    *(2, 2, 2, 2, 2, 2, 2**24 + 1, 2**53 - 1),
)
"""Ties and near ones are the rule; a quarter lies beyond a byte, 32 bits or a float of 32 bits."""
WANTED_UNITS = (0, 1, 1, 1, 1, 1, 1, 1, 2, 2)


@dataclass(slots=True)
class Asker:
    """Makes jobs for one world, and remembers what it has asked."""

    world: World
    primaries: dict[int, list[Json]] = field(default_factory=dict)
    requests: list[Json] = field(default_factory=list)

    def job(self, name: str) -> Json:
        """A job that will be accepted, if the name is free."""
        draw = self.world.draw
        made: Json = {"name": name}
        for kind, names in self.world.holders.items():
            made[kind] = draw.pick(names)
        if "priorities" in self.world.features and draw.chance(0.5):
            made["priority"] = draw.pick(self.world.within(PRIORITIES))
        if self.requests and draw.chance(0.35):
            made |= draw.pick(self.requests)
            if draw.chance(0.35):
                made |= self._with_one_field_changed(made)
        else:
            asked = self._request()
            self.requests.append(asked)
            made |= asked
        if "text" in self.world.features and draw.chance(SHARE_OF_TEXTS):
            made = worded(made, draw.below(STYLES))
        return made

    def _request(self) -> Json:
        """What is asked: `request`, and `tasks` where the job has counts of its own."""
        draw, features = self.world.draw, self.world.features
        most = self._tasks()
        alternatives = 2 + draw.small(1) if "alter" in features and draw.chance(0.5) else 1
        shapes = [self._shape(most) for _ in range(alternatives)]
        least = most
        if draw.chance(0.2):
            least = draw.between(max(map(len, shapes)), most)
        request = [
            self._compound(shape, least, demanding=index < alternatives - 1)
            for index, shape in enumerate(shapes)
        ]
        if not draw.chance(0.25):
            return {"request": request}
        for index, compound in enumerate(request):
            if len(compound) == 1 and draw.chance(0.6):
                bare = {name: value for name, value in compound[0].items() if name != "tasks"}
                request[index] = [bare]
        return {"request": request, "tasks": counts(least, most)}

    def _tasks(self) -> int:
        """A count: mostly few, often just what some hosts have, or one off."""
        draw, slots = self.world.draw, self.world.slots
        if self.world.shape is WIDE and draw.chance(SHARE_OF_WIDE):
            return min(self._on_many_hosts(), self.world.largest.tasks)
        kind = draw.below(100)
        if kind < 30:
            most = 1
        elif kind < 60:
            most = 2 + draw.below(3)
        elif kind < 86:
            most = self._just_fitting() + draw.pick((-1, -1, 0, 0, 0, 0, 1))
        elif kind < 98:
            most = 1 + draw.below(2 * len(slots) + 4)
        else:
            most = draw.pick(LARGE_COUNTS)
        return min(max(1, most), self.world.largest.tasks)

    def _on_many_hosts(self) -> int:
        """What many hosts hold together, in buckets that are seldom equal."""
        draw, slots = self.world.draw, list(self.world.slots.values())
        bucket = draw.pick(slots)
        having = sum(one >= bucket for one in slots)
        hosts = draw.between(min(having, LEAST_WIDE), having)
        return max(1, bucket * hosts - draw.below(hosts))

    def _just_fitting(self) -> int:
        """What some hosts hold together, in equal buckets or filled to the brim."""
        draw = self.world.draw
        sizes = [slots for slots in self.world.slots.values() if 0 < slots < 99]
        if not sizes:
            return 1
        if draw.chance(0.3):
            return sum(slots for slots in sizes if draw.chance(0.6))
        bucket = draw.pick(sizes)
        return bucket * draw.between(1, sum(slots >= bucket for slots in sizes))

    def _shape(self, most: int) -> list[int]:
        """How the tasks of an alternative are shared out among its parts."""
        draw = self.world.draw
        if most == 1 or "compound" not in self.world.features or draw.chance(0.5):
            return [most]
        first = draw.between(1, most - 1)
        second = most - first
        if second > 1 and draw.chance(0.25):
            middle = draw.between(1, second - 1)
            return [first, middle, second - middle]
        return [first, second]

    def _compound(self, shape: list[int], least: int, *, demanding: bool) -> list[Json]:
        """Parts of these sizes whose minima sum to `least`."""
        spare = least - len(shape)
        parts = []
        for index, most in enumerate(shape):
            above = min(spare, most - 1)
            spare -= above
            asked = self._primary(most, demanding=demanding and index == len(shape) - 1)
            parts.append({"tasks": counts(1 + above, most), **asked})
        return parts

    def _primary(self, most: int, *, demanding: bool) -> Json:
        """All of a primary but its counts; what was asked before for as many tasks comes often."""
        draw, known = self.world.draw, self.primaries.setdefault(most, [])
        if known and draw.chance(0.4):
            return draw.pick(known)
        asked: Json = {}
        if "select" in self.world.features and draw.chance(0.4):
            asked["select"] = select_of(self.world)
        if "rusage" in self.world.features and draw.chance(0.8):
            asked["rusage"] = self._rusage(most, demanding=demanding)
        if span := self._span(most, demanding=demanding):
            asked["span"] = span
        known.append(asked)
        return asked

    def _rusage(self, most: int, *, demanding: bool) -> list[Json]:
        """One to three entries, whose sums times the tasks stay in range (AMOUNT-2)."""
        draw, world = self.world.draw, self.world
        resources = [*world.amounts, *world.pools]
        number = 1 + draw.small(2)
        largest = world.largest.amount // (number * most)
        entries = []
        for _ in range(number):
            resource = draw.pick(resources)
            units = draw.pick(WANTED_UNITS) * (1 + demanding * draw.below(3))
            drawn = units * world.unit_of(resource) + draw.pick(OFF_BY)
            amount = min(max(0, drawn), largest)
            entry: Json = {"resource": resource, "amount": amount}
            if draw.chance(0.8):
                entry["per"] = draw.pick(("task", "job" if resource in world.pools else "host"))
            entries.append(entry)
        return entries

    def _span(self, most: int, *, demanding: bool) -> Json:
        """Bounds around the count; few buckets at large counts, which nobody can wait for."""
        draw, span = self.world.draw, {}
        share = 0.6 if demanding else 0.3
        if "span" in self.world.features and draw.chance(share):
            bound = draw.pick(("hosts_min", "hosts_max", "hosts_max", "tasks_per_host"))
            few = most // 8 if bound == "tasks_per_host" and most >= 64 else 1
            span[bound] = draw.between(few, few + min(most, 6))
            if draw.chance(0.35):
                span[draw.pick(("hosts_min", "hosts_max"))] = draw.between(1, 3)
        if "ptile" in self.world.features and draw.chance(share):
            span["ptile"] = draw.between(1 + most // 64, min(most, 6) + 1 + most // 64)
        return dict(span)

    def _with_one_field_changed(self, asked: Json) -> Json:
        """The same request with another span, select, rusage or minimum in its last primary."""
        draw, world = self.world.draw, self.world
        *others, last = asked["request"]
        *parts, primary = last
        most = (primary.get("tasks") or asked["tasks"])["max"]
        field_changed = draw.pick(("span", "select", "rusage", "tasks"))
        changed = dict(primary)
        if field_changed == "select" and world.attributes:
            known = primary.get("select") if draw.chance(0.5) else None
            changed["select"] = rewritten(world, known) if known else select_of(world)
        elif field_changed == "rusage" and world.amounts:
            changed["rusage"] = self._rusage(most, demanding=False)
        elif field_changed == "tasks" and not (others or parts or "tasks" in asked):
            least = primary["tasks"]["min"]
            changed["tasks"] = draw.pick(
                (
                    counts(draw.between(1, most), most),
                    counts(least, draw.between(least, min(most + 1, world.largest.tasks))),
                )
            )
        elif span := self._span(most, demanding=True):
            changed["span"] = span
        return {"request": [*others, [*parts, changed]]}
