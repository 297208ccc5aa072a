"""What is refused, and with which code (SPEC.md 2.3): the first that applies is the answer.

Each check may take for granted that those before it in the table found nothing.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import Any

from allotment_conformance.wire.messages import Json

MOST_TASKS = 2**20
MOST = 2**53 - 1
DEEPEST = 100

Check = tuple[str, Callable[[], bool]]


@dataclass(frozen=True, slots=True)
class Declared:
    """RES-1: the names of the cluster's resources."""

    host: frozenset[str]
    shared: frozenset[str]
    attributes: dict[str, str]

    @classmethod
    def of(cls, resources: Json) -> "Declared":
        """What `resources` of a cluster declares."""
        return cls(
            frozenset(resources.get("host", ())),
            frozenset(resources.get("shared", ())),
            dict(resources.get("attributes", {})),
        )

    @property
    def on_hosts(self) -> frozenset[str]:
        """What a host has a capacity of."""
        return self.host | {"slots"}

    @property
    def amounts(self) -> frozenset[str]:
        """What can be asked for or limited."""
        return self.on_hosts | self.shared


def first(checks: Iterator[Check]) -> str | None:
    """The code of the first check that applies."""
    return next((code for code, applies in checks if applies()), None)


def job_checks(job: Json, declared: Declared, taken: Collection[str]) -> Iterator[Check]:
    """All that may be wrong with a submission."""
    request = job["request"]
    parts = [part for alternative in request for part in alternative]
    yield "duplicate-name", lambda: job["name"] in taken
    yield "identity-missing", lambda: not (job["user"] and job["queue"] and job["project"])
    yield "empty-compound", lambda: not (request and all(request))
    yield "tasks-range", lambda: any(_tasks_wrong(one.get("tasks")) for one in (job, *parts))
    yield "counts", lambda: counts_wrong(job)
    yield "span-range", lambda: any(not 1 <= n <= MOST_TASKS for n in _bounds(parts))
    yield from _resource_checks(job, parts, declared)


def _resource_checks(job: Json, parts: list[Json], declared: Declared) -> Iterator[Check]:
    """What may be wrong with the resources that a job names, and with how it uses them."""
    entries = [entry for part in parts for entry in part.get("rusage", ())]
    asked = {entry["resource"] for entry in entries}
    selects = [part["select"] for part in parts if "select" in part]
    read = {name for select in selects for name in names_read(select)}
    yield "slots-in-rusage", lambda: "slots" in asked
    yield (
        "unknown-resource",
        lambda: (
            not (
                asked <= declared.host | declared.shared
                and read <= declared.amounts | set(declared.attributes)
            )
        ),
    )
    yield "not-an-attribute", lambda: not read <= set(declared.attributes)
    yield "type", lambda: any(type_of(one, declared) != "number" for one in selects)
    yield (
        "per-host-on-pool",
        lambda: any(
            entry.get("per") == "host" and entry["resource"] in declared.shared for entry in entries
        ),
    )
    yield (
        "per-job-on-host",
        lambda: any(
            entry.get("per") == "job" and entry["resource"] in declared.host for entry in entries
        ),
    )
    yield (
        "amount-range",
        lambda: (
            not all(0 <= entry["amount"] <= MOST for entry in entries)
            or any(abs(number) > MOST for select in selects for number in _numbers(select))
            or any(_sum_too_large(part, job) for part in parts)
        ),
    )
    yield "syntax", lambda: any(depth(select) > DEEPEST for select in selects)


def _bounds(parts: list[Json]) -> Iterator[int]:
    return (bound for part in parts for bound in part.get("span", {}).values())


def _tasks_wrong(tasks: Json | None) -> bool:
    return tasks is not None and not 1 <= tasks["min"] <= tasks["max"] <= MOST_TASKS


def counts_of(part: Json, job: Json) -> Json:
    """INGEST-1: the counts of a primary: its own, or for a lone one those of its job."""
    counts: Json = part.get("tasks") or job["tasks"]
    return counts


