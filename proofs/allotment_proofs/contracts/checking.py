"""CrossHair, run on contracts, and what it says.

It exits 0 when it found nothing to check, and 1 both for a counterexample and for a crash of
`diffbehavior`, so that its exit status is not looked at: only what it says counts.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from time import perf_counter

from allotment_proofs.contracts.reading import Contract, contracts_of

MODULES = ("leaves", "compositions", "against_impl")
CANARY = "canary"
TIMEOUT = 10.0
"""Seconds of processor time for one contract; the longest takes about a third on a quiet core."""


class Outcome(StrEnum):
    """What is known of a contract; no two of these are ever merged."""

    CONFIRMED = "confirmed over all paths"
    NOT_CONFIRMED = "not confirmed"
    REFUTED = "refuted"
    VACUOUS = "precondition never met"
    NOT_CHECKED = "not checked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """A contract, its outcome at its scope, and CrossHair's own words."""

    contract: Contract
    outcome: Outcome
    told: str
    seconds: float


SAYS = {
    "info: Confirmed over all paths.": Outcome.CONFIRMED,
    "info: Not confirmed.": Outcome.NOT_CONFIRMED,
    "info: Unable to meet precondition.": Outcome.VACUOUS,
}
LINE = re.compile(r"^\S.*?:\d+: ((?:error|info|warning): .*)$", re.MULTILINE)
NUMBERED = re.compile(r"^\S.*?:(\d+): (info: .*)$", re.MULTILINE)
WORST_FIRST = (
    Outcome.NOT_CHECKED,
    Outcome.REFUTED,
    Outcome.VACUOUS,
    Outcome.NOT_CONFIRMED,
    Outcome.CONFIRMED,
)


def all_contracts() -> list[Contract]:
    """Every contract and pair, canaries apart."""
    return [contract for module in MODULES for contract in contracts_of(module)]


def canaries() -> list[Contract]:
    """The contract and the pair that must be refuted."""
    return list(contracts_of(CANARY))


def check(contract: Contract, timeout: float = TIMEOUT) -> Checked:
    """Run CrossHair on a contract for at most so many seconds of processor time."""
    started = perf_counter()
    done = _run(contract.is_pair, contract.functions, timeout)
    read = read_pair if contract.is_pair else read_contract
    outcome, told = read(done.stdout, done.stderr)
    seconds = perf_counter() - started
    return Checked(contract=contract, outcome=outcome, told=told, seconds=seconds)


def _run(
    is_pair: bool, functions: Sequence[str], timeout: float
) -> subprocess.CompletedProcess[str]:
    kind = "diffbehavior" if is_pair else "check"
    more = [] if is_pair else ["--report_all", "--analysis_kind", "PEP316"]
    words = ["-m", "crosshair", kind, "--per_condition_timeout", str(timeout), *more]
    return subprocess.run(
        [sys.executable, *words, *functions],
        env=os.environ | {"PYTHONHASHSEED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )


def confirmed_together(contracts: Sequence[Contract], timeout: float) -> list[Checked]:
    """All of these contracts of one module, if one run of CrossHair confirms each; or none.

    A start of CrossHair takes longer than most contracts. Where it says anything else, or nothing
    in the lines of a contract, nothing is concluded: each is to be checked by itself.
    """
    started = perf_counter()
    said = _run(False, [one.functions[0] for one in contracts], timeout).stdout
    found = [(int(line), told) for line, told in NUMBERED.findall(said)]
    confirmed = [line for line, told in found if SAYS.get(told) is Outcome.CONFIRMED]
    is_each = all(any(line in one.lines for line in confirmed) for one in contracts)
    if not (is_each and len(confirmed) == len(found) == len(said.splitlines())):
        return []
    share = (perf_counter() - started) / len(contracts)
    told = "Confirmed over all paths."
    return [
        Checked(contract=one, outcome=Outcome.CONFIRMED, told=told, seconds=share)
        for one in contracts
    ]


def read_contract(said: str, complained: str) -> tuple[Outcome, str]:
    """The outcome that `crosshair check` tells: the worst of all that it says."""
    found = {SAYS.get(line, Outcome.REFUTED): line for line in LINE.findall(said)}
    for outcome in WORST_FIRST:
        if outcome in found:
            return outcome, found[outcome].partition(": ")[2]
    return Outcome.NOT_CHECKED, _last_line(complained)


def read_pair(said: str, complained: str) -> tuple[Outcome, str]:
    """The outcome that `crosshair diffbehavior` tells."""
    if said.startswith("Given: "):
        return Outcome.REFUTED, " ".join(said.split())
    if "No differences found" not in said:
        return Outcome.NOT_CHECKED, _last_line(said + complained)
    is_sure = "All paths exhausted" in said
    told = said.splitlines()[0]
    return (Outcome.CONFIRMED if is_sure else Outcome.NOT_CONFIRMED), told


def _last_line(words: str) -> str:
    return words.strip().rpartition("\n")[2] or "nothing was said"


def check_all(contracts: list[Contract], timeout: float = TIMEOUT) -> Iterator[Checked]:
    """One outcome after another; neighbours of one module are checked together first."""
    for _module, neighbours in groupby(contracts, lambda one: (one.module, one.is_pair)):
        together = list(neighbours)
        is_worth_it = len(together) > 1 and not together[0].is_pair
        found = confirmed_together(together, timeout) if is_worth_it else []
        yield from found or (check(one, timeout) for one in together)
