"""Cases, events and answers as JSON has them: read strictly, written as builtins (2.1, 2.2)."""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, TypeAlias

import msgspec

from allotment_impl.attempt import ProtocolEvent
from allotment_impl.books import Books, LimitUse
from allotment_impl.decisions import Cancelled, Dispatched, Outcome, Pending
from allotment_impl.expressions import Expression, read_expression
from allotment_impl.places import Place, path
from allotment_impl.refusals import AllotmentError
from allotment_impl.requests import Cluster, Host, HostChange, Job, Limit, LimitIdentity, Value

Answer: TypeAlias = dict[str, Any]


class MalformedCaseError(AllotmentError):
    """A case that is none: its message names the place and what was expected there."""


class Report(Enum):
    """What a case asks for besides the answers."""

    BOOKS = "books"
    EVENTS = "events"


class BeginSession(Value, frozen=True, kw_only=True, tag_field="event", tag="begin_session"):
    """A session begins."""


class Submit(Value, frozen=True, kw_only=True, tag_field="event", tag="submit"):
    """A job is submitted."""

    job: Job


class RunSession(Value, frozen=True, kw_only=True, tag_field="event", tag="run_session"):
    """The pending jobs are tried; perhaps a poll is to be cancelled (CANCEL-1)."""

    cancel_at: int | None = None

    def __post_init__(self) -> None:
        if self.cancel_at is not None and self.cancel_at < 0:
            raise ValueError("`cancel_at` is at least 0")


class Finish(Value, frozen=True, kw_only=True, tag_field="event", tag="finish"):
    """A live job ends."""

    job: str


class Withdraw(Value, frozen=True, kw_only=True, tag_field="event", tag="withdraw"):
    """A pending job leaves the queue."""

    job: str


class HostAddEvent(Value, frozen=True, kw_only=True, tag_field="event", tag="host_add"):
    """A host is added."""

    host: Host


class HostChangeEvent(HostChange, frozen=True, kw_only=True, tag_field="event", tag="host_change"):
    """A host is changed."""


class PoolChangeEvent(Value, frozen=True, kw_only=True, tag_field="event", tag="pool_change"):
    """A pool has a new capacity."""

    pool: str
    capacity: int


class LimitSetEvent(Value, frozen=True, kw_only=True, tag_field="event", tag="limit_set"):
    """A limit is set."""

    limit: Limit


class LimitRemoveEvent(Value, frozen=True, kw_only=True, tag_field="event", tag="limit_remove"):
    """A limit is removed."""

    limit: LimitIdentity


Event: TypeAlias = (
    BeginSession
    | Submit
    | RunSession
    | Finish
    | Withdraw
    | HostAddEvent
    | HostChangeEvent
    | PoolChangeEvent
    | LimitSetEvent
    | LimitRemoveEvent
)


class Case(Value, frozen=True, kw_only=True):
    """A starting configuration, or the scheduler of the case before; events; reports."""

    events: tuple[Event, ...]
    cluster: Cluster | None = None
    report: tuple[Report, ...] = ()


def read_case(raw: Mapping[str, Any]) -> Case:
    """Read a case from builtins; raises ``MalformedCaseError`` with the place if it is none."""
    try:
        case = msgspec.convert(raw, Case, dec_hook=_read_custom)
    except msgspec.ValidationError as error:
        raise MalformedCaseError(f"not a case: {error}") from error
    problem = next(_said_too_much(raw), None) if _may_say_too_much(raw) else None
    if problem is not None:
        raise MalformedCaseError(f"not a case: {problem}")
    return case


_TOO_MUCH = re.compile(rb'null|"each":false')


def _may_say_too_much(raw: Mapping[str, Any]) -> bool:
    """Whether it is worth looking: an embedder may give None or False, a case leaves them out."""
    try:
        return _TOO_MUCH.search(msgspec.json.encode(raw)) is not None
    except (OverflowError, RecursionError, UnicodeEncodeError):
        return True


def _said_too_much(raw: object) -> Iterator[str]:
    """What the types of a case let through and 2.1 does not; a tree of any depth."""
    waiting: list[tuple[object, Place]] = [(raw, None)]
    while waiting:
        value, place = waiting.pop()
        if isinstance(value, list | tuple):
            waiting += [(item, (place, f"[{index}]")) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            takes_null = place is not None and place[1] == ".attributes"
            for name, item in value.items():
                waiting.append((item, inner := (place, f".{name}")))
                if item is None and not takes_null:
                    yield f"null is only for an attribute that goes away - at `${path(inner)}`"
                if item is False and name == "each":
                    yield f"`each` is true or left out - at `${path(inner)}`"


def _read_custom(kind: type, raw: object) -> object:
    if kind is Expression:
        return read_expression(raw)
    raise NotImplementedError(f"nothing of type {kind} is in a case")


def write_outcome(outcome: Outcome) -> Answer:
    """One entry of a run's answer (2.2)."""
    match outcome:
        case Dispatched():
            entry: Answer = {
                "job": outcome.job,
                "answer": "dispatched",
                "alternative": outcome.alternative,
                "parts": [[list(taken) for taken in part] for part in outcome.parts],
            }
        case Pending():
            entry = {
                "job": outcome.job,
                "answer": "pending",
                "reason": outcome.reason.value,
                "never": outcome.never,
                "cached": outcome.cached,
            }
        case Cancelled():
            entry = {"job": outcome.job, "answer": "cancelled"}
    if outcome.events is not None:
        entry["events"] = [_write_event(event) for event in outcome.events]
    return entry


def _write_event(event: ProtocolEvent) -> list[object]:
    return [list(field) if isinstance(field, tuple) else field for field in event]


def write_books(books: Books) -> Answer:
    """The books of an answer (2.2)."""
    return {
        "hosts": {name: dict(used) for name, used in books.hosts.items()},
        "pools": dict(books.pools),
        "limits": [_write_limit_use(use) for use in books.limits],
    }


def _write_limit_use(use: LimitUse) -> Answer:
    limit = use.limit
    whom: Answer = {"each": True} if limit.name is None else {"name": limit.name}
    return {
        "kind": limit.kind.value,
        **whom,
        "scope": limit.scope.value,
        "resource": limit.resource,
        "holder": use.holder,
        "host": use.host,
        "used": use.used,
    }
