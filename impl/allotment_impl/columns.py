"""Columns: what is left on every host of one resource, or of one limit, as exact integers.

What is left of an amount is the ledger's own memory. What a limit leaves is a copy, which reads
again only those hosts that were touched since it last looked. Amounts fit 64 bits with room to
spare (AMOUNT-1), and nothing here multiplies them.
"""

from array import array
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray

from allotment_impl.accounts import Account
from allotment_impl.ledger import Ledger
from allotment_impl.limits import LimitBook

Integers = NDArray[np.int64]
"""Exact integers, one for each host in cluster order."""


class Column:
    """What is left on each host; below zero nothing is free (SESSION-5).

    ``values`` is the memory of ``cells``, which are quicker to read and write one by one; there is
    at least one cell more than hosts, because numpy sees no memory in an empty cluster.
    """

    __slots__ = ("cells", "values")

    def __init__(self, cells: "array[int]", hosts: int) -> None:
        self.cells = cells
        self.values: Integers = np.frombuffer(cells, np.int64)[:hosts]


class LimitColumn(Column):
    """What one limit for each host leaves to one holder (LIMIT-2).

    ``indexes`` is how many indexes read it: with the last of them it goes.
    """

    __slots__ = ("_holder", "_limit", "_seen", "_touched", "indexes")

    def __init__(self, ledger: Ledger, limit: LimitBook, holder: str) -> None:
        hosts = len(ledger.hosts)
        super().__init__(array("q", [0]) * (hosts + 1), hosts)
        self._limit = limit
        self._holder = holder
        self._touched = ledger.amounts.touched
        self._seen = -1
        self.indexes = 0

    @property
    def key(self) -> tuple[LimitBook, str]:
        """The limit and its holder."""
        return self._limit, self._holder

    def refresh(self) -> None:
        """Read again what was touched since the last time."""
        touched = self._touched
        unread = self._seen - touched.base
        accounts = self._limit.accounts.get(self._holder, {})
        # Most hosts are touched by others: a holder of few is read anew in less time.
        if unread < 0 or len(touched.places) - unread > len(accounts):
            self._read_all(accounts)
        else:
            self._read(accounts, touched.places[unread:])
        self._seen = touched.base + len(touched.places)

    def _read_all(self, accounts: Mapping[int, Account]) -> None:
        cap, cells = self._limit.cap, self.cells
        self.values[:] = cap
        for place, account in accounts.items():
            cells[place] = cap - account.used

    def _read(self, accounts: Mapping[int, Account], places: Iterable[int]) -> None:
        cap, cells = self._limit.cap, self.cells
        for place in places:
            account = accounts.get(place)
            cells[place] = cap if account is None else cap - account.used
