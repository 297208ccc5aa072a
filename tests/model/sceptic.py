"""A second reading of SPEC.md, by enumeration: slow, mutable, and sharing no rule with the model.

It takes the model's values (clusters, jobs, events) and none of its functions. There is no
ledger: what is in use is summed from what is held, every time. A plan holds if some injective
assignment of its buckets fits as a whole, and the hosts are those of the first such assignment in
host order; that this is what the search of PAR-1 finds is the claim under test (PAR-4).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from itertools import permutations

from allotment_model.answers import Answer, Category, Dispatched, Ok, Pending, Ran, Refused, Tried
from allotment_model.cluster import Cluster, Host, Identity, LimitId, Scope
from allotment_model.events import (
    BeginSession,
    Change,
    Event,
    Finish,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
    RunSession,
    Submit,
    Withdraw,
)
from allotment_model.request import Expression, Job, Per, Span
from model.sceptic_ingest import code_of_change, code_of_job
from model.sceptic_select import passes

Assignment = tuple[tuple[str, int], ...]


@dataclass(frozen=True, kw_only=True)
class Ask:
    """A primary as the sceptic reads it; two that are equal are one key (CACHE-1)."""

    min: int
    max: int
    select: Expression | None
    amounts: frozenset[tuple[str, Per, int]]
    span: Span
    identity: Identity

    def amount(self, resource: str, per: Per) -> int:
        """What is asked of a resource for each `per`."""
        return next((n for name, p, n in self.amounts if (name, p) == (resource, per)), 0)

    def resources(self) -> set[str]:
        """The resources that are asked for, slots apart."""
        return {name for name, _per, _amount in self.amounts}


@dataclass(frozen=True, kw_only=True)
class Holding:
    """What one claim (or, with host None, one primary of the pools) holds for somebody."""

    identity: Identity
    host: str | None
    amounts: Mapping[str, int]


Holdings = tuple[Holding, ...]


def asks_of(job: Job, cluster: Cluster, default: Per) -> tuple[tuple[Ask, ...], ...]:
    """The primaries of each alternative, with their counts and summed amounts."""
    alternatives = []
    for compound in job.request:
        asks = []
        for part in compound:
            counts = part.tasks if part.tasks is not None else job.tasks
            assert counts is not None
            sums: dict[tuple[str, Per], int] = {}
            for entry in part.rusage:
                shared = entry.resource in cluster.resources.shared
                per = entry.per if entry.per is not None else (Per.JOB if shared else default)
                sums[entry.resource, per] = sums.get((entry.resource, per), 0) + entry.amount
            amounts = frozenset((name, per, n) for (name, per), n in sums.items() if n)
            asks.append(
                Ask(
                    min=counts.min,
                    max=counts.max,
                    select=part.select,
                    amounts=amounts,
                    span=part.span,
                    identity=job.identity,
                )
            )
        alternatives.append(tuple(asks))
    return tuple(alternatives)


def plans_of(ask: Ask) -> list[tuple[int, ...]]:
    """PLAN-1, PLAN-2, PLAN-9, PLAN-10: all partitions, of which few are kept."""
    span, plans = ask.span, []
    if span.ptile is not None:
        full, rest = divmod(ask.max, span.ptile)
        plans = [(span.ptile,) * full + ((rest,) if rest else ())]
    else:
        for hosts in range(1, ask.max + 1):
            small, larger = divmod(ask.max, hosts)
            plans.append((small + 1,) * larger + (small,) * (hosts - larger))
    return [
        plan
        for plan in plans
        if span.hosts_min <= len(plan) <= span.hosts_max and max(plan) <= span.tasks_per_host
    ]


def compositions(tasks: int, buckets: int) -> Iterator[tuple[int, ...]]:
    """All ways to cut so many tasks into so many buckets of at least one."""
    if buckets == 1:
        yield (tasks,)
        return
    for first in range(1, tasks - buckets + 2):
        for rest in compositions(tasks - first, buckets - 1):
            yield (first, *rest)


class Freedom(Enum):
    """Which placements of a primary are legal (SPEC.md 2.4)."""

    NONE = "none"
    HOSTS = "hosts"
    SPLITS = "splits"


@dataclass(kw_only=True)
class Sceptic:
    """A scheduler with its cluster, its queue and what its live jobs hold."""

    cluster: Cluster
    most_free: bool = False
    fills: bool = True
    default: Per = Per.TASK
    waiting: list[Change] = field(default_factory=list)
    jobs: dict[str, Job] = field(default_factory=dict)
    pending: list[str] = field(default_factory=list)
    live: dict[str, Holdings] = field(default_factory=dict)
    ended: list[str] = field(default_factory=list)
    tried: set[str] = field(default_factory=set)
    cache: dict[Ask, Category] = field(default_factory=dict)

    # What is in use, and what fits

    def held(self) -> Holdings:
        """SESSION-3: all that live jobs hold."""
        return tuple(holding for holdings in self.live.values() for holding in holdings)

    def shared_holding(self, ask: Ask) -> Holding:
        """SHARED-1: what a primary takes of the pools."""
        amounts = {
            name: ask.amount(name, Per.JOB) + ask.max * ask.amount(name, Per.TASK)
            for name in ask.resources() & self.cluster.resources.shared
        }
        return Holding(identity=ask.identity, host=None, amounts=amounts)

    def claim_holding(self, ask: Ask, host: str, slots: int) -> Holding:
        """WANT-1: what a bucket takes on its host."""
        amounts = {
            name: slots * ask.amount(name, Per.TASK) + ask.amount(name, Per.HOST)
            for name in ask.resources() - self.cluster.resources.shared
        }
        return Holding(identity=ask.identity, host=host, amounts={"slots": slots, **amounts})

    def holdings_of(self, ask: Ask, assignment: Assignment) -> Holdings:
        """All that a placed primary takes."""
        claims = (self.claim_holding(ask, host, slots) for host, slots in assignment)
        return (self.shared_holding(ask), *claims)

    def fit(self, held: Holdings, new: Holdings, limits: Mapping[LimitId, int]) -> bool:
        """Whether the new, all together, is within every capacity and cap; zero wants are free."""
        for resource in {name for holding in new for name in holding.amounts}:
            for host in {holding.host for holding in new if resource in holding.amounts}:
                wanted = _sum(new, resource, host)
                if wanted and _sum(held, resource, host) + wanted > self.capacity(host, resource):
                    return False
        return all(
            _limit_fits(limit, cap, held, new, holding)
            for limit, cap in limits.items()
            for holding in new
        )

    def capacity(self, host: str | None, resource: str) -> int:
        """RES-2: what a host or a pool has; what is not named is zero."""
        holder = self.cluster.pools if host is None else self.cluster.hosts[host].capacity
        return holder.get(resource, 0)

    def hosts_in_order(self, held: Holdings) -> list[str]:
        """HOST-9, over all hosts."""
        names = list(self.cluster.hosts)
        if self.most_free:
            free = {h: max(0, self.capacity(h, "slots") - _sum(held, "slots", h)) for h in names}
            names.sort(key=lambda name: free[name], reverse=True)
        return names

    # One primary

    def assignments(
        self, ask: Ask, held: Holdings, buckets: Sequence[int], limits: Mapping[LimitId, int]
    ) -> Iterator[Assignment]:
        """Every injective assignment of these buckets that fits, in host order."""
        hosts = [
            name
            for name in self.hosts_in_order(held)
            if self.cluster.hosts[name].open and passes(ask.select, self.cluster.hosts[name])
        ]
        for chosen in permutations(hosts, len(buckets)):
            assignment = tuple(zip(chosen, buckets, strict=True))
            if self.fit(held, self.holdings_of(ask, assignment), limits):
                yield assignment

    def first_plan(
        self, ask: Ask, held: Holdings, limits: Mapping[LimitId, int] | None = None
    ) -> list[Assignment]:
        """PAR-1: all assignments of the first plan that has one."""
        limits = self.cluster.limits if limits is None else limits
        for plan in plans_of(ask):
            found = list(self.assignments(ask, held, plan, limits))
            if found:
                return found
        return []

    def any_split(
        self, ask: Ask, held: Holdings, limits: Mapping[LimitId, int] | None = None
    ) -> list[Assignment]:
        """PLAN-11: all assignments of all splits."""
        limits = self.cluster.limits if limits is None else limits
        if ask.span.ptile is not None:
            return self.first_plan(ask, held, limits)
        most = min(ask.max, ask.span.hosts_max, len(self.cluster.hosts))
        return [
            assignment
            for hosts in range(ask.span.hosts_min, most + 1)
            for buckets in compositions(ask.max, hosts)
            if max(buckets) <= ask.span.tasks_per_host
            for assignment in self.assignments(ask, held, buckets, limits)
        ]

    def legal(
        self,
        ask: Ask,
        held: Holdings,
        freedom: Freedom,
        limits: Mapping[LimitId, int] | None = None,
    ) -> list[Assignment]:
        """The placements that are legal; the canonical one alone if there is no freedom."""
        if freedom is Freedom.SPLITS:
            return self.any_split(ask, held, limits)
        found = self.first_plan(ask, held, limits)
        return found[:1] if freedom is Freedom.NONE else found

    def category(self, ask: Ask, held: Holdings, freedom: Freedom = Freedom.NONE) -> Category:
        """WHY-1: all categories that hold, in a table; the first of them."""
        hosts = self.cluster.hosts.values()
        shared = self.shared_holding(ask)
        holds = {
            Category.SPAN: not plans_of(ask),
            Category.SELECT: not any(passes(ask.select, host) for host in hosts),
            Category.SHARED: not self.fit(held, (shared,), {}),
            Category.LIMIT: bool(self.legal(ask, held, freedom, {})),
            Category.CAPACITY: True,
        }
        return next(category for category, one in holds.items() if one)

    def never(self, asks: Sequence[Sequence[Ask]], freedom: Freedom = Freedom.NONE) -> bool:
        """WHY-2: each alternative has a part that the empty cluster, all open, cannot hold."""
        hosts = {name: replace(one, open=True) for name, one in self.cluster.hosts.items()}
        empty = Sceptic(cluster=replace(self.cluster, hosts=hosts))
        return all(any(not empty.legal(ask, (), freedom) for ask in parts) for parts in asks)

    # One attempt: all that may come of it

    def attempts(
        self, name: str, freedom: Freedom
    ) -> Iterator[tuple[Dispatched | Pending, "After"]]:
        """Every answer that some sequence of legal placements leads to."""
        asks = asks_of(self.jobs[name], self.cluster, self.default)
        never = self.never(asks, freedom)
        failed = {(Category.ERROR, False)}
        cache = dict(self.cache)
        for alternative, parts in enumerate(asks):
            before, failed = dict(cache), set()
            for placed, why in self.compounds(parts, self.held(), before, freedom):
                if why is None:
                    took = tuple(assignment for assignment, _holding in placed)
                    holdings = tuple(one for _a, holding in placed for one in holding)
                    answer = Dispatched(alternative=alternative, parts=took)
                    yield answer, After(cache=before, holdings=holdings)
                else:
                    failed.add(why)
            if not failed:
                return
            if (
                self.fills
                and parts[0] not in cache
                and not self.legal(parts[0], self.held(), freedom)
            ):
                cache[parts[0]] = self.category(parts[0], self.held(), freedom)
        for reason, cached in failed:
            yield Pending(reason=reason, never=never, cached=cached), After(cache=cache)

    def compounds(
        self,
        parts: Sequence[Ask],
        held: Holdings,
        cache: Mapping[Ask, Category],
        freedom: Freedom,
    ) -> Iterator[tuple[tuple[tuple[Assignment, Holdings], ...], tuple[Category, bool] | None]]:
        """COMPOUND-2: every way through the parts: what is placed, and why it ends if it does."""
        if not parts:
            yield (), None
            return
        ask, rest = parts[0], parts[1:]
        if ask in cache:
            yield (), (cache[ask], True)
            return
        placements = self.legal(ask, held, freedom)
        if not placements:
            yield (), (self.category(ask, held, freedom), False)
        for assignment in placements:
            holdings = self.holdings_of(ask, assignment)
            for placed, why in self.compounds(rest, held + holdings, cache, freedom):
                yield ((assignment, holdings), *placed), why

    # Events

    def step(self, event: Event) -> Answer:
        """The canonical answer to an event."""
        match event:
            case RunSession():
                return self.run()
            case BeginSession():
                self.begin()
                return Ok()
            case Submit(job=job):
                code = code_of_job(job, self.cluster.resources, job.name in self.jobs)
                if code is None:
                    self.jobs[job.name] = job
                    self.pending.append(job.name)
            case Finish(job=name) | Withdraw(job=name) if name not in self.jobs:
                code = "unknown-name"
            case Finish(job=name):
                code = None if name in self.live and name not in self.ended else "not-running"
                self.ended += [name] if code is None else []
            case Withdraw(job=name):
                code = None if name in self.pending else "not-pending"
                self.pending = [other for other in self.pending if other != name]
            case _:
                code = code_of_change(event, self.coming())
                self.waiting += [event] if code is None else []
        return Ok() if code is None else Refused(code=code)  # type: ignore[arg-type]

    def begin(self) -> None:
        """SESSION-2, CACHE-2: what waits takes effect; the cache is emptied."""
        self.cluster, self.waiting = self.coming(), []
        for name in self.ended:
            del self.live[name]
        self.ended, self.tried, self.cache = [], set(), {}

    def coming(self) -> Cluster:
        """The cluster after the changes that wait."""
        cluster = self.cluster
        for event in self.waiting:
            cluster = after_change(cluster, event)
        return cluster

    def queue(self) -> list[str]:
        """SESSION-1: pending, untried; by priority, then as submitted."""
        untried = [name for name in self.pending if name not in self.tried]
        return sorted(untried, key=lambda name: self.jobs[name].priority, reverse=True)

    def run(self) -> Ran:
        """SESSION-1: each once."""
        answers = []
        for name in self.queue():
            answer, after = next(iter(self.attempts(name, Freedom.NONE)))
            self.follow(name, answer, after)
            answers.append(Tried(job=name, answer=answer))
        return Ran(jobs=tuple(answers))

    def follow(self, name: str, answer: Dispatched | Pending, after: "After") -> None:
        """Take over what an attempt came to."""
        self.tried.add(name)
        self.cache = after.cache
        if isinstance(answer, Dispatched):
            self.live[name] = after.holdings
            self.pending.remove(name)


@dataclass(frozen=True, kw_only=True)
class After:
    """What an attempt leaves: the cache, and what the job holds."""

    cache: dict[Ask, Category]
    holdings: Holdings = ()


def after_change(cluster: Cluster, event: Change) -> Cluster:
    """The cluster after one change that was accepted."""
    hosts, pools, limits = dict(cluster.hosts), dict(cluster.pools), dict(cluster.limits)
    match event:
        case HostAdd(host=host):
            hosts[host.name] = host
        case PoolChange():
            pools[event.pool] = event.capacity
        case LimitSet():
            limits[event.limit] = event.cap
        case LimitRemove():
            del limits[event.limit]
        case HostChange():
            old = hosts[event.host]
            attributes = dict(old.attributes)
            for name, value in event.attributes.items():
                if value is None:
                    attributes.pop(name, None)
                else:
                    attributes[name] = value
            hosts[event.host] = Host(
                name=old.name,
                capacity=dict(old.capacity) | dict(event.capacity),
                attributes=attributes,
                open=old.open if event.open is None else event.open,
            )
    return replace(cluster, hosts=hosts, pools=pools, limits=limits)


def _sum(holdings: Holdings, resource: str, host: str | None) -> int:
    return sum(one.amounts.get(resource, 0) for one in holdings if one.host == host)


def holder_of(limit: LimitId, identity: Identity) -> str:
    """The name that the limit counts for on behalf of whom a job runs."""
    return str(getattr(identity, limit.kind.value))


def counted(holdings: Holdings, limit: LimitId, holder: str, host: str | None) -> int:
    """LIMIT-2: what a holder has of a limit's resource, on a host or over all."""
    return sum(
        one.amounts.get(limit.resource, 0)
        for one in holdings
        if holder_of(limit, one.identity) == holder
        and (limit.scope is Scope.CLUSTER or one.host == host)
    )


def _limit_fits(limit: LimitId, cap: int, held: Holdings, new: Holdings, holding: Holding) -> bool:
    """LIMIT-1, LIMIT-3: whether the limit, where it counts this holding, takes all the new."""
    holder = holder_of(limit, holding.identity)
    if limit.name not in (None, holder):
        return True
    wanted = counted(new, limit, holder, holding.host)
    return wanted == 0 or counted(held, limit, holder, holding.host) + wanted <= cap
