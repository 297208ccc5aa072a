"""Check an allocator against the specification, clause by clause."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import (
    COUNTEREXAMPLES,
    Folder,
    check_writable,
    read_case_file,
    tell,
    tell_replayed,
    text_of,
    write_file,
)
from allotment_conformance.counterexample import find
from allotment_conformance.counterexample.asking import InProcess
from allotment_conformance.counterexample.certificate import SECONDS
from allotment_conformance.counterexample.directory import Store, kept_in
from allotment_conformance.report import soak as soak_report
from allotment_conformance.report.clauses import not_exercised
from allotment_conformance.report.progress import progress, words
from allotment_conformance.report.record import record
from allotment_conformance.report.terminal import print_result
from allotment_conformance.verdict import soak as soaking
from allotment_conformance.verdict.verification import (
    End,
    Order,
    Verification,
    processors,
    verify,
)
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.messages import read_profile

EXIT_HOLDS = 0
EXIT_DISAGREEMENT = 1
EXIT_INCOMPLETE = 3
EXIT_INTERRUPTED = 130

TRIES_OF_SOAK = 600
"""Smaller cases that are run of a soak: each takes as long as the soak itself, to begin with."""


Name = Annotated[str, typer.Argument(metavar="ADAPTER", help="module:Name?option=value&…")]
Cases = Annotated[int, typer.Option(min=0, help="Bulk cases, besides the directed ones.")]
Seed = Annotated[int, typer.Option(help="What the bulk cases are drawn from.")]
Budget = Annotated[float | None, typer.Option(metavar="SECONDS", min=0, help="Stop then: exit 3.")]
Processes = Annotated[int | None, typer.Option(min=1, help="Default: all processors.")]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the result there, too.")
]
Events = Annotated[
    int | None,
    typer.Option(metavar="EVENTS", min=1, help="Instead: so many events over one scheduler."),
]
CaseFile = Annotated[
    Path | None, typer.Option("--case", metavar="FILE", help="Instead: run this one case.")
]
Failures = Annotated[int, typer.Option(min=1, help="Failures told apart and made small.")]
CertifyLimit = Annotated[
    float, typer.Option(metavar="SECONDS", min=0, help="For certifying each of them.")
]


def command(
    adapter: Name = DEFAULT_ADAPTER,
    cases: Cases = 20_000,
    seed: Seed = 1,
    budget: Budget = None,
    processes: Processes = None,
    json_file: JsonFile = None,
    soak: Events = None,
    case: CaseFile = None,
    counterexamples: Folder = Path(COUNTEREXAMPLES),
    failures: Failures = 3,
    certify_limit: CertifyLimit = SECONDS,
) -> int:
    """Check an allocator against the specification, clause by clause.

    Exit status: 0 all claimed clauses hold and were exercised, 1 a disagreement, 2 bad input,
    3 incomplete, 130 interrupted.
    """
    if json_file is not None:
        check_writable(json_file)
    if case is not None:
        return _replay(adapter, case)
    store = Store(counterexamples, adapter=adapter)
    if soak is not None:
        return _soak(adapter, soak, seed, json_file, store)
    order = Order(
        adapter=adapter,
        cases=cases,
        seed=seed,
        budget=budget,
        processes=processes or processors(),
        failures=failures,
        certify_seconds=certify_limit,
        kept=kept_in(counterexamples),
    )
    with progress("verify", words) as watch:
        state = verify(order, watch, store.keep)
    status = exit_status(state)
    print_result(state)
    tell_replayed(state.tally.replayed, counterexamples)
    for found in state.counterexamples:
        tell(found, store, [adapter])
    if json_file is not None:
        write_file(json_file, text_of(record(state, status)))
    return status


def exit_status(state: Verification) -> int:
    """What the process says to the one that started it."""
    match state.end:
        case End.WRONG:
            return EXIT_DISAGREEMENT
        case End.INTERRUPTED:
            return EXIT_INTERRUPTED
        case End.BUDGET:
            return EXIT_INCOMPLETE
        case End.DONE:
            return EXIT_INCOMPLETE if not_exercised(state) else EXIT_HOLDS


def _soak(name: str, events: int, seed: int, json_file: Path | None, store: Store) -> int:
    """Many events over one scheduler, and what came of it."""
    adapter = load_adapter(name)
    profile = read_profile(adapter.start())
    with progress("verify", words) as watch:
        state = soaking.soak(adapter, profile, events, seed, watch=watch)
    status = _soak_status(state)
    print("\n".join(soak_report.lines(state)))
    failure = soaking.failing_case(adapter, profile, events, seed) if state.disagreement else None
    if failure is not None:
        effort = find.Effort(most_tries=TRIES_OF_SOAK)
        asking = InProcess(adapter, profile)
        tell(find.counterexample(asking, failure, [failure], effort, store.keep), store, [name])
    adapter.close()
    if json_file is not None:
        write_file(json_file, text_of(soak_report.record(state, status)))
    return status


def _soak_status(state: soaking.Soak) -> int:
    if state.interrupted:
        return EXIT_INTERRUPTED
    return EXIT_HOLDS if state.holds else EXIT_DISAGREEMENT


def _replay(name: str, path: Path) -> int:
    """Run one case again, and say what came of it."""
    adapter = load_adapter(name)
    found = find.counterexample_again(adapter, read_case_file(path))
    adapter.close()
    print("The allocator agrees on this case." if found is None else found.picture())
    return EXIT_HOLDS if found is None else EXIT_DISAGREEMENT
