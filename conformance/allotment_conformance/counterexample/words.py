"""Cases in the words of the domain: amounts as decimals, requests and limits as sentences.

What is put into words is a message of SPEC.md 2, as JSON gives it.
"""

from collections.abc import Collection
from typing import Any

from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.request_texts import UNREADABLE, text_of

PENDING_FIELDS = frozenset({"reason", "never", "cached"})
"""What a pending answer says beside that it is one."""

UNARY = {"!": "!", "neg": "-"}

SPAN_WORDS = (
    ("hosts_min", "on at least ", "host", ""),
    ("hosts_max", "on at most ", "host", ""),
    ("tasks_per_host", "at most ", "task", " a host"),
    ("ptile", "", "task", " on each host"),
)


def amount(thousandths: int) -> str:
    """An amount as an exact decimal: 1500 is 1.5."""
    sign, size = ("-" if thousandths < 0 else ""), abs(thousandths)
    whole, rest = divmod(size, 1000)
    return f"{sign}{whole}" + (f".{rest:03}".rstrip("0") if rest else "")


def quantity(resource: str, number: int) -> str:
    """How much of a resource: slots are whole, all else is thousandths."""
    return str(number) if resource == "slots" else amount(number)


def name(told: str) -> str:
    """A name as it is told: in quotes if it is empty or has blanks, else it could be overlooked."""
    return told if told and not any(map(str.isspace, told)) else f"'{told}'"


