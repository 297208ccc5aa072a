"""Prove the theorems about the specification, from its own source."""

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import process_time
from typing import Annotated

import typer
from rich.console import Console

import allotment_model
from allotment_proofs import report
from allotment_proofs.commands.json_option import JsonFile, creatable
from allotment_proofs.necessity import records
from allotment_proofs.necessity.pages import errata
from allotment_proofs.necessity.witnesses import EQUIVALENT, all_witnesses
from allotment_proofs.prover import Proof, Proved, Unknown, functions_of, prove
from allotment_proofs.statement import Theorem
from allotment_proofs.theorems import THEOREMS
from allotment_proofs.trusted.sequences import reading
from allotment_proofs.trusted.symbols import Unsupported

UNKNOWN_FOLDER = Path("allotment-unknown")
"""Where a question that the solver gave up is kept, if no other folder is named."""

Smtlib = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        callback=creatable,
        help="Keep what the solver is asked in this folder.",
    ),
]
Witnesses = Annotated[
    Path | None,
    typer.Option(
        metavar="FOLDER",
        callback=creatable,
        help="Keep a smallest case for each wrong rule and erratum in this folder.",
    ),
]


def command(
    json_file: JsonFile = None,
    seeds: Annotated[
        int, typer.Option(min=1, help="Prove each theorem under this many seeds of the solver.")
    ] = 1,
    smtlib: Smtlib = None,
    affected_by: Annotated[
        Path | None,
        typer.Option(help="Only theorems that lift a function of this source file."),
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

    Exit status: 0 all are proved, 1 one is refuted, 2 bad input, 3 one stays open, 130 interrupted.

    Example: allotment prove --affected-by model/allotment_model/arithmetic.py --fail-fast
    """
    work = _Work()
    with leaving_at_interrupt(work):
        if told := _unreadable(affected_by):
            Console(stderr=True).print(told, highlight=False, markup=False, soft_wrap=True)
            return report.EXIT_UNKNOWN
        proofs = _proved(
            work, affected_by, smtlib, seeds=seeds, fail_fast=fail_fast, with_variants=variants
        )
        seconds = report.seconds_of(proofs)
        status = report.exit_status(proofs)
        if seeds > 1 and status == report.EXIT_PROVED:
            status = _stability(proofs, seeds)
        is_partial = affected_by is not None or fail_fast or not variants
        if not is_partial:
            is_shown, seconds["witnesses"] = _necessity(witnesses)
            status = status if is_shown else status or report.EXIT_REFUTED
        report.print_seconds(seconds, _console())
        if json_file is not None:
            report.write_json(proofs, seconds, json_file)
    return status


def _unreadable(affected_by: Path | None) -> str:
    """Why nothing can be proved of the model's source as it stands, or nothing."""
    of_model = Path(allotment_model.__file__).resolve().parent
    if affected_by is not None and affected_by.resolve() not in of_model.rglob("*.py"):
        told = f"{affected_by} is no source file of the model; give one of those in {of_model}"
        raise typer.BadParameter(told, param_hint="--affected-by")
    try:
        with reading():
            return ""
    except Unsupported as refused:
        return f"{refused}. Nothing is proved of such a source: write it in another form."


@dataclass(slots=True)
class _Work:
    """How far it has come: the proofs so far, and whether their table is printed."""

    proofs: list[Proof] = field(default_factory=list)
    is_printed: bool = False


@contextmanager
def leaving_at_interrupt(work: _Work) -> Iterator[None]:
    """Ctrl-C leaves at once with 130: an exception could be swallowed by a destructor of Z3."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    signals = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(one, lambda _number, _frame: _leave(work)) for one in signals]
    try:
        yield
    finally:
        for one, handler in zip(signals, before, strict=True):
            signal.signal(one, handler)


def _leave(work: _Work) -> None:
    """Say what there is and end the process; what cannot be said any more is left out."""
    with suppress(Exception):
        if not work.is_printed:
            report.print_report(work.proofs, _console())
        count = f"{len(work.proofs)} of {len(THEOREMS)} theorems were tried"
        _console().print(f"INTERRUPTED: {count}", highlight=False)
        sys.stdout.flush()
    os._exit(130)


def _console() -> Console:
    """Wide enough for each theorem to have one line, where nobody watches."""
    return Console(width=None if Console().is_terminal else 1000)


def _proved(
    work: _Work,
    affected_by: Path | None,
    smtlib: Path | None,
    *,
    seeds: int,
    fail_fast: bool,
    with_variants: bool,
) -> list[Proof]:
    """The proofs, with their questions kept and their table printed."""
    with_smtlib = smtlib is not None
    for proof in proofs_of(
        THEOREMS, affected_by, seeds=seeds, with_variants=with_variants, with_smtlib=with_smtlib
    ):
        work.proofs.append(proof)
        _keep(proof, smtlib)
        if fail_fast and not isinstance(proof.outcome, Proved):
            break
    report.print_report(work.proofs, _console())
    work.is_printed = True
    return work.proofs


def _necessity(folder: Path | None) -> tuple[bool, float]:
    """Whether every wrong rule is told from the specification by a case, or known not to be.

    Also the seconds that it took to find the cases.
    """
    started = process_time()
    found, odd = all_witnesses()
    seconds, console = process_time() - started, _console()
    if folder is not None:
        records.keep(map(records.witness_json, found), folder)
        records.keep(map(records.erratum_json, errata().values()), folder)
    for told in odd:
        console.print(told, highlight=False, markup=False, soft_wrap=True)
    equivalent = ", ".join(EQUIVALENT)
    by_z3 = sum(witness.is_least for witness in found)
    told = (
        f"{len(found)} wrong rules refuted by a case that was run, {by_z3} of them with the least "
        f"amounts, by Z3; equivalent: {equivalent}"
    )
    console.print(told, highlight=False, markup=False, soft_wrap=True)
    return not odd, seconds


def proofs_of(
    theorems: Sequence[Theorem],
    affected_by: Path | None,
    *,
    seeds: int = 1,
    with_variants: bool,
    with_smtlib: bool = False,
) -> Iterator[Proof]:
    """The proof of each theorem that lifts a function of that file; of all, if none is named.

    Theorems about whole runs lift nearly every function, and are affected by every file.
    """
    for theorem in theorems:
        if affected_by is None or theorem.is_whole or affected_by.resolve() in files_of(theorem):
            yield prove(theorem, seeds=seeds, with_variants=with_variants, with_smtlib=with_smtlib)


def files_of(theorem: Theorem) -> set[Path]:
    """The source files of the functions that a theorem lifts."""
    return {Path(one.__code__.co_filename).resolve() for one in functions_of(theorem)}


def _keep(proof: Proof, folder: Path | None) -> None:
    if folder is not None:
        report.keep_smtlib(proof, folder)
    elif isinstance(proof.outcome, Unknown):
        try:
            told = f"kept: {report.keep_unknown(proof.theorem, proof.outcome, UNKNOWN_FOLDER)}"
        except OSError as wrong:
            told = f"not kept: {wrong}; name a folder with --smtlib"
        _console().print(told, markup=False)


def _stability(proofs: Sequence[Proof], seeds: int) -> int:
    """Whether every theorem is proved under every seed."""
    console = _console()
    unstable = [
        f"seed {seed}: {proof.theorem.name}: {outcome.word}"
        for proof in proofs
        for seed, outcome in proof.unstable
    ]
    for line in unstable:
        console.print(line, highlight=False, markup=False)
    console.print(f"{seeds} seeds: {'not stable' if unstable else 'all proved under each'}")
    return report.EXIT_UNKNOWN if unstable else report.EXIT_PROVED
