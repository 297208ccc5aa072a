"""Explain: why a job would pend now: plans tried, the bucket that failed, what hosts lacked."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from allotment_model import accounts
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.answers import Category
from allotment_model.cache import Key
from allotment_model.cluster import LARGEST_AMOUNT, SLOTS, Cluster, Host
from allotment_model.plans import Plan
from allotment_model.rules import SPEC, Rules
from allotment_model.search import host_wants, is_placeable, outcome, place, place_plan
from allotment_model.state import State


class Obstacle(StrEnum):
    """Why a host took no bucket, apart from lacking something."""

    CLOSED = "closed"
    SELECT = "select"
    CLAIMED = "claimed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Lack:
    """What is asked of an account beyond what is free there."""

    account: Account
    wanted: int
    free: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTried:
    """A host that did not take the bucket: an obstacle, or what it lacked."""

    host: str
    obstacle: Obstacle | None = None
    lacks: tuple[Lack, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTried:
    """A plan that failed: its buckets, the index of the one without host, the hosts."""

    plan: Plan
    failed_bucket: int
    hosts: tuple[HostTried, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Remedy:
    """`more` of a capacity or cap. A limit on each host is one account, for its cap is one."""

    account: Account
    more: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PartTried:
    """A primary that failed: its category, pools that are short, and the plans (PAR-2, WHY-1)."""

    alternative: int
    part: int
    category: Category
    pools: tuple[Lack, ...]
    plans: tuple[PlanTried, ...]
    remedy: Remedy | None


def explain(state: State, job: str, rules: Rules = SPEC) -> tuple[PartTried, ...]:
    """WHY-1: for each alternative of a pending job, the part that fails now, without the cache.

    Empty if the job would be dispatched. Raises KeyError if the job is not pending.
    """
    failed = []
    for alternative, keys in enumerate(state.pending[job].keys):
        ledger = open_ledger(state.cluster, state.books)
        for part, key in enumerate(keys):
            (placement, after), _notes = outcome(place(key, ledger, rules))
            if placement is None:
                failed.append(_part_tried(alternative, part, key, ledger, rules))
                break
            ledger = after
        else:
            return ()
    return tuple(failed)


def _part_tried(alternative: int, part: int, key: Key, ledger: Ledger, rules: Rules) -> PartTried:
    shared = accounts.shared_wants(key, ledger.cluster, rules)
    pools = tuple(_lacks(shared, ledger, rules))
    plans = () if pools else tuple(_plans_tried(key, ledger, rules))
    return PartTried(
        alternative=alternative,
        part=part,
        category=rules.category(key, ledger, rules),
        pools=pools,
        plans=plans,
        remedy=nearest_remedy(key, ledger, pools, plans, rules),
    )


def _plans_tried(key: Key, ledger: Ledger, rules: Rules) -> Iterator[PlanTried]:
    """PAR-1: each plan, up to the bucket that found no host."""
    for plan in rules.plans(key.tasks_max, key.span):
        if not rules.may_hold(len(plan), len(ledger.cluster.hosts)):
            return
        _failed, notes = outcome(place_plan(plan, key, ledger, rules))
        claims = [note for note in notes if note[0] == "claimed"]
        now, slots = ledger, plan[len(claims)]
        for _claimed, host, bucket in claims:
            wants = host_wants(key, int(str(bucket)), str(host), str(host), now, rules)
            now = accounts.charge(now, wants, rules)
        claimed = {str(host) for _claimed, host, _bucket in claims}
        hosts = tuple(
            _host_tried(host, slots, claimed, key, now, rules)
            for host in ledger.cluster.hosts.values()
        )
        yield PlanTried(plan=plan, failed_bucket=len(claims), hosts=hosts)


def _host_tried(
    host: Host, slots: int, claimed: set[str], key: Key, ledger: Ledger, rules: Rules
) -> HostTried:
    """HOST-1, HOST-7: why this host did not take a bucket of `slots`."""
    if not rules.is_open(host):
        return HostTried(host=host.name, obstacle=Obstacle.CLOSED)
    if not rules.passes(key.select, host.attributes):
        return HostTried(host=host.name, obstacle=Obstacle.SELECT)
    if host.name in claimed:
        return HostTried(host=host.name, obstacle=Obstacle.CLAIMED)
    wants = host_wants(key, slots, host.name, host.name, ledger, rules)
    return HostTried(host=host.name, lacks=tuple(_lacks(wants, ledger, rules)))


def _lacks(wants: accounts.Wants, ledger: Ledger, rules: Rules) -> Iterator[Lack]:
    for account, wanted in wants.items():
        free = accounts.left(ledger, account, rules)
        if not rules.fits(wanted, free):
            yield Lack(account=account, wanted=wanted, free=free)


def nearest_remedy(
    key: Key, ledger: Ledger, pools: tuple[Lack, ...], plans: tuple[PlanTried, ...], rules: Rules
) -> Remedy | None:
    """The least that one account has to have more for the primary to be placed now, if any."""
    for lack in pools if len(pools) == 1 else ():
        remedy = _remedy(lack.account, lack.wanted, ledger, rules)
        raised = with_more(ledger, remedy, rules)
        if _is_legal(remedy, ledger, rules) and is_placeable(key, raised, rules):
            return remedy
    alone = ((remedy, plan.plan) for plan in plans for remedy in _alone(plan, key, ledger, rules))
    for remedy, plan in sorted(dict.fromkeys(alone), key=lambda one: _how_near(one[0])):
        raised = with_more(ledger, remedy, rules)
        (claims, _after), _notes = outcome(place_plan(plan, key, raised, rules))
        if claims is not None and _is_legal(remedy, ledger, rules):
            return remedy
    return None


def _how_near(remedy: Remedy) -> tuple[int, bool]:
    """Smallest first; of two alike, slots."""
    return remedy.more, remedy.account.resource != SLOTS


def _alone(plan: PlanTried, key: Key, ledger: Ledger, rules: Rules) -> Iterator[Remedy]:
    """What may make the plan hold: the least one that does is among these."""
    bucket, *behind = plan.plan[plan.failed_bucket :]
    sizes = dict.fromkeys(plan.plan)
    asked = {slots: accounts.bucket_amounts(key, slots, ledger.cluster, rules) for slots in sizes}
    for host in plan.hosts:
        for lack in host.lacks:
            account, is_all = lack.account, len(host.lacks) == 1
            if account.limit is not None and account.host is not None:
                # Which hosts have room for which bucket may change with each cap.
                for slots in dict.fromkeys((bucket, *behind)):
                    yield _remedy(account, asked[slots][account.resource], ledger, rules)
            elif account.limit is not None and is_all:
                total = sum(asked[slots][account.resource] for slots in plan.plan)
                yield _remedy(account, total, ledger, rules)
            elif is_all and bucket not in behind:
                # One host with more room takes one bucket, and no other host an equal one.
                yield _remedy(account, lack.wanted, ledger, rules)


def _remedy(account: Account, asked: int, ledger: Ledger, rules: Rules) -> Remedy:
    """What the account has to have more for so much to fit beside what is in use."""
    in_use = ledger.used.get(account, 0)
    more = in_use + asked - rules.capacity(ledger.cluster, account)
    return Remedy(
        account=account if account.limit is None else account._replace(host=None), more=more
    )


def _is_legal(remedy: Remedy, ledger: Ledger, rules: Rules) -> bool:
    """AMOUNT-1: whether a change that gives so much more is accepted."""
    return rules.capacity(ledger.cluster, remedy.account) + remedy.more <= LARGEST_AMOUNT


def with_more(ledger: Ledger, remedy: Remedy, rules: Rules) -> Ledger:
    """The ledger with the capacity or cap of one account raised."""
    account, cluster = remedy.account, ledger.cluster
    raised = rules.capacity(cluster, account) + remedy.more
    if account.limit is not None:
        cluster = replace(cluster, limits={**cluster.limits, account.limit: raised})
    elif account.host is not None:
        cluster = _with_host_capacity(cluster, account.host, account.resource, raised)
    else:
        cluster = replace(cluster, pools={**cluster.pools, account.resource: raised})
    return replace(ledger, cluster=cluster)


def _with_host_capacity(cluster: Cluster, name: str, resource: str, amount: int) -> Cluster:
    host = cluster.hosts[name]
    host = replace(host, capacity={**host.capacity, resource: amount})
    return replace(cluster, hosts={**cluster.hosts, name: host})
