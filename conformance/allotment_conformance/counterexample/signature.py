"""Signatures: what two failures have in common that are taken for the same."""

from dataclasses import dataclass
from typing import Any

from allotment_conformance.counterexample.clause import clause_of
from allotment_conformance.counterexample.words import job_of
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Json

BY_CLAUSE = frozenset({Kind.ACCEPTANCE, Kind.CODE, Kind.DECISION, Kind.PLACEMENT})
"""Kinds in which differences are of several sorts: a host taken twice is not one badly chosen."""

NO_ANSWERS = frozenset({Kind.CRASH, Kind.MALFORMED, Kind.COUNT})
"""Kinds that are no answers of an allocator; whatever should have come, it is the same failure."""

OF_TWO_VALUES = frozenset({Kind.NEVER, Kind.CACHED})
"""Kinds whose two directions are two failures: a hit that is lacking is not one that was none."""

SAME_CLASS = {"ALTER-1": "PAR-1"}
"""A job that pends though it would fit is the same failure in a later alternative."""


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Signature:
    """In what an allocator fails, and which answer it gives instead of which.

    `clause` is empty where the kind says enough; the answers are told by their kind, a refusal with
    its code, or by the value of what is true or false. A program without usable answers has the
    name of its failure as `kind`.
    """

    kind: str
    clause: str = ""
    expected: str = ""
    actual: str = ""

    def __str__(self) -> str:
        told = self.kind + (f" ({self.clause})" if self.clause else "")
        if self.expected in ("", self.actual):
            return told
        return f"{told}: {self.actual} instead of {self.expected}"


def signature_of(found: Disagreement) -> Signature:
    """The signature of a disagreement."""
    if found.kind in OF_TWO_VALUES:
        expected, actual = (
            str(job_of(answer, found.job)[found.kind]).lower()
            for answer in (found.expected, found.actual)
        )
        return Signature(kind=str(found.kind), expected=expected, actual=actual)
    clause = (clause_of(found) or "") if found.kind in BY_CLAUSE else ""
    return Signature(
        kind=str(found.kind),
        clause=SAME_CLASS.get(clause, clause) if found.kind is Kind.DECISION else clause,
        expected="" if found.kind in NO_ANSWERS else _answer(found.expected, found.job),
        actual=_answer(found.actual, found.job),
    )


def signature_of_failure(failure: Failure) -> Signature:
    """The signature of a case without usable answers."""
    return Signature(kind=failure.name)


def _answer(sent: Any, job: str | None) -> str:
    """The kind of an answer, that of the job if there is one."""
    if not isinstance(sent, dict):
        return str(sent).partition(":")[0]
    if job is not None:
        return str(job_of(sent, job)["answer"])
    return _of_event(sent)


def _of_event(sent: Json) -> str:
    return f"refused {sent['code']}" if sent["answer"] == "refused" else str(sent["answer"])
