"""Cases as the model sees them. What the shape of a message already holds is not checked here."""

from collections import Counter
from collections.abc import Sequence
from typing import assert_never

from msgspec import UnsetType

from allotment_conformance.wire import messages
from allotment_conformance.wire.messages import NotACase
from allotment_model import answers, events, request
from allotment_model import cluster as model
from allotment_model.changes import change_checks
from allotment_model.ingest import first_refusal


def cluster(sent: messages.Cluster) -> model.Cluster:
    """The configuration. Raises `NotACase` for what SPEC.md 2.1 forbids, with its place."""
    resources = _resources(sent.resources)
    hosts = [*map(host, sent.hosts)]
    caps = [(limit_id(one), one.cap) for one in sent.limits]
    _refuse_twice("a host of this name", "hosts", [one.name for one in hosts])
    _refuse_twice("the same limit", "limits", [limit for limit, _cap in caps])
    empty = model.Cluster(resources=resources, hosts={}, pools={}, limits={})
    changes: list[tuple[str, events.Change]] = [
        *((f"hosts[{at}]", events.HostAdd(host=one)) for at, one in enumerate(hosts)),
        *(
            (f"pools.{pool}", events.PoolChange(pool=pool, capacity=n))
            for pool, n in sent.pools.items()
        ),
        *(
            (f"limits[{at}]", events.LimitSet(limit=limit, cap=cap))
            for at, (limit, cap) in enumerate(caps)
        ),
    ]
    for place, change in changes:
        refusal = first_refusal(change_checks(change, empty), frozenset())
        if refusal is not None:
            raise _not_a_case(f"as an event this would be refused with '{refusal.value}'", place)
    return model.Cluster(
        resources=resources,
        hosts={one.name: one for one in hosts},
        pools=dict(sent.pools),
        limits=dict(caps),
    )


def _resources(sent: messages.Resources) -> model.Resources:
    """RES-1: the declared names, each once and none of them `slots`."""
    names = (*sent.host, *sent.shared, *sent.attributes)
    for name, times in Counter((model.SLOTS, *names)).items():
        if times > 1:
            raise _not_a_case(f"the name '{name}' is taken twice, or is that of slots", "resources")
    types = {name: model.AttributeType(kind) for name, kind in sent.attributes.items()}
    return model.Resources(
        host=frozenset(sent.host), shared=frozenset(sent.shared), attributes=types
    )


def host(sent: messages.Host) -> model.Host:
    """A host, with what it was given."""
    return model.Host(
        name=sent.name, capacity=sent.capacity, attributes=sent.attributes, open=sent.open
    )


def limit_id(sent: messages.LimitName) -> model.LimitId:
    """What makes it this limit."""
    return model.LimitId(
        kind=model.IdentityKind(sent.kind),
        name=sent.name if isinstance(sent.name, str) else None,
        scope=model.Scope(sent.scope),
        resource=sent.resource,
    )


def event(sent: messages.Event) -> events.Event:
    """What happens to the scheduler."""
    match sent:
        case messages.BeginSession():
            return events.BeginSession()
        case messages.Submit(job=sent_job):
            return events.Submit(job=job(sent_job))
        case messages.RunSession(cancel_at=cancel_at):
            return events.RunSession(cancel_at=cancel_at if isinstance(cancel_at, int) else None)
        case messages.Finish(job=name):
            return events.Finish(job=name)
        case messages.Withdraw(job=name):
            return events.Withdraw(job=name)
        case _:
            return _change(sent)


def _change(
    sent: messages.HostAdd
    | messages.HostChange
    | messages.PoolChange
    | messages.LimitSet
    | messages.LimitRemove,
) -> events.Change:
    match sent:
        case messages.HostAdd():
            return events.HostAdd(host=host(sent.host))
        case messages.HostChange():
            return events.HostChange(
                host=sent.host,
                capacity=sent.capacity,
                attributes=sent.attributes,
                open=sent.open if isinstance(sent.open, bool) else None,
            )
        case messages.PoolChange():
            return events.PoolChange(pool=sent.pool, capacity=sent.capacity)
        case messages.LimitSet(limit=limit):
            return events.LimitSet(limit=limit_id(limit), cap=limit.cap)
        case messages.LimitRemove(limit=limit):
            return events.LimitRemove(limit=limit_id(limit))
        case _:
            assert_never(sent)


