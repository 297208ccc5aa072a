"""The configuration as it will be, and the changes that wait to make it so (SESSION-2).

A change is judged against the configuration after all changes that already wait. So the announced
configuration changes on arrival, and the ledger when the session begins.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from allotment_impl.refusals import AMOUNT_LARGEST, Findings, RefusalCode
from allotment_impl.requests import (
    AttributeType,
    Host,
    HostChange,
    Limit,
    LimitIdentity,
    LimitScope,
)
from allotment_impl.vocabulary import Vocabulary


@dataclass(frozen=True, slots=True)
class HostState:
    """A host in full: its capacities by place of the amount, none left out (RES-2)."""

    name: str
    capacity: tuple[int, ...]
    attributes: Mapping[str, int | str]
    open: bool


@dataclass(frozen=True, slots=True)
class HostAdded:
    """A host goes last."""

    host: HostState


@dataclass(frozen=True, slots=True)
class HostChanged:
    """A host is as given from now on."""

    host: HostState


@dataclass(frozen=True, slots=True)
class PoolChanged:
    """A pool has a new capacity, in thousandths."""

    pool: int
    capacity: int


@dataclass(frozen=True, slots=True)
class LimitSet:
    """A limit has a new cap, in slots or thousandths."""

    limit: LimitIdentity
    cap: int


@dataclass(frozen=True, slots=True)
class LimitRemoved:
    """A limit is no more."""

    limit: LimitIdentity


@dataclass(frozen=True, slots=True)
class JobFinished:
    """A live job ends."""

    job: str


ConfigurationChange: TypeAlias = HostAdded | HostChanged | PoolChanged | LimitSet | LimitRemoved
Change: TypeAlias = ConfigurationChange | JobFinished


class Announced:
    """The configuration as it will be when all waiting changes have taken effect.

    Each method checks an event wholly, raises ``Refused`` or makes the change, and returns it.
    """

    __slots__ = ("_hosts", "_limits", "_vocabulary")

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._hosts: dict[str, HostState] = {}
        self._limits: set[LimitIdentity] = set()

    def host_add(self, host: Host) -> HostAdded:
        """A new host, of a name that no host has."""
        findings = Findings()
        if host.name in self._hosts:
            findings.note(RefusalCode.DUPLICATE_NAME, f"there is a host {host.name!r}")
        self._check_host(host.capacity, host.attributes, findings)
        findings.raise_first()
        nothing = (0,) * len(self._vocabulary.host)
        capacity = self._capacity(nothing, host.capacity)
        state = HostState(host.name, capacity, dict(host.attributes), host.open)
        self._hosts[host.name] = state
        return HostAdded(state)

    def host_change(self, change: HostChange) -> HostChanged:
        """What is named changes, what is not named stays."""
        findings = Findings()
        state = self._hosts.get(change.host)
        if state is None:
            findings.note(RefusalCode.UNKNOWN_NAME, f"there is no host {change.host!r}")
        self._check_host(change.capacity or {}, change.attributes or {}, findings)
        findings.raise_first()
        assert state is not None
        if change.capacity:
            state = replace(state, capacity=self._capacity(state.capacity, change.capacity))
        if change.attributes:
            merged = {**state.attributes, **change.attributes}
            kept = {name: value for name, value in merged.items() if value is not None}
            state = replace(state, attributes=kept)
        if change.open is not None:
            state = replace(state, open=change.open)
        self._hosts[change.host] = state
        return HostChanged(state)

    def pool_change(self, pool: str, capacity: int) -> PoolChanged:
        """A pool with a new capacity, in thousandths."""
        findings = Findings()
        if pool not in self._vocabulary.shared:
            findings.note(RefusalCode.UNKNOWN_RESOURCE, f"{pool!r} is no shared amount")
        findings.note_amount(capacity, f"the capacity of pool {pool!r}")
        findings.raise_first()
        return PoolChanged(self._vocabulary.shared[pool], capacity)

    def limit_set(self, limit: Limit) -> LimitSet:
        """A new limit, or a new cap for the same limit."""
        findings = Findings()
        if limit.name == "":
            findings.note(RefusalCode.IDENTITY_MISSING, f"the limit's {limit.kind.value} is empty")
        resource, vocabulary = limit.resource, self._vocabulary
        if resource in vocabulary.shared:
            if limit.scope is LimitScope.HOST:
                findings.note(RefusalCode.PER_HOST_ON_POOL, f"{resource!r} is a shared amount")
        elif resource not in vocabulary.host:
            findings.note(RefusalCode.UNKNOWN_RESOURCE, f"the limit is on {resource!r}")
        findings.note_amount(limit.cap, "the cap")
        findings.raise_first()
        self._limits.add(limit.identity)
        return LimitSet(limit.identity, limit.cap)

    def limit_remove(self, limit: LimitIdentity) -> LimitRemoved:
        """A limit that is there goes away."""
        findings = Findings()
        if limit.identity not in self._limits:
            findings.note(RefusalCode.UNKNOWN_NAME, f"there is no {limit.in_words()}")
        findings.raise_first()
        self._limits.remove(limit.identity)
        return LimitRemoved(limit.identity)

    def has_limit(self, limit: LimitIdentity) -> bool:
        """Whether the same limit is there, whatever its cap."""
        return limit.identity in self._limits

    def _capacity(self, before: Iterable[int], change: Mapping[str, int]) -> tuple[int, ...]:
        amounts = list(before)
        for name, amount in change.items():
            amounts[self._vocabulary.host[name]] = amount
        return tuple(amounts)

    def _check_host(
        self,
        capacity: Mapping[str, int],
        attributes: Mapping[str, int | str | None],
        findings: Findings,
    ) -> None:
        for name, amount in capacity.items():
            if name not in self._vocabulary.host:
                findings.note(RefusalCode.UNKNOWN_RESOURCE, f"a capacity for {name!r}")
            findings.note_amount(amount, f"the capacity for {name!r}")
        for name, value in attributes.items():
            declared = self._vocabulary.attributes.get(name)
            if declared is None:
                findings.note(RefusalCode.UNKNOWN_RESOURCE, f"an attribute {name!r}")
            elif value is not None and (declared is AttributeType.TEXT) != isinstance(value, str):
                findings.note(RefusalCode.TYPE, f"attribute {name!r} is a {declared.value}")
            if isinstance(value, int) and abs(value) > AMOUNT_LARGEST:
                findings.note(RefusalCode.AMOUNT_RANGE, f"attribute {name!r} is {value}")
