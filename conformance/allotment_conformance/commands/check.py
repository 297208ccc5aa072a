"""Check an allocator that is a program, in any language, against the specification."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import check_results, read_case_file, write_result
from allotment_conformance.commands.run_options import (
    LIMITS,
    Budget,
    CaseFile,
    Cases,
    CertifyLimit,
    Command,
    Failures,
    Folder,
    JsonFile,
    Seed,
    SomeProcesses,
    Stream,
    Timeout,
)
from allotment_conformance.commands.telling import tell_all
from allotment_conformance.counterexample.certificate import SECONDS
from allotment_conformance.counterexample.directory import Store, kept_in
from allotment_conformance.counterexample.find import counterexample_again
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.again import again_result
from allotment_conformance.report.check import result_of, result_without_answers
from allotment_conformance.report.progress import progress, words
from allotment_conformance.report.recorder import Recorder, canary_of, recording, seeing
from allotment_conformance.report.records import not_exercised, started
from allotment_conformance.report.terminal import print_report
from allotment_conformance.report.verdict import NOT_STARTED, is_wrong
from allotment_conformance.report.visible import visible
from allotment_conformance.runs.again import Again
from allotment_conformance.runs.canary import flags_of_check
from allotment_conformance.runs.check import Check, check
from allotment_conformance.runs.check_work import CheckOrder
from allotment_conformance.runs.verification import End, processors
from allotment_conformance.verdict.outcome import Level
from allotment_conformance.wire.failure import AdapterFailed
from allotment_conformance.wire.limits import MIB, Limits
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.process import ProcessAdapter

Asked = Annotated[Level, typer.Option(help="What must hold: see docs/implementers.md, 4.")]
Validate = Annotated[bool, typer.Option("--validate", help="Check what the kit sends, too.")]
GiveUpAfter = Annotated[int, typer.Option(min=1, help="Failing cases after which it ends early.")]
LineLimit = Annotated[int, typer.Option(metavar="BYTES", min=1, help="Longest line of answers.")]
MemoryLimit = Annotated[int, typer.Option(metavar="MIB", min=1, help="What it may hold resident.")]


def command(
    command: Command,
    cases: Cases = 20_000,
    seed: Seed = 1,
    budget: Budget = None,
    processes: SomeProcesses = None,
    level: Asked = Level.PERMITTED,
    json_file: JsonFile = None,
    ndjson: Stream = None,
    case: CaseFile = None,
    counterexamples: Folder = None,
    failures: Failures = 3,
    certify_limit: CertifyLimit = SECONDS,
    validate: Validate = False,
    give_up_after: GiveUpAfter = 100,
    start_timeout: Timeout = LIMITS.start_seconds,
    answer_timeout: Timeout = LIMITS.answer_seconds,
    stop_timeout: Timeout = LIMITS.stop_seconds,
    line_limit: LineLimit = LIMITS.line_bytes,
    memory_limit: MemoryLimit = LIMITS.memory_bytes // MIB,
) -> int:
    """Check an allocator that is a program, in any language, against the specification.

    Example: allotment check --cases 5000 --level exact -- node adapter.js

    Exit status: 0 the level holds and all claimed clauses that answers show were exercised, 1
    something is wrong with answers or program, 2 bad input, 3 incomplete, 4 the kit itself is
    broken, 130 interrupted.
    """
    folder = check_results(json_file, ndjson, case, counterexamples)
    order = CheckOrder(
        adapter=shlex.join(command),
        command=tuple(command),
        limits=_limits(start_timeout, answer_timeout, stop_timeout, line_limit, memory_limit),
        cases=cases,
        seed=seed,
        budget=budget,
        processes=processes or processors(),
        validate=validate,
        most_failing=give_up_after,
        failures=failures,
        certify_seconds=certify_limit,
        kept=kept_in(folder),
    )
    status, result = _asked(order, case, level, ndjson, folder)
    write_result(json_file, {"command": list(order.command), **result})
    return status


def _asked(
    order: CheckOrder, case: Path | None, level: Level, ndjson: Path | None, folder: Path
) -> tuple[int, Json]:
    """The one case that is named, or else all; the exit status and the result."""
    if case is not None:
        return _replay(order, case)
    return _check(order, level, ndjson, folder)


def _limits(start: float, answer: float, stop: float, line_bytes: int, memory_mib: int) -> Limits:
    return Limits(
        start_seconds=start,
        answer_seconds=answer,
        stop_seconds=stop,
        line_bytes=line_bytes,
        memory_bytes=memory_mib * MIB,
    )


def _check(order: CheckOrder, level: Level, ndjson: Path | None, folder: Path) -> tuple[int, Json]:
    """Carry out the order, print and write down what came of it; the exit status and the result."""
    store = Store(folder, adapter=order.adapter, command=order.command)
    with recording(ndjson) as stream:
        return _carried_out(order, level, store, stream)


def _carried_out(
    order: CheckOrder, level: Level, store: Store, stream: Recorder
) -> tuple[int, Json]:
    """The exit status, and the result for programs; what came of it is printed."""
    stream.add(started(order, level))
    try:
        with progress("check", words) as watch:
            state = check(order, seeing(stream.see, watch), level=level, keep=store.keep)
    except AdapterFailed as failed:
        stream.end_at_start(failed.failure, Exit.DISAGREEMENT)
        print(visible(f"NOT STARTED: {failed}\n{failed.remedy}"))
        return Exit.DISAGREEMENT, result_without_answers(NOT_STARTED, failed.failure)
    canary = canary_of(state.profile, flags_of_check)
    status = exit_status(state, level) if canary.alive else Exit.KIT_BROKEN
    stream.end(state, level, canary, status, store.places)
    print_report(stream.summary)
    tell_all(state, store)
    return status, result_of(state, level, status, canary)


def exit_status(state: Check, level: Level) -> int:
    """What the process says to the one that started it."""
    if state.end is End.INTERRUPTED:
        return Exit.INTERRUPTED
    if is_wrong(state, level):
        return Exit.DISAGREEMENT
    if state.end is End.BUDGET or (level is not Level.SAFETY and not_exercised(state)):
        return Exit.INCOMPLETE
    return Exit.HOLDS


def _replay(order: CheckOrder, path: Path) -> tuple[int, Json]:
    """Run one case again, and say what came of it."""
    case = read_case_file(path)
    adapter = ProcessAdapter(order.command, limits=order.limits, validate=order.validate)
    try:
        adapter.start()
        found = counterexample_again(adapter, case)
    except AdapterFailed as failed:
        print(visible(f"FAILED: {failed.failure}"))
        return Exit.DISAGREEMENT, result_without_answers("failed", failed.failure)
    finally:
        adapter.close()
    again = Again(end=End.DONE if found is None else End.WRONG, counterexample=found)
    print("The program agrees on this case." if found is None else found.drawn())
    status = Exit.HOLDS if found is None else Exit.DISAGREEMENT
    return status, again_result(order.adapter, again, status)
