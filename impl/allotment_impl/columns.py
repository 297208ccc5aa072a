"""Columns: what is free on every host of one resource, or of one limit, as exact integers.

The ledger is the truth, one account at a time. A column is its copy as an array, so that all
hosts can be computed at once; it reads again only those that were touched since it last looked.
Amounts fit 64 bits with room to spare (AMOUNT-1), and nothing here multiplies them.
"""

from array import array
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from allotment_impl.accounts import TouchedHosts
from allotment_impl.ledger import Ledger
from allotment_impl.limits import LimitBook

Integers = NDArray[np.int64]
"""Exact integers, one for each host in cluster order."""


class Column:
    """What is free on each host, never negative (SESSION-5).

    ``cells`` is the memory of ``values``, quicker to read and write one by one; it has one cell
    more, because numpy sees no memory in an empty cluster.
    """

    __slots__ = ("_seen", "_touched", "cells", "values")

    def __init__(self, hosts: int, touched: TouchedHosts) -> None:
        self._touched = touched
        self._seen = -1
        self.cells = array("q", [0]) * (hosts + 1)
        self.values: Integers = np.frombuffer(self.cells, np.int64)[:hosts]

    def refresh(self) -> None:
        """Read again what was touched since the last time."""
        touched = self._touched
        unread = self._seen - touched.base
        if unread < 0:
            self._read_all()
        elif unread < len(touched.places):
            self._read(touched.places[unread:])
        self._seen = touched.base + len(touched.places)

    def _read_all(self) -> None:
        raise NotImplementedError

    def _read(self, places: Iterable[int]) -> None:
        raise NotImplementedError


class AmountColumn(Column):
    """What is free of one host amount."""

    __slots__ = ("_accounts",)

    def __init__(self, ledger: Ledger, resource: int) -> None:
        super().__init__(len(ledger.hosts), ledger.touched)
        self._accounts = [host.accounts[resource] for host in ledger.hosts]

    def _read_all(self) -> None:
        self.values[:] = [account.free for account in self._accounts]

    def _read(self, places: Iterable[int]) -> None:
        accounts, cells = self._accounts, self.cells
        for place in places:
            account = accounts[place]
            free = account.capacity - account.used
            cells[place] = free if free > 0 else 0


class LimitColumn(Column):
    """What one limit for each host leaves to one holder (LIMIT-2)."""

    __slots__ = ("_holder", "_limit")

    def __init__(self, ledger: Ledger, limit: LimitBook, holder: str) -> None:
        super().__init__(len(ledger.hosts), ledger.touched)
        self._limit = limit
        self._holder = holder

    def _read_all(self) -> None:
        cap, cells = self._limit.cap, self.cells
        self.values[:] = cap
        for place, account in self._limit.accounts.get(self._holder, {}).items():
            cells[place] = account.free

    def _read(self, places: Iterable[int]) -> None:
        cap, cells = self._limit.cap, self.cells
        accounts = self._limit.accounts.get(self._holder, {})
        for place in places:
            account = accounts.get(place)
            cells[place] = cap if account is None else account.free
