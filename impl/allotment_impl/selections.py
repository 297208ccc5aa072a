"""Which hosts pass a select, evaluated once for all hosts of equal attributes (SELECT-5)."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allotment_impl.accounts import HostBook
from allotment_impl.ledger import Ledger
from allotment_impl.rooms import Bytes
from allotment_impl.selectors import Selector

SELECTIONS_KEPT = 512
"""How many selects keep their bytes: one for each host, five megabytes on ten thousand."""


class Selection(NamedTuple):
    """What a select says of each kind of host, and of each host that is open: 1 or 0.

    It is empty if no host passes, open or closed (WHY-1).
    """

    by_kind: Bytes
    candidates: Bytes
    is_empty: bool


class Selections:
    """The selections of one configuration; hosts of equal attributes are one *kind*."""

    __slots__ = ("_examples", "_known", "_open", "kinds")

    def __init__(self, ledger: Ledger) -> None:
        numbers: dict[frozenset[tuple[str, int | str]], int] = {}
        self._examples: list[HostBook] = []
        kinds = []
        for host in ledger.hosts:
            content = frozenset(host.attributes.items())
            kind = numbers.setdefault(content, len(numbers))
            if kind == len(self._examples):
                self._examples.append(host)
            kinds.append(kind)
        self.kinds: NDArray[np.intp] = np.array(kinds, np.intp)
        self._open: Bytes = np.array([host.open for host in ledger.hosts], np.uint8)
        self._known: dict[Selector | None, Selection] = {}

    def of(self, selector: Selector | None) -> Selection:
        """The hosts that pass; no select selects all."""
        selection = self._known.get(selector)
        if selection is None:
            if len(self._known) >= SELECTIONS_KEPT:
                del self._known[next(iter(self._known))]
            selection = self._known[selector] = self._evaluate(selector)
        return selection

    def _evaluate(self, selector: Selector | None) -> Selection:
        if selector is None:
            everything = np.ones(len(self._examples), np.uint8)
            return Selection(everything, self._open, not self._examples)
        passing = [selector.passes(host.index, host.attributes) for host in self._examples]
        by_kind: Bytes = np.array(passing, np.uint8)
        return Selection(by_kind, by_kind[self.kinds] * self._open, not any(passing))