def counted(number: int, thing: str) -> str:
    """`1 task`, `2 tasks`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def job(sent: Json) -> str:
    """A job: its name, on whose behalf, its request."""
    priority = f", priority {sent['priority']}" if sent.get("priority") else ""
    counts = f", {tasks(sent['tasks'])} in all" if sent.get("tasks") else ""
    kinds = ("user", "queue", "project")
    who = ", ".join(name(sent[kind]) if sent[kind] else f"(no {kind})" for kind in kinds)
    return f"job {name(sent['name'])} ({who}{priority}{counts}): {_asked(sent)}"


def _asked(sent: Json) -> str:
    """What is asked for, and in which text, if it is not sent as a tree."""
    text = text_of(sent["request"], sent["text"]) if "text" in sent else None
    if text is None:
        return request(sent["request"])
    asked = "no request" if sent["request"] == [[UNREADABLE]] else request(sent["request"])
    return f"{asked}, sent as the text: {text or '(empty)'}"


def request(sent: list[list[Json]]) -> str:
    """Alternatives of parts."""
    if not sent:
        return "no alternative"
    alternatives = [" and ".join(map(_part, parts)) or "nothing" for parts in sent]
    if len(sent) == 1 and len(sent[0]) == 1:
        return primary(sent[0][0])
    return " or else ".join(alternatives)


def _part(sent: Json) -> str:
    return f"{{{primary(sent)}}}"


def primary(sent: Json) -> str:
    """The tasks, the hosts that they may use, what they need, how they may be spread."""
    words = [tasks(sent["tasks"]) if sent.get("tasks") else "the job's tasks"]
    if "select" in sent:
        words[0] += f" on hosts where {expression(sent['select'])}"
    words += map(rusage_entry, sent.get("rusage", []))
    return ", ".join(words + span(sent.get("span", {})))


def tasks(sent: Json) -> str:
    """Counts of tasks."""
    if sent["min"] == sent["max"]:
        return counted(sent["max"], "task")
    return f"{sent['min']} to {counted(sent['max'], 'task')}"


def rusage_entry(sent: Json) -> str:
    """What a task, a host or the job needs of a resource."""
    per = f" per {sent['per']}" if "per" in sent else ""
    return f"{sent['resource']} {quantity(sent['resource'], sent['amount'])}{per}"


def span(sent: Json) -> list[str]:
    """The bounds of PLAN-9 and PLAN-10 that are given."""
    return [
        f"{before}{counted(sent[field], thing)}{behind}"
        for field, before, thing, behind in SPAN_WORDS
        if field in sent
    ]


def expression(sent: Json, *, nested: bool = False) -> str:
    """A select in infix form, every operation inside another in parentheses."""
    if "number" in sent:
        return amount(sent["number"])
    if "text" in sent:
        return f"'{sent['text']}'"
    if "attribute" in sent:
        return str(sent["attribute"])
    if "defined" in sent:
        return f"defined({sent['defined']})"
    operands = [expression(operand, nested=True) for operand in sent["args"]]
    if sent["op"] in UNARY:
        return f"{UNARY[sent['op']]}{operands[0]}"
    infix = f" {sent['op']} ".join(operands)
    return f"({infix})" if nested else infix


def limit(sent: Json) -> str:
    """A limit; without `cap` only what it limits."""
    who = f"each {sent['kind']}" if sent.get("each") else f"{sent['kind']} {name(sent['name'])}"
    where = "on each host" if sent["scope"] == "host" else "over all hosts"
    resource = sent["resource"]
    if "cap" not in sent:
        return f"{who}: {resource} {where}"
    return f"{who} holds at most {quantity(resource, sent['cap'])} {resource} {where}"


def use_of_limit(sent: Json) -> str:
    """Whose use of which limit it is that the books tell, and of what."""
    where = f" on host {name(sent['host'])}" if sent["host"] is not None else ""
    who = name(sent["name"]) if "name" in sent else "each"
    return f"limit of {sent['kind']} {who} for {name(sent['holder'])}{where}: {sent['resource']}"


def host_values(sent: Json) -> str:
    """What is said of a host in `host_add` and `host_change`."""
    words = [f"{what} {quantity(what, n)}" for what, n in sent.get("capacity", {}).items()]
    for what, value in sent.get("attributes", {}).items():
        words.append(f"no {what}" if value is None else f"{what} = {attribute_value(value)}")
    if "open" in sent:
        words.append("open" if sent["open"] else "closed")
    return ", ".join(words) or "nothing"


def attribute_value(value: int | str) -> str:
    """The value of an attribute: a text in quotes, or a number."""
    return f"'{value}'" if isinstance(value, str) else amount(value)


def event(sent: Json) -> str:
    """What happens."""
    match sent:
        case {"event": "begin_session"}:
            return "a session begins"
        case {"event": "run_session", "cancel_at": polls}:
            return f"run the session, cancel after {counted(polls, 'poll')}"
        case {"event": "run_session"}:
            return "run the session"
        case {"event": "submit", "job": submitted}:
            return f"submit {job(submitted)}"
        case {"event": "finish", "job": job_name}:
            return f"job {name(job_name)} finishes"
        case {"event": "withdraw", "job": job_name}:
            return f"job {name(job_name)} is withdrawn"
        case _:
            return _change(sent)


def _change(sent: Json) -> str:
    match sent:
        case {"event": "host_add", "host": host}:
            return f"host {name(host['name'])} joins: {host_values(host)}"
        case {"event": "host_change", "host": host}:
            return f"host {name(host)} changes: {host_values(sent)}"
        case {"event": "pool_change", "pool": pool, "capacity": capacity}:
            return f"pool {pool} becomes {amount(capacity)}"
        case {"event": "limit_set", "limit": given}:
            return f"limit set: {limit(given)}"
        case {"event": "limit_remove", "limit": given}:
            return f"limit removed: {limit(given)}"
        case _:
            raise ValueError(f"no event of SPEC.md 2.2: {sent}")


def answer(sent: Any, declares: Collection[str] = PENDING_FIELDS) -> list[str]:
    """What was answered to an event: one line, or one for each job of a run."""
    if not isinstance(sent, dict):
        return [str(sent)]
    match sent:
        case {"answer": "refused", "code": code}:
            return [f"refused: {code}"]
        case {"answer": "ran", "jobs": jobs}:
            return [job_answer(job, declares) for job in jobs] or ["no job is tried"]
        case _:
            return ["accepted"]


def job_answer(
    sent: Json,
    declares: Collection[str] = PENDING_FIELDS,
    *,
    names_first: bool = False,
    without_parts: str = "in no part",
) -> str:
    """What one job was answered in a run; of a job that pends what `declares` says is meant.

    The number of the alternative counts from 0, as it is sent; that of the first is told only if
    `names_first`: beside another one. `without_parts` says where a job is that has none.
    """
    who = f"job {name(sent['job'])}"
    match sent["answer"]:
        case "dispatched":
            is_told = sent["alternative"] != 0 or names_first
            which = f" (alternative {sent['alternative']})" if is_told else ""
            where = " and ".join(map(part, sent["parts"])) or without_parts
            return f"{who} is dispatched{which}: {where}"
        case "pending":
            told = [sent["reason"]] if "reason" in declares else []
            told += ["never placeable"] if "never" in declares and sent["never"] else []
            told += ["known from the cache"] if "cached" in declares and sent["cached"] else []
            return f"{who} is pending" + (f": {', '.join(told)}" if told else "")
        case _:
            return f"{who} is cancelled"


def job_of(answer: Json, job: str | None) -> Json:
    """What a job was answered in a run."""
    found: Json = next(one for one in answer["jobs"] if one["job"] == job)
    return found


def has_alternative(answer: Json, found: Disagreement) -> bool:
    """Whether the job's request has the alternative that is said to be placed, if one is."""
    assert found.job is not None, "a job is answered"
    alternatives = range(len(found.before.pending[found.job].keys))
    return answer["answer"] != "dispatched" or answer["alternative"] in alternatives


def part_of(job: str, number: int) -> str:
    """A part of a job, counted from 0; the first is the job itself, which may have no other."""
    return f"part {number + 1} of job {name(job)}" if number else f"job {name(job)}"


def part_without_hosts(answer: Json) -> int | None:
    """PAR-3: the first part, from 0, of a job that is dispatched, for which no host is named."""
    return next((n for n, claims in enumerate(answer.get("parts", [])) if not claims), None)


LEFT_OPEN = "the profile leaves open where"
"""Said of a job that may go to more hosts than anybody has looked for."""


def job_answers(expected: Json, actual: Json, declares: Collection[str]) -> tuple[str, str]:
    """What two sides say of one job; if not both mean its first alternative, each says which."""
    names = any(side.get("alternative", 0) != 0 for side in (expected, actual))
    right = job_answer(expected, declares, names_first=names, without_parts=LEFT_OPEN)
    return right, job_answer(actual, declares, names_first=names)


def part(sent: list[list[Any]]) -> str:
    """Hosts and slots of one primary, in bucket order."""
    told = (f"{counted(slots, 'slot')} on {name(host)}" for host, slots in sent)
    return ", ".join(told) or "nowhere"
