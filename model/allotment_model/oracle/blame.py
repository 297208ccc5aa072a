"""Blame: the clause that a forbidden answer breaks, by how it differs from the expected one.

This names the clause that the difference belongs to first of all. What the fault is, is a
question for the variants: the one that answers alike names it.
"""

from allotment_model.answers import (
    Answer,
    Cancelled,
    Dispatched,
    JobAnswer,
    Pending,
    Ran,
    Refusal,
    Refused,
)

CLAUSE_OF_REFUSAL = {
    Refusal.DUPLICATE_NAME: "SESSION-7",
    Refusal.IDENTITY_MISSING: "INGEST-3",
    Refusal.COUNTS: "INGEST-1",
    Refusal.UNKNOWN_RESOURCE: "RES-1",
    Refusal.NOT_AN_ATTRIBUTE: "SELECT-1",
    Refusal.TYPE: "SELECT-2",
    Refusal.PER_HOST_ON_POOL: "RES-3",
    Refusal.PER_JOB_ON_HOST: "RES-3",
    Refusal.AMOUNT_RANGE: "AMOUNT-2",
    Refusal.NOT_RUNNING: "SESSION-6",
    Refusal.NOT_PENDING: "SESSION-6",
}
"""The clause that a code stands for; the others stand for INGEST-2."""


def broken_clause(expected: Answer, answer: Answer) -> str:
    """The clause of a difference between two answers to an event other than a run."""
    for one in (expected, answer):
        if isinstance(one, Refused):
            return CLAUSE_OF_REFUSAL.get(one.code, "INGEST-2")
    return "SESSION-1" if isinstance(expected, Ran) else "INGEST-2"


def broken_clause_of_job(expected: JobAnswer, answer: JobAnswer) -> str:
    """The clause of a difference between two answers for one job."""
    match expected, answer:
        case Dispatched(), Dispatched():
            return _of_dispatches(expected, answer)
        case Pending(), Pending():
            return _of_pends(expected, answer)
        case Dispatched(alternative=0), Pending():
            return "PAR-1"
        case Dispatched(), Pending():
            return "ALTER-1"
        case Pending(), Dispatched():
            return "HOST-7" if _takes_a_host_twice(answer) else "PAR-2"
        case _, Cancelled():
            return "CANCEL-1"
        case _:
            return "PAR-1"


def _of_dispatches(expected: Dispatched, answer: Dispatched) -> str:
    if _takes_a_host_twice(answer):
        return "HOST-7"
    if expected.alternative != answer.alternative:
        return "ALTER-1"
    if len(expected.parts) != len(answer.parts):
        return "COMPOUND-1"
    split = [[slots for _host, slots in part] for part in expected.parts]
    if split != [[slots for _host, slots in part] for part in answer.parts]:
        return "PAR-1"
    return "HOST-1"


def _of_pends(expected: Pending, answer: Pending) -> str:
    if expected.never != answer.never:
        return "WHY-2"
    return "WHY-3" if expected.cached != answer.cached else "WHY-1"


def _takes_a_host_twice(answer: Dispatched) -> bool:
    return any(len(dict(part)) < len(part) for part in answer.parts)
