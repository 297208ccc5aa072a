"""Accounts, wants and the ledger: whatever can be debited is one kind of thing.

A host amount, a pool and the use of a limit are all accounts with a capacity and a use, so one
debit, one reversal and one comparison serve all three.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from allotment_model.cluster import SLOTS, Cluster, Identity, LimitId, Scope

if TYPE_CHECKING:
    from allotment_model.cache import Key
    from allotment_model.rules import Rules


class Account(NamedTuple):
    """One thing that can be debited.

    A host amount has `host` and no `limit`; a pool has neither; the use of a limit has `limit`
    and its `holder`, and a `host` if the limit is per host.
    """

    resource: str
    host: str | None = None
    limit: LimitId | None = None
    holder: str | None = None


Wants = Mapping[Account, int]
"""What is asked of, or was debited from, each account."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ledger:
    """The books plus the debits of one attempt; accounts with nothing in use are left out.

    `at_start` is what was in use when the attempt began.
    """

    cluster: Cluster
    used: Mapping[Account, int]
    at_start: Mapping[Account, int]


def open_ledger(cluster: Cluster, books: Mapping[Account, int]) -> Ledger:
    """The ledger of an attempt that begins with these books."""
    return Ledger(cluster=cluster, used=books, at_start=books)


def capacity(cluster: Cluster, account: Account) -> int:
    """The capacity of a host or pool, or the cap of a limit. RES-2: what is lacking is zero."""
    if account.limit is not None:
        return cluster.limits[account.limit]
    if account.host is not None:
        return cluster.hosts[account.host].capacity.get(account.resource, 0)
    return cluster.pools.get(account.resource, 0)


def left(ledger: Ledger, account: Account, rules: "Rules") -> int:
    """What is free on an account after the debits of the attempt so far."""
    now, at_start = ledger.used.get(account, 0), ledger.at_start.get(account, 0)
    if account.limit is not None:
        seen = rules.limit_used_seen(now, at_start)
    elif account.host is not None:
        seen = rules.host_used_seen(now, at_start)
    else:
        seen = rules.pool_used_seen(now, at_start)
    return rules.free(rules.capacity(ledger.cluster, account), seen)


def all_fit(wants: Wants, ledger: Ledger, rules: "Rules") -> bool:
    """WANT-4, LIMIT-3: whether each want is within what is left on its account."""
    return all(
        rules.fits(wanted, left(ledger, account, rules)) for account, wanted in wants.items()
    )


def charge(ledger: Ledger, wants: Wants, rules: "Rules") -> Ledger:
    """PAR-1: the ledger after these debits."""
    used = dict(ledger.used)
    for account, wanted in wants.items():
        _write(used, account, rules.debit(used.get(account, 0), wanted))
    return Ledger(cluster=ledger.cluster, used=used, at_start=ledger.at_start)


def give_back(ledger: Ledger, wants: Wants, rules: "Rules") -> Ledger:
    """UNDO-1: the ledger after these debits, all held, are reversed."""
    used = dict(ledger.used)
    for account, wanted in wants.items():
        now, _held = rules.reverse(used.get(account, 0), wanted, True)
        _write(used, account, now)
    return Ledger(cluster=ledger.cluster, used=used, at_start=ledger.at_start)


def _write(used: dict[Account, int], account: Account, amount: int) -> None:
    if amount == 0:
        used.pop(account, None)
    else:
        used[account] = amount


def bucket_amounts(key: "Key", slots: int, cluster: Cluster, rules: "Rules") -> Mapping[str, int]:
    """WANT-1: what a bucket of `slots` tasks asks of its host, by resource."""
    return {SLOTS: rules.want(1, 0, slots)} | {
        need.resource: rules.want(need.per_task, need.per_host, slots)
        for need in key.rusage
        if need.resource not in cluster.resources.shared
    }


def shared_wants(key: "Key", cluster: Cluster, rules: "Rules") -> Wants:
    """SHARED-1: what a primary asks of the pools, and of each limit that counts them."""
    amounts = {
        need.resource: rules.shared_want(need.per_job, need.per_task, key.tasks_max)
        for need in key.rusage
        if need.resource in cluster.resources.shared
    }
    wants = {Account(resource): amount for resource, amount in amounts.items()}
    return wants | limit_wants(amounts, None, key.identity, cluster.limits, rules)


def limit_wants(
    amounts: Mapping[str, int],
    host: str | None,
    identity: Identity,
    limits: Iterable[LimitId],
    rules: "Rules",
) -> dict[Account, int]:
    """LIMIT-1, LIMIT-2: what is asked of each limit that applies; `host` None for pools."""
    return {
        limit_account(limit, host, identity, rules): amounts[limit.resource]
        for limit in rules.limits_that_apply(limits, identity)
        if limit.resource in amounts
    }


def limit_account(limit: LimitId, host: str | None, who: Identity, rules: "Rules") -> Account:
    """LIMIT-2: where a limit counts what this holder takes on a host, or from a pool."""
    where = host if rules.limit_scope(limit) is Scope.HOST else None
    return Account(limit.resource, where, limit, who.holder(limit.kind))


def limits_that_apply(limits: Iterable[LimitId], identity: Identity) -> list[LimitId]:
    """LIMIT-1: named limits of the job's user, queue and project, and all *each* limits."""
    return [limit for limit in limits if limit.name in (None, identity.holder(limit.kind))]


def limit_scope(limit: LimitId) -> Scope:
    """LIMIT-2: on each host by itself, or over the cluster."""
    return limit.scope
