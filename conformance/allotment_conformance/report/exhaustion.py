"""An exhaustion's result, for a person and for programs."""

from collections.abc import Iterable
from typing import Any

from rich.table import Table

from allotment_conformance.engines.exhaustive.bounds import Bounds
from allotment_conformance.engines.exhaustive.recount import recount
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.report.record import counterexample_record
from allotment_conformance.report.terminal import terminal
from allotment_conformance.verdict.canary import kit_broken
from allotment_conformance.verdict.canary import words as canary_words
from allotment_conformance.verdict.exhaustion import Exhaustion, Smallest, counts
from allotment_conformance.verdict.verification import End
from allotment_conformance.wire.messages import Json, plain

FORMAT = "allotment-exhaustion/1"

COLUMNS = ("cases", "alike", "unclaimed", "run", "sessions", "decisions")


def print_slices(slices: Iterable[Bounds]) -> None:
    """Each slice: what it holds, how large it is, and the faults that it is known to find."""
    for bounds in slices:
        count = recount(bounds)
        print(f"{bounds.slice}: {slice_of(bounds).about}")
        print(f"  at most: {bounds.words()}")
        print(f"  {count.cases:,} cases, {count.cases - count.unlike:,} of them like another")
        print(f"  finds: {', '.join(slice_of(bounds).finds)}")


def print_result(state: Exhaustion, broken: str | None) -> None:
    """The slices one by one, and what came of it; `broken` is what is wrong with the kit itself."""
    console = terminal()
    console.print(_table(state))
    last = verdict(state) if broken is None else kit_broken(broken)
    for line in (*figures(state), f"canary: {canary_words(broken)}", last):
        console.print(line, highlight=False, markup=False, soft_wrap=True)


def _table(state: Exhaustion) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("slice", no_wrap=True)
    for heading in (*COLUMNS, "recounted"):
        table.add_column(heading, justify="right")
    for one in state.slices:
        told = [f"{getattr(one, name):,}" for name in COLUMNS]
        recounted = "-"
        if one.finished:
            recounted = "equal" if one.is_as_recounted else f"{one.recounted.cases:,}"
        table.add_row(one.bounds.slice, *told, recounted)
    return table


def figures(state: Exhaustion) -> list[str]:
    """What was run, all slices together."""
    total = {
        name: sum(counts(one)[name] for one in state.slices) for name in counts(state.slices[0])
    }
    told = [
        f"{total['run']:,} cases run",
        f"{total['sessions']:,} sessions",
        f"{total['decisions']:,} decisions that agree",
        f"{total['alike']:,} cases like another",
    ]
    if total["unclaimed"]:
        told.append(f"{total['unclaimed']:,} cases outside the profile")
    if total["skipped"]:
        told.append(f"{total['skipped']:,} cases not judged to their end: too many choices")
    profile, order = state.profile, state.order
    return [
        "",
        f"{profile.name} {profile.version}, scope {order.scope}: {', '.join(told)}",
        f"{state.seconds:.1f} s with {order.processes} processes",
    ]


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
        case End.DONE if wrong:
            names = ", ".join(f"'{one.bounds.slice}'" for one in wrong)
            return f"INCOMPLETE: no disagreement, but not all cases of the bounds: {names}"
        case End.DONE:
            return f"HOLDS: all cases of {len(state.slices)} slices, recounted; no disagreement"


def _smallest(state: Exhaustion) -> str:
    """What is known of smaller cases; nothing if the wrong answer did not come again."""
    found, known = state.counterexample, state.smallest
    assert found is not None, "a disagreement comes with its case"
    assert known is not None, "a disagreement comes with its place"
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


def record(state: Exhaustion, status: int, broken: str | None) -> Json:
    """The same, with the bounds and the counterexample, as JSON gives it."""
    known = state.smallest
    return {
        "format": FORMAT,
        "adapter": state.order.adapter,
        "profile": plain(state.profile),
        "order": {"scope": str(state.order.scope), "processes": state.order.processes},
        "end": str(state.end),
        "exit_status": status,
        "canary": {"alive": broken is None, "words": canary_words(broken)},
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
        "smallest": None if known is None else _smallest_record(known),
        "counterexample": counterexample_record(state.counterexample),
    }


def _smallest_record(known: Smallest) -> dict[str, Any]:
    names = ("slice", "before", "below", "not_asked")
    return {name: getattr(known, name) for name in names}


def in_words(state: Exhaustion) -> str:
    """How far an exhaustion has come."""
    unfinished = [one.bounds.slice for one in state.slices if not one.finished]
    run = sum(one.run for one in state.slices)
    return f"{run:,} cases{f', {unfinished[0]}' if unfinished else ''}"
