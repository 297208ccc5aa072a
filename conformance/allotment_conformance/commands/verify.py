"""Check an allocator against the specification, clause by clause."""

import json
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.counterexample.find import replay
from allotment_conformance.errors import KitError
from allotment_conformance.report.clauses import is_complete
from allotment_conformance.report.progress import progress
from allotment_conformance.report.record import record
from allotment_conformance.report.terminal import print_result
from allotment_conformance.verdict.verification import (
    End,
    Order,
    Verification,
    processors,
    verify,
)
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.messages import Json

EXIT_HOLDS = 0
EXIT_DISAGREEMENT = 1
EXIT_INCOMPLETE = 3
EXIT_INTERRUPTED = 130


class CannotRead(KitError):
    """A file with a case cannot be read."""

    code = "cannot-read"


class CannotWrite(KitError):
    """A file that was asked for cannot be written."""

    code = "cannot-write"


def command(
    adapter: Annotated[
        str, typer.Argument(help="What to check: module:Name?option=value&…")
    ] = DEFAULT_ADAPTER,
    cases: Annotated[int, typer.Option(min=0, help="Bulk cases, besides the directed.")] = 20_000,
    seed: Annotated[int, typer.Option(help="What the bulk cases are drawn from.")] = 1,
    budget: Annotated[
        float | None, typer.Option(min=0.0, help="Stop after so many seconds: exit 3.")
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Default: one for each processor.")
    ] = None,
    json_file: Annotated[
        Path | None, typer.Option("--json", help="Write the result to this file, too.")
    ] = None,
    case: Annotated[Path | None, typer.Option(help="Run only the case in this file again.")] = None,
    counterexample: Annotated[
        Path, typer.Option(help="Where to write the case, if there is a disagreement.")
    ] = Path("counterexample.json"),
) -> int:
    """Check an allocator against the specification.

    Exit status: 0 all claimed clauses hold and were exercised, 1 a disagreement, 2 bad input,
    3 incomplete, 130 interrupted.
    """
    if case is not None:
        return _replay(adapter, case)
    order = Order(
        adapter=adapter,
        cases=cases,
        seed=seed,
        budget=budget,
        processes=processes or processors(),
    )
    if json_file is not None:
        _write(json_file, "")
    with progress() as watch:
        state = verify(order, watch)
    status = exit_status(state)
    print_result(state)
    if state.counterexample is not None:
        _tell_counterexample(state, counterexample)
    if json_file is not None:
        _write(json_file, json.dumps(record(state, status), indent=2, ensure_ascii=False) + "\n")
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
            return EXIT_HOLDS if is_complete(state) else EXIT_INCOMPLETE


def _tell_counterexample(state: Verification, path: Path) -> None:
    """The case in words, in a file, and how to see it again."""
    found = state.counterexample
    assert found is not None, "there is one"
    print(f"\nFound in {found.origin}.", "" if found.reproduced else "It did not happen again.")
    print(f"\n{found.picture()}\n")
    _write(path, json.dumps(found.case, ensure_ascii=False) + "\n")
    words = ["allotment", "verify", state.order.adapter, "--case", str(path)]
    print(f"The case is in {path}. To run it again:\n  {shlex.join(words)}")


def _replay(name: str, path: Path) -> int:
    """Run one case again, and say what came of it."""
    adapter = load_adapter(name)
    found = replay(adapter, _read(path))
    adapter.close()
    print("The allocator agrees on this case." if found is None else found.picture())
    return EXIT_HOLDS if found is None else EXIT_DISAGREEMENT


def _read(path: Path) -> Json:
    try:
        case: Json = json.loads(path.read_text(encoding="utf-8"))
    except OSError as wrong:
        raise CannotRead(
            f"{path} cannot be read: {wrong.strerror}", remedy="Check the name of the file."
        ) from wrong
    except ValueError as wrong:
        raise CannotRead(
            f"{path} is not JSON: {wrong}", remedy="Give a case as SPEC.md 2.1 describes it."
        ) from wrong
    return case


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as wrong:
        raise CannotWrite(
            f"{path} cannot be written: {wrong.strerror}",
            remedy="Name a file in a folder that exists and that you may write to.",
        ) from wrong
