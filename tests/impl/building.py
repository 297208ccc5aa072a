"""Short ways to write clusters, jobs and cases as builtins, and to run them."""

from typing import Any, TypeAlias

from allotment_impl import Adapter, Cluster, Scheduler
from allotment_impl.demand import Demand
from allotment_impl.ingest import Ingest
from allotment_impl.requests import Job, Per
from allotment_impl.vocabulary import Vocabulary
from allotment_impl.wire import read_case

Raw: TypeAlias = dict[str, Any]

RESOURCES: Raw = {
    "host": ["mem"],
    "shared": ["licence"],
    "attributes": {"speed": "number", "os": "text"},
}
BEGIN: Raw = {"event": "begin_session"}
RUN: Raw = {"event": "run_session"}


def tasks(most: int, least: int | None = None) -> Raw:
    """Counts of a job or primary."""
    return {"min": most if least is None else least, "max": most}


def primary(most: int, **fields: Any) -> Raw:
    """A primary of so many tasks."""
    return {"tasks": tasks(most), **fields}


def entry(resource: str, amount: int, per: str | None = None) -> Raw:
    """An entry of a rusage."""
    return {"resource": resource, "amount": amount} | ({} if per is None else {"per": per})


def job(name: str, *alternatives: list[Raw], **fields: Any) -> Raw:
    """A job of one user, queue and project, unless the fields say otherwise."""
    whom = {"user": "u", "queue": "q", "project": "p"}
    return {"name": name, **whom, "request": list(alternatives), **fields}


def submit(name: str, *alternatives: list[Raw], **fields: Any) -> Raw:
    """The submission of a job."""
    return {"event": "submit", "job": job(name, *alternatives, **fields)}


def host(name: str, slots: int, mem: int = 0, **fields: Any) -> Raw:
    """A host with slots and thousandths of memory."""
    return {"name": name, "capacity": {"slots": slots, "mem": mem}, **fields}


def cluster(*hosts: Raw, licence: int = 0, limits: tuple[Raw, ...] = ()) -> Raw:
    """A cluster that declares memory, licences and two attributes."""
    pools = {"licence": licence}
    return {"resources": RESOURCES, "hosts": list(hosts), "pools": pools, "limits": list(limits)}


def limit(cap: int, **fields: Any) -> Raw:
    """A limit on the slots of every user over the cluster, unless the fields say otherwise."""
    fields = {"kind": "user", "scope": "cluster", "resource": "slots", "cap": cap, **fields}
    return fields if "name" in fields else {**fields, "each": True}


def read_cluster(raw: Raw) -> Cluster:
    """A cluster as the scheduler takes it."""
    case = read_case({"cluster": raw, "events": []})
    assert case.cluster is not None
    return case.cluster


def read_job(raw: Raw) -> Job:
    """A job as the scheduler takes it."""
    [event] = read_case({"events": [{"event": "submit", "job": raw}]}).events
    found = getattr(event, "job", None)
    assert isinstance(found, Job)
    return found


def scheduler(raw: Raw, **options: str) -> Scheduler:
    """A scheduler on a cluster."""
    return Scheduler(read_cluster(raw), **options)


def demand_of(part: Raw, **identity: str) -> Demand:
    """The demand of one primary on a cluster that declares what ``cluster`` does."""
    vocabulary = Vocabulary.declare(read_cluster(cluster()).resources)
    [[demand]] = Ingest(vocabulary, Per.TASK).demands(
        read_job(job("j", [part], **identity)), name_is_taken=False
    )
    return demand


def run(raw: Raw, *events: Raw, report: tuple[str, ...] = (), **options: str) -> list[Raw]:
    """The answers to events on a fresh cluster."""
    case = {"cluster": raw, "events": list(events), "report": list(report)}
    return Adapter(**options).run(case)


def outcomes(raw: Raw, *events: Raw, **options: Any) -> list[Raw]:
    """What the last event, a run, says of each job it tried."""
    found = run(raw, *events, **options)[-1]["jobs"]
    assert isinstance(found, list)
    return found


def placed(name: str, *parts: list[tuple[str, int]], alternative: int = 0) -> Raw:
    """The entry of a job that was dispatched."""
    taken = [[list(pair) for pair in part] for part in parts]
    return {"job": name, "answer": "dispatched", "alternative": alternative, "parts": taken}


def waits(name: str, reason: str, never: bool = False, cached: bool = False) -> Raw:
    """The entry of a job that pends."""
    return {
        "job": name,
        "answer": "pending",
        "reason": reason,
        "never": never,
        "cached": cached,
    }
