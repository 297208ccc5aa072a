"""How many tasks of one kind fit on each host, kept up to date, counted and searched.

A host's *room* is kept as one byte, exact below ``TALL``; ``TALL`` stands for that much or more.
So a request of fewer tasks never meets an inexact room, and for a larger one the tall hosts, of
which a busy cluster has few, are computed in full. Bytes are what makes this fast: ten thousand
hosts are compared in a microsecond, and the next host with a given room is found by ``find``.

After a debit the touched hosts are repaired one by one; when they are many, all hosts are computed
at once instead. Which of the two happens is a matter of time, never of the answer.
"""

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allotment_impl.accounts import TouchedHosts
from allotment_impl.columns import Column, Integers
from allotment_impl.refusals import TASKS_LARGEST

TALL = 255
"""The largest room that a byte holds: this much, or more."""

REPAIRS_LEAST = 24
"""How many touched hosts are repaired one by one on any cluster: a pass over a small one."""

HOSTS_PER_REPAIR = 64
"""One repair takes as long as this many hosts of a pass over all."""

WINDOW = 1024
"""How many hosts are searched at once: a page of bytes, in which most searches end."""

Bytes = NDArray[np.uint8]
"""One small integer for each host in cluster order."""


class Fit(NamedTuple):
    """What of one column a task and a claim take (WANT-1)."""

    column: Column
    per_task: int
    per_host: int


def exact_rooms(free: Sequence[tuple[Integers, int, int]]) -> Integers:
    """How many tasks fit, from what is free, per task and per host; at most 2^20 (WANT-4)."""
    rooms = np.full(len(free[0][0]), TASKS_LARGEST, np.int64)
    for amounts, per_task, per_host in free:
        left = amounts - per_host if per_host else amounts
        if per_task == 0:
            rooms[left < 0] = 0
        else:
            np.minimum(rooms, left if per_task == 1 else left // per_task, out=rooms)
    return np.maximum(rooms, 0, out=rooms)


class RoomIndex:
    """The rooms of all hosts for one signature: a select, wants, and the limits for each host."""

    __slots__ = (
        "_at_least",
        "_fits",
        "_patience",
        "_seen",
        "_tall",
        "_touched",
        "bytes",
        "histogram",
        "passing",
        "rooms",
        "top",
    )

    def __init__(self, fits: Sequence[Fit], passing: Bytes, touched: TouchedHosts) -> None:
        hosts = len(passing)
        self._fits = tuple(fits)
        self._touched = touched
        self._seen = -1
        self._patience = REPAIRS_LEAST + hosts // HOSTS_PER_REPAIR
        self._at_least: list[int] | None = None
        self._tall: list[int] | None = None
        self.passing = passing
        # One byte more than hosts, because numpy sees no memory in an empty cluster.
        self.bytes = bytearray(hosts + 1)
        self.rooms: Bytes = np.frombuffer(self.bytes, np.uint8)[:hosts]
        self.histogram = [0] * (TALL + 1)
        self.top = 0

    def refresh(self) -> None:
        """Bring every room up to date with the ledger."""
        touched = self._touched
        places = touched.places
        unread = self._seen - touched.base
        if unread == len(places):
            return
        for fit in self._fits:
            fit.column.refresh()
        if unread < 0 or len(places) - unread > self._patience:
            self._compute_all()
        else:
            self._repair(set(places[unread:]))
        self._seen = touched.end
        self._at_least = self._tall = None

    def _repair(self, places: set[int]) -> None:
        rooms, histogram, passing = self.bytes, self.histogram, self.passing
        for place in places:
            if not passing[place]:
                continue
            room = TALL
            for column, per_task, per_host in self._fits:
                left = column.cells[place] - per_host
                if left < 0:
                    room = 0
                    break
                if per_task and (fitting := left // per_task) < room:
                    room = fitting
            before = rooms[place]
            if room != before:
                rooms[place] = room
                histogram[before] -= 1
                histogram[room] += 1
                if room > self.top:
                    self.top = room

    def _compute_all(self) -> None:
        exact = exact_rooms([(fit.column.values, *fit[1:]) for fit in self._fits])
        np.minimum(exact, TALL, out=exact)
        self.rooms[:] = exact
        self.rooms *= self.passing
        # Hosts without room are most of a full cluster, and are counted by what is left.
        some = self.rooms[self.rooms > 0]
        self.histogram = np.bincount(some, minlength=TALL + 1).tolist()
        self.histogram[0] = len(self.rooms) - len(some)
        self.top = int(some.max(initial=0))

    def tallest(self) -> int:
        """The largest room that a byte tells: ``TALL`` is that much or more; 0 for no hosts."""
        histogram, top = self.histogram, self.top
        while top and not histogram[top]:
            top -= 1
        self.top = top
        return top

    def at_least(self) -> list[int]:
        """At place r, for r up to ``tallest()``: how many hosts have a room of r or more."""
        if self._at_least is None:
            counts = list(accumulate(self.histogram[self.tallest() :: -1]))
            counts.reverse()
            self._at_least = counts
        return self._at_least

    def tall(self) -> list[int]:
        """The exact rooms of all hosts of ``TALL`` or more, ascending."""
        if self._tall is None:
            self._tall = sorted(self.exact((self.rooms == TALL).nonzero()[0]).tolist())
        return self._tall

    def hosts_with(self, room: int) -> int:
        """How many hosts have at least so much room, however much, up to the largest."""
        if room <= TALL:
            return self.at_least()[room]
        tall = self.tall()
        return len(tall) - bisect_left(tall, room)

    def exact(self, places: NDArray[np.intp]) -> Integers:
        """The exact rooms of some hosts, whatever the select says."""
        return exact_rooms([(fit.column.values[places], *fit[1:]) for fit in self._fits])

    def first(self, room: int, count: int) -> list[int]:
        """The first hosts in cluster order that have at least so much room, at most ``count``."""
        found: list[int] = []
        for start in range(0, len(self.rooms), WINDOW):
            window = self.rooms[start : start + WINDOW]
            places = (window >= min(room, TALL)).nonzero()[0] + start
            found += self.having(room, places).tolist()
            if len(found) >= count:
                break
        return found[:count]

    def having(self, room: int, places: NDArray[np.intp]) -> NDArray[np.intp]:
        """Those of some hosts that have at least so much room, where a byte does not tell."""
        return places[self.exact(places) >= room] if room > TALL and len(places) else places
