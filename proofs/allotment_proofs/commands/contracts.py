"""Check contracts on the model's code with CrossHair, and compare it with the allocator's."""

import json
from importlib.util import find_spec
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from allotment_proofs.commands.json_option import JsonFile
from allotment_proofs.contracts.checking import (
    TIMEOUT,
    Checked,
    Outcome,
    all_contracts,
    canaries,
    check_all,
)
from allotment_proofs.contracts.reading import Contract

EXIT_CONFIRMED, EXIT_REFUTED, EXIT_NOT_CONFIRMED, EXIT_INTERRUPTED = 0, 1, 3, 130

Names = Annotated[
    list[str] | None, typer.Argument(metavar="[CONTRACT]...", help="Check these only.")
]
Seconds = Annotated[
    float,
    typer.Option(min=0.1, metavar="SECONDS", help="Processor time for each contract, at most."),
]


def command(names: Names = None, timeout: Seconds = TIMEOUT, json_file: JsonFile = None) -> int:
    """Check contracts on the model's code with CrossHair, and compare it with the allocator's.

    A contract is confirmed over all paths at its scope, not confirmed in the time given, or
    refuted. One contract and one pair are wrong on purpose and must be refuted, else nothing
    that was said counts.

    Example: allotment contracts

    Example: allotment contracts reversals_of_two_amounts_commute --timeout 2

    Exit status: 0 all confirmed, 1 one is refuted or could not be checked, 2 bad input,
    3 one is not confirmed, 130 interrupted.
    """
    if find_spec("crosshair") is None:
        raise ModuleNotFoundError("CrossHair is not there", name="crosshair")
    contracts = _named(names or [])
    checked, interrupted = _checked([*canaries(), *contracts], timeout)
    planted, found = checked[: len(canaries())], checked[len(canaries()) :]
    console = Console(width=None if Console().is_terminal else 1000)
    console.print(_table(found, timeout))
    for line in [*_silent(planted), *_explained(found)]:
        console.print(line, highlight=False, markup=False, soft_wrap=True)
    status = EXIT_INTERRUPTED if interrupted else exit_status(planted, found)
    console.print(_sums(planted, found), highlight=False, markup=False)
    if interrupted:
        print(f"INTERRUPTED: {len(found)} of {len(contracts)} contracts were checked")
    if json_file is not None:
        json_file.write_text(json.dumps([*map(_record, checked)], indent=1) + "\n")
    return status


def _checked(contracts: list[Contract], timeout: float) -> tuple[list[Checked], bool]:
    """The outcomes, and whether Ctrl-C came before the last of them."""
    checked: list[Checked] = []
    try:
        for one in check_all(contracts, timeout):
            checked.append(one)  # one by one: what is there when it is interrupted is told
    except KeyboardInterrupt:
        return checked, True
    return checked, False


def exit_status(planted: list[Checked], found: list[Checked]) -> int:
    """0 if all is confirmed and the canaries are refuted, 3 if something is open, else 1."""
    outcomes = {one.outcome for one in found}
    if _silent(planted) or outcomes - {Outcome.CONFIRMED, Outcome.NOT_CONFIRMED}:
        return EXIT_REFUTED
    return EXIT_NOT_CONFIRMED if Outcome.NOT_CONFIRMED in outcomes else EXIT_CONFIRMED


def _named(names: list[str]) -> list[Contract]:
    known = {contract.name: contract for contract in all_contracts()}
    for name in names:
        if name not in known:
            raise typer.BadParameter(f"there is no contract '{name}'; known: {', '.join(known)}")
    return [known[name] for name in names] or [*known.values()]


def _table(found: list[Checked], timeout: float) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False)
    for heading in ("contract", "clauses", "scope", "outcome"):
        table.add_column(heading, overflow="fold")
    table.add_column("time", justify="right")
    for one in found:
        open_ = f" in {timeout:g} s" if one.outcome is Outcome.NOT_CONFIRMED else ""
        contract = one.contract
        sentence = contract.sentence + (" (model and allocator)" if contract.is_pair else "")
        clauses, time = " ".join(contract.clauses), f"{one.seconds:.1f} s"
        table.add_row(sentence, clauses, contract.scope, f"{one.outcome}{open_}", time)
    return table


def _silent(planted: list[Checked]) -> list[str]:
    """The canaries that were not refuted."""
    return [
        f"the canary '{one.contract.name}' is {one.outcome}: nothing here counts. {one.told}"
        for one in planted
        if one.outcome is not Outcome.REFUTED
    ]


def _explained(found: list[Checked]) -> list[str]:
    return [
        f"{one.contract.name}: {one.outcome}: {one.told}"
        for one in found
        if one.outcome is not Outcome.CONFIRMED
    ]


def _sums(planted: list[Checked], found: list[Checked]) -> str:
    counts = {outcome: sum(one.outcome is outcome for one in found) for outcome in Outcome}
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.items() if count)
    seconds = sum(one.seconds for one in [*planted, *found])
    caught = len(planted) - len(_silent(planted))
    return f"\n{told}; {caught} of {len(planted)} canaries refuted; {seconds:.0f} s"


def _record(one: Checked) -> dict[str, object]:
    contract = one.contract
    return {
        "contract": contract.name,
        "sentence": contract.sentence,
        "clauses": contract.clauses,
        "scope": contract.scope,
        "outcome": str(one.outcome),
        "told": one.told,
        "seconds": round(one.seconds, 2),
    }
