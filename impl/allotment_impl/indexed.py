"""The indexed allocator: the answers of the walk over plans and hosts, without the walk.

**Which plan holds** is counted (``counting``) in an index of the hosts' rooms (``rooms``).
**Which hosts** it takes follows from one remark: within a plan a debit changes the room, and the
place in either host order, of no host but the one that is claimed, and that host is passed over
from then on (HOST-7). So the order of the unclaimed hosts never changes while a plan is carried
out. The m buckets of a take the first m hosts with a room of a; the buckets of b the first hosts
with a room of b that are left. Every part of a compound begins anew, and sees the hosts as the
parts before have left them (COMPOUND-2).

**Limits.** What a limit for each host leaves to a holder is one more column of the index. A limit
over the cluster sees the total of a plan alone, N × per task + k × per host, which grows with k;
so it is an upper bound on k.
"""

from collections.abc import Iterable

from allotment_impl.accounts import Claim
from allotment_impl.allocators import Allocator
from allotment_impl.attempt import Attempt
from allotment_impl.cache import Category
from allotment_impl.counting import fewest_hosts
from allotment_impl.demand import Demand
from allotment_impl.indexes import Bound, Indexes
from allotment_impl.ledger import Ledger
from allotment_impl.orders import First, first_in
from allotment_impl.plans import host_counts, split
from allotment_impl.prospects import EmptyCluster
from allotment_impl.refusals import TASKS_LARGEST
from allotment_impl.requests import HostOrder
from allotment_impl.rooms import TALL, RoomIndex


class IndexedAllocator:
    """``indexed``: places primaries of any number of tasks by counting (PAR-1, SEQ-1)."""

    name = "indexed"

    def __init__(self, indexes: Indexes, first: First) -> None:
        self._indexes = indexes
        self._first = first

    def takes(self, demand: Demand) -> bool:
        """Every primary."""
        return True

    def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        """Claim the hosts of the first plan that holds; nothing is debited if none does."""
        attempt.token.poll()
        index, bounds = self._indexes.limited(demand)
        hosts = _fewest(demand, index, bounds)
        if not hosts:
            return None
        claims: list[Claim] = []
        taken: list[int] = []
        for slots, count in split(demand.tasks, demand.span, hosts):
            places = self._first(index, slots, len(taken) + count)
            if taken:
                passed_over = set(taken)
                places = [place for place in places if place not in passed_over][:count]
            assert len(places) == count
            taken += places
            claims += attempt.claim_places(places, attempt.bucket(demand, slots))
        return claims


def _fewest(demand: Demand, index: RoomIndex, bounds: Iterable[Bound]) -> int:
    """How many hosts the first plan has that holds by an index and some bounds; 0 if none."""
    index.refresh()
    tasks, hosts_most = demand.tasks, TASKS_LARGEST
    for bound in bounds:
        hosts_most = min(hosts_most, bound.hosts_most(tasks))
    tallest = index.tallest()
    if tallest < TALL or tasks < TALL:
        hosts_with = index.at_least().__getitem__
        return fewest_hosts(tasks, demand.span, hosts_with, tallest, hosts_most)
    return fewest_hosts(tasks, demand.span, index.hosts_with, index.tall()[-1], hosts_most)


class IndexedEngine:
    """Allocation and diagnosis over the same indexes."""

    def __init__(self, ledger: Ledger, host_order: HostOrder) -> None:
        self._ledger = ledger
        self._indexes = Indexes(ledger)
        self._empty: EmptyCluster | None = None
        first = first_in(host_order, self._indexes)
        self.allocators: tuple[Allocator, ...] = (IndexedAllocator(self._indexes, first),)

    def configuration_changed(self) -> None:
        """Forget what was known of hosts and limits (SESSION-2)."""
        self._indexes.forget()
        self._empty = None

    @property
    def evictions(self) -> int:
        """How many indexes were dropped to make room for others."""
        return self._indexes.evictions

    def categorise(self, demand: Demand) -> Category:
        """Why a primary failed in the present ledger (WHY-1)."""
        if not host_counts(demand.tasks, demand.span):
            return Category.SPAN
        if self._indexes.passes_nowhere(demand.selector):
            return Category.SELECT
        if not self._ledger.pools_suffice(demand):
            return Category.SHARED
        limits = self._ledger.limits
        limited = limits and any(limit.applies_to(demand.identity) for limit in limits.values())
        if limited and _fewest(demand, self._indexes.bare(demand.shape), ()):
            return Category.LIMIT
        return Category.CAPACITY

    def is_never_placeable(self, demand: Demand) -> bool:
        """Whether a primary fails on the empty cluster (WHY-2)."""
        if self._empty is None:
            self._empty = EmptyCluster(self._ledger)
        return self._empty.has_no_place_for(demand)
