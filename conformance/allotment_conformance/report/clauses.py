"""The rows of a verification's table: one for each clause of SPEC.md."""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from allotment_conformance.verdict.claims import (
    ON_THE_CONTRACT,
    SEEN_IN_EVENTS,
    SHOWN_BY_TEST,
    why_not_claimed,
)
from allotment_conformance.verdict.verification import Verification
from allotment_model.clauses import CLAUSES, Clause, Evidence


class ClauseVerdict(StrEnum):
    """What a run says of one clause."""

    HOLDS = "holds"
    BROKEN = "broken"
    NOT_CLAIMED = "not claimed"
    NOT_EXERCISED = "not exercised"
    ELSEWHERE = "shown elsewhere"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A clause, what was done to see it, and what was seen.

    For an *answer* clause `probed` is how many cases were probed with a variant that breaks it,
    `exercised` how many of them it would have answered differently. For an *inside* clause both
    are the attempts that were compared.
    """

    clause: Clause
    probed: int
    exercised: int
    shown: str
    verdict: ClauseVerdict


def rows(state: Verification) -> Iterator[Row]:
    """One row for each clause, in the order of SPEC.md."""
    broken = {clause for one in state.counterexamples for clause in one.diagnosis.clauses}
    for clause in CLAUSES:
        row = _row(clause, state)
        if clause.id in broken:
            row = Row(
                clause=clause,
                probed=row.probed,
                exercised=row.exercised,
                shown=row.shown,
                verdict=ClauseVerdict.BROKEN,
            )
        yield row


def _row(clause: Clause, state: Verification) -> Row:
    """The row, if nothing was found to be broken."""
    probed, exercised, shown = _evidence(clause, state)
    lacking = why_not_claimed(clause, state.profile)
    if clause.evidence is Evidence.STRUCTURE or shown == ON_THE_CONTRACT:
        verdict = ClauseVerdict.ELSEWHERE
    elif lacking is not None:
        probed, exercised, shown, verdict = 0, 0, lacking, ClauseVerdict.NOT_CLAIMED
    else:
        verdict = ClauseVerdict.HOLDS if exercised else ClauseVerdict.NOT_EXERCISED
    return Row(clause=clause, probed=probed, exercised=exercised, shown=shown, verdict=verdict)


def _evidence(clause: Clause, state: Verification) -> tuple[int, int, str]:
    """How many cases or attempts speak for a clause, and how, in words."""
    tally = state.tally
    match clause.evidence:
        case Evidence.ANSWER:
            probed, exercised = tally.probed[clause.id], tally.exercised[clause.id]
            return probed, exercised, f"exercised {exercised:,} of {probed:,} probed"
        case Evidence.STRUCTURE:
            return 0, 0, f"of the model, by test {SHOWN_BY_TEST[clause.id]}"
        case Evidence.INSIDE if clause.id in SEEN_IN_EVENTS:
            compared = tally.attempts_inside
            return compared, compared, f"protocol events of {compared:,} attempts"
        case Evidence.INSIDE if clause.id == "CANCEL-1":
            return tally.cancelled, tally.cancelled, f"{tally.cancelled:,} cancelled attempts"
        case Evidence.INSIDE:
            return 0, 0, ON_THE_CONTRACT


def not_exercised(state: Verification) -> list[str]:
    """The *answer* clauses that are claimed and that no case has exercised."""
    return [
        row.clause.id
        for row in rows(state)
        if row.clause.evidence is Evidence.ANSWER and row.verdict is ClauseVerdict.NOT_EXERCISED
    ]
