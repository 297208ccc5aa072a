"""The indexes of one ledger: one for each signature that is in use, within a bound.

A signature is a shape, and the limits for each host that apply to an identity and to what the
shape wants. All users of a cluster without such limits share the index of a shape.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from allotment_impl.columns import Column, LimitColumn
from allotment_impl.counting import hosts_within
from allotment_impl.demand import Demand, HostWant, Shape
from allotment_impl.ledger import Ledger
from allotment_impl.limits import CLUSTER_WIDE, LimitBook
from allotment_impl.requests import Identity
from allotment_impl.rooms import Fit, RoomIndex
from allotment_impl.selections import Selections

INDEX_BYTES = 64 * 2**20
"""What all indexes together may take. A thousand signatures on ten thousand hosts are a fifth."""

INDEX_OVERHEAD = 4096
"""What an index takes besides one byte a host: its histogram, above all."""

LIMIT_COLUMN_BYTES = 8
"""What a host takes of the column of a limit, which an index may be the last to hold."""

INDEXES_LEAST = 16
"""How many indexes are kept on the largest cluster: enough for the requests of one session."""

STANDINGS_KEPT = 4096
"""How many pairs of shape and identity keep their limits at hand; past it all begin anew."""

LIMIT_COLUMNS_KEPT = 256
"""How many pairs of limit and holder keep a column; past it the oldest is read anew."""


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

    The index that was not asked for the longest time goes first; ``evictions`` counts them.
    """

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.evictions = 0
        self.forget()

    def forget(self) -> None:
        """Begin anew, because the configuration changed."""
        hosts = len(self._ledger.hosts)
        self._selections: Selections | None = None
        self._free_slots: RoomIndex | None = None
        self._amounts: dict[int, Column] = {}
        self._limits: OrderedDict[tuple[LimitBook, str], LimitColumn] = OrderedDict()
        self._indexes: OrderedDict[object, RoomIndex] = OrderedDict()
        self._standings: dict[tuple[Shape, Identity], Standing] = {}
        limited = any(limit.per_host for limit in self._ledger.limits.values())
        size = INDEX_OVERHEAD + hosts * (1 + LIMIT_COLUMN_BYTES * limited)
        self._kept = max(INDEXES_LEAST, INDEX_BYTES // size)

    def __len__(self) -> int:
        """How many indexes are kept."""
        return len(self._indexes)

    @property
    def selections(self) -> Selections:
        """Which hosts pass which select."""
        if self._selections is None:
            self._selections = Selections(self._ledger)
        return self._selections

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
            everywhere = np.ones(len(self._ledger.hosts), np.uint8)
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
            candidates = self.selections.of(shape.selector).candidates
            index = self._indexes[key] = RoomIndex(fits, candidates, self._ledger.amounts.touched)
            if len(self._indexes) > self._kept:
                self._indexes.popitem(last=False)
                self.evictions += 1
        else:
            self._indexes.move_to_end(key)
        return index

    def _limit(self, limit: LimitBook, holder: str) -> LimitColumn:
        column = self._limits.get((limit, holder))
        if column is None:
            column = LimitColumn(self._ledger, limit, holder)
            self._limits[limit, holder] = column
            if len(self._limits) > LIMIT_COLUMNS_KEPT:
                self._limits.popitem(last=False)
        return column
