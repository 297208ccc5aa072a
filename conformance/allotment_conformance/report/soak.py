"""A soak's result, for a person and for programs."""

from typing import Any

from allotment_conformance.counterexample import words
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.report.plain import PlainRun
from allotment_conformance.report.progress import slow_words
from allotment_conformance.report.records import (
    Places,
    of_counterexample,
    of_ended,
    of_failing_case,
)
from allotment_conformance.report.stream import Canary
from allotment_conformance.runs.canary import kit_broken
from allotment_conformance.runs.canary import words as canary_words
from allotment_conformance.runs.ended import EndedProcess
from allotment_conformance.runs.soak import Soak
from allotment_conformance.runs.verification import End
from allotment_conformance.verdict.disagreement import Disagreement

MIB = 2**20

NOT_KEPT = "No case is kept: the same --soak and --seed send the same to whoever answers the same"

COUNTS = (
    "events",
    "sessions",
    "decisions",
    "accepted",
    "finished",
    "withdrawn",
    "refused",
    "memory_grown",
    "memory_bound",
)
"""What both reports tell; memory in bytes."""


def lines(state: Soak, broken: str | None) -> list[str]:
    """What was run, where the jobs are, how memory grew, and whether all holds.

    `broken` is what is wrong with the kit itself.
    """
    places = f"{len(state.waiting):,} pending, {len(state.live):,} live, "
    places += f"{state.finished:,} finished, {state.withdrawn:,} withdrawn"
    rate = state.decisions / state.seconds if state.seconds else 0.0
    return [
        (
            f"{state.events:,} events in {state.sessions:,} whole sessions, the drain among them, "
            f"{state.decisions:,} decisions, {state.seconds:.1f} s, {rate:,.0f} decisions/s"
        ),
        (
            f"SESSION-6: {state.accepted:,} jobs accepted: {places}; "
            f"{state.refused:,} events refused: {_word(state.is_accounted_for)}"
        ),
        f"SESSION-4: every job ended, {_books(state)}: {_drained(state)}",
        _memory(state),
        f"canary: {canary_words(broken)}",
        _verdict(state) if broken is None else kit_broken(broken),
    ]


def _word(holds: bool) -> str:
    return "holds" if holds else "broken"


def _books(state: Soak) -> str:
    told = "books" in state.profile.features
    return "every book zero" if told else "books are not declared"


def _drained(state: Soak) -> str:
    return _word(state.drained) if state.end is End.DONE else "not reached"


def _memory(state: Soak) -> str:
    if state.end is not End.DONE:
        return "memory in the second half of the events: not reached"
    return (
        f"memory grew by {state.memory_grown / MIB:.1f} MiB in the second half of the events, "
        f"at most {state.memory_bound / MIB:.1f} MiB is flat: {_word(state.is_flat)}"
    )


def _verdict(state: Soak) -> str:
    match state.end:
        case End.WRONG:
            return f"DISAGREEMENT after {state.events:,} events{_not_again(state)}"
        case End.CRASH:
            told = f"CRASH: {state.end} after {state.events:,} events: {state.words}"
            return told if state.failing_case is not None else f"{told}. {NOT_KEPT}"
        case End.BUDGET | End.INTERRUPTED:
            hangs = slow_words("the session after these events", state.seconds_at_hand)
            return f"INCOMPLETE, {state.end}: no disagreement so far{hangs}"
        case End.DONE:
            return "HOLDS" if state.holds else "BROKEN"


def _not_again(state: Soak) -> str:
    """What is kept of a disagreement without a counterexample."""
    found = state.disagreement
    if state.counterexample is not None or found is None:
        return ""
    told = [
        f". It does not come again when the same events are sent again. {NOT_KEPT}",
        f"  event     {words.event(found.event)}",
    ]
    for side, answer in (("expected", found.expected), ("actual", found.actual)):
        told += [f"  {side:<9} {line}" for line in words.answer(answer, found.declares)]
    return "\n".join(map(legible, told))


def see(run: PlainRun, state: Soak) -> None:
    """The figures of a soak that goes on."""
    run.figures(_counts(state))


def end(run: PlainRun, state: Soak, broken: str | None, status: int, places: Places) -> None:
    """All that a soak has shown; `places` are where its counterexample is kept."""
    run.figures(_counts(state), at_once=True)
    for name, holds in (("SESSION-6", state.is_accounted_for), ("SESSION-4", state.drained)):
        if state.end is End.DONE:
            run.item(name, holds, _word(holds))
    run.failing += state.end in (End.WRONG, End.CRASH)
    if state.end is End.CRASH:
        ended = EndedProcess(origin=f"after {state.events:,} events", case=None, words=state.words)
        run.stream.add(of_ended(ended))
    if state.counterexample is not None:
        run.stream.add(of_counterexample(state.counterexample, places))
    if state.failing_case is not None:
        run.stream.add(of_failing_case(state.failing_case, places))
    run.stream.add(Canary(alive=broken is None, words=canary_words(broken)))
    *_lines, last = lines(state, broken)
    run.end(str(state.end), status, last)


def _counts(state: Soak) -> dict[str, Any]:
    return {name: getattr(state, name) for name in COUNTS}


def result_of(state: Soak, status: int, broken: str | None) -> dict[str, Any]:
    """The same as one JSON object."""
    return {
        "format": "allotment-soak/1",
        "end": str(state.end),
        "exit_status": status,
        "canary": {"alive": broken is None, "words": canary_words(broken)},
        "seconds": round(state.seconds, 3),
        "counts": _counts(state),
        "accounted_for": state.is_accounted_for,
        "drained": state.drained,
        "disagreement": None if state.disagreement is None else str(state.disagreement.kind),
        "difference": _difference(state.disagreement),
    }


def _difference(found: Disagreement | None) -> dict[str, Any] | None:
    """The event that was answered wrongly, and both answers, as they were sent."""
    if found is None:
        return None
    return {"event": found.event, "expected": found.expected, "actual": found.actual}
