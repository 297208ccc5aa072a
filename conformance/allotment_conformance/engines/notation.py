"""The notation of SPEC.md 2.1 and 2.2 as small constructors: cases that read like sentences.

Slots and counts are whole numbers, amounts and the numbers of a select are thousandths.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from allotment_conformance.wire.messages import Json

BEGIN: Json = {"event": "begin_session"}
RUN: Json = {"event": "run_session"}


def case(cluster: Json, *events: Json, report: Iterable[str] = ()) -> Json:
    """A case that starts from a cluster; `report` asks for books or protocol events."""
    made: Json = {"cluster": cluster, "events": list(events)}
    if reports := list(report):
        made["report"] = reports
    return made


def cluster(
    *hosts: Json,
    amounts: Iterable[str] = (),
    shared: Iterable[str] = (),
    attributes: Mapping[str, str] | None = None,
    pools: Mapping[str, int] | None = None,
    limits: Iterable[Json] = (),
) -> Json:
    """A configuration: what is declared, the hosts in order, pools and limits."""
    resources = {"host": list(amounts), "shared": list(shared), "attributes": attributes}
    declared = {name: value for name, value in resources.items() if value}
    made = {"resources": declared, "hosts": list(hosts), "pools": pools, "limits": list(limits)}
    return {name: value for name, value in made.items() if value or name == "hosts"}


def host(
    name: str,
    slots: int,
    *,
    closed: bool = False,
    attributes: Mapping[str, int | str] | None = None,
    **amounts: int,
) -> Json:
    """A host with its slots and amounts."""
    made: Json = {"name": name, "capacity": {"slots": slots, **amounts}}
    if attributes:
        made["attributes"] = dict(attributes)
    if closed:
        made["open"] = False
    return made


def limit(kind: str, name: str | None, scope: str, resource: str, cap: int) -> Json:
    """A cap on what the user, queue or project of that name holds; `None` caps each of them."""
    return {**limit_name(kind, name, scope, resource), "cap": cap}


def limit_name(kind: str, name: str | None, scope: str, resource: str) -> Json:
    """A limit without its cap: what makes two limits the same."""
    who: Json = {"each": True} if name is None else {"name": name}
    return {"kind": kind, **who, "scope": scope, "resource": resource}


def counts(least: int, most: int) -> Json:
    """Counts of tasks."""
    return {"min": least, "max": most}


def uses(resource: str, amount: int, per: str | None = None) -> Json:
    """One entry of a rusage."""
    made: Json = {"resource": resource, "amount": amount}
    if per is not None:
        made["per"] = per
    return made


def primary(
    tasks: int | Json | None,
    *rusage: Json,
    select: Json | None = None,
    **span: int,
) -> Json:
    """Equal tasks with one rusage, one select and one span; `None` leaves the counts out."""
    made: Json = {}
    if tasks is not None:
        made["tasks"] = counts(tasks, tasks) if isinstance(tasks, int) else tasks
    if select is not None:
        made["select"] = select
    if rusage:
        made["rusage"] = list(rusage)
    if span:
        made["span"] = dict(span)
    return made


Alternative = int | Json | list[int | Json]
"""A number of tasks, a primary, or a compound: the list of its parts."""


def job(
    name: str,
    *alternatives: Alternative,
    user: str = "u",
    queue: str = "q",
    project: str = "p",
    priority: int | None = None,
    tasks: Json | None = None,
) -> Json:
    """A job; a plain number stands for a primary of that many tasks and nothing else."""
    made: Json = {"name": name, "user": user, "queue": queue, "project": project}
    if priority is not None:
        made["priority"] = priority
    if tasks is not None:
        made["tasks"] = tasks
    return {**made, "request": [_compound(alternative) for alternative in alternatives]}


def _compound(alternative: Alternative) -> list[Json]:
    parts = alternative if isinstance(alternative, list) else [alternative]
    return [primary(part) if isinstance(part, int) else part for part in parts]


def submit(name: str, *alternatives: Alternative, **identity: Any) -> Json:
    """A job joins the queue; the arguments are those of `job`."""
    return {"event": "submit", "job": job(name, *alternatives, **identity)}


def finish(name: str) -> Json:
    """A live job ends."""
    return {"event": "finish", "job": name}


def withdraw(name: str) -> Json:
    """A pending job leaves the queue."""
    return {"event": "withdraw", "job": name}


def run(cancel_at: int) -> Json:
    """A run in which a cancellation is asked for after that many polls."""
    return {"event": "run_session", "cancel_at": cancel_at}


def host_add(added: Json) -> Json:
    """A host joins, last in order."""
    return {"event": "host_add", "host": added}


def host_change(name: str, **changes: Any) -> Json:
    """A host changes: `capacity`, `attributes`, `open`."""
    return {"event": "host_change", "host": name, **changes}


def pool_change(pool: str, capacity: int) -> Json:
    """A pool has a new capacity."""
    return {"event": "pool_change", "pool": pool, "capacity": capacity}


def limit_set(kind: str, name: str | None, scope: str, resource: str, cap: int) -> Json:
    """A new limit, or a new cap."""
    return {"event": "limit_set", "limit": limit(kind, name, scope, resource, cap)}


def limit_remove(kind: str, name: str | None, scope: str, resource: str) -> Json:
    """A limit is no more."""
    return {"event": "limit_remove", "limit": limit_name(kind, name, scope, resource)}


def number(thousandths: int) -> Json:
    """A number in a select."""
    return {"number": thousandths}


def text(value: str) -> Json:
    """A text in a select."""
    return {"text": value}


def attribute(name: str) -> Json:
    """The value of an attribute of the host that is looked at."""
    return {"attribute": name}


def defined(name: str) -> Json:
    """Whether the host has the attribute."""
    return {"defined": name}


def operation(operator: str, *operands: Json) -> Json:
    """An operator of a select and its one or two operands."""
    return {"op": operator, "args": list(operands)}
