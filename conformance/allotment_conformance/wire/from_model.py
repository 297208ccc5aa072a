"""The model's answers and books as they are sent: what JSON would give."""

from collections.abc import Mapping
from typing import Any, assert_never

from allotment_conformance.wire.messages import Json
from allotment_model.accounts import Account
from allotment_model.answers import (
    Answer,
    Cancelled,
    Dispatched,
    Note,
    Ok,
    Pending,
    Ran,
    Refused,
    Tried,
)
from allotment_model.cluster import LimitId


def answer(given: Answer, *, with_notes: bool = False) -> Json:
    """An answer; `with_notes` adds the protocol events of each attempt (SPEC.md 2.2)."""
    match given:
        case Ok():
            return {"answer": "ok"}
        case Refused(code=code):
            return {"answer": "refused", "code": code.value}
        case Ran(jobs=jobs):
            return {"answer": "ran", "jobs": [job_answer(tried, with_notes) for tried in jobs]}
        case _:
            assert_never(given)


def job_answer(tried: Tried, with_notes: bool) -> Json:
    """What one job was answered in a run."""
    sent: Json = {"job": tried.job}
    match tried.answer:
        case Dispatched(alternative=alternative, parts=parts):
            hosts = [[[host, slots] for host, slots in part] for part in parts]
            sent |= {"answer": "dispatched", "alternative": alternative, "parts": hosts}
        case Pending(reason=reason, never=never, cached=cached):
            sent |= {"answer": "pending", "reason": reason.value}
            sent |= {"never": never, "cached": cached}
        case Cancelled():
            sent["answer"] = "cancelled"
        case _:
            assert_never(tried.answer)
    if with_notes:
        sent["events"] = [note(one) for one in tried.notes]
    return sent


def note(told: Note) -> list[Any]:
    """A protocol event."""
    return [_plain(item) for item in told]


def _plain(item: str | int | tuple[int, ...]) -> Any:
    """The item without its enumeration or tuple type."""
    if isinstance(item, tuple):
        return list(item)
    return str(item) if isinstance(item, str) else item


def books(used: Mapping[Account, int]) -> Json:
    """SPEC.md 2.2: what is in use, accounts with nothing in use left out."""
    hosts: dict[str, dict[str, int]] = {}
    pools: dict[str, int] = {}
    limits: list[Json] = []
    for account, amount in used.items():
        if amount == 0:
            continue
        if account.limit is not None:
            use = {"holder": account.holder, "host": account.host, "used": amount}
            limits.append(limit(account.limit) | use)
        elif account.host is not None:
            hosts.setdefault(account.host, {})[account.resource] = amount
        else:
            pools[account.resource] = amount
    return {"hosts": hosts, "pools": pools, "limits": limits}


def limit(given: LimitId) -> Json:
    """A limit without its cap."""
    who: Json = {"each": True} if given.name is None else {"name": given.name}
    return {
        "kind": given.kind.value,
        **who,
        "scope": given.scope.value,
        "resource": given.resource,
    }
