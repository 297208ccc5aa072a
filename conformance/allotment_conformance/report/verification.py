"""The verification's result for programs: one JSON object."""

from dataclasses import asdict
from typing import Any

from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.report.records import table
from allotment_conformance.report.stream import Canary
from allotment_conformance.runs.tally import COUNTS, Tally
from allotment_conformance.runs.verification import Verification
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Json, plain

FORMAT = "allotment-verification/1"


def result_of(state: Verification, status: int, canary: Canary) -> Json:
    """All that the table shows, and the counterexamples, as JSON gives it."""
    return {
        "format": FORMAT,
        "adapter": state.order.adapter,
        "profile": plain(state.profile),
        "order": {
            "cases": state.order.cases,
            "seed": state.order.seed,
            "budget": state.order.budget,
            "processes": state.order.processes,
        },
        "end": str(state.end),
        "exit_status": status,
        "canary": {"alive": canary.alive, "words": canary.words},
        "seconds": round(state.seconds, 3),
        "counts": _counts(state.tally),
        "clauses": [
            {
                "id": row.id,
                "title": row.title,
                "evidence": str(row.evidence),
                "probed": row.probed,
                "exercised": row.exercised,
                "shown": row.shown,
                "verdict": str(row.verdict),
            }
            for row in table(state)
        ],
        "replayed": {name: str(outcome) for name, outcome in state.tally.replayed.items()},
        "counterexamples": [counterexample_json(one) for one in state.counterexamples],
        "not_made_small": [
            {"origin": one.origin, "signature": str(one.signature), "clause": one.clause}
            for one in state.not_made_small
        ],
        "at_hand": None if state.at_hand is None else asdict(state.at_hand),
        "ended": None if state.ended is None else asdict(state.ended),
        "remarks": state.remarks,
    }


def _counts(tally: Tally) -> dict[str, Any]:
    return {name: getattr(tally, name) for name in COUNTS}


def failure_json(told: Failure) -> Json:
    """How a program failed."""
    return {
        "outcome": told.name,
        "words": told.words,
        "stderr": told.stderr,
        "at_start": told.at_start,
    }


def counterexample_json(found: Counterexample | None) -> Json | None:
    """A counterexample, if there is one."""
    if found is None:
        return None
    return {
        "origin": found.origin,
        "reproduced": found.reproduced,
        "case": found.case,
        "before": list(found.before),
        "step": found.found.step,
        "kind": str(found.found.kind),
        "job": found.found.job,
        "expected": found.found.expected,
        "one_of_several": found.found.one_of_several,
        "actual": found.found.actual,
        "signature": str(found.signature),
        "diagnosis": asdict(found.diagnosis),
        "certificate": asdict(found.certificate),
    }
