"""Why a job is pending: the category, and whether it can ever run."""

from dataclasses import replace
from typing import TYPE_CHECKING

from allotment_model import accounts
from allotment_model.accounts import Ledger, open_ledger
from allotment_model.answers import Category
from allotment_model.cache import Key
from allotment_model.cluster import Cluster

if TYPE_CHECKING:
    from allotment_model.rules import Rules

Keys = tuple[tuple[Key, ...], ...]
"""The keys of a request: for each alternative, one a part."""


def category(key: Key, ledger: Ledger, rules: "Rules") -> Category:
    """WHY-1: the first category that holds for a primary that failed in this ledger."""
    if next(iter(rules.plans(key.tasks_max, key.span)), None) is None:
        return Category.SPAN
    hosts = ledger.cluster.hosts.values()
    if not any(rules.passes(key.select, host.attributes) for host in hosts):
        return Category.SELECT
    if not has_room_in_pools(key, ledger, rules):
        return Category.SHARED
    # With no limits to lift, that is the search which has just failed.
    if ledger.cluster.limits and rules.is_placeable(key, without_limits(ledger), rules):
        return Category.LIMIT
    return Category.CAPACITY


def has_room_in_pools(key: Key, ledger: Ledger, rules: "Rules") -> bool:
    """WHY-1: whether each pool, limits apart, has what the primary asks of it."""
    of_pools = accounts.shared_wants(key, without_limits(ledger).cluster, rules)
    return accounts.all_fit(of_pools, ledger, rules)


def without_limits(ledger: Ledger) -> Ledger:
    """The same ledger with all limits lifted."""
    return replace(ledger, cluster=replace(ledger.cluster, limits={}))


def is_never(keys: Keys, cluster: Cluster, rules: "Rules") -> bool:
    """WHY-2: whether each alternative has a part that fails alone on the empty cluster."""
    ledger = open_ledger(rules.emptiest(cluster), {})
    return all(not all(rules.is_placeable(key, ledger, rules) for key in parts) for parts in keys)


def emptiest(cluster: Cluster) -> Cluster:
    """WHY-2: the cluster that `never` speaks of: all hosts open; nothing will be in use."""
    hosts = {name: replace(host, open=True) for name, host in cluster.hosts.items()}
    return replace(cluster, hosts=hosts)
