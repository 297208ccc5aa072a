"""The list of clauses: id, title and kind of evidence of each, in the order of SPEC.md.

A test holds this list equal to SPEC.md, and another finds for each clause the model function
whose docstring names it.
"""

from dataclasses import dataclass
from enum import StrEnum


class Evidence(StrEnum):
    """How one sees that a clause holds (SPEC.md, 3)."""

    ANSWER = "answer"
    INSIDE = "inside"
    STRUCTURE = "structure"


@dataclass(frozen=True, slots=True, kw_only=True)
class Clause:
    """One normative sentence. `features` are those that a profile needs to claim it."""

    id: str
    title: str
    evidence: Evidence
    features: frozenset[str]


def _clause(clause_id: str, title: str, evidence: Evidence, *features: str) -> Clause:
    return Clause(id=clause_id, title=title, evidence=evidence, features=frozenset(features))


_ANSWER, _INSIDE, _STRUCTURE = Evidence.ANSWER, Evidence.INSIDE, Evidence.STRUCTURE

CLAUSES = (
    _clause("PLAN-1", "fewest hosts first", _ANSWER),
    _clause("PLAN-2", "balanced split, no other", _ANSWER),
    _clause("PLAN-3", "largest bucket first", _ANSWER),
    _clause("PLAN-4", "one plan a call", _INSIDE),
    _clause("PLAN-5", "stable end of plans", _INSIDE),
    _clause("PLAN-6", "closing is enough", _INSIDE),
    _clause("PLAN-7", "plan call is a cancellation point", _INSIDE),
    _clause("PLAN-8", "plans from the request alone", _INSIDE),
    _clause("PLAN-9", "span bounds", _ANSWER, "span"),
    _clause("PLAN-10", "ptile", _ANSWER, "ptile"),
    _clause("PLAN-11", "any split", _ANSWER),
    _clause("HOST-1", "candidates: open, selected, with room", _ANSWER, "select"),
    _clause("HOST-2", "exhaustion of one search", _INSIDE),
    _clause("HOST-3", "each bucket searches afresh", _ANSWER),
    _clause("HOST-4", "independent iterators", _INSIDE),
    _clause("HOST-5", "host call is a cancellation point", _INSIDE),
    _clause("HOST-6", "too small stays a candidate", _ANSWER),
    _clause("HOST-7", "distinct hosts in a plan", _ANSWER),
    _clause("HOST-8", "failed start is an error", _INSIDE),
    _clause("HOST-9", "host order", _ANSWER),
    _clause("WANT-1", "want of a bucket", _ANSWER, "rusage"),
    _clause("WANT-2", "entries are summed", _ANSWER, "rusage"),
    _clause("WANT-3", "wants never shrink", _STRUCTURE),
    _clause("WANT-4", "exactly enough fits", _ANSWER),
    _clause("WANT-5", "limit wants afresh for each candidate", _ANSWER, "limits"),
    _clause("LIMIT-1", "which limits apply", _ANSWER, "limits"),
    _clause("LIMIT-2", "what a limit counts", _ANSWER, "limits"),
    _clause("LIMIT-3", "what is left of a limit", _ANSWER, "limits"),
    _clause("SHARED-1", "pools once a primary", _ANSWER, "shared", "rusage"),
    _clause("SHARED-2", "parts debit pools in turn", _ANSWER, "shared", "rusage", "compound"),
    _clause("PAR-1", "first plan that holds", _ANSWER),
    _clause("PAR-2", "no plan, nothing taken", _ANSWER),
    _clause("PAR-3", "answer in bucket order", _ANSWER),
    _clause("PAR-4", "descending search is complete", _ANSWER),
    _clause("PAR-5", "verdict independent of host order", _STRUCTURE),
    _clause("SEQ-1", "one task: first candidate", _ANSWER),
    _clause("TASKS-1", "only the maximum is placed", _ANSWER),
    _clause("UNDO-1", "failed plan leaves nothing", _ANSWER),
    _clause("UNDO-2", "reversal is idempotent", _STRUCTURE),
    _clause("UNDO-3", "reversals commute", _STRUCTURE),
    _clause("UNDO-4", "failed attempt leaves nothing", _ANSWER, "compound"),
    _clause("COMPOUND-1", "all parts or none", _ANSWER, "compound"),
    _clause("COMPOUND-2", "parts see earlier debits", _ANSWER, "compound"),
    _clause("COMPOUND-3", "failed compound leaves nothing", _ANSWER, "compound", "alter"),
    _clause("ALTER-1", "first alternative that is placed", _ANSWER, "alter"),
    _clause("ALTER-2", "failed alternative leaves nothing", _ANSWER, "compound", "alter"),
    _clause("ALTER-3", "same checks inside", _ANSWER, "compound"),
    _clause("CACHE-1", "key by content", _ANSWER),
    _clause("CACHE-2", "emptied at the session's begin", _ANSWER),
    _clause("CACHE-3", "filled with no debit held", _ANSWER, "compound"),
    _clause("CACHE-4", "hit fails its primary", _ANSWER, "alter"),
    _clause("CACHE-5", "hit has the stored category", _ANSWER),
    _clause("CACHE-6", "cache is transparent", _STRUCTURE),
    _clause("CACHE-7", "cache not in snapshots", _STRUCTURE),
    _clause("CACHE-8", "second equal failure is cached", _ANSWER),
    _clause("CACHE-9", "cached keys fail now", _STRUCTURE),
    _clause("SESSION-1", "order of the queue", _ANSWER),
    _clause("SESSION-2", "changes at the session's begin", _ANSWER),
    _clause("SESSION-3", "in use is the sum over live jobs", _ANSWER),
    _clause("SESSION-4", "drained books are zero", _ANSWER),
    _clause("SESSION-5", "closed and shrunk hosts", _ANSWER, "host-changes"),
    _clause("SESSION-6", "no job is lost", _ANSWER),
    _clause("SESSION-7", "job names are unique", _ANSWER),
    _clause("WHY-1", "category of a pend", _ANSWER),
    _clause("WHY-2", "never", _ANSWER),
    _clause("WHY-3", "cached", _ANSWER),
    _clause("INGEST-1", "counts are reconciled", _ANSWER),
    _clause("INGEST-2", "refused with a code", _ANSWER),
    _clause("INGEST-3", "user, queue, project", _ANSWER),
    _clause("CANCEL-1", "cancelled attempt", _INSIDE, "cancel"),
    _clause("MODE-1", "normal mode only", _STRUCTURE),
    _clause("SELECT-1", "attributes, exact numbers", _ANSWER, "select"),
    _clause("SELECT-2", "texts and truth", _ANSWER, "select"),
    _clause("SELECT-3", "short circuit", _ANSWER, "select"),
    _clause("SELECT-4", "undefined leaves out", _ANSWER, "select"),
    _clause("SELECT-5", "not zero passes", _ANSWER, "select"),
    _clause("RES-1", "declared resources", _ANSWER, "rusage"),
    _clause("RES-2", "lacking amount is zero", _ANSWER, "rusage"),
    _clause("RES-3", "per", _ANSWER, "rusage"),
    _clause("AMOUNT-1", "exact integers", _STRUCTURE),
    _clause("AMOUNT-2", "products in range", _ANSWER, "rusage"),
)
"""All clauses."""
