"""Whether a primary can ever be placed in the configuration of the session, by counting (WHY-2).

The empty cluster does not change within a configuration, and most of its hosts are alike. So for
each shape the rooms are computed once, for each kind of host, and a verdict is a count from then
on.
"""

from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

import numpy as np

from allotment_impl.columns import Integers
from allotment_impl.counting import fewest_hosts, hosts_within
from allotment_impl.demand import CacheKey, Demand, Shape
from allotment_impl.diagnosis import VERDICTS_KEPT, room_in
from allotment_impl.ledger import Ledger
from allotment_impl.refusals import TASKS_LARGEST
from allotment_impl.rooms import ROOM_LARGEST, exact_rooms

SHAPES_COUNTED = 4096
"""How many shapes keep their counts: a queue's worth, without growing for ever."""


class Census(NamedTuple):
    """The distinct rooms, ascending, and for each how many hosts have that much or more."""

    rooms: list[int]
    hosts: list[int]

    def at_least(self, room: int) -> int:
        """How many hosts have a room of so much or more, which some host has."""
        return self.hosts[bisect_left(self.rooms, room)]


class EmptyCluster:
    """The cluster with all hosts open and nothing in use; limits and pools as they are."""

    __slots__ = (
        "_capacities",
        "_censuses",
        "_hosts",
        "_kinds",
        "_ledger",
        "_verdicts",
    )

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._censuses: dict[Shape, Census] = {}
        self._verdicts: dict[CacheKey, bool] = {}
        numbers: dict[tuple[int, ...], int] = {}
        kinds = [host.kind for host in ledger.hosts]
        for content in zip(kinds, *ledger.amounts.capacities, strict=True):
            numbers[content] = numbers.get(content, 0) + 1
        self._hosts: Integers = np.array(list(numbers.values()), np.int64)
        width = 1 + len(ledger.vocabulary.host)
        columns = np.array(list(numbers), np.int64).reshape(len(numbers), width).T
        self._kinds, self._capacities = columns[:1], columns[1:]

    def has_no_place_for(self, demand: Demand) -> bool:
        """Whether a primary fails here, by itself."""
        verdict = self._verdicts.get(demand.key)
        if verdict is None:
            if len(self._verdicts) >= VERDICTS_KEPT:
                self._verdicts.clear()
            verdict = self._verdicts[demand.key] = self._judge(demand)
        return verdict

    def _judge(self, demand: Demand) -> bool:
        pools = self._ledger.pools
        if any(amount > pools[pool].capacity for pool, amount in demand.shared_wants):
            return True
        census = self._census(demand.shape)
        tallest = census.rooms[-1] if census.rooms else 0
        hosts_most = TASKS_LARGEST
        if self._ledger.limits:
            room_most, hosts_most = self._limited(demand)
            tallest = min(tallest, room_most)
        return not fewest_hosts(demand.tasks, demand.span, census.at_least, tallest, hosts_most)

    def _limited(self, demand: Demand) -> tuple[int, int]:
        """The largest room, and number of hosts, that the limits allow; 0 if they forbid all."""
        room_most = hosts_most = TASKS_LARGEST
        wants = {want.resource: want for want in demand.host_wants}
        shared = dict(demand.shared_wants)
        for limit in self._ledger.limits.values():
            if not limit.applies_to(demand.identity):
                continue
            if limit.shared:
                if shared.get(limit.resource, 0) > limit.cap:
                    return 0, 0
            elif (want := wants.get(limit.resource)) is None:
                continue
            elif limit.per_host:
                room_most = min(room_most, room_in(want, limit.cap))
            else:
                hosts_most = min(hosts_most, hosts_within(limit.cap, demand.tasks, want))
        return room_most, hosts_most

    def _census(self, shape: Shape) -> Census:
        census = self._censuses.get(shape)
        if census is None:
            if len(self._censuses) >= SHAPES_COUNTED:
                self._censuses.clear()
            census = self._censuses[shape] = self._count(shape)
        return census

    def _count(self, shape: Shape) -> Census:
        """The census of a shape: rooms by kind, their hosts added up from the largest down."""
        if not len(self._hosts):
            return Census([], [])
        free = [
            (self._capacities[want.resource], np.array(want.per_task), want.per_host)
            for want in shape.host_wants
        ]
        rooms, hosts_of = exact_rooms(free, ROOM_LARGEST), self._hosts
        if shape.selector is not None:
            by_kind = self._ledger.selections.of(shape.selector).by_kind()
            passing = by_kind[self._kinds[0]] > 0
            rooms, hosts_of = rooms[passing], hosts_of[passing]
        rooms, places = np.unique(rooms, return_inverse=True)
        counted = np.zeros(len(rooms), np.int64)
        np.add.at(counted, places, hosts_of)
        hosts = list(accumulate(counted[::-1].tolist()))
        return Census(rooms.tolist(), hosts[::-1])
