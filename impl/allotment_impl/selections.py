"""Which hosts pass a select, asked once for all hosts of equal attributes (SELECT-5).

Hosts of equal attributes are one *kind*. A kind keeps its number for as long as it is known, so
that what a select says of it outlives a change of other hosts; a host whose attributes change is
of another kind from then on.
"""

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from allotment_impl.selectors import Attributes, Selector

SELECTION_BYTES = 64 * 2**20
"""What all selections together may take: six thousand of them where ten thousand hosts are all
unlike each other, which is more than there are indexes for."""

SELECTION_OVERHEAD = 512
"""What a selection takes besides one byte a kind."""

SELECTIONS_LEAST = 16
"""How many selections are kept on the largest cluster: enough for the requests of one session."""

KINDS_LEAST = 1024
"""How many kinds are always kept. Past it, when most of them have no host, all begin anew."""

Verdicts: TypeAlias = NDArray[np.uint8]
"""What a select says of each kind, by its number: 1 or 0."""

_UNKNOWN, _FAILS, _PASSES = 2, 0, 1


class Selection:
    """What one select says of each kind, evaluated when it is first asked for."""

    __slots__ = ("_examples", "_known", "_selector")

    def __init__(self, selector: Selector, examples: Sequence[Attributes]) -> None:
        self._selector = selector
        self._examples = examples
        self._known = bytearray()

    def passes(self, kind: int) -> bool:
        """Whether the hosts of a kind pass."""
        known = self._known
        if kind >= len(known):
            known.extend([_UNKNOWN] * (len(self._examples) - len(known)))
        verdict = known[kind]
        if verdict == _UNKNOWN:
            verdict = _PASSES if self._selector.passes(self._examples[kind]) else _FAILS
            known[kind] = verdict
        return verdict == _PASSES

    def by_kind(self) -> Verdicts:
        """The verdicts on all kinds."""
        known, kinds = self._known, len(self._examples)
        if len(known) < kinds or _UNKNOWN in known:
            for kind in range(kinds):
                self.passes(kind)
        return np.frombuffer(bytes(known), np.uint8)


class Selections:
    """The kinds of the hosts of one ledger, and what the selects in use say of them.

    The selection that was not asked for the longest time goes first, past ``SELECTION_BYTES``.
    """

    __slots__ = ("_examples", "_kept", "_numbers")

    def __init__(self) -> None:
        self._numbers: dict[frozenset[tuple[str, int | str]], int] = {}
        self._examples: list[Attributes] = []
        self._kept: OrderedDict[Selector, Selection] = OrderedDict()

    def __len__(self) -> int:
        """How many selections are kept."""
        return len(self._kept)

    def kind_of(self, attributes: Mapping[str, int | str]) -> int:
        """The number of the kind of host that has these attributes."""
        content = frozenset(attributes.items())
        kind = self._numbers.setdefault(content, len(self._numbers))
        if kind == len(self._examples):
            self._examples.append(attributes)
            self._trim()
        return kind

    def is_stale(self, hosts: int) -> bool:
        """Whether most kinds have no host any more, so that they are to be numbered anew."""
        return len(self._examples) > max(KINDS_LEAST, 2 * hosts)

    def of(self, selector: Selector) -> Selection:
        """What a select says of the kinds."""
        selection = self._kept.get(selector)
        if selection is not None:
            self._kept.move_to_end(selector)
            return selection
        selection = self._kept[selector] = Selection(selector, self._examples)
        self._trim()
        return selection

    def _trim(self) -> None:
        """Keep within the bound, with a new selection or a new kind."""
        size = SELECTION_OVERHEAD + len(self._examples)
        most = max(SELECTIONS_LEAST, SELECTION_BYTES // size)
        while len(self._kept) > most:
            self._kept.popitem(last=False)
