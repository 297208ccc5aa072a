"""What came of one case that was run once more, for a person and for programs."""

from allotment_conformance.report.verification import counterexample_json
from allotment_conformance.runs.again import Again
from allotment_conformance.runs.verification import End
from allotment_conformance.wire.messages import Json


def again_words(again: Again) -> str:
    """For a person."""
    match again.end:
        case End.DONE:
            return "The allocator agrees on this case."
        case End.WRONG:
            assert again.counterexample is not None, "a disagreement comes with its case"
            return again.counterexample.drawn()
        case End.CRASH:
            return f"CRASH: {again.end}: {again.words}"
        case End.BUDGET | End.INTERRUPTED:
            return f"INCOMPLETE, {again.end}: no answer so far"


def again_result(adapter: str, again: Again, status: int) -> Json:
    """The same as one JSON object."""
    return {
        "format": "allotment-case/1",
        "adapter": adapter,
        "end": str(again.end),
        "exit_status": status,
        "counterexample": counterexample_json(again.counterexample),
        "words": again.words,
    }
