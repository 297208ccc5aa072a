"""A check's result for programs: every outcome with its own count, as one JSON object."""

from allotment_conformance.exit_status import Exit
from allotment_conformance.report import verification
from allotment_conformance.report.stream import Canary
from allotment_conformance.report.verification import failure_json
from allotment_conformance.runs.check import Check
from allotment_conformance.verdict.outcome import Level, strongest
from allotment_conformance.wire import session_processes
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Json

FORMAT = "allotment-check/1"


def result_of(state: Check, level: Level, status: int, canary: Canary) -> Json:
    """All that is printed, as one JSON object."""
    tally = state.tally
    reached = strongest(tally.outcomes)
    return {
        **verification.result_of(state, status, canary),
        "format": FORMAT,
        "command": list(state.order.command),
        "level": {"asked": str(level), "reached": None if reached is None else str(reached)},
        "outcomes": dict(tally.outcomes),
        "events": dict(tally.steps),
        "drifts": dict(tally.drifts),
        "unsafe": tally.unsafe,
        "failures": [
            {"origin": one.origin, **failure_json(one.failure)} for one in tally.unanswered
        ],
        "failing_cases": [
            {"origin": one.origin, "case": one.case, **failure_json(one.failure)}
            for one in state.failing_cases
        ],
        "stop_failure": None if state.stop_failure is None else failure_json(state.stop_failure),
        "starts": tally.starts,
        "asked_again": tally.asked_again,
        "memory_is_limited": session_processes.ARE_SEEN,
        "processor_seconds": {
            "program": round(tally.seconds_program, 3),
            "comparison": round(tally.seconds_comparison, 3),
            "probes": round(tally.seconds_probes, 3),
            "making_cases": round(tally.seconds_making, 3),
            "wire": round(tally.seconds_allocator, 3),
        },
    }


def result_without_answers(end: str, failed: Failure) -> Json:
    """The result where there is nothing to tell but how the program failed."""
    status = int(Exit.DISAGREEMENT)
    return {"format": FORMAT, "end": end, "exit_status": status, "failure": failure_json(failed)}