def job(sent: messages.Job) -> request.Job:
    """What is submitted."""
    return request.Job(
        name=sent.name,
        identity=model.Identity(user=sent.user, queue=sent.queue, project=sent.project),
        request=tuple(tuple(map(primary, compound)) for compound in sent.request),
        priority=sent.priority,
        tasks=_tasks(sent.tasks),
    )


def primary(sent: messages.Primary) -> request.Primary:
    """N equal tasks; bounds of a span that were left out do not bind (PLAN-9)."""
    bounds = {
        field: bound
        for field in ("hosts_min", "hosts_max", "tasks_per_host", "ptile")
        if isinstance(bound := getattr(sent.span, field), int)
    }
    return request.Primary(
        tasks=_tasks(sent.tasks),
        select=expression(sent.select) if sent.select else None,
        rusage=tuple(map(_rusage_entry, sent.rusage)),
        span=request.Span(**bounds),
    )


def expression(sent: messages.Expression) -> request.Expression:
    """A select, as a tree."""
    if isinstance(sent.number, int):
        return request.Number(thousandths=sent.number)
    if isinstance(sent.text, str):
        return request.Text(text=sent.text)
    if isinstance(sent.attribute, str):
        return request.Attribute(name=sent.attribute)
    if isinstance(sent.defined, str):
        return request.Defined(name=sent.defined)
    assert isinstance(sent.op, str), "one form a node"
    assert isinstance(sent.args, tuple), "`op` and `args` go together"
    return request.Operation(operator=sent.op, operands=tuple(map(expression, sent.args)))


def answer(sent: messages.Answer) -> answers.Answer:
    """What an implementation said to an event; `Refusal` has no other codes than the spec."""
    match sent:
        case messages.Ok():
            return answers.Ok()
        case messages.Refused(code=code):
            return answers.Refused(code=answers.Refusal(code))
        case messages.Ran(jobs=jobs):
            return answers.Ran(jobs=tuple(map(_tried, jobs)))
        case _:
            assert_never(sent)


def _tried(sent: messages.Dispatched | messages.Pending | messages.Cancelled) -> answers.Tried:
    notes = sent.events or ()
    match sent:
        case messages.Dispatched(alternative=alternative, parts=parts):
            given: answers.JobAnswer = answers.Dispatched(alternative=alternative, parts=parts)
        case messages.Pending(reason=reason, never=never, cached=cached):
            category = answers.Category(reason)
            given = answers.Pending(reason=category, never=never, cached=cached)
        case messages.Cancelled():
            given = answers.Cancelled()
        case _:
            assert_never(sent)
    return answers.Tried(job=sent.job, answer=given, notes=notes)


def _tasks(sent: messages.Tasks | UnsetType) -> request.Tasks | None:
    return request.Tasks(min=sent.min, max=sent.max) if sent else None


def _rusage_entry(sent: messages.RusageEntry) -> request.RusageEntry:
    per = request.Per(sent.per) if sent.per else None
    return request.RusageEntry(resource=sent.resource, amount=sent.amount, per=per)


def _refuse_twice(what: str, field: str, names: Sequence[object]) -> None:
    """See that no two of a list of the cluster are the same."""
    first: dict[object, int] = {}
    for at, name in enumerate(names):
        if first.setdefault(name, at) != at:
            raise _not_a_case(
                f"{what} stands before it, at `$.cluster.{field}[{first[name]}]`", f"{field}[{at}]"
            )


def _not_a_case(message: str, place: str) -> NotACase:
    return NotACase(
        f"not a case: {message} - at `$.cluster.{place}`",
        remedy="SPEC.md 2.1 says what a cluster may be.",
    )
