"""The indexes of one ledger: one for each signature that is in use, within a bound.

A signature is a shape, and the limits for each host that apply to an identity and to what the
shape wants. All users of a cluster without such limits share the index of a shape.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from allotment_impl.columns import Column, LimitColumn
from allotment_impl.counting import hosts_within
from allotment_impl.demand import Demand, HostWant, Shape
from allotment_impl.ledger import Ledger
from allotment_impl.limits import CLUSTER_WIDE, LimitBook
from allotment_impl.requests import Identity
from allotment_impl.rooms import Bytes, Fit, RoomIndex
from allotment_impl.selectors import Selector

INDEX_BYTES = 64 * 2**20
"""What all indexes together may take, with the columns of limits that they read. A thousand
signatures on ten thousand hosts are a fifth; a hundred holders of a limit are an eighth."""

INDEX_OVERHEAD = 4096
"""What an index takes besides its bytes for each host: its histogram, above all."""

LIMIT_COLUMN_BYTES = 8
"""What a host takes of the column of a limit; indexes of one holder share it."""

INDEXES_LEAST = 16
"""How many indexes are kept on the largest cluster: enough for the requests of one session."""

STANDINGS_KEPT = 4096
"""How many pairs of shape and identity keep their limits at hand; past it all begin anew."""

SELECTORS_ASKED = 4096
"""How many selects keep the answer whether any host passes; past it all begin anew."""


class Bound(NamedTuple):
    """A limit over the cluster that binds one holder, with what it counts of a shape."""

    limit: LimitBook
    holder: str
    want: HostWant

    def hosts_most(self, tasks: int) -> int:
        """How many hosts a primary may take before it wants more than is left (LIMIT-3)."""
        account = self.limit.accounts.get(self.holder, {}).get(CLUSTER_WIDE)
        used = 0 if account is None else account.used
        return hosts_within(self.limit.cap - used, tasks, self.want)


class Standing(NamedTuple):
    """A shape under the limits of one identity: those for each host, those over the cluster.

    ``signature`` is the key of its index; the index itself may have been evicted.
    """

    signature: object
    on_hosts: tuple[Bound, ...]
    over_cluster: tuple[Bound, ...]


class Indexes:
    """All that is kept about the hosts of a ledger, and forgotten when they change.

    The index that was not asked for the longest time goes first, when all together take more than
    ``INDEX_BYTES``; ``bytes`` is what they take, and ``evictions`` counts those that went.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.evictions = 0
        self.forget()

    def forget(self) -> None:
        """Begin anew, because the configuration changed."""
        hosts = self._ledger.hosts
        self._open: Bytes = np.array([host.open for host in hosts], np.uint8)
        self._kinds: NDArray[np.intp] = np.array([host.kind for host in hosts], np.intp)
        self._candidates = self._open.tobytes()
        self._passes_nowhere: dict[Selector, bool] = {}
        self._free_slots: RoomIndex | None = None
        self._amounts: dict[int, Column] = {}
        self._limits: dict[tuple[LimitBook, str], LimitColumn] = {}
        self._indexes: OrderedDict[object, RoomIndex] = OrderedDict()
        self._standings: dict[tuple[Shape, Identity], Standing] = {}
        self.bytes = 0

    def __len__(self) -> int:
        """How many indexes are kept."""
        return len(self._indexes)

    def passes_nowhere(self, selector: Selector | None) -> bool:
        """Whether no host passes a select, open or closed (WHY-1)."""
        if selector is None:
            return not len(self._kinds)
        nowhere = self._passes_nowhere.get(selector)
        if nowhere is None:
            if len(self._passes_nowhere) >= SELECTORS_ASKED:
                self._passes_nowhere.clear()
            passes = self._ledger.selections.of(selector).passes
            nowhere = not any(map(passes, np.unique(self._kinds).tolist()))
            self._passes_nowhere[selector] = nowhere
        return nowhere

    def _candidates_for(self, selector: Selector | None) -> bytes:
        """For each host 1 if it is open and passes; what all indexes without a select share."""
        if selector is None:
            return self._candidates
        by_kind = self._ledger.selections.of(selector).by_kind()
        return (by_kind[self._kinds] * self._open).tobytes()

    def amount(self, resource: int) -> Column:
        """What is left of a host amount, as the ledger has it."""
        column = self._amounts.get(resource)
        if column is None:
            left = self._ledger.amounts.left[resource]
            column = self._amounts[resource] = Column(left, len(self._ledger.hosts))
        return column

    def free_slots(self) -> RoomIndex:
        """The free slots of every host, open or closed, as rooms."""
        index = self._free_slots
        if index is None:
            everywhere = b"\x01" * len(self._ledger.hosts)
            index = RoomIndex([Fit(self.amount(0), 1, 0)], everywhere, self._ledger.amounts.touched)
            self._free_slots = index
        return index

    def bare(self, shape: Shape) -> RoomIndex:
        """The index of a shape as if there were no limits."""
        return self._index(shape, shape, ())

    def limited(self, demand: Demand) -> tuple[RoomIndex, tuple[Bound, ...]]:
        """The index of a primary, and the bounds on it, all limits considered (LIMIT-1)."""
        shape = demand.shape
        if not self._ledger.limits:
            return self._index(shape, shape, ()), ()
        standing = self._standing(shape, demand.identity)
        index = self._index(standing.signature, shape, standing.on_hosts)
        return index, standing.over_cluster

    def _standing(self, shape: Shape, identity: Identity) -> Standing:
        key = (shape, identity)
        standing = self._standings.get(key)
        if standing is None:
            if len(self._standings) >= STANDINGS_KEPT:
                self._standings.clear()
            standing = self._standings[key] = self._stand(*key)
        return standing

    def _stand(self, shape: Shape, identity: Identity) -> Standing:
        wants = {want.resource: want for want in shape.host_wants}
        bounds = [
            Bound(limit, identity.holder(limit.identity.kind), wants[limit.resource])
            for limit in self._ledger.limits.values()
            if not limit.shared and limit.resource in wants and limit.applies_to(identity)
        ]
        on_hosts = tuple([bound for bound in bounds if bound.limit.per_host])
        over_cluster = tuple([bound for bound in bounds if not bound.limit.per_host])
        signature = (shape, *[bound[:2] for bound in on_hosts]) if on_hosts else shape
        return Standing(signature, on_hosts, over_cluster)

    def _index(self, key: object, shape: Shape, on_hosts: Sequence[Bound]) -> RoomIndex:
        index = self._indexes.get(key)
        if index is None:
            fits = [Fit(self.amount(want.resource), *want[1:]) for want in shape.host_wants]
            fits += [Fit(self._limit(*bound[:2]), *bound.want[1:]) for bound in on_hosts]
            candidates = self._candidates_for(shape.selector)
            index = RoomIndex(fits, candidates, self._ledger.amounts.touched)
            self._keep(key, index)
        else:
            self._indexes.move_to_end(key)
        return index

    def _limit(self, limit: LimitBook, holder: str) -> LimitColumn:
        column = self._limits.get((limit, holder))
        return LimitColumn(self._ledger, limit, holder) if column is None else column

    def _keep(self, key: object, index: RoomIndex) -> None:
        """Keep an index with its columns, and let the oldest go while all take too much."""
        self._indexes[key] = index
        self.bytes += self._size(index)
        for column in index.limits:
            if not column.indexes:
                self._limits[column.key] = column
                self.bytes += LIMIT_COLUMN_BYTES * len(column.values)
            column.indexes += 1
        while self.bytes > INDEX_BYTES and len(self._indexes) > INDEXES_LEAST:
            self._evict()

    def _evict(self) -> None:
        _, index = self._indexes.popitem(last=False)
        self.bytes -= self._size(index)
        for column in index.limits:
            column.indexes -= 1
            if not column.indexes:
                del self._limits[column.key]
                self.bytes -= LIMIT_COLUMN_BYTES * len(column.values)
        self.evictions += 1

    def _size(self, index: RoomIndex) -> int:
        """What an index takes without its columns: a byte a host, and one more for a select."""
        own = index.candidates is not self._candidates
        return INDEX_OVERHEAD + len(index.rooms) * (1 + own)