def counts_wrong(job: Json) -> bool:
    """INGEST-1: no counts where there must be some, or two that disagree."""
    total = job.get("tasks")
    sums = []
    for alternative in job["request"]:
        if any("tasks" not in part for part in alternative) and (
            len(alternative) > 1 or total is None
        ):
            return True
        counts = [counts_of(part, job) for part in alternative]
        sums.append({end: sum(one[end] for one in counts) for end in ("min", "max")})
    return any(one != (total or sums[0]) for one in sums)


def _sum_too_large(part: Json, job: Json) -> bool:
    """AMOUNT-2."""
    sums: dict[str, int] = {}
    for entry in part.get("rusage", ()):
        sums[entry["resource"]] = sums.get(entry["resource"], 0) + entry["amount"]
    tasks: int = counts_of(part, job)["max"]
    return any(tasks * total > MOST for total in sums.values())


def nodes(select: Json) -> Iterator[tuple[int, Json]]:
    """Every node with its level; a lone leaf is on level 1."""
    left = [(1, select)]
    while left:
        level, node = left.pop()
        yield level, node
        left += [(level + 1, operand) for operand in node.get("args", ())]


def depth(select: Json) -> int:
    """How deep it is nested."""
    return max(level for level, _node in nodes(select))


def names_read(select: Json) -> Iterator[str]:
    """What it reads, also inside `defined`."""
    for _level, node in nodes(select):
        yield from (node[form] for form in ("attribute", "defined") if form in node)


def _numbers(select: Json) -> Iterator[int]:
    return (node["number"] for _level, node in nodes(select) if "number" in node)


def type_of(node: Json, declared: Declared) -> str | None:
    """SELECT-2: `number` or `text`; None where a text stands that may not."""
    if "attribute" in node:
        return declared.attributes[node["attribute"]]
    if "op" not in node:
        return "text" if "text" in node else "number"
    types = [type_of(operand, declared) for operand in node["args"]]
    if node["op"] in ("==", "!=") and types == ["text", "text"]:
        return "number"
    return "number" if set(types) == {"number"} else None


def host_checks(host: Json, declared: Declared) -> Iterator[Check]:
    """What may be wrong with the capacities and attributes of a host."""
    capacity: Json = host.get("capacity", {})
    attributes: dict[str, Any] = host.get("attributes", {})
    yield (
        "unknown-resource",
        lambda: (
            not (set(capacity) <= declared.on_hosts and set(attributes) <= set(declared.attributes))
        ),
    )
    yield (
        "type",
        lambda: any(
            value is not None and isinstance(value, str) != (declared.attributes[name] == "text")
            for name, value in attributes.items()
        ),
    )
    yield (
        "amount-range",
        lambda: (
            not (
                all(0 <= amount <= MOST for amount in capacity.values())
                and all(
                    abs(value) <= MOST for value in attributes.values() if isinstance(value, int)
                )
            )
        ),
    )


def limit_checks(limit: Json, declared: Declared) -> Iterator[Check]:
    """What may be wrong with a limit that is set."""
    resource = limit["resource"]
    yield "identity-missing", lambda: limit.get("name") == ""
    yield "unknown-resource", lambda: resource not in declared.amounts
    yield "per-host-on-pool", lambda: limit["scope"] == "host" and resource in declared.shared
    yield "amount-range", lambda: not 0 <= limit["cap"] <= MOST


def change_checks(
    event: Json, declared: Declared, hosts: Collection[str], limits: Collection[object]
) -> Iterator[Check]:
    """What may be wrong with a change, `hosts` and `limits` being those that are coming."""
    match event["event"]:
        case "host_add":
            yield "duplicate-name", lambda: event["host"]["name"] in hosts
            yield from host_checks(event["host"], declared)
        case "host_change":
            yield "unknown-name", lambda: event["host"] not in hosts
            yield from host_checks(event, declared)
        case "pool_change":
            yield "unknown-resource", lambda: event["pool"] not in declared.shared
            yield "amount-range", lambda: not 0 <= event["capacity"] <= MOST
        case "limit_set":
            yield from limit_checks(event["limit"], declared)
        case _:
            yield "unknown-name", lambda: limit_id(event["limit"]) not in limits


LimitId = tuple[str, str | None, str, str]


def limit_id(limit: Json) -> LimitId:
    """Kind, name (None: each), scope and resource: what makes two limits the same."""
    return limit["kind"], limit.get("name"), limit["scope"], limit["resource"]
