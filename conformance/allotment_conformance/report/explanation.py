"""Why a job waits, in words: the plans tried, the bucket that failed, what each host lacked."""

from collections.abc import Iterator
from typing import Any

from allotment_conformance.counterexample import words
from allotment_conformance.verdict.why import Explained, Fate
from allotment_conformance.wire import from_model
from allotment_conformance.wire.messages import Json
from allotment_model.accounts import Account
from allotment_model.answers import Pending
from allotment_model.oracle.explain import HostTried, Lack, Obstacle, PartTried, PlanTried, Remedy

MOST_PLANS, MOST_HOSTS = 6, 8
"""Plans of a part and hosts of a plan that are told one by one: a person reads no more."""

OBSTACLES = {
    Obstacle.CLOSED: "closed",
    Obstacle.SELECT: "does not pass the select",
    Obstacle.CLAIMED: "holds an earlier bucket of this plan",
}


def lines(explained: Explained) -> list[str]:
    """One job: what became of it, and why."""
    told = [_head(explained)]
    if explained.parts and _is_hit(explained):
        told.append("  The reason is that of an equal part that failed before. Searched again now:")
    for part in explained.parts:
        told += [f"  {line}" for line in _part(part, explained)]
    if explained.fate is Fate.PENDING and not explained.parts:
        told.append("  Everything that it asks for is there: only the cache turns it away (E10).")
    if explained.fate is Fate.UNTRIED and not explained.parts:
        told.append("  It would be dispatched.")
    return told


def _head(explained: Explained) -> str:
    name = f"job {words.name(explained.job)}"
    match explained.fate:
        case Fate.REFUSED:
            return f"{name} was refused at event {explained.event}: {explained.code}"
        case Fate.GONE:
            return f"{name} is {explained.code}"
        case Fate.UNTRIED:
            return f"{name} is pending and was not tried; if it were tried now:"
        case Fate.PENDING | Fate.DISPATCHED:
            assert explained.answer is not None, "what was tried has an answer"
            said = words.job_answer(from_model.job_answer(explained.answer, False))
            return f"{said} (event {explained.event})"


def _part(part: PartTried, explained: Explained) -> Iterator[str]:
    """A primary that failed."""
    request = explained.request[part.alternative]
    asked = words.primary(request[part.part])
    where = f"alternative {part.alternative + 1} of {len(explained.request)}"
    where += f", part {part.part + 1} of {len(request)}" if len(request) > 1 else ""
    beside = ", beside the parts before it" if part.part > 0 else ""
    yield f"{where}, {asked}: fails by {part.category}{beside}"
    for lack in part.pools:
        yield f"  {_lack(lack)}"
    for plan in part.plans[:MOST_PLANS]:
        yield from (f"  {line}" for line in _plan(plan))
    if len(part.plans) > MOST_PLANS:
        yield f"  and {len(part.plans) - MOST_PLANS:,} more plans, which fail likewise"
    yield f"  {_remedy(part, in_compound=len(request) > 1)}"


def _plan(plan: PlanTried) -> Iterator[str]:
    """A plan, and why each host did not take the bucket that failed."""
    slots = plan.plan[plan.failed_bucket]
    buckets = ", ".join(map(str, plan.plan[: MOST_HOSTS + 1]))
    more = ", …" if len(plan.plan) > MOST_HOSTS + 1 else ""
    which = f"bucket {plan.failed_bucket + 1} ({words.counted(slots, 'task')})"
    yield f"plan [{buckets}{more}]: {which} finds no host"
    for host in plan.hosts[:MOST_HOSTS]:
        yield f"  {_host(host)}"
    if len(plan.hosts) > MOST_HOSTS:
        yield f"  and {len(plan.hosts) - MOST_HOSTS:,} more hosts"
    if not plan.hosts:
        yield "  there is no host"


def _host(tried: HostTried) -> str:
    if tried.obstacle is not None:
        return f"host {words.name(tried.host)}: {OBSTACLES[tried.obstacle]}"
    return f"host {words.name(tried.host)}: {'; '.join(map(_lack, tried.lacks))}"


def _lack(lack: Lack) -> str:
    """What is asked of an account, and what is free there."""
    name = lack.account.resource
    wanted, free = words.quantity(name, lack.wanted), words.quantity(name, lack.free)
    return f"{_account(lack.account)}: {wanted} asked, {free} free"


def _account(account: Account) -> str:
    """The resource, and whose it is where that is not plain."""
    if account.limit is None:
        pool = f"pool {words.name(account.resource)}"
        return account.resource if account.host is not None else pool
    limit = words.limit(from_model.limit(account.limit))
    holder = f", held by {words.name(account.holder or '')}" if account.limit.name is None else ""
    return f"limit of {limit}{holder}"


def _remedy(part: PartTried, *, in_compound: bool) -> str:
    """What would have to be there; of a later part, with the parts before it where they are."""
    if part.remedy is None:
        return "No one account with more room would be enough."
    account = part.remedy.account
    what = "This part" if in_compound else "It"
    if part.part > 0:
        what = "With the parts before it where they are, this part"
    more = f"{what} would be placed with {words.quantity(account.resource, part.remedy.more)} more"
    if account.limit is not None:
        return f"{more} under the {_account(account)}."
    where = f"on host {words.name(account.host)}" if account.host is not None else "in the pool"
    return f"{more} of {account.resource} {where}."


def _is_hit(explained: Explained) -> bool:
    tried = explained.answer
    return tried is not None and isinstance(tried.answer, Pending) and tried.answer.cached


def result_of(explained: Explained) -> Json:
    """The same for programs."""
    answer = explained.answer
    return {
        "job": explained.job,
        "fate": str(explained.fate),
        "event": explained.event,
        "code": explained.code,
        "answer": None if answer is None else from_model.job_answer(answer, False),
        "parts": [_part_json(part) for part in explained.parts],
    }


def _part_json(part: PartTried) -> dict[str, Any]:
    return {
        "alternative": part.alternative,
        "part": part.part,
        "category": str(part.category),
        "pools": [_lack_json(lack) for lack in part.pools],
        "plans": [
            {
                "plan": list(plan.plan),
                "failed_bucket": plan.failed_bucket,
                "hosts": [
                    {
                        "host": host.host,
                        "obstacle": None if host.obstacle is None else str(host.obstacle),
                        "lacks": [_lack_json(lack) for lack in host.lacks],
                    }
                    for host in plan.hosts
                ],
            }
            for plan in part.plans
        ],
        "remedy": None if part.remedy is None else _remedy_json(part.remedy),
    }


def _remedy_json(remedy: Remedy) -> dict[str, Any]:
    return {**_account_json(remedy.account), "more": remedy.more}


def _lack_json(lack: Lack) -> dict[str, Any]:
    return {**_account_json(lack.account), "wanted": lack.wanted, "free": lack.free}


def _account_json(account: Account) -> dict[str, Any]:
    return {
        "resource": account.resource,
        "host": account.host,
        "limit": None if account.limit is None else from_model.limit(account.limit),
        "holder": account.holder,
    }
