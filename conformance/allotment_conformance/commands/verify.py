"""Check an allocator against the specification, clause by clause."""

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import check_results, read_case_file, write_result
from allotment_conformance.commands.run_options import (
    Budget,
    CaseFile,
    CertifyLimit,
    Failures,
    Folder,
    JsonFile,
    Processes,
    Seed,
    Stream,
)
from allotment_conformance.commands.telling import tell, tell_all
from allotment_conformance.counterexample.certificate import SECONDS
from allotment_conformance.counterexample.directory import Store, kept_in
from allotment_conformance.errors import NotBoth
from allotment_conformance.exit_status import Exit
from allotment_conformance.report import soak as soak_report
from allotment_conformance.report.again import again_result, again_words
from allotment_conformance.report.plain import PlainRun
from allotment_conformance.report.progress import progress, words
from allotment_conformance.report.recorder import canary_of, recording, seeing
from allotment_conformance.report.records import not_exercised, started
from allotment_conformance.report.terminal import print_report
from allotment_conformance.report.verification import result_of
from allotment_conformance.runs.again import run_again
from allotment_conformance.runs.canary import flags_of_verify, what_is_broken
from allotment_conformance.runs.soak import Soak, SoakOrder, soak
from allotment_conformance.runs.verification import (
    End,
    Order,
    Verification,
    processors,
    verify,
)
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER
from allotment_conformance.wire.messages import Json

STATUS = {
    End.DONE: Exit.HOLDS,
    End.WRONG: Exit.DISAGREEMENT,
    End.CRASH: Exit.DISAGREEMENT,
    End.BUDGET: Exit.INCOMPLETE,
    End.INTERRUPTED: Exit.INTERRUPTED,
}
"""What the process says to the one that started it, by how the work ended."""


CASES = 20_000
"""Bulk cases where --cases does not say how many."""

BulkCases = Annotated[
    int | None,
    typer.Option(
        "--cases",
        min=0,
        help=f"Bulk cases, besides the directed ones.  [default: {CASES}]",
    ),
]
Name = Annotated[str, typer.Argument(metavar="ADAPTER", help="module:Name?option=value&…")]
Events = Annotated[
    int | None,
    typer.Option(
        "--soak",
        metavar="EVENTS",
        min=1,
        help="Instead: so many events, in whole sessions of one scheduler, and then all jobs end.",
    ),
]


def command(
    adapter: Name = DEFAULT_ADAPTER,
    cases: BulkCases = None,
    seed: Seed = 1,
    budget: Budget = None,
    processes: Processes = None,
    json_file: JsonFile = None,
    ndjson: Stream = None,
    events: Events = None,
    case: CaseFile = None,
    counterexamples: Folder = None,
    failures: Failures = 3,
    certify_limit: CertifyLimit = SECONDS,
) -> int:
    """Check an allocator against the specification, clause by clause.

    It runs in processes of its own: one that hangs is killed when the budget is spent, one that
    ends its process is told as a crash.

    Example: allotment verify 'allotment_impl:Adapter?engine=iterative' --cases 5000 --budget 60

    Exit status: 0 all claimed clauses that answers show hold and were exercised, 1 a disagreement
    or a crash, 2 bad input, 3 incomplete, 4 the kit itself is broken, 130 interrupted.
    """
    if events is not None:
        _refuse_beside_soak(case, cases)
    folder = check_results(json_file, ndjson, case, counterexamples)
    store = Store(folder, adapter=adapter)
    if case is not None:
        status, result = _replay(adapter, case, budget)
    elif events is not None:
        soaking = SoakOrder(adapter=adapter, events=events, seed=seed, budget=budget)
        status, result = _soak(soaking, ndjson, store)
    else:
        order = Order(
            adapter=adapter,
            cases=CASES if cases is None else cases,
            seed=seed,
            budget=budget,
            processes=processors() if processes is None else processes,
            failures=failures,
            certify_seconds=certify_limit,
            kept=kept_in(folder),
        )
        status, result = _verify(order, ndjson, store)
    write_result(json_file, result)
    return status


def _refuse_beside_soak(case: Path | None, cases: int | None) -> None:
    """A soak is neither one case nor so many. Raises `NotBoth`."""
    if case is not None:
        raise NotBoth(
            "--case runs one case and --soak very many events", remedy="Give one of the two."
        )
    if cases is not None:
        raise NotBoth(
            "--cases counts cases, and --soak sends events of one scheduler instead",
            remedy="Leave out --cases, or run verify twice.",
        )


def _verify(order: Order, ndjson: Path | None, store: Store) -> tuple[int, Json]:
    """Carry out the order, print and write what came of it; the exit status and the result."""
    with recording(ndjson) as stream:
        stream.add(started(order))
        with progress("verify", words) as watch:
            state = verify(order, seeing(stream.see, watch), store.keep)
        canary = canary_of(state.profile, flags_of_verify)
        status = exit_status(state) if canary.alive else Exit.KIT_BROKEN
        stream.end(state, None, canary, status, store.places)
    print_report(stream.summary)
    tell_all(state, store)
    return status, result_of(state, status, canary)


def exit_status(state: Verification) -> int:
    """What the process says to the one that started it."""
    if state.end is End.DONE and not_exercised(state):
        return Exit.INCOMPLETE
    return STATUS[state.end]


def _soak(order: SoakOrder, ndjson: Path | None, store: Store) -> tuple[int, Json]:
    """Many events over one scheduler, and what came of it."""
    with recording(ndjson) as stream:
        run = PlainRun(stream, "soak", order.adapter, seed=order.seed)
        with progress("verify", words) as watch:
            see = partial(soak_report.see, run)
            state = soak(order, seeing(see, watch))
        broken = what_is_broken(state.profile, flags_of_verify)
        status = Exit.KIT_BROKEN if broken is not None else _soak_status(state)
        shown = state.counterexample or state.failing_case
        if shown is not None:
            store.keep(shown, state.profile)
        soak_report.end(run, state, broken, status, store.places)
    print("\n".join(soak_report.lines(state, broken)))
    if shown is not None:
        tell(shown, store)
    return status, soak_report.result_of(state, status, broken)


def _soak_status(state: Soak) -> int:
    """What the process says of a soak to the one that started it."""
    unsound = state.end is End.DONE and not state.holds
    return Exit.DISAGREEMENT if unsound else STATUS[state.end]


def _replay(name: str, path: Path, budget: float | None) -> tuple[int, Json]:
    """Run one case again, and say what came of it."""
    again = run_again(name, read_case_file(path), budget)
    print(again_words(again))
    status = STATUS[again.end]
    return status, again_result(name, again, status)
