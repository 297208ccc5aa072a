"""The fenced examples of SPEC.md, read into the model's values and its answers back into JSON."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from allotment_model.answers import Answer, Dispatched, JobAnswer, Pending, Ran, Refused
from allotment_model.cluster import (
    SLOTS,
    AttributeType,
    Cluster,
    Host,
    Identity,
    IdentityKind,
    LimitId,
    Resources,
    Scope,
)
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
    Per,
    Primary,
    RusageEntry,
    Span,
    Tasks,
    Text,
)
from allotment_model.state import State
from model.sceptic_ingest import SPECIFICATION

Json = Mapping[str, Any]
FENCE = re.compile(r"^### (\w+)|^\*\*([A-Z]+-\d+)\*\*|^```json example\n(.*?)^```", re.M | re.S)


def examples() -> Iterator[tuple[str, Json]]:
    """Each example with the erratum or clause that it stands below."""
    below = ""
    for erratum, clause, example in FENCE.findall(SPECIFICATION):
        if example:
            yield below, json.loads(example)
        else:
            below = erratum or clause


def cluster_of(told: Json) -> Cluster:
    """The cluster of a case."""
    resources = told.get("resources", {})
    types = resources.get("attributes", {}).items()
    return Cluster(
        resources=Resources(
            host=frozenset(resources.get("host", ())),
            shared=frozenset(resources.get("shared", ())),
            attributes={name: AttributeType(kind) for name, kind in types},
        ),
        hosts={one["name"]: host_of(one) for one in told.get("hosts", ())},
        pools=told.get("pools", {}),
        limits={limit_of(one): one["cap"] for one in told.get("limits", ())},
    )


def host_of(told: Json) -> Host:
    """A host."""
    attributes = told.get("attributes", {})
    return Host(
        name=told["name"],
        capacity=told["capacity"],
        attributes=attributes,
        open=told.get("open", True),
    )


def limit_of(told: Json) -> LimitId:
    """A limit without its cap."""
    kind, scope = IdentityKind(told["kind"]), Scope(told["scope"])
    return LimitId(kind, told.get("name"), scope, told["resource"])


def expression_of(told: Json) -> Expression:
    """A select."""
    match dict(told):
        case {"number": thousandths}:
            return Number(thousandths=thousandths)
        case {"text": text}:
            return Text(text=text)
        case {"attribute": name}:
            return Attribute(name=name)
        case {"defined": name}:
            return Defined(name=name)
        case _:
            operands = tuple(expression_of(one) for one in told["args"])
            return Operation(operator=told["op"], operands=operands)


def primary_of(told: Json) -> Primary:
    """A primary."""
    entries = (
        RusageEntry(
            resource=one["resource"],
            amount=one["amount"],
            per=Per(one["per"]) if "per" in one else None,
        )
        for one in told.get("rusage", ())
    )
    return Primary(
        tasks=Tasks(**told["tasks"]) if "tasks" in told else None,
        select=expression_of(told["select"]) if "select" in told else None,
        rusage=tuple(entries),
        span=Span(**told.get("span", {})),
    )


def job_of(told: Json) -> Job:
    """A job."""
    return Job(
        name=told["name"],
        identity=Identity(**{kind.value: told[kind.value] for kind in IdentityKind}),
        request=tuple(tuple(map(primary_of, parts)) for parts in told["request"]),
        priority=told.get("priority", 0),
        tasks=Tasks(**told["tasks"]) if "tasks" in told else None,
    )


def event_of(told: Json) -> Event:
    """An event."""
    match told["event"]:
        case "begin_session":
            return BeginSession()
        case "submit":
            return Submit(job=job_of(told["job"]))
        case "run_session":
            return RunSession(cancel_at=told.get("cancel_at"))
        case "finish":
            return Finish(job=told["job"])
        case "withdraw":
            return Withdraw(job=told["job"])
        case "host_add":
            return HostAdd(host=host_of(told["host"]))
        case "host_change":
            capacity, attributes = told.get("capacity", {}), told.get("attributes", {})
            is_open = told.get("open")
            return HostChange(
                host=told["host"], capacity=capacity, attributes=attributes, open=is_open
            )
        case "pool_change":
            return PoolChange(pool=told["pool"], capacity=told["capacity"])
        case "limit_set":
            return LimitSet(limit=limit_of(told["limit"]), cap=told["limit"]["cap"])
        case _:
            return LimitRemove(limit=limit_of(told["limit"]))


def json_of(answer: Answer) -> dict[str, Any]:
    """An answer as SPEC.md writes it, protocol events and books apart."""
    match answer:
        case Ran(jobs=jobs):
            told = [{"job": one.job, **json_of_job(one.answer)} for one in jobs]
            return {"answer": "ran", "jobs": told}
        case Refused(code=code):
            return {"answer": "refused", "code": code.value}
        case _:
            return {"answer": "ok"}


def json_of_job(answer: JobAnswer) -> dict[str, Any]:
    """What one job was answered."""
    match answer:
        case Dispatched(alternative=alternative, parts=parts):
            told = [[[host, slots] for host, slots in part] for part in parts]
            return {"answer": "dispatched", "alternative": alternative, "parts": told}
        case Pending(reason=reason, never=never, cached=cached):
            fields = {"reason": reason.value, "never": never, "cached": cached}
            return {"answer": "pending", **fields}
        case _:
            return {"answer": "cancelled"}


def json_of_books(state: State) -> dict[str, Any]:
    """The books of hosts and pools as SPEC.md writes them; the limits are only counted."""
    books: dict[str, Any] = {"hosts": {}, "pools": {}, "limits": []}
    for account, used in state.books.items():
        if account.limit is not None:
            limit = account.limit
            whom = {"each": True} if limit.name is None else {"name": limit.name}
            told = {"kind": limit.kind, "scope": limit.scope, "resource": limit.resource, **whom}
            books["limits"].append(
                {**told, "holder": account.holder, "host": account.host, "used": used}
            )
        elif account.host is not None:
            books["hosts"].setdefault(account.host, {})[account.resource] = used
        else:
            books["pools"][account.resource] = used
    assert all(SLOTS in of_host for of_host in books["hosts"].values())
    return books
