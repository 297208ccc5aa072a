"""What may be wrong with a submission or a change, read from SPEC.md 2.3 a second time.

Each sentence of the table is asked for by itself; of all codes that apply the one that the table
of SPEC.md names first is the answer, and the order is read from SPEC.md itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from allotment_model.cluster import Cluster, Resources, Scope
from allotment_model.events import (
    Change,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
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
    Text,
)

SPECIFICATION = (Path(__file__).parents[2] / "SPEC.md").read_text(encoding="utf-8")


def codes_in_order() -> list[str]:
    """The codes of section 2.3, in the order of its table."""
    table = SPECIFICATION.split("### 2.3 Refusal codes")[1].split("### 2.4")[0]
    return re.findall(r"^\| `([a-z-]+)` \|", table, re.MULTILINE)


CODES = codes_in_order()


def first(codes: set[str]) -> str | None:
    """The code that stands first in the table."""
    return min(codes, key=CODES.index, default=None)


def code_of_job(job: Job, resources: Resources, taken: bool) -> str | None:
    """The code with which a submission is refused; None if it is accepted."""
    return first(set(_wrong_with_job(job, resources, taken)))


def code_of_change(event: Change, coming: Cluster) -> str | None:
    """The code with which a change is refused; None if it is accepted."""
    return first(set(_wrong_with_change(event, coming)))


def _wrong_with_job(job: Job, resources: Resources, taken: bool) -> Iterator[str]:
    if taken:
        yield "duplicate-name"
    if not (job.identity.user and job.identity.queue and job.identity.project):
        yield "identity-missing"
    if len(job.request) == 0 or any(len(compound) == 0 for compound in job.request):
        yield "empty-compound"
        return
    every = [one for compound in job.request for one in compound]
    given = [one for one in (job.tasks, *(part.tasks for part in every)) if one is not None]
    if any(one.min < 1 or one.max > 2**20 or one.min > one.max for one in given):
        yield "tasks-range"
    if not counts_agree(job):
        yield "counts"
        return
    for part in every:
        counts = part.tasks or job.tasks
        assert counts is not None
        yield from _wrong_with_primary(part, counts.max, resources)


def counts_agree(job: Job) -> bool:
    """INGEST-1, sentence by sentence."""
    sums = []
    for compound in job.request:
        if len(compound) == 1:
            own = compound[0].tasks
            if own is None and job.tasks is None:
                return False
            if own is not None and job.tasks is not None and own != job.tasks:
                return False
            counts = [own or job.tasks]
        else:
            counts = [part.tasks for part in compound]
        if any(one is None for one in counts):
            return False
        sums.append((sum(one.min for one in counts if one), sum(one.max for one in counts if one)))
        if job.tasks is not None and sums[-1] != (job.tasks.min, job.tasks.max):
            return False
    return len(set(sums)) == 1


def _wrong_with_primary(part: Primary, tasks: int, resources: Resources) -> Iterator[str]:
    span = part.span
    bounds = [span.hosts_min, span.hosts_max, span.tasks_per_host, span.ptile]
    if any(bound is not None and (bound < 1 or bound > 2**20) for bound in bounds):
        yield "span-range"
    sums: dict[str, int] = {}
    for entry in part.rusage:
        sums[entry.resource] = sums.get(entry.resource, 0) + entry.amount
        if entry.resource == "slots":
            yield "slots-in-rusage"
        elif entry.resource not in resources.host | resources.shared:
            yield "unknown-resource"
        if entry.resource in resources.shared and entry.per is Per.HOST:
            yield "per-host-on-pool"
        if entry.resource in resources.host and entry.per is Per.JOB:
            yield "per-job-on-host"
        if not 0 <= entry.amount < 2**53:
            yield "amount-range"
    if any(tasks * total >= 2**53 for total in sums.values()):
        yield "amount-range"
    if part.select is not None:
        yield from _wrong_with_select(part.select, resources)


def nodes(expression: Expression, level: int = 1) -> Iterator[tuple[Expression, int]]:
    """An expression and all in it, each with its level."""
    yield expression, level
    if isinstance(expression, Operation):
        for operand in expression.operands:
            yield from nodes(operand, level + 1)


def _wrong_with_select(select: Expression, resources: Resources) -> Iterator[str]:
    amounts = {"slots"} | resources.host | resources.shared
    for node, level in nodes(select):
        if isinstance(node, Attribute | Defined):
            if node.name in amounts:
                yield "not-an-attribute"
            elif node.name not in resources.attributes:
                yield "unknown-resource"
        if isinstance(node, Number) and abs(node.thousandths) >= 2**53:
            yield "amount-range"
        if level > 100:
            yield "syntax"
        if isinstance(node, Operation):
            texts = [is_text(operand, resources) for operand in node.operands]
            if any(texts) and not (all(texts) and node.operator in ("==", "!=")):
                yield "type"
    if is_text(select, resources):
        yield "type"


def is_text(expression: Expression, resources: Resources) -> bool:
    """Whether an expression is a text: a literal or a text attribute; operators never are."""
    if isinstance(expression, Attribute):
        return resources.attributes.get(expression.name) == "text"
    return isinstance(expression, Text)


def _wrong_with_change(event: Change, coming: Cluster) -> Iterator[str]:
    resources = coming.resources
    match event:
        case HostAdd(host=host):
            if host.name in coming.hosts:
                yield "duplicate-name"
            yield from _wrong_with_host(dict(host.capacity), dict(host.attributes), resources)
        case HostChange():
            if event.host not in coming.hosts:
                yield "unknown-name"
            yield from _wrong_with_host(dict(event.capacity), dict(event.attributes), resources)
        case PoolChange():
            if event.pool not in resources.shared:
                yield "unknown-resource"
            if not 0 <= event.capacity < 2**53:
                yield "amount-range"
        case LimitSet():
            if event.limit.name == "":
                yield "identity-missing"
            if event.limit.resource not in {"slots"} | resources.host | resources.shared:
                yield "unknown-resource"
            if event.limit.scope is Scope.HOST and event.limit.resource in resources.shared:
                yield "per-host-on-pool"
            if not 0 <= event.cap < 2**53:
                yield "amount-range"
        case LimitRemove():
            if event.limit not in coming.limits:
                yield "unknown-name"


def _wrong_with_host(
    capacity: dict[str, int], attributes: dict[str, object], resources: Resources
) -> Iterator[str]:
    if any(name not in {"slots"} | resources.host for name in capacity):
        yield "unknown-resource"
    for name, value in attributes.items():
        if name not in resources.attributes:
            yield "unknown-resource"
        elif value is not None:
            is_number = resources.attributes[name] == "number"
            if is_number != isinstance(value, int):
                yield "type"
        if isinstance(value, int) and abs(value) >= 2**53:
            yield "amount-range"
    if any(not 0 <= amount < 2**53 for amount in capacity.values()):
        yield "amount-range"
