"""Events and answers of the protocol in words."""

from typing import assert_never

from allotment_conformance.wire.messages import (
    Answer,
    Cancelled,
    Dispatched,
    Json,
    Ok,
    Pending,
    Ran,
    Refused,
)

AnyAnswer = Answer | Dispatched | Pending | Cancelled
"""The answer to an event, or what it says of one job."""


def event_in_words(event: Json) -> str:
    """What an event of a simulation asks for."""
    match event:
        case {"event": "submit", "job": job}:
            return f"{job['name']} is submitted: {request_in_words(job)}"
        case {"event": "finish", "job": name}:
            return f"{name} ends"
        case {"event": "withdraw", "job": name}:
            return f"{name} is withdrawn"
        case {"event": "run_session"}:
            return "every pending job is tried"
        case _:
            return "a session begins"


def request_in_words(job: Json) -> str:
    """The tasks that a job of a simulation asks for, and on whose behalf."""
    [[primary]] = job["request"]
    tasks = primary["tasks"]["max"]
    words = f"{tasks} task" + ("s" if tasks != 1 else "")
    for entry in primary.get("rusage", []):
        words += f", each with {entry['amount'] / 1000:g} {entry['resource']}"
    return f"{words}, of {job['user']}, {job['queue']}, {job['project']}"


def answer_in_words(answer: AnyAnswer | None) -> str:
    """What an answer says of an event or a job."""
    match answer:
        case None:
            return "no answer"
        case Ok():
            return "accepted"
        case Refused(code=code):
            return f"refused with {code}"
        case Ran(jobs=jobs):
            return f"a run of {len(jobs)} jobs"
        case Dispatched():
            parts = [" ".join(f"{host}:{slots}" for host, slots in part) for part in answer.parts]
            return f"{answer.job} is dispatched to {' and '.join(parts)}"
        case Pending():
            never = "can never run" if answer.never else "may run later"
            cached = ", known from the cache" if answer.cached else ""
            return f"{answer.job} is pending for {answer.reason}, {never}{cached}"
        case Cancelled():
            return f"{answer.job} is cancelled"
        case _:
            assert_never(answer)
