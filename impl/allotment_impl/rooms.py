"""How many tasks of one kind fit on each host, kept up to date, counted and searched.

A host's *room* is kept as one byte, exact below ``TALL``; ``TALL`` stands for that much or more.
So a request of fewer tasks never meets an inexact room, and for a larger one the tall hosts, of
which a busy cluster has few, are computed in full. Bytes are what makes this fast: ten thousand
hosts are compared in a microsecond, and the next host with a given room is found by ``find``.

After a debit the touched hosts are repaired one by one; when they are many, all hosts are computed
at once instead. Which of the two happens is a matter of time, never of the answer.
"""

import sys
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allotment_impl.accounts import TouchedHosts
from allotment_impl.columns import Column, Integers, LimitColumn
from allotment_impl.refusals import TASKS_LARGEST

TALL = 255
"""The largest room that a byte holds: this much, or more."""

ROOM_LARGEST = np.array(TASKS_LARGEST)
"""More tasks than this are asked of no host."""

_TALL, _NONE = np.array(TALL), np.array(0)

REPAIRS_LEAST = 8
"""How many touched hosts are repaired one by one on any cluster: a pass over a small one."""

HOSTS_PER_REPAIR = 64
"""One repair takes as long as this many hosts of a pass over all."""

FINDS_MOST = 48
"""How many single finds are cheaper than a pass of numpy over a window."""

MAPPED_MOST = 2048
"""Up to so many hosts it is quicker to map all rooms at once than to look for each by itself."""

ROOMY = [bytes(room) + b"\x01" * (TALL + 1 - room) for room in range(TALL + 1)]
"""For each room a table that maps the bytes that tell as much to 1, and the others to 0."""

WINDOW = 4096
"""How many hosts are compared at once: a page of bytes, in which most searches end."""

Bytes = NDArray[np.uint8]
"""One small integer for each host in cluster order."""


class Fit(NamedTuple):
    """What of one column a task and a claim take (WANT-1)."""

    column: Column
    per_task: int
    per_host: int


