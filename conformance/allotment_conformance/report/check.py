"""A check's result, for a person and for programs: every outcome with its own count."""

from collections.abc import Iterator, Mapping
from typing import Any

from rich.console import Console

from allotment_conformance.report import record as verification_record
from allotment_conformance.report.clauses import ClauseVerdict, not_exercised, rows
from allotment_conformance.report.terminal import clause_table, terminal
from allotment_conformance.verdict.check import Check
from allotment_conformance.verdict.check_work import CheckTally
from allotment_conformance.verdict.outcome import Level, strongest
from allotment_conformance.verdict.verification import End
from allotment_conformance.wire import session_processes
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Json

FORMAT = "allotment-check/1"

MOST_SHOWN = 3
"""Failures that are told one by one; the counts tell of all."""


def print_check(state: Check, level: Level, console: Console | None = None) -> None:
    """The clauses one by one, what was run, what went wrong, and what came of it."""
    console = console or terminal()
    console.print(clause_table(state))
    for line in lines(state, level):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def lines(state: Check, level: Level) -> list[str]:
    """All but the table."""
    return [
        "",
        f"{state.profile.name} {state.profile.version}: {_cases(state.tally)}",
        f"cases: {_counts(state.tally.outcomes)}",
        f"events: {_counts(state.tally.steps)}",
        *_times(state),
        *_wrong(state),
        *(["memory of the program is not seen on this system, and not limited"] * _is_blind()),
        verdict(state, level),
    ]


def _is_blind() -> bool:
    return not session_processes.ARE_SEEN


def _cases(tally: CheckTally) -> str:
    told = [
        f"{tally.cases:,} cases",
        f"{tally.decisions:,} decisions that agree",
        f"{tally.attempts_inside:,} of them with protocol events",
        f"{tally.cancelled:,} cancelled",
    ]
    if tally.asked_again:
        told.append(f"{tally.asked_again:,} cases asked again after a failure before them")
    return ", ".join(told)


def _counts(counts: Mapping[str, int]) -> str:
    told = [f"{count:,} {name}" for name, count in counts.items() if count]
    return ", ".join(told) or "none"


def _times(state: Check) -> Iterator[str]:
    """Where the time went, that of the kit, the model and the program apart."""
    tally, order = state.tally, state.order
    rate = tally.decisions / state.seconds if state.seconds else 0.0
    yield (
        f"{state.seconds:.1f} s with {order.processes} processes, {rate:,.0f} decisions/s, "
        f"{tally.starts:,} starts of the program"
    )
    yield (
        f"processor time: program {tally.seconds_program:.1f} s, "
        f"model {tally.seconds_comparison + tally.seconds_probes:.1f} s "
        f"(comparison {tally.seconds_comparison:.1f} s, probes {tally.seconds_probes:.1f} s), "
        f"kit {tally.seconds_making + tally.seconds_allocator:.1f} s "
        f"(making cases {tally.seconds_making:.1f} s, wire {tally.seconds_allocator:.1f} s)"
    )


def _wrong(state: Check) -> Iterator[str]:
    """What was seen of drift, of danger, and of failures."""
    for seen, count in state.tally.drifts.most_common(MOST_SHOWN):
        yield f"profile drift in {count:,} of {state.tally.failed:,} violations: {seen}"
    for told in state.tally.unsafe[:MOST_SHOWN]:
        yield f"unsafe: {told}"
    for one in state.tally.unanswered[:MOST_SHOWN]:
        yield f"{one.origin}: {one.failure}"
        yield from _stderr(one.failure)
    if state.stop_failure is not None:
        yield f"at the end: {state.stop_failure}"
        yield from _stderr(state.stop_failure)
    if state.stopped_early:
        yield "So much went wrong that the rest was left out."


def _stderr(failure: Failure) -> Iterator[str]:
    return (f"  its standard error: {line}" for line in failure.stderr.splitlines()[-MOST_SHOWN:])


def verdict(state: Check, level: Level) -> str:
    """The last line: whether the level holds, and which one does."""
    reached = strongest(state.tally.outcomes)
    kept = "not even safety" if reached is None else f"level {reached}"
    if state.end is End.INTERRUPTED or (state.end is End.BUDGET and not is_wrong(state, level)):
        return f"INCOMPLETE, {state.end}: {kept} so far"
    if is_wrong(state, level):
        broken = sum(row.verdict is ClauseVerdict.BROKEN for row in rows(state))
        parts = [f"{state.failing(level):,} of {state.tally.cases:,} cases fail"]
        parts += [f"{state.tally.no_answers:,} of them without usable answers"]
        parts += [f"{broken} clauses broken"] if broken else []
        parts += ["the program does not end well"] if state.stop_failure else []
        return f"FAILS at level {level}: {', '.join(parts)}; where it answers: {kept}"
    silent = not_exercised(state)
    if silent and level is not Level.SAFETY:
        return f"INCOMPLETE: {kept}, but not exercised: {', '.join(silent)}"
    holds = sum(row.verdict is ClauseVerdict.HOLDS for row in rows(state))
    return f"HOLDS: {kept}, {holds} clauses"


def is_wrong(state: Check, level: Level) -> bool:
    """Whether anything breaks the level, or the program failed in any way."""
    return state.failing(level) > 0 or state.stop_failure is not None


def record(state: Check, level: Level, status: int) -> Json:
    """All that is printed, as one JSON object."""
    tally = state.tally
    reached = strongest(tally.outcomes)
    return {
        **verification_record.record(state, status),
        "format": FORMAT,
        "command": list(state.order.command),
        "level": {"asked": str(level), "reached": None if reached is None else str(reached)},
        "outcomes": dict(tally.outcomes),
        "events": dict(tally.steps),
        "drifts": dict(tally.drifts),
        "unsafe": tally.unsafe,
        "failures": [{"origin": one.origin, **failure(one.failure)} for one in tally.unanswered],
        "failing_cases": [
            {"origin": one.origin, "case": one.case, **failure(one.failure)}
            for one in state.failing_cases
        ],
        "stop_failure": None if state.stop_failure is None else failure(state.stop_failure),
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


def failure(told: Failure) -> dict[str, Any]:
    """How a program failed."""
    return {
        "outcome": told.name,
        "words": told.words,
        "stderr": told.stderr,
        "at_start": told.at_start,
    }
