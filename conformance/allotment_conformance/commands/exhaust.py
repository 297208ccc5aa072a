"""Run every case of a small world, and compare each with the specification."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.allocator import command_of, name_of
from allotment_conformance.commands.files import check_writable, folder_of, write_result
from allotment_conformance.commands.run_options import FolderOfNew, JsonFile, Processes, Stream
from allotment_conformance.commands.state_file import StateFile
from allotment_conformance.commands.telling import tell
from allotment_conformance.commands.verify import STATUS
from allotment_conformance.counterexample.directory import Store
from allotment_conformance.counterexample.find import Shown
from allotment_conformance.engines.exhaustive.bounds import BOUNDS, Bounds, Scope
from allotment_conformance.errors import KitError
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.exhaustion import (
    end,
    in_words,
    print_slices,
    result_of,
    see,
    started,
)
from allotment_conformance.report.progress import progress
from allotment_conformance.report.recorder import canary_of, recording, seeing
from allotment_conformance.report.terminal import print_report
from allotment_conformance.runs.canary import flags_of_exhaust
from allotment_conformance.runs.exhaustion import Exhaustion, Order, exhaust
from allotment_conformance.runs.verification import End, processors
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER


class UnknownSlice(KitError):
    """There is no slice of that name."""

    code = "unknown-slice"


Words = Annotated[
    list[str] | None,
    typer.Argument(metavar="ADAPTER", help="module:Name?option=value&…, or a program behind --."),
]
ScopeName = Annotated[Scope, typer.Option(help="How much: some seconds, or some minutes.")]
SliceNames = Annotated[
    list[str] | None,
    typer.Option("--slice", metavar="NAME", help="Only this slice; may be given again."),
]
Listed = Annotated[
    bool, typer.Option("--list", help="Instead: say what the slices are, and run nothing.")
]
Resumed = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Keep there what is done, and go on from there."),
]


def command(
    words: Words = None,
    scope: ScopeName = Scope.SMALL,
    slices: SliceNames = None,
    listed: Listed = False,
    resume: Resumed = None,
    json_file: JsonFile = None,
    ndjson: Stream = None,
    processes: Processes = None,
    counterexamples: FolderOfNew = None,
) -> int:
    """Run every case of a small world, and compare each with the specification.

    The cases come in size order, so a difference is the smallest of its slice.

    Example: allotment exhaust --slice splits -- node adapter.js

    Exit status: 0 all cases agree and are as many as counted anew, 1 a disagreement, 2 bad input,
    3 incomplete, 4 the kit itself is broken, 130 interrupted.
    """
    chosen = _chosen(scope, slices or [])
    if listed:
        print_slices(chosen)
        return Exit.HOLDS
    check_writable(json_file, ndjson, inputs=[resume])
    folder = folder_of(counterexamples)
    asked = words or [DEFAULT_ADAPTER]
    wanted = processors() if processes is None else processes
    order = Order(adapter=name_of(asked), scope=scope, slices=chosen, processes=wanted)
    store = Store(folder, adapter=order.adapter, command=command_of(asked))
    with recording(ndjson) as stream:
        stream.add(started(order))
        with progress("exhaust", in_words) as watch:
            memory = None if resume is None else StateFile(resume)
            state = exhaust(order, seeing(partial(see, stream), watch), memory)
        shown = _shown(state)
        if shown is not None:
            store.keep(shown, state.profile)
        canary = canary_of(state.profile, flags_of_exhaust)
        status = exit_status(state) if canary.alive else Exit.KIT_BROKEN
        end(stream, state, canary, status, store.places)
    print_report(stream.summary)
    if shown is not None:
        tell(shown, store)
    write_result(json_file, result_of(state, status, canary))
    return status


def _shown(state: Exhaustion) -> Shown | None:
    """The case that is wrong, or at which the allocator ended its process."""
    return state.counterexample or state.failing_case


def exit_status(state: Exhaustion) -> int:
    """What the process says to the one that started it."""
    if state.end is End.DONE and state.stop_failure is not None:
        return Exit.DISAGREEMENT
    return Exit.INCOMPLETE if state.end is End.DONE and state.miscounted else STATUS[state.end]


def _chosen(scope: Scope, names: list[str]) -> tuple[Bounds, ...]:
    """The slices of these names, in their own order; all if no name is given."""
    known = [bounds.slice for bounds in BOUNDS[scope]]
    for name in names:
        if name not in known:
            raise UnknownSlice(
                f"there is no slice '{name}'", remedy=f"Known slices: {', '.join(known)}"
            )
    return tuple(one for one in BOUNDS[scope] if not names or one.slice in names)
