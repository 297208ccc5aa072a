"""The rows of the table of clauses: one for each clause of SPEC.md, from what was counted."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

import msgspec

from allotment_conformance.report.stream import ClauseRow, ClauseVerdict, Counted
from allotment_conformance.verdict.claims import (
    ON_THE_CONTRACT,
    SEEN_IN_EVENTS,
    why_not_claimed,
)
from allotment_conformance.wire.messages import Profile
from allotment_model.clauses import CLAUSES, Clause, Evidence


class Told(Protocol):
    """What a counterexample tells of clauses: see `stream.Found`."""

    @property
    def clauses(self) -> Sequence[str]:
        """One of these and of `perhaps` is broken."""

    @property
    def perhaps(self) -> Sequence[str]:
        """Those that are less likely."""

    @property
    def surmised(self) -> bool:
        """Whether even a single one is a guess."""


def rows(
    profile: Profile, seen: Counted, *, found: Iterable[Told], finished: bool
) -> Iterator[ClauseRow]:
    """One row for each clause, in the order of SPEC.md.

    A clause is broken only if a counterexample that was `found` tells of it alone, and as no guess.
    What was exercised holds only if all that was asked for was `finished`, and no case failed.
    """
    told = [([*one.clauses, *one.perhaps], one.surmised) for one in found]
    broken = {clauses[0] for clauses, surmised in told if len(clauses) == 1 and not surmised}
    perhaps = {clause for clauses, _surmised in told for clause in clauses}
    for clause in CLAUSES:
        row = _row(clause, profile, seen)
        if clause.id in broken:
            row = msgspec.structs.replace(row, verdict=ClauseVerdict.BROKEN)
        elif clause.id in perhaps:
            row = msgspec.structs.replace(row, verdict=ClauseVerdict.PERHAPS)
        elif row.verdict is ClauseVerdict.HOLDS and not finished:
            row = msgspec.structs.replace(row, verdict=ClauseVerdict.SO_FAR)
        yield row


def _row(clause: Clause, profile: Profile, seen: Counted) -> ClauseRow:
    """The row, if nothing was found to be broken and all was done."""
    probed, exercised, shown = _evidence(clause, seen)
    lacking = why_not_claimed(clause, profile)
    if clause.evidence is Evidence.STRUCTURE or shown == ON_THE_CONTRACT:
        verdict = ClauseVerdict.NOT_CHECKED
    elif lacking is not None:
        probed, exercised, shown, verdict = 0, 0, lacking, ClauseVerdict.NOT_CLAIMED
    else:
        verdict = ClauseVerdict.HOLDS if exercised else ClauseVerdict.NOT_EXERCISED
    return ClauseRow(
        id=clause.id,
        title=clause.title,
        evidence=clause.evidence,
        probed=probed,
        exercised=exercised,
        shown=shown,
        verdict=verdict,
    )


def _evidence(clause: Clause, seen: Counted) -> tuple[int, int, str]:
    """How many cases or attempts speak for a clause, and how, in words."""
    match clause.evidence:
        case Evidence.ANSWER:
            probed = seen.probed.get(clause.id, 0)
            exercised = seen.exercised.get(clause.id, 0)
            return probed, exercised, f"exercised {exercised:,} of {probed:,} probed"
        case Evidence.STRUCTURE:
            return 0, 0, "of the model, by the kit's own tests"
        case Evidence.INSIDE if clause.id in SEEN_IN_EVENTS:
            compared = seen.attempts_inside
            return compared, compared, f"protocol events of {compared:,} attempts"
        case Evidence.INSIDE if clause.id == "CANCEL-1":
            shown = f"cancelled in {seen.cancelled:,} of {seen.cancels_asked:,} runs that asked"
            return seen.cancelled, seen.cancelled, shown
        case Evidence.INSIDE:
            return 0, 0, ON_THE_CONTRACT
