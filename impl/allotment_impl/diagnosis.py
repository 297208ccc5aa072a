"""Why a primary fails, and whether it can ever be placed (WHY-1, WHY-2).

Both questions ask for a verdict, not for a placement. Let a host's *room* be the most tasks that
fit on it. Wants never shrink as a bucket grows (WANT-3), so a bucket of s fits on exactly the
hosts with a room of s or more, and descending buckets b1 ≥ b2 ≥ … find distinct hosts if and only
if, the rooms sorted descending, the i-th room is at least b_i (PAR-4). A limit over the cluster
sees the plan's total alone: N × per task + hosts × per host. So no search is needed.
"""

from collections.abc import Iterable

from allotment_impl.cache import Category
from allotment_impl.demand import CacheKey, Demand, HostWant
from allotment_impl.ledger import Ledger, passes_select
from allotment_impl.limits import LimitBook
from allotment_impl.plans import host_counts, split
from allotment_impl.refusals import TASKS_LARGEST

VERDICTS_KEPT = 4096
"""How many verdicts of ``Prospects`` are kept: a queue's worth, without growing for ever."""


def room_in(want: HostWant, free: int) -> int:
    """How many tasks fit into a free amount (WANT-4)."""
    if want.per_host > free:
        return 0
    if want.per_task == 0:
        return TASKS_LARGEST
    return (free - want.per_host) // want.per_task


def categorise(demand: Demand, ledger: Ledger) -> Category:
    """The category of a primary that failed in this ledger, all it took given back (WHY-1)."""
    if not host_counts(demand.tasks, demand.span):
        return Category.SPAN
    selection = ledger.selection(demand)
    if not any(passes_select(host, selection) for host in ledger.hosts):
        return Category.SELECT
    if not ledger.pools_suffice(demand):
        return Category.SHARED
    if any(limit.applies_to(demand.identity) for limit in ledger.limits.values()):
        wants = [(want, ledger.amounts.free(want.resource)) for want in demand.host_wants]
        rooms = [
            min([room_in(want, free[host.index]) for want, free in wants])
            for host in ledger.hosts
            if host.open and passes_select(host, selection)
        ]
        if _some_plan_holds(demand, rooms, ()):
            return Category.LIMIT
    return Category.CAPACITY


class Prospects:
    """Whether primaries can ever be placed in the configuration of the session (WHY-2)."""

    __slots__ = ("_ledger", "_verdicts")

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._verdicts: dict[CacheKey, bool] = {}

    def forget(self) -> None:
        """Forget all verdicts, because the configuration changed."""
        self._verdicts.clear()

    def are_none(self, demand: Demand) -> bool:
        """Whether a primary fails on the empty cluster, all hosts open, nothing in use."""
        verdict = self._verdicts.get(demand.key)
        if verdict is None:
            if len(self._verdicts) >= VERDICTS_KEPT:
                self._verdicts.clear()
            verdict = self._verdicts[demand.key] = not _fits_empty_cluster(demand, self._ledger)
        return verdict


def _fits_empty_cluster(demand: Demand, ledger: Ledger) -> bool:
    for pool, amount in demand.shared_wants:
        if amount > ledger.pools[pool].capacity:
            return False
    shared = dict(demand.shared_wants)
    wants = {want.resource: want for want in demand.host_wants}
    room_by_limits = TASKS_LARGEST
    cluster_wide: list[tuple[HostWant, int]] = []
    for limit in _limits_on(demand, ledger):
        if limit.shared:
            if shared.get(limit.resource, 0) > limit.cap:
                return False
        elif limit.resource in wants:
            limited = wants[limit.resource]
            if limit.per_host:
                room_by_limits = min(room_by_limits, room_in(limited, limit.cap))
            else:
                cluster_wide.append((limited, limit.cap))
    capacities, selection = ledger.amounts.capacities, ledger.selection(demand)
    rooms = [
        min(
            room_by_limits,
            min(
                [room_in(want, capacities[want.resource][host.index]) for want in demand.host_wants]
            ),
        )
        for host in ledger.hosts
        if passes_select(host, selection)
    ]
    return _some_plan_holds(demand, rooms, cluster_wide)


def _limits_on(demand: Demand, ledger: Ledger) -> Iterable[LimitBook]:
    return [limit for limit in ledger.limits.values() if limit.applies_to(demand.identity)]


def _some_plan_holds(
    demand: Demand, rooms: list[int], cluster_wide: Iterable[tuple[HostWant, int]]
) -> bool:
    """Whether distinct hosts with these rooms can take the buckets of some plan (PAR-1)."""
    rooms.sort(reverse=True)
    for hosts in host_counts(demand.tasks, demand.span):
        if hosts > len(rooms):
            return False
        totals_fit = all(
            demand.tasks * want.per_task + hosts * want.per_host <= cap
            for want, cap in cluster_wide
        )
        if totals_fit and _plan_holds(split(demand.tasks, demand.span, hosts), rooms):
            return True
    return False


def _plan_holds(runs: Iterable[tuple[int, int]], rooms: list[int]) -> bool:
    buckets = 0
    for slots, count in runs:
        buckets += count
        if rooms[buckets - 1] < slots:
            return False
    return True
