"""What a case asks of an implementation, in the words of a profile (SPEC.md 2.4)."""

from collections.abc import Collection, Iterator
from typing import Any

from allotment_conformance.wire.messages import Json, Largest, Sizes
from allotment_model.cluster import LARGEST_AMOUNT, LARGEST_TASKS

SPAN_BOUNDS = ("hosts_min", "hosts_max", "tasks_per_host")

REPORTS = ("books", "events")
"""Features that say what is told beside an answer; a case can do without."""


def reports_of(features: Collection[str]) -> list[str]:
    """The reports that can be asked of an implementation with these features."""
    return [name for name in REPORTS if name in features]


def features_of(case: Json) -> frozenset[str]:
    """The features that an implementation has to have to be asked this case."""
    return (
        frozenset(_of_cluster(case.get("cluster", {})))
        | {feature for event in case["events"] for feature in _of_event(event)}
        | frozenset(case.get("report", ()))
    )


def _of_cluster(cluster: Json) -> Iterator[str]:
    if cluster.get("pools") or cluster.get("resources", {}).get("shared"):
        yield "shared"
    if cluster.get("limits"):
        yield "limits"


def _of_event(event: Json) -> Iterator[str]:
    match event["event"]:
        case "submit":
            yield from _of_job(event["job"])
        case "run_session":
            if event.get("cancel_at") is not None:
                yield "cancel"
        case "host_add" | "host_change":
            yield "host-changes"
        case "pool_change":
            yield "shared"
        case "limit_set" | "limit_remove":
            yield "limits"
        case _:
            pass


def _of_job(job: Json) -> Iterator[str]:
    if job.get("priority"):
        yield "priorities"
    if "text" in job:
        yield "text"
    if len(job["request"]) > 1:
        yield "alter"
    for compound in job["request"]:
        if len(compound) > 1:
            yield "compound"
        for primary in compound:
            yield from _of_primary(primary)


def _of_primary(primary: Json) -> Iterator[str]:
    if primary.get("select") is not None:
        yield "select"
    if primary.get("rusage"):
        yield "rusage"
    span: dict[str, Any] = primary.get("span") or {}
    if span.get("ptile") is not None:
        yield "ptile"
    if any(span.get(bound) is not None for bound in SPAN_BOUNDS):
        yield "span"


def is_within(case: Json, largest: Largest) -> bool:
    """Whether an implementation takes the counts, hosts and numbers of a case.

    One that takes all that the specification knows is asked what lies beyond it, too, to refuse it.
    """
    return (
        _hosts(case) <= largest.hosts
        and (largest.tasks >= LARGEST_TASKS or _tasks(case) <= largest.tasks)
        and (largest.amount >= LARGEST_AMOUNT or _amount(case) <= largest.amount)
    )


def largest_of(case: Json) -> Sizes:
    """What an implementation has to take: the largest count, number of hosts, and number.

    Slots of a host are an amount, too. What is out of range needs all of the range.
    """
    return Sizes(tasks=_tasks(case), hosts=_hosts(case), amount=_amount(case))


def _tasks(case: Json) -> int:
    asked = (one["tasks"]["max"] for one in _askers(case) if "tasks" in one)
    return min(max(asked, default=0), LARGEST_TASKS)


def _hosts(case: Json) -> int:
    added = [event for event in case["events"] if event["event"] == "host_add"]
    return len(case.get("cluster", {}).get("hosts", ())) + len(added)


def _amount(case: Json) -> int:
    return min(max(map(abs, _numbers(case)), default=0), LARGEST_AMOUNT)


def _askers(case: Json) -> Iterator[Json]:
    """The jobs and their primaries: what may have counts, and asks for amounts."""
    for event in case["events"]:
        if event["event"] == "submit":
            yield event["job"]
            for compound in event["job"]["request"]:
                yield from compound


def _numbers(case: Json) -> Iterator[int]:
    """Amounts, capacities, caps, priorities, and the numbers of attributes and selects."""
    for one in _askers(case):
        yield one.get("priority", 0)
        yield from (entry["amount"] for entry in one.get("rusage") or ())
        yield from _of_select(one.get("select") or {})
    cluster = case.get("cluster", {})
    yield from cluster.get("pools", {}).values()
    yield from (limit["cap"] for limit in cluster.get("limits", ()))
    for host in cluster.get("hosts", ()):
        yield from _of_host(host)
    for event in case["events"]:
        yield from _of_change(event)


def _of_host(host: Json) -> Iterator[int]:
    yield from host.get("capacity", {}).values()
    values = host.get("attributes", {}).values()
    yield from (value for value in values if isinstance(value, int))


def _of_select(select: Json) -> Iterator[int]:
    if "number" in select:
        yield select["number"]
    for operand in select.get("args", ()):
        yield from _of_select(operand)


def _of_change(event: Json) -> Iterator[int]:
    match event["event"]:
        case "host_add":
            yield from _of_host(event["host"])
        case "host_change":
            yield from _of_host(event)
        case "pool_change":
            yield event["capacity"]
        case "limit_set":
            yield event["limit"]["cap"]
        case _:
            pass
