"""The records of a run, made from its state."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from allotment_conformance.counterexample.find import Counterexample, FailingCase
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.report.clauses import rows
from allotment_conformance.report.stream import (
    ClauseRow,
    ClauseVerdict,
    Counted,
    Failed,
    Found,
    Started,
    now,
    storable,
    versions,
)
from allotment_conformance.runs.check_work import CheckOrder, CheckTally
from allotment_conformance.runs.ended import EndedProcess
from allotment_conformance.runs.tally import Failure, Tally, Unanswered
from allotment_conformance.runs.verification import End, Order, Verification
from allotment_conformance.verdict.outcome import Level
from allotment_conformance.wire.failure import Failure as ProgramFailure
from allotment_model.clauses import Evidence


def started(order: Order, level: Level | None = None) -> Started:
    """What was asked."""
    return Started(
        command="check" if isinstance(order, CheckOrder) else "verify",
        adapter=order.adapter,
        at=now(),
        versions=versions(),
        cases=order.cases,
        seed=order.seed,
        budget=order.budget,
        processes=order.processes,
        level=level,
    )


def counted(state: Verification) -> Counted:
    """All that was counted until now."""
    tally = state.tally
    seconds = {"comparison": tally.seconds_comparison, "probes": tally.seconds_probes}
    if isinstance(tally, CheckTally):
        seconds |= {
            "program": tally.seconds_program,
            "making_cases": tally.seconds_making,
            "wire": tally.seconds_allocator,
        }
        return _counted(state, seconds, tally)
    return _counted(state, {"allocator": tally.seconds_allocator, **seconds}, CheckTally())


def _counted(state: Verification, seconds: dict[str, float], of_check: CheckTally) -> Counted:
    """The counts of every run, with those that a check alone has."""
    tally: Tally = state.tally
    return Counted(
        seconds=round(state.seconds, 3),
        cases=tally.cases,
        decisions=tally.decisions,
        attempts_inside=tally.attempts_inside,
        cancelled=tally.cancelled,
        cancels_asked=tally.cancels_asked,
        skipped=tally.skipped,
        failed=tally.failed,
        probed=dict(tally.probed),
        exercised=dict(tally.exercised),
        processor_seconds={name: round(spent, 3) for name, spent in seconds.items()},
        outcomes=dict(of_check.outcomes),
        events=dict(of_check.steps),
        drifts=dict(of_check.drifts),
        unsafe=of_check.unsafe,
        starts=of_check.starts,
        asked_again=of_check.asked_again,
        no_answers=of_check.no_answers,
    )


def failures(state: Verification) -> Iterator[Failed]:
    """The cases that went wrong, as far as they are kept."""
    for one in state.tally.failures:
        yield _wrong(one)
    if state.ended is not None:
        yield of_ended(state.ended)
    if isinstance(state.tally, CheckTally):
        for unanswered in state.tally.unanswered:
            yield _unanswered(unanswered)


def _wrong(one: Failure) -> Failed:
    return Failed(
        origin=one.origin,
        outcome=str(one.signature.kind),
        words=f"the answers differ in: {one.signature.kind}",
        answered=True,
        signature=str(one.signature),
        clause=one.clause,
        case=storable(one.case),
    )


def of_ended(one: EndedProcess) -> Failed:
    """A process that the allocator has ended, with the case that was asked."""
    return Failed(
        origin=one.origin, outcome="crash", words=storable(one.words), case=storable(one.case)
    )


def _unanswered(one: Unanswered) -> Failed:
    failed = one.failure
    return Failed(
        origin=one.origin,
        outcome=failed.name,
        words=storable(failed.words),
        stderr=storable(failed.stderr),
        case=storable(one.case),
    )


def not_started(failed: ProgramFailure) -> Failed:
    """A program that gave no profile."""
    return Failed(
        at="start",
        origin="the start",
        outcome=failed.name,
        words=storable(failed.words),
        stderr=storable(failed.stderr),
    )


def not_stopped(failed: ProgramFailure) -> Failed:
    """A program that did not end as it should."""
    return Failed(
        at="stop",
        origin="the end",
        outcome=failed.name,
        words=storable(failed.words),
        stderr=storable(failed.stderr),
    )


Places = Mapping[Signature, Path]
"""Where counterexamples are kept, by how the allocator fails on them."""


def found(state: Verification, places: Places) -> Iterator[Found]:
    """The cases that were made small."""
    yield from (of_counterexample(one, places) for one in state.counterexamples)
    yield from (of_failing_case(one, places) for one in state.failing_cases)


def of_counterexample(of: Counterexample, places: Places) -> Found:
    """A case that was made small, with what both said."""
    return Found(
        origin=of.origin,
        before=len(of.before),
        reproduced=of.reproduced,
        case=storable(of.case),
        difference=str(of.found.kind),
        words=storable(of.picture()),
        signature=str(of.signature),
        place=str(places.get(of.signature, "")),
        clauses=list(of.diagnosis.clauses),
        perhaps=list(of.diagnosis.perhaps),
        surmised=of.diagnosis.surmised,
        faults=list(of.diagnosis.faults if of.diagnosis.certain else ()),
        step=of.found.step,
        job=of.found.job,
        expected=storable(of.found.expected),
        one_of_several=of.found.one_of_several,
        actual=storable(of.found.actual),
    )


def of_failing_case(of: FailingCase, places: Places) -> Found:
    """A small case without usable answers."""
    return Found(
        origin=of.origin,
        before=len(of.before),
        reproduced=of.reproduced,
        case=storable(of.case),
        difference=of.failure.name,
        words=storable(of.picture()),
        signature=str(of.signature),
        place=str(places.get(of.signature, "")),
    )


def table(state: Verification) -> list[ClauseRow]:
    """The rows of all clauses."""
    seen = counted(state)
    failed = seen.failed + seen.no_answers
    return list(
        rows(
            state.profile,
            seen,
            found=[one.diagnosis for one in state.counterexamples],
            finished=state.end is End.DONE and not failed,
        )
    )


def not_exercised(state: Verification) -> list[str]:
    """The *answer* clauses that are claimed and that no case has exercised."""
    return [
        row.id
        for row in table(state)
        if row.evidence is Evidence.ANSWER and row.verdict is ClauseVerdict.NOT_EXERCISED
    ]
