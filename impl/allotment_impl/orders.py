"""Host orders: which of the hosts with enough room are the first (HOST-1, HOST-9)."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from allotment_impl.indexes import Indexes
from allotment_impl.requests import HostOrder
from allotment_impl.rooms import TALL, RoomIndex

First: TypeAlias = Callable[[RoomIndex, int, int], list[int]]
"""The places of the first hosts of an index with at least so much room, at most so many."""


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
                slots = self._indexes.amount(0).values[places]
                places = places[np.argsort(-slots, kind="stable")]
            found += places.tolist()
            if len(found) >= count:
                break
        return found[:count]


def first_in(host_order: HostOrder, indexes: Indexes) -> First:
    """How the first hosts are found in the order that a profile names."""
    match host_order:
        case HostOrder.LISTED:
            return RoomIndex.first
        case HostOrder.MOST_FREE:
            return MostFreeOrder(indexes).first
