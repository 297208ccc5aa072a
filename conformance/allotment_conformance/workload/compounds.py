"""What greedy parts cost (E5): compounds that fail, though their parts fit together.

Every cluster of a few hosts with a few slots, and every compound of two or three parts that is no
larger than it, is tried on the empty cluster: by the specification, and by a search over all ways
to place the balanced plans of all parts together. What fails in both is lost to balanced splits
alone (E6): there are slots enough, and parts may share hosts.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

from allotment_model.accounts import open_ledger
from allotment_model.attempt import Won, attempt
from allotment_model.cache import Key
from allotment_model.cluster import SLOTS, Cluster, Host, Identity, Resources
from allotment_model.plans import plans
from allotment_model.request import Span
from allotment_model.rules import SPEC
from allotment_model.search import outcome

Sizes = tuple[int, ...]
"""Slots of hosts, or tasks of parts, in their order."""

HOSTS_MOST = 4
PARTS = (2, 3)

WHO = Identity(user="u", queue="q", project="p")


@dataclass(slots=True, kw_only=True)
class CompoundGap:
    """Counts of cases of at most `slots` slots, and the first that greed alone loses."""

    slots: int
    cases: int = 0
    placed: int = 0
    lost_to_greed: int = 0
    lost_to_balance: int = 0
    example: tuple[Sizes, Sizes] | None = field(default=None)


Watch = Callable[[CompoundGap, float], None]
"""Is told of the counts so far and of the part of the work that is done."""


def compound_gap(slots: int, watch: Watch = lambda gap, part: None) -> CompoundGap:
    """Try every case of at most so many slots, small ones first."""
    gap = CompoundGap(slots=slots)
    clusters = [
        sizes
        for total in range(1, slots + 1)
        for hosts in range(1, HOSTS_MOST + 1)
        for sizes in compositions(total, hosts)
    ]
    for number, hosts in enumerate(clusters, start=1):
        for tasks in range(PARTS[0], sum(hosts) + 1):
            for parts in PARTS:
                for compound in compositions(tasks, parts):
                    _try(hosts, compound, gap)
        watch(gap, number / len(clusters))
    return gap


def compositions(total: int, parts: int) -> Iterator[Sizes]:
    """All ways to write a number as a sum of so many positive ones, in order."""
    if parts == 1:
        if total >= 1:
            yield (total,)
        return
    for first in range(1, total - parts + 2):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def _try(hosts: Sizes, compound: Sizes, gap: CompoundGap) -> None:
    gap.cases += 1
    if is_placed(hosts, compound):
        gap.placed += 1
    elif fits_together(hosts, compound):
        gap.lost_to_greed += 1
        gap.example = gap.example or (hosts, compound)
    else:
        gap.lost_to_balance += 1


def is_placed(hosts: Sizes, compound: Sizes) -> bool:
    """COMPOUND-2: whether the specification places the parts, one after another."""
    keys = (tuple(map(_key, compound)),)
    cluster = _cluster(hosts)
    after, _notes = outcome(attempt(keys, open_ledger(cluster, {}), {}, SPEC))
    return isinstance(after.result, Won)


@cache
def _cluster(hosts: Sizes) -> Cluster:
    """A cluster of hosts with these slots."""
    made = {
        f"h{number}": Host(name=f"h{number}", capacity={SLOTS: slots}, attributes={}, open=True)
        for number, slots in enumerate(hosts, start=1)
    }
    nothing = Resources(host=frozenset(), shared=frozenset(), attributes={})
    return Cluster(resources=nothing, hosts=made, pools={}, limits={})


@cache
def _key(tasks: int) -> Key:
    """A primary of so many tasks that asks for slots alone."""
    return Key(tasks_min=tasks, tasks_max=tasks, select=None, rusage=(), span=Span(), identity=WHO)


def fits_together(hosts: Sizes, compound: Sizes) -> bool:
    """Whether each part can have one of its balanced plans at the same time."""
    return _fits(tuple(sorted(hosts)), compound)


@cache
def _fits(free: Sizes, compound: Sizes) -> bool:
    """The same, for hosts whose order does not matter."""
    if not compound:
        return True
    part, rest = compound[0], compound[1:]
    return any(
        _fits(left, rest)
        for plan in plans(part, Span())
        if len(plan) <= len(free)
        for left in _after(free, plan)
    )


def _after(free: Sizes, plan: Sizes) -> set[Sizes]:
    """What can be free once each bucket of a plan has a host of its own."""
    ways: set[tuple[Sizes, Sizes]] = {(free, ())}
    for bucket in plan:
        ways = {
            ((*open_hosts[:place], *open_hosts[place + 1 :]), (*taken, slots - bucket))
            for open_hosts, taken in ways
            for place, slots in enumerate(open_hosts)
            if slots >= bucket
        }
    return {tuple(sorted((*open_hosts, *taken))) for open_hosts, taken in ways}
