"""What theorems about whole runs are about: hosts of any capacity, primaries of few tasks."""

from collections.abc import Mapping, Sequence

import z3

from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.attempt import After, attempt
from allotment_model.cache import Key, Need
from allotment_model.cluster import (
    SLOTS,
    Cluster,
    Host,
    Identity,
    IdentityKind,
    LimitId,
    Resources,
    Scope,
)
from allotment_model.events import Event, RunSession, Submit
from allotment_model.request import Alter, Job, Per, Primary, RusageEntry, Span, Tasks
from allotment_model.rules import Rules
from allotment_model.search import outcome
from allotment_model.why import Keys
from allotment_proofs.statement import Term
from allotment_proofs.theorems.world import HOLDERS, WHO

NAMES = "BADCFE"
"""Hosts, in cluster order: which is not that of their names."""

JOBS = "kjl"
"""Jobs, as they are submitted: which is not the order of their names either."""

ON_HOSTS = "hosts of any capacity; the model run whole, no step taken out; "
"""How the scope of such a theorem begins."""

LIMIT = LimitId(IdentityKind.USER, None, Scope.CLUSTER, SLOTS)


def cluster_of(
    hosts: int,
    *,
    has_memory: bool = False,
    has_pool: bool = False,
    prefix: str = "",
    with_one_slot: str = "",
) -> Cluster:
    """Hosts B, A, … of any capacity, but some with one slot; with a pool comes a limit on slots."""
    found = {}
    for name in NAMES[:hosts]:
        resources = (SLOTS, "memory") if has_memory else (SLOTS,)
        capacity = {one: z3.Int(f"{prefix}{one}_{name}") for one in resources}
        if name in with_one_slot:
            capacity[SLOTS] = 1
        found[name] = Host(name=name, capacity=capacity, attributes={})
    declared = Resources(host=frozenset({"memory"}), shared=frozenset({"licence"}), attributes={})
    pools = {"licence": z3.Int(f"{prefix}pool")} if has_pool else {}
    limits = {LIMIT: z3.Int(f"{prefix}cap")} if has_pool else {}
    return Cluster(resources=declared, hosts=found, pools=pools, limits=limits)


def amounts_of(cluster: Cluster) -> tuple[Term, ...]:
    """All capacities and caps that are not known, in a fixed order."""
    of_hosts = [one for host in cluster.hosts.values() for one in host.capacity.values()]
    every = (*of_hosts, *cluster.pools.values(), *cluster.limits.values())
    return tuple(one for one in every if isinstance(one, z3.ExprRef))


def not_negative(cluster: Cluster) -> tuple[Term, ...]:
    """Capacities are not negative."""
    return tuple(amount >= 0 for amount in amounts_of(cluster))


def amounts_told(
    cluster: Cluster, used: Mapping[Account, Term] = {}
) -> tuple[str, dict[str, Term]]:
    """What each host, pool and limit has, and what is in use there; and the values named in it."""
    values: dict[str, Term] = {}

    def told(value: Term) -> str:
        if not isinstance(value, z3.ExprRef):
            return str(value)
        values[str(value)] = value
        return f"{{{value}}}"

    def in_use(account: Account) -> str:
        return f" with {told(used[account])} in use" if account in used else ""

    said = []
    for name, host in cluster.hosts.items():
        has = [
            f"{told(count)} {of}{in_use(Account(of, name))}" for of, count in host.capacity.items()
        ]
        is_open = "" if host.open is True else f", is open: {told(host.open)}"
        reads = "".join(f", {one} is {held} / 1000" for one, held in host.attributes.items())
        said.append(f"{name} has {' and '.join(has)}{is_open}{reads}")
    for name, held in cluster.pools.items():
        said.append(f"the pool has {told(held)} {name}{in_use(Account(name))}")
    for limit, cap in cluster.limits.items():
        of_limit = Account(limit.resource, None, limit, HOLDERS[limit.kind])
        whom = f"each {limit.kind}" if limit.name is None else f"{limit.kind} {limit.name}"
        said.append(f"{whom} may hold {told(cap)} {limit.resource}{in_use(of_limit)}")
    return "; ".join(said), values


def key_of(tasks: int, *rusage: Need) -> Key:
    """The key of a primary of at most that many tasks, and one at least, and these needs."""
    return Key(
        tasks_min=1,
        tasks_max=tasks,
        select=None,
        rusage=rusage,
        span=Span(),
        identity=WHO,
    )


def balanced(tasks: int, hosts: int) -> tuple[int, ...]:
    """SPEC.md's words for the plan of so many hosts (ghost)."""
    larger = tasks % hosts
    return (tasks // hosts + 1,) * larger + (tasks // hosts,) * (hosts - larger)


LICENCE = Need(resource="licence", per_task=1)


def ledger_of(cluster: Cluster, prefix: str) -> Ledger:
    """The cluster with any slots in use, and any use of its pools and limits."""
    used = {Account(SLOTS, name): z3.Int(f"{prefix}_{name}") for name in cluster.hosts}
    used |= {Account(name): z3.Int(f"{prefix}_{name}") for name in cluster.pools}
    counted = (Account(one.resource, None, one, HOLDERS[one.kind]) for one in cluster.limits)
    return open_ledger(cluster, used | {one: z3.Int(f"{prefix}_of_cap") for one in counted})


def after_attempt(keys: tuple[tuple[Key, ...], ...], ledger: Ledger, rules: Rules) -> After:
    """One attempt with an empty cache."""
    after, _notes = outcome(attempt(keys, ledger, {}, rules))
    return after


def primary(tasks: int, licences: int = 0) -> Primary:
    """A primary of that many tasks, with licences for each."""
    entry = RusageEntry(resource="licence", amount=licences, per=Per.TASK)
    return Primary(tasks=Tasks(min=tasks, max=tasks), rusage=(entry,) if licences else ())


def keys_for(job: Job) -> Keys:
    """SPEC.md's words for what a run sees of a job of such primaries (ghost)."""
    return tuple(
        tuple(
            Key(
                tasks_min=part.tasks.min,
                tasks_max=part.tasks.max,
                select=None,
                rusage=tuple(
                    Need(resource=one.resource, per_task=one.amount) for one in part.rusage
                ),
                span=Span(),
                identity=job.identity,
            )
            for part in parts
            if part.tasks is not None
        )
        for parts in job.request
    )


def submitted(
    *requests: Alter,
    priorities: Sequence[Term] = (),
    senders: Sequence[Identity] = (WHO,) * 3,
) -> tuple[Event, ...]:
    """Jobs k, j and l are submitted, by these, with these priorities or none, and run."""
    jobs = [
        Job(name=name, identity=sender, request=request, priority=priority)
        for name, sender, request, priority in zip(
            JOBS, senders, requests, priorities or (0,) * len(requests), strict=False
        )
    ]
    return (*(Submit(job=job) for job in jobs), RunSession())


ONE, TWO, LICENSED = primary(1), primary(2), primary(1, licences=1)
