"""An exhaustion's result, for a person and for programs."""

from collections.abc import Iterable
from dataclasses import asdict

from allotment_conformance.counterexample.words import counted
from allotment_conformance.engines.exhaustive.bounds import Bounds
from allotment_conformance.engines.exhaustive.recount import recount
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.report.recorder import Recorder
from allotment_conformance.report.records import (
    Places,
    not_stopped,
    of_counterexample,
    of_ended,
    of_failing_case,
)
from allotment_conformance.report.stream import (
    Canary,
    Declared,
    Ended,
    SliceRow,
    Started,
    now,
    versions,
)
from allotment_conformance.report.verdict import KIT_BROKEN, NOT_STOPPED
from allotment_conformance.report.verification import counterexample_json, failure_json
from allotment_conformance.runs.canary import kit_broken
from allotment_conformance.runs.exhaustion import Exhaustion, Order, Smallest, counts
from allotment_conformance.runs.verification import End
from allotment_conformance.wire.messages import Json, plain

FORMAT = "allotment-exhaustion/1"


def print_slices(slices: Iterable[Bounds]) -> None:
    """Each slice: what it holds, how large it is, and the faults that it is known to find."""
    for bounds in slices:
        count = recount(bounds)
        print(f"{bounds.slice}: {slice_of(bounds).about}")
        print(f"  at most: {bounds.words()}")
        print(f"  {count.cases:,} cases, {count.cases - count.unlike:,} of them like another")
        print(f"  finds: {', '.join(slice_of(bounds).finds)}")


def started(order: Order) -> Started:
    """What was asked."""
    return Started(
        command="exhaust",
        adapter=order.adapter,
        at=now(),
        versions=versions(),
        processes=order.processes,
        scope=str(order.scope),
    )


def see(stream: Recorder, state: Exhaustion) -> None:
    """Take what is new of an exhaustion that goes on, now and then."""
    if stream.summary.declared is None or stream.is_time():
        _see_slices(stream, state)


def end(stream: Recorder, state: Exhaustion, canary: Canary, status: int, places: Places) -> None:
    """All that an exhaustion says at its end; `places` as for `Recorder.end`."""
    _see_slices(stream, state)
    if state.ended is not None:
        stream.add(of_ended(state.ended))
    if state.stop_failure is not None:
        stream.add(not_stopped(state.stop_failure))
    if state.counterexample is not None:
        stream.add(of_counterexample(state.counterexample, places))
    if state.failing_case is not None:
        stream.add(of_failing_case(state.failing_case, places))
    stream.add(canary)
    stream.add(
        Ended(
            end=str(state.end) if canary.alive else KIT_BROKEN,
            exit_status=status,
            verdict=verdict(state) if canary.alive else kit_broken(canary.words),
            failing=int(state.end in (End.WRONG, End.CRASH)),
            seconds=round(state.seconds, 3),
        )
    )


def _see_slices(stream: Recorder, state: Exhaustion) -> None:
    """The profile, and the slices that are not as they were told."""
    if stream.summary.declared is None:
        stream.add(Declared(profile=state.profile))
    for one in state.slices:
        row = SliceRow(
            name=one.bounds.slice,
            finished=one.finished,
            counts=counts(one),
            recounted=one.recounted.cases,
            as_recounted=one.is_as_recounted,
        )
        if stream.summary.slices.get(row.name) != row:
            stream.add(row)


def verdict(state: Exhaustion) -> str:
    """The last line: whether all holds."""
    wrong = state.miscounted
    match state.end:
        case End.WRONG:
            return f"DISAGREEMENT{_smallest(state)}"
        case End.CRASH:
            assert state.ended is not None, "it is known where it ended"
            return f"CRASH: {state.end} in {state.ended.origin}: {state.ended.words}"
        case End.BUDGET | End.INTERRUPTED:
            return f"INCOMPLETE, {state.end}: no disagreement so far"
        case End.DONE if state.stop_failure is not None:
            return f"FAILS: {NOT_STOPPED}; no disagreement"
        case End.DONE if wrong:
            names = ", ".join(f"'{one.bounds.slice}'" for one in wrong)
            return f"INCOMPLETE: no disagreement, but not all cases of the bounds: {names}"
        case End.DONE:
            return f"HOLDS: all cases of {len(state.slices)} slices, recounted; no disagreement"


def _smallest(state: Exhaustion) -> str:
    """What is known of smaller cases; nothing if the wrong answer did not come again, alone."""
    found, known = state.counterexample, state.smallest
    assert found is not None, "a disagreement comes with its case"
    assert known is not None, "a disagreement comes with its place"
    if found.before:
        return f" that comes only after {counted(len(found.before), 'other case')}"
    return f": {smallest_words(known)}" if found.reproduced else ""


def smallest_words(known: Smallest) -> str:
    """What makes the case the smallest of its slice."""
    told = (
        f"smallest in its slice '{known.slice}'. None of the {known.before:,} cases before it in "
        f"size order disagrees; {known.below:,} of them come from it by deleting and lowering"
    )
    if known.not_asked:
        told += f". {known.not_asked:,} of those before it were not asked, or not to their end"
    return told


def result_of(state: Exhaustion, status: int, canary: Canary) -> Json:
    """The same, with the bounds and the counterexample, as JSON gives it."""
    known = state.smallest
    return {
        "format": FORMAT,
        "adapter": state.order.adapter,
        "profile": plain(state.profile),
        "order": {"scope": str(state.order.scope), "processes": state.order.processes},
        "end": str(state.end),
        "exit_status": status,
        "canary": {"alive": canary.alive, "words": canary.words},
        "seconds": round(state.seconds, 3),
        "slices": [
            {
                "name": one.bounds.slice,
                "about": slice_of(one.bounds).about,
                "bounds": one.bounds.numbers(),
                "finished": one.finished,
                "counts": counts(one),
                "recounted": {"cases": one.recounted.cases, "unlike": one.recounted.unlike},
                "finds": list(slice_of(one.bounds).finds),
            }
            for one in state.slices
        ],
        "smallest": None if known is None else asdict(known),
        "counterexample": counterexample_json(state.counterexample),
        "ended": None if state.ended is None else asdict(state.ended),
        "stop_failure": None if state.stop_failure is None else failure_json(state.stop_failure),
    }


def in_words(state: Exhaustion) -> str:
    """How far an exhaustion has come."""
    unfinished = [one.bounds.slice for one in state.slices if not one.finished]
    run = sum(one.run for one in state.slices)
    return f"{run:,} cases{f', {unfinished[0]}' if unfinished else ''}"