def exact_rooms(free: Sequence[tuple[Integers, Integers, int]], largest: Integers) -> Integers:
    """How many tasks fit, from what is left, per task and per host; ``largest`` if more (WANT-4).

    The slots stand first, one for each task. ``largest`` and what a task takes are arrays of no
    dimensions, which numpy takes without the inspection that it gives an integer.
    """
    slots, *others = free
    rooms = np.minimum(slots[0], largest)
    for amounts, per_task, per_host in others:
        left = amounts - per_host if per_host else amounts
        if per_task:
            np.minimum(rooms, left // per_task, out=rooms)
        else:
            rooms[left < 0] = 0
    # Where less than nothing is left, there is no room.
    np.maximum(rooms, _NONE, out=rooms)
    return rooms


class RoomIndex:
    """The rooms of all hosts for one signature: a select, wants, and the limits for each host.

    ``candidates`` has for each host 1 if it is open and passes the select, and else 0.
    """

    __slots__ = (
        "_at_least",
        "_free",
        "_others",
        "_passing",
        "_patience",
        "_seen",
        "_slots",
        "_tall",
        "_touched",
        "bytes",
        "candidates",
        "histogram",
        "limits",
        "rooms",
        "top",
    )

    def __init__(self, fits: Sequence[Fit], candidates: bytes, touched: TouchedHosts) -> None:
        hosts = len(candidates)
        columns = [fit.column for fit in fits]
        self.limits = [column for column in columns if isinstance(column, LimitColumn)]
        self._touched = touched
        self._seen = -1
        self._patience = REPAIRS_LEAST + hosts // HOSTS_PER_REPAIR
        self._at_least: list[int] | None = None
        self._tall: list[int] | None = None
        self._passing = np.frombuffer(candidates, np.uint8) if 0 in candidates else None
        self._free = [(fit.column.values, np.array(fit.per_task), fit.per_host) for fit in fits]
        # The same again as plain bytes and arrays, which are quicker to read one by one.
        self.candidates = candidates
        self._slots, *others = [column.cells for column in columns]
        wants = [(fit.per_task, fit.per_host) for fit in fits[1:]]
        self._others = [(cells, *want) for cells, want in zip(others, wants, strict=True)]
        # One byte more than hosts, because numpy sees no memory in an empty cluster.
        self.bytes = bytearray(hosts + 1)
        self.rooms: Bytes = np.frombuffer(self.bytes, np.uint8)[:hosts]
        # How many hosts have each room, as far as ``top``, above which there is none.
        self.histogram = [0]
        self.top = 0

    def refresh(self) -> None:
        """Bring every room up to date with the ledger."""
        touched = self._touched
        places = touched.places
        unread = self._seen - touched.base
        if unread == len(places):
            return
        for limit in self.limits:
            limit.refresh()
        if unread < 0 or len(places) - unread > self._patience:
            self._compute_all()
        else:
            self._repair(set(places[unread:]))
        self._seen = touched.base + len(places)
        self._at_least = self._tall = None

    def _repair(self, places: set[int]) -> None:
        rooms, histogram, candidates = self.bytes, self.histogram, self.candidates
        slots, others = self._slots, self._others
        for place in places:
            if not candidates[place]:
                continue
            room = min(slots[place], TALL)
            if room > 0:
                for cells, per_task, per_host in others:
                    left = cells[place] - per_host
                    if left < per_task or left < 0:
                        room = 0
                        break
                    if per_task and (fitting := left // per_task) < room:
                        room = fitting
            else:
                room = 0
            before = rooms[place]
            if room != before:
                rooms[place] = room
                histogram[before] -= 1
                if room > self.top:
                    histogram += [0] * (room + 1 - len(histogram))
                    self.top = room
                histogram[room] += 1

    def _compute_all(self) -> None:
        rooms = self.rooms
        rooms[:] = exact_rooms(self._free, _TALL)
        if self._passing is not None:
            rooms *= self._passing
        # Hosts without room are most of a full cluster; a pass that leaves them out is worth it.
        some = rooms if len(rooms) < WINDOW else rooms[rooms > 0]
        counts = np.bincount(some, minlength=1).tolist()
        counts[0] += len(rooms) - len(some)
        self.histogram = counts
        self.top = len(counts) - 1

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
        free = [(values[places], task, host) for values, task, host in self._free]
        return exact_rooms(free, ROOM_LARGEST)

    def first(self, room: int, count: int) -> list[int]:
        """The first hosts in cluster order that have at least so much room, at most ``count``."""
        if room > TALL or count > FINDS_MOST:
            return self._compare(room, count)
        if len(self.rooms) <= MAPPED_MOST:
            return _places(self.bytes.translate(ROOMY[room]), 1, count)
        histogram = self.histogram
        levels = [level for level in range(room, self.top + 1) if histogram[level]]
        if count * len(levels) > FINDS_MOST:
            return self._compare(room, count)
        return self._find(levels, count)

    def _find(self, levels: Iterable[int], count: int) -> list[int]:
        """The first hosts that have one of some rooms, a room at a time."""
        found: list[int] = []
        end = len(self.bytes)
        for level in levels:
            found += _places(self.bytes, level, count, end)
            if len(found) >= count:
                found.sort()
                del found[count:]
                end = found[-1]
        found.sort()
        return found

    def _compare(self, room: int, count: int) -> list[int]:
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


def _places(rooms: bytearray, room: int, count: int, end: int = sys.maxsize) -> list[int]:
    """The first places of a byte before an end, at most so many."""
    found: list[int] = []
    find, place = rooms.find, rooms.find(room, 0, end)
    while place >= 0:
        found.append(place)
        if len(found) == count:
            break
        place = find(room, place + 1, end)
    return found
