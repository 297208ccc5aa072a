"""Prove the theorems about the specification, from its own source."""

import inspect
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from allotment_proofs import report
from allotment_proofs.commands.json_option import JsonFile
from allotment_proofs.necessity import records
from allotment_proofs.necessity.errata import ERRATA
from allotment_proofs.necessity.witnesses import EQUIVALENT, all_witnesses
from allotment_proofs.prover import Proof, Proved, Unknown, prove, stable_over
from allotment_proofs.statement import Theorem
from allotment_proofs.theorems import THEOREMS

UNKNOWN_FOLDER = Path("allotment-unknown")
"""Where a question that the solver gave up is kept, if no other folder is named."""

Witnesses = Annotated[
    Path | None,
    typer.Option(help="Keep a smallest case for each wrong rule and erratum in this folder."),
]


def command(
    json_file: JsonFile = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Prove each theorem under this many seeds of the solver.")
    ] = 1,
    smtlib: Annotated[
        Path | None, typer.Option(help="Keep what the solver is asked in this folder.")
    ] = None,
    affected_by: Annotated[
        Path | None,
        typer.Option(exists=True, help="Only theorems that lift a function of this source file."),
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first theorem that is not proved.")
    ] = False,
    variants: Annotated[
        bool, typer.Option(help="Also try each theorem under the wrong rules that touch it.")
    ] = True,
    witnesses: Witnesses = None,
) -> int:
    """Prove the theorems about the specification, from its own source.

    Exits 0 if all are proved, 1 if one is refuted, 3 if one stays open.

    Example: allotment prove --affected-by model/allotment_model/arithmetic.py --fail-fast
    """
    with leaving_at_interrupt():
        console = Console(width=None if Console().is_terminal else 160)
        proofs = []
        for proof in proofs_of(THEOREMS, affected_by, with_variants=variants):
            proofs.append(proof)
            _keep(proof, smtlib, console)
            if fail_fast and not isinstance(proof.outcome, Proved):
                break
        status = _told(proofs, json_file, console)
        if seeds > 1 and status == report.EXIT_PROVED:
            status = _stability([proof.theorem for proof in proofs], seeds, console)
        if (
            variants
            and affected_by is None
            and not fail_fast
            and not _necessity(witnesses, console)
        ):
            status = status or report.EXIT_REFUTED
        return status


def _told(proofs: Sequence[Proof], json_file: Path | None, console: Console) -> int:
    """Print and write what came of the theorems; the exit status that it asks for."""
    report.print_report(proofs, console)
    if json_file is not None:
        report.write_json(proofs, json_file)
    return report.exit_status(proofs)


@contextmanager
def leaving_at_interrupt() -> Iterator[None]:
    """Ctrl-C leaves at once with 130: an exception could be swallowed by a destructor of Z3."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, lambda _number, _frame: os._exit(130))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _necessity(folder: Path | None, console: Console) -> bool:
    """Whether every wrong rule is told from the specification by a case, or known not to be."""
    found, odd = all_witnesses()
    if folder is not None:
        records.keep(map(records.witness_json, found), folder)
        records.keep((records.erratum_json(find()) for find in ERRATA), folder)
    for told in odd:
        console.print(told, highlight=False, markup=False, soft_wrap=True)
    equivalent = ", ".join(EQUIVALENT)
    told = f"{len(found)} wrong rules refuted by a case that was run; equivalent: {equivalent}"
    console.print(told, highlight=False, markup=False, soft_wrap=True)
    return not odd


def proofs_of(
    theorems: Sequence[Theorem], affected_by: Path | None, *, with_variants: bool
) -> Iterator[Proof]:
    """The proof of each theorem that lifts a function of that file; of all, if none is named."""
    for theorem in theorems:
        if affected_by is None:
            yield prove(theorem, with_variants=with_variants)
            continue
        proof = prove(theorem, with_variants=False)
        files = {Path(inspect.getsourcefile(one) or "").resolve() for one in proof.lifted}
        if affected_by.resolve() in files:
            is_done = not (with_variants and isinstance(proof.outcome, Proved))
            yield proof if is_done else prove(theorem)


def _keep(proof: Proof, folder: Path | None, console: Console) -> None:
    if folder is not None:
        report.keep_smtlib(proof, folder)
    elif isinstance(proof.outcome, Unknown):
        for path in report.keep_smtlib(proof, UNKNOWN_FOLDER):
            console.print(f"kept: {path}", markup=False)


def _stability(theorems: Sequence[Theorem], seeds: int, console: Console) -> int:
    """Whether every theorem is proved under every seed."""
    unstable = [
        f"seed {seed}: {theorem.name}: {outcome.word}"
        for theorem, seed, outcome in stable_over(theorems, seeds)
        if not isinstance(outcome, Proved)
    ]
    for line in unstable:
        console.print(line, highlight=False, markup=False)
    console.print(f"{seeds} seeds: {'not stable' if unstable else 'all proved under each'}")
    return report.EXIT_UNKNOWN if unstable else report.EXIT_PROVED
