"""Changes of the configuration: what is refused, and what the cluster is afterwards."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import assert_never

from allotment_model.answers import Refusal
from allotment_model.cluster import (
    LARGEST_AMOUNT,
    SLOTS,
    Cluster,
    Host,
    LimitId,
    Resources,
    Scope,
)
from allotment_model.events import (
    Change,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
)
from allotment_model.ingest import attributes_of_wrong_type, is_amount

Checks = Iterator[tuple[Refusal, Callable[[], bool]]]


def change_checks(change: Change, coming: Cluster) -> Checks:
    """INGEST-2: all that may be wrong with a change, judged against the coming cluster."""
    match change:
        case HostAdd(host=host):
            yield Refusal.DUPLICATE_NAME, lambda: host.name in coming.hosts
            yield from _host_checks(host.capacity, host.attributes, coming.resources)
        case HostChange():
            yield Refusal.UNKNOWN_NAME, lambda: change.host not in coming.hosts
            yield from _host_checks(change.capacity, change.attributes, coming.resources)
        case PoolChange():
            yield Refusal.UNKNOWN_RESOURCE, lambda: change.pool not in coming.resources.shared
            yield Refusal.AMOUNT_RANGE, lambda: not is_amount(change.capacity)
        case LimitSet():
            yield from _limit_checks(change.limit, change.cap, coming.resources)
        case LimitRemove():
            yield Refusal.UNKNOWN_NAME, lambda: change.limit not in coming.limits
        case _:
            assert_never(change)


def _host_checks(
    capacity: Mapping[str, int], attributes: Mapping[str, int | str | None], resources: Resources
) -> Checks:
    amounts, types = {SLOTS, *resources.host}, resources.attributes
    yield (
        Refusal.UNKNOWN_RESOURCE,
        lambda: not (set(capacity) <= amounts and set(attributes) <= set(types)),
    )
    yield Refusal.TYPE, lambda: attributes_of_wrong_type(attributes, types)
    numbers = [value for value in attributes.values() if isinstance(value, int)]
    yield (
        Refusal.AMOUNT_RANGE,
        lambda: (
            not all(map(is_amount, capacity.values()))
            or any(abs(number) > LARGEST_AMOUNT for number in numbers)
        ),
    )


def _limit_checks(limit: LimitId, cap: int, resources: Resources) -> Checks:
    amounts = {SLOTS, *resources.host, *resources.shared}
    yield Refusal.IDENTITY_MISSING, lambda: limit.name == ""
    yield Refusal.UNKNOWN_RESOURCE, lambda: limit.resource not in amounts
    yield (
        Refusal.PER_HOST_ON_POOL,
        lambda: limit.scope is Scope.HOST and limit.resource in resources.shared,
    )
    yield Refusal.AMOUNT_RANGE, lambda: not is_amount(cap)


def changed(cluster: Cluster, change: Change) -> Cluster:
    """SESSION-2: the cluster after a change that was accepted."""
    match change:
        case HostAdd(host=host):
            return replace(cluster, hosts={**cluster.hosts, host.name: host})
        case HostChange():
            host = changed_host(cluster.hosts[change.host], change)
            return replace(cluster, hosts={**cluster.hosts, host.name: host})
        case PoolChange():
            return replace(cluster, pools={**cluster.pools, change.pool: change.capacity})
        case LimitSet():
            return replace(cluster, limits={**cluster.limits, change.limit: change.cap})
        case LimitRemove():
            kept = {limit: cap for limit, cap in cluster.limits.items() if limit != change.limit}
            return replace(cluster, limits=kept)
        case _:
            assert_never(change)


def changed_host(host: Host, change: HostChange) -> Host:
    """What is named changes, what is not named stays; an attribute of None is taken away."""
    attributes = {**host.attributes, **change.attributes}
    return replace(
        host,
        capacity={**host.capacity, **change.capacity},
        attributes={name: value for name, value in attributes.items() if value is not None},
        open=host.open if change.open is None else change.open,
    )
