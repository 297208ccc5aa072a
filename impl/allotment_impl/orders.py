"""Host orders: which of the hosts with enough room are the first (HOST-1, HOST-9)."""

from typing import Protocol

import numpy as np

from allotment_impl.indexes import Indexes
from allotment_impl.requests import HostOrder
from allotment_impl.rooms import TALL, RoomIndex


class Order(Protocol):
    """Picks hosts in the order of the profile."""

    def first(self, index: RoomIndex, room: int, count: int) -> list[int]:
        """The places of the first hosts with at least so much room, at most ``count``."""
        ...


class ListedOrder:
    """Cluster order."""

    def first(self, index: RoomIndex, room: int, count: int) -> list[int]:
        """The first in cluster order."""
        return index.first(room, count)


class MostFreeOrder:
    """Most free slots first, ties in cluster order, by the ledger of this moment (HOST-9).

    Free slots are an index of their own, of what one slot a task and nothing else would leave
    room for. So hosts are taken from its highest level downwards, as far as they are needed.
    """

    def __init__(self, indexes: Indexes) -> None:
        self._indexes = indexes

    def first(self, index: RoomIndex, room: int, count: int) -> list[int]:
        """The first of those with room, level of free slots by level."""
        free = self._indexes.free_slots()
        free.refresh()
        roomy = index.rooms >= min(room, TALL)
        found: list[int] = []
        # No host has more room than free slots, so that lower levels have no candidates.
        for level in range(free.tallest(), min(room, TALL) - 1, -1):
            if not free.histogram[level]:
                continue
            places = ((free.rooms == level) & roomy).nonzero()[0]
            if level == TALL and len(places):
                places = index.having(room, places)
                slots = free.exact(places)
                places = places[np.argsort(-slots, kind="stable")]
            found += places.tolist()
            if len(found) >= count:
                break
        return found[:count]


def order_of(host_order: HostOrder, indexes: Indexes) -> Order:
    """The order that a profile names."""
    match host_order:
        case HostOrder.LISTED:
            return ListedOrder()
        case HostOrder.MOST_FREE:
            return MostFreeOrder(indexes)
