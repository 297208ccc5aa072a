"""In what two answers in normal form differ."""

from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.wire.messages import Json

FIELDS = (
    ("alternative", Kind.ALTERNATIVE),
    ("parts", Kind.PLACEMENT),
    ("reason", Kind.REASON),
    ("never", Kind.NEVER),
    ("cached", Kind.CACHED),
)
"""The fields of a job's answer, in the order in which a difference is reported."""


def first_difference(expected: Json, actual: Json) -> tuple[Kind, str | None] | None:
    """The first kind in which they differ, and the job whose answer it is; None if they agree."""
    if expected == actual:
        return None
    if expected["answer"] != actual["answer"]:
        return Kind.ACCEPTANCE, None
    if expected.get("code") != actual.get("code"):
        return Kind.CODE, None
    of_jobs = _difference_of_jobs(expected.get("jobs", []), actual.get("jobs", []))
    if of_jobs is not None and of_jobs[0] is not Kind.EVENTS:
        return of_jobs
    if expected.get("books") != actual.get("books"):
        return Kind.BOOKS, None
    assert of_jobs is not None, "answers that differ do so in something"
    return of_jobs


def _difference_of_jobs(expected: list[Json], actual: list[Json]) -> tuple[Kind, str | None] | None:
    """The first difference in what the jobs were answered; that in protocol events comes last."""
    if [one["job"] for one in expected] != [one["job"] for one in actual]:
        return Kind.QUEUE, None
    events: tuple[Kind, str | None] | None = None
    for one, other in zip(expected, actual, strict=True):
        kind = _difference_of_answers(one, other)
        if kind is Kind.EVENTS:
            events = events or (kind, one["job"])
        elif kind is not None:
            return kind, one["job"]
    return events


def _difference_of_answers(expected: Json, actual: Json) -> Kind | None:
    if expected == actual:
        return None
    if expected["answer"] != actual["answer"]:
        cancelled = "cancelled" in (expected["answer"], actual["answer"])
        return Kind.CANCELLED if cancelled else Kind.DECISION
    for field, kind in FIELDS:
        if expected.get(field) != actual.get(field):
            return kind
    return Kind.EVENTS
