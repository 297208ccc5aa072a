"""The clause that a disagreement belongs to, by what differs."""

from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import read_answers
from allotment_model.answers import Ran
from allotment_model.oracle.blame import broken_clause, broken_clause_of_job

CLAUSE_OF_NOTE = {
    "primary": "COMPOUND-2",
    "hit": "CACHE-4",
    "plan": "PLAN-1",
    "offered": "HOST-1",
    "refused": "HOST-7",
    "claimed": "PAR-1",
    "reversed": "UNDO-1",
    "filled": "CACHE-3",
    "committed": "UNDO-4",
}
"""The clause of a protocol event that is lacking, or that should not be there."""


CLAUSE_OF_REASON = {
    "span": "PLAN-9",
    "select": "SELECT-5",
    "shared": "SHARED-1",
    "limit": "WANT-5",
}
"""The clause that kept a job from being placed, by the reason for which it has to wait (WHY-1)."""


def likeliest_clause(found: Disagreement) -> str | None:
    """The clause to name where no known fault does.

    That a job was placed which has to wait belongs to PAR-2; the reason for which it has to wait
    says more, if it is not the capacity. Without hosts that reason is `select`, and says nothing.
    """
    clause = clause_of(found)
    if clause != "PAR-2" or not found.before.cluster.hosts:
        return clause
    expected = next(one for one in found.expected["jobs"] if one["job"] == found.job)
    if expected["answer"] != "pending":
        return clause
    return CLAUSE_OF_REASON.get(expected["reason"], "CACHE-4" if expected["cached"] else clause)


def clause_of(found: Disagreement) -> str | None:
    """The clause that the difference belongs to; None where there was no answer."""
    match found.kind:
        case Kind.CRASH | Kind.MALFORMED | Kind.COUNT:
            return None
        case Kind.QUEUE:
            return "SESSION-1"
        case Kind.BOOKS:
            return "SESSION-3"
        case Kind.CANCELLED:
            return "CANCEL-1"
        case Kind.EVENTS:
            return _clause_of_notes(found)
        case _:
            return _clause_of_answers(found)


def _clause_of_notes(found: Disagreement) -> str:
    """The clause of the first protocol event that differs."""
    told, other = (
        next(one.get("events", []) for one in answer["jobs"] if one["job"] == found.job)
        for answer in (found.expected, found.actual)
    )
    pairs = zip([*told, ["end"]], [*other, ["end"]], strict=False)
    expected, actual = next((a, b) for a, b in pairs if a != b)
    return CLAUSE_OF_NOTE[expected[0] if expected[0] != "end" else actual[0]]


def _clause_of_answers(found: Disagreement) -> str:
    expected, actual = map(to_model.answer, read_answers([found.expected, found.actual]))
    if found.job is None or not isinstance(expected, Ran) or not isinstance(actual, Ran):
        return broken_clause(expected, actual)
    one, other = (
        next(tried.answer for tried in answer.jobs if tried.job == found.job)
        for answer in (expected, actual)
    )
    return broken_clause_of_job(one, other)
