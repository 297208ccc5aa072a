"""Cases in the notation of SPEC.md, 2.1 and 2.2."""

from typing import Any, assert_never

from allotment_model.answers import Answer, Cancelled, Dispatched, Ok, Pending, Ran, Refused
from allotment_model.cluster import Cluster, Host, LimitId
from allotment_model.events import (
    BeginSession,
    Event,
    Finish,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
    RunSession,
    Submit,
    Withdraw,
)
from allotment_model.request import (
    Attribute,
    Defined,
    Expression,
    Job,
    Number,
    Operation,
    Primary,
    Span,
    Tasks,
    Text,
)

Json = Any


def cluster_json(cluster: Cluster) -> Json:
    """A cluster; what is empty is left out."""
    resources = {
        "host": sorted(cluster.resources.host),
        "shared": sorted(cluster.resources.shared),
        "attributes": {name: str(kind) for name, kind in cluster.resources.attributes.items()},
    }
    limits = [limit_json(limit) | {"cap": cap} for limit, cap in cluster.limits.items()]
    return _without_empty(
        {
            "resources": _without_empty(resources),
            "hosts": [host_json(host) for host in cluster.hosts.values()],
            "pools": dict(cluster.pools),
            "limits": limits,
        }
    ) | ({} if cluster.hosts else {"hosts": []})


def host_json(host: Host) -> Json:
    """A host."""
    shown = {"name": host.name, "capacity": dict(host.capacity)}
    shown |= {"attributes": dict(host.attributes)} if host.attributes else {}
    return shown | ({} if host.open else {"open": False})


def limit_json(limit: LimitId) -> Json:
    """A limit without its cap."""
    who: Json = {"each": True} if limit.name is None else {"name": limit.name}
    return {"kind": str(limit.kind), **who, "scope": str(limit.scope), "resource": limit.resource}


def event_json(event: Event) -> Json:
    """An event."""
    match event:
        case BeginSession():
            return {"event": "begin_session"}
        case Submit(job=job):
            return {"event": "submit", "job": job_json(job)}
        case RunSession():
            return {"event": "run_session"}
        case Finish(job=name):
            return {"event": "finish", "job": name}
        case Withdraw(job=name):
            return {"event": "withdraw", "job": name}
        case HostAdd(host=host):
            return {"event": "host_add", "host": host_json(host)}
        case HostChange():
            shown = {"capacity": dict(event.capacity), "attributes": dict(event.attributes)}
            opened = {} if event.open is None else {"open": event.open}
            return {"event": "host_change", "host": event.host, **_without_empty(shown), **opened}
        case PoolChange(pool=pool, capacity=capacity):
            return {"event": "pool_change", "pool": pool, "capacity": capacity}
        case LimitSet(limit=limit, cap=cap):
            return {"event": "limit_set", "limit": limit_json(limit) | {"cap": cap}}
        case LimitRemove(limit=limit):
            return {"event": "limit_remove", "limit": limit_json(limit)}
        case _:
            assert_never(event)


def job_json(job: Job) -> Json:
    """A job."""
    who = job.identity
    shown: Json = {"name": job.name, "user": who.user, "queue": who.queue, "project": who.project}
    shown |= {"priority": job.priority} if job.priority else {}
    shown |= {"tasks": tasks_json(job.tasks)} if job.tasks else {}
    return shown | {"request": [[primary_json(one) for one in parts] for parts in job.request]}


def tasks_json(tasks: Tasks) -> Json:
    """Counts."""
    return {"min": tasks.min, "max": tasks.max}


def primary_json(primary: Primary) -> Json:
    """A primary; what is left out has its default."""
    shown: Json = {"tasks": tasks_json(primary.tasks)} if primary.tasks else {}
    if primary.select is not None:
        shown["select"] = expression_json(primary.select)
    if primary.rusage:
        shown["rusage"] = [
            {"resource": one.resource, "amount": one.amount}
            | ({"per": str(one.per)} if one.per else {})
            for one in primary.rusage
        ]
    names = ("hosts_min", "hosts_max", "tasks_per_host", "ptile")
    pairs = ((name, getattr(primary.span, name), getattr(Span(), name)) for name in names)
    span = {name: value for name, value, default in pairs if value != default}
    return shown | ({"span": span} if span else {})


def expression_json(expression: Expression) -> Json:
    """A select."""
    match expression:
        case Number(thousandths=number):
            return {"number": number}
        case Text(text=text):
            return {"text": text}
        case Attribute(name=name):
            return {"attribute": name}
        case Defined(name=name):
            return {"defined": name}
        case Operation(operator=operator, operands=operands):
            return {"op": operator, "args": [expression_json(one) for one in operands]}
        case _:
            assert_never(expression)


def answer_json(answer: Answer) -> Json:
    """An answer."""
    match answer:
        case Ok():
            return {"answer": "ok"}
        case Refused(code=code):
            return {"answer": "refused", "code": str(code)}
        case Ran(jobs=jobs):
            tried = [{"job": one.job} | _of_job(one.answer) for one in jobs]
            return {"answer": "ran", "jobs": tried}
        case _:
            assert_never(answer)


def _of_job(answer: Dispatched | Pending | Cancelled) -> Json:
    match answer:
        case Dispatched(alternative=alternative, parts=parts):
            shown = [[list(claim) for claim in part] for part in parts]
            return {"answer": "dispatched", "alternative": alternative, "parts": shown}
        case Pending(reason=reason, never=never, cached=cached):
            shown_reason = {"reason": str(reason), "never": never, "cached": cached}
            return {"answer": "pending"} | shown_reason
        case Cancelled():
            return {"answer": "cancelled"}
        case _:
            assert_never(answer)


def _without_empty(fields: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}
