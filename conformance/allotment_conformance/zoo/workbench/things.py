"""What the workbench keeps: hosts, requests, claims, the configuration and the ledger."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.intake import Declared, LimitId, counts_of, limit_id

Account = tuple[str, str | None, LimitId | None, str | None]
"""Resource, host (None: over the cluster), limit and its holder (None: the amount itself)."""

KINDS = ("user", "queue", "project")
UNBOUNDED = 2**20


@dataclass(slots=True)
class Host:
    """A host as it is now."""

    name: str
    capacity: dict[str, int]
    attributes: dict[str, int | str]
    open: bool


@dataclass(slots=True)
class Primary:
    """A primary in normal form. `needs` are amounts for each task, each host, the whole."""

    tasks_min: int
    tasks: int
    select: Json | None
    needs: dict[str, tuple[int, int, int]]
    span: dict[str, int]


@dataclass(slots=True)
class Claim:
    """A host and what was debited for it; without a host it is what a primary took of pools."""

    host: str | None
    slots: int
    wants: dict[Account, int]
    amounts: Mapping[str, int]
    held: bool = True


@dataclass(slots=True)
class Job:
    """A job that was accepted. `claims` has a list for each part that was placed."""

    name: str
    holders: Mapping[str, str]
    priority: int
    number: int
    request: list[list[Primary]]
    keys: list[list[object]] = field(default_factory=list)
    stage: str = "pending"
    claims: list[list[Claim]] = field(default_factory=list)

    def as_held_by(self, holders: Mapping[str, str]) -> "Job":
        """The same job as others would have submitted it."""
        return Job(self.name, holders, self.priority, self.number, self.request)


@dataclass(slots=True)
class Configuration:
    """Hosts in order, pools and limits with their capacities."""

    hosts: dict[str, Host] = field(default_factory=dict)
    pools: dict[str, int] = field(default_factory=dict)
    limits: dict[LimitId, int] = field(default_factory=dict)

    @classmethod
    def of(cls, cluster: Json) -> "Configuration":
        """What a case starts with."""
        made = cls(pools=dict(cluster.get("pools", {})))
        for host in cluster["hosts"]:
            made.apply({"event": "host_add", "host": host})
        for limit in cluster.get("limits", ()):
            made.apply({"event": "limit_set", "limit": limit})
        return made

    def apply(self, event: Json) -> None:
        """A change that was accepted takes effect."""
        match event["event"]:
            case "host_add":
                host = event["host"]
                attributes = dict(host.get("attributes", {}))
                made = Host(host["name"], dict(host["capacity"]), attributes, True)
                self.hosts[made.name] = made
                made.open = host.get("open", True)
            case "host_change":
                self.change_host(self.hosts[event["host"]], event)
            case "pool_change":
                self.pools[event["pool"]] = event["capacity"]
            case "limit_set":
                self.limits[limit_id(event["limit"])] = event["limit"]["cap"]
            case _:
                del self.limits[limit_id(event["limit"])]

    def change_host(self, host: Host, event: Json) -> None:
        """What is named changes, what is not named stays."""
        host.capacity.update(event.get("capacity", {}))
        host.open = event.get("open", host.open)
        for name, value in event.get("attributes", {}).items():
            if value is None:
                host.attributes.pop(name, None)
            else:
                host.attributes[name] = value


class Ledger:
    """What is in use on each account."""

    def __init__(self) -> None:
        self.used: dict[Account, Any] = {}

    def in_use(self, account: Account) -> int:
        """How much, nothing if it was never touched."""
        amount: int = self.used.get(account, 0)
        return amount

    def debit(self, account: Account, amount: int) -> None:
        """So much more is in use."""
        self.used[account] = self.used.get(account, 0) + amount

    def credit(self, account: Account, amount: int) -> None:
        """So much less is in use."""
        self.used[account] = self.used.get(account, 0) - amount

    def free(self, account: Account, capacity: int) -> int:
        """What is left of a capacity, never less than nothing."""
        left: int = max(0, capacity - self.used.get(account, 0))
        return left

    def fits(self, account: Account, want: int, capacity: int) -> bool:
        """WANT-4, LIMIT-3: exactly enough is enough."""
        return want <= self.free(account, capacity)

    def books(self) -> Json:
        """SPEC.md 2.2: what is in use, other accounts left out."""
        hosts: dict[str, dict[str, int]] = {}
        pools: dict[str, int] = {}
        limits: list[Json] = []
        for account in [account for account in self.used if self.in_use(account)]:
            resource, host, limit, holder = account
            if limit is not None:
                use = {"holder": holder, "host": host, "used": self.in_use(account)}
                limits.append({**limit_as_sent(limit), **use})
            elif host is not None:
                hosts.setdefault(host, {})[resource] = self.in_use(account)
            else:
                pools[resource] = self.in_use(account)
        return {"hosts": hosts, "pools": pools, "limits": limits}


def limit_as_sent(limit: LimitId) -> Json:
    """A limit without its cap."""
    kind, name, scope, resource = limit
    who: Json = {"each": True} if name is None else {"name": name}
    return {"kind": kind, **who, "scope": scope, "resource": resource}


class Reader:
    """Turns what is submitted into normal form, once (INGEST-1, CACHE-1)."""

    def __init__(self, declared: Declared, default_per: str) -> None:
        self.declared = declared
        self.default_per = default_per

    def job(self, sent: Json, number: int) -> Job:
        """The job, with a key for each primary."""
        request = [[self.primary(part, sent) for part in parts] for parts in sent["request"]]
        holders = {kind: sent[kind] for kind in KINDS}
        job = Job(sent["name"], holders, sent.get("priority", 0), number, request)
        job.keys = [[self.key(part, holders) for part in parts] for parts in request]
        return job

    def primary(self, part: Json, job: Json) -> Primary:
        """One primary; counts that it lacks are those of its job."""
        counts = counts_of(part, job)
        needs = self.needs(part.get("rusage", []))
        return Primary(
            counts["min"], counts["max"], part.get("select"), needs, part.get("span", {})
        )

    def needs(self, rusage: list[Json]) -> dict[str, tuple[int, int, int]]:
        """WANT-2: entries summed for each `per`, what is zero left out."""
        sums: dict[str, list[int]] = {}
        for entry in rusage:
            resource = entry["resource"]
            default = "job" if resource in self.declared.shared else self.default_per
            place = ("task", "host", "job").index(entry.get("per", default))
            sums.setdefault(resource, [0, 0, 0])[place] += self.amount(entry)
        return {name: (one[0], one[1], one[2]) for name, one in sums.items() if any(one)}

    def amount(self, entry: Json) -> int:
        """AMOUNT-1: thousandths, as they were sent."""
        amount: int = entry["amount"]
        return amount

    def key(self, part: Primary, holders: Mapping[str, str]) -> object:
        """CACHE-1: all that the search reads, by content."""
        return (
            part.tasks_min,
            part.tasks,
            json.dumps(part.select, sort_keys=True),
            self.key_of_needs(part.needs),
            tuple(bounds(part.span)),
            *holders.values(),
        )

    def key_of_needs(self, needs: Mapping[str, tuple[int, int, int]]) -> object:
        """The rusage in the key."""
        return tuple(sorted(needs.items()))


def bounds(span: Mapping[str, int]) -> Iterator[int]:
    """PLAN-9: the bounds with the defaults filled in; without `ptile` zero stands for it."""
    yield span.get("hosts_min", 1)
    yield span.get("hosts_max", UNBOUNDED)
    yield span.get("tasks_per_host", UNBOUNDED)
    yield span.get("ptile", 0)
