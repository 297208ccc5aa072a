"""Contracts are confirmed, notice an edited model, and no two outcomes are merged."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from allotment_model.clauses import CLAUSES
from allotment_proofs.contracts import checking
from allotment_proofs.contracts.checking import (
    TIMEOUT,
    Checked,
    Outcome,
    all_contracts,
    canaries,
    check,
    confirmed_together,
    read_contract,
    read_pair,
)
from allotment_proofs.contracts.reading import Contract
from house.sources import PACKAGES

CONTRACTS = {contract.name: contract for contract in all_contracts()}
EDITS = {
    "buckets_descend_by_at_most_one": ("index < tasks % hosts", "index > tasks % hosts"),
    "ptile_leaves_the_rest_to_the_last": ("(tasks + ptile - 1) // ptile", "tasks // ptile"),
    "plans_beyond_the_hosts_do_not_hold": ("buckets <= hosts", "buckets < hosts"),
    "want_never_shrinks": ("slots * per_task + per_host", "per_host - slots"),
    "as_many_fit_as_division_says": ("wanted <= left", "wanted < left"),
    "exactly_enough_is_enough": ("max(0, capacity - used)", "abs(capacity - used)"),
    "shared_want_counts_the_job_once": ("per_job + tasks *", "per_job * tasks + tasks *"),
    "reversed_twice_is_reversed_once": ("used - amount if held else used", "used - amount"),
    "reversals_of_two_amounts_commute": (
        "used - amount if held else used",
        "used // amount if amount else used",
    ),
    "settling_is_all_or_nothing": ("after if placed else before", "after"),
    "only_a_first_part_fills": ("parts_before == 0", "parts_before <= 1"),
    "queue_is_one_strict_order": ("-priority, number", "-priority, -number"),
    "buckets_of_a_split_sum_to_its_tasks": ("(1 if index <", "(2 if index <"),
    "plans_come_for_one_host_more_each": ("(1 if index < tasks", "(1 if index >= tasks"),
    "first_host_with_room_is_taken": ("wanted <= left", "wanted < left"),
    "primary_that_fails_leaves_the_ledger": ("used - amount if held else used", "used"),
    "two_amounts_given_back_are_as_they_were": ("used - amount if held", "used - 1 if held"),
    "split": ("tasks // hosts + (1 if", "tasks // hosts + (0 if"),
    "plans_within_bounds": ("hosts <= hosts_max", "hosts < hosts_max"),
    "plan_by_ptile": ("min(ptile, tasks - index * ptile)", "ptile"),
    "want": ("slots * per_task + per_host", "slots * (per_task + per_host)"),
}
"""A place of the leaves for each contract, and what it reads instead."""

ENOUGH = 1.0
"""Seconds of processor time after which every planted difference of a pair was found; CrossHair
looks for more of them until its time is over."""

IN_OTHER_FILES = {
    "descending_search_is_complete_on_two_hosts": (
        "search.py",
        "in rules.buckets_to_place(plan)",
        "in rules.buckets_to_place(plan)[::-1]",
    ),
    "claimed_host_is_passed_over": ("search.py", "return host in claimed", "return False"),
    "keys_are_equal_field_by_field": (
        "cache.py",
        "    tasks_min: int\n",
        "    tasks_min: int = field(compare=False)\n",
    ),
}


def edited_model(folder: Path, file: str, before: str, after: str) -> Path:
    """A copy of the model in which one place reads otherwise."""
    shutil.copytree(PACKAGES["allotment_model"], folder / "allotment_model")
    path = folder / "allotment_model" / file
    source = path.read_text(encoding="utf-8").replace("import dataclass\n", "import *\n")
    assert before in source
    path.write_text(source.replace(before, after, 1), encoding="utf-8")
    return folder


def edits() -> list[tuple[str, str, str, str]]:
    """Contract, file, what it reads, what it reads instead."""
    leaves = [(name, "arithmetic.py", *places) for name, places in EDITS.items()]
    return leaves + [(name, *places) for name, places in IN_OTHER_FILES.items()]


@pytest.mark.parametrize("edit", edits(), ids=lambda edit: edit[0])
def test_contract_notices_an_edited_model(
    edit: tuple[str, str, str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, *place = edit
    monkeypatch.setenv("PYTHONPATH", str(edited_model(tmp_path, *place)))
    contract = CONTRACTS[name]
    checked = check(contract, timeout=ENOUGH if contract.is_pair else TIMEOUT)
    assert Outcome.REFUTED is checked.outcome, checked.told


def test_every_contract_is_tried_on_an_edited_model() -> None:
    assert {*CONTRACTS} == {name for name, *_ in edits()}
    assert len(CONTRACTS) == len(all_contracts())


@pytest.mark.parametrize("canary", canaries(), ids=lambda one: one.name)
def test_canary_is_refuted(canary: Contract) -> None:
    checked = check(canary)
    assert Outcome.REFUTED is checked.outcome
    assert "12" in checked.told


def test_contracts_name_clauses_and_their_scope() -> None:
    known = {clause.id for clause in CLAUSES}
    assert all(contract.clauses for contract in CONTRACTS.values())
    assert {one for contract in CONTRACTS.values() for one in contract.clauses} <= known
    assert "1 <= hosts <= tasks <= 8" == CONTRACTS["split"].scope
    assert "unbounded" == CONTRACTS["want"].scope
    assert "1 <= slots, 0 <= on_a and 0 <= on_b" == CONTRACTS["claimed_host_is_passed_over"].scope


def test_impl_is_not_imported_to_list_contracts() -> None:
    assert "allotment_proofs.contracts.against_impl" not in sys.modules


PLANTED = '''
def open_ended(number: int) -> int:
    """
    pre: number > 0
    post: __return__ >= 0
    """
    return sum(1 for _ in range(number % 1000003))

def vacuous(number: int) -> int:
    """
    pre: number > 5 and number < 5
    post: __return__ == 0
    """
    return number

def crashing(number: int) -> int:
    """
    post: True
    """
    return 1 // number

def two_claims(number: int) -> int:
    """
    post: __return__ == number
    post: __return__ != 7
    """
    return number

def unstated(number: int) -> int:
    return number

def model_power(number: int) -> int:
    return sum(1 for _ in range(number % 1000003))

def impl_power(number: int) -> int:
    return sum(1 for _ in range(number % 1000003))
'''


def planted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *functions: str) -> Checked:
    """What CrossHair says of functions that were planted."""
    (tmp_path / "planted_contracts.py").write_text(PLANTED, encoding="utf-8")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    names = tuple(f"planted_contracts.{name}" for name in functions)
    contract = Contract(name="planted", sentence="", clauses=(), scope="", functions=names)
    # Twice what the slowest that ends takes: the others are looked at until the time is over.
    return check(contract, timeout=0.4)


@pytest.mark.parametrize(
    ("functions", "outcome", "told"),
    [
        (["open_ended"], Outcome.NOT_CONFIRMED, "Not confirmed."),
        (["vacuous"], Outcome.VACUOUS, "Unable to meet precondition."),
        (["crashing"], Outcome.REFUTED, "ZeroDivisionError"),
        (["two_claims"], Outcome.REFUTED, "false when calling two_claims(7)"),
        (["unstated"], Outcome.NOT_CHECKED, ""),
        (["nowhere"], Outcome.NOT_CHECKED, "nowhere"),
        (["model_power", "impl_power"], Outcome.NOT_CONFIRMED, "No differences found"),
        (["model_power", "two_claims"], Outcome.REFUTED, "Given: (number="),
        (["model_power", "nowhere"], Outcome.NOT_CHECKED, "nowhere"),
    ],
    ids=lambda one: one[-1] if isinstance(one, list) else None,
)
def test_outcomes_are_told_apart(
    functions: list[str],
    outcome: Outcome,
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    checked = planted(tmp_path, monkeypatch, *functions)
    assert outcome is checked.outcome, checked.told
    assert told in checked.told


@pytest.mark.parametrize(
    ("said", "is_confirmed"),
    [
        (["12: info: Confirmed over all paths.", "31: info: Confirmed over all paths."], True),
        (["12: info: Confirmed over all paths.", "31: info: Not confirmed."], False),
        (["12: info: Confirmed over all paths.", "13: error: false when 1"], False),
        (["12: info: Confirmed over all paths.", "40: info: Confirmed over all paths."], False),
        (["12: info: Confirmed over all paths."], False),
        ([], False),
    ],
)
def test_contracts_are_confirmed_together_or_not_at_all(
    said: list[str], is_confirmed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*_asked: object) -> subprocess.CompletedProcess[str]:
        lines = "".join(f"x.py:{line}\n" for line in said)
        return subprocess.CompletedProcess(args=[], returncode=0, stdout=lines, stderr="")

    monkeypatch.setattr(checking, "_run", run)
    contracts = [
        Contract(
            name=name, sentence="", clauses=(), scope="", functions=(f"m.{name}",), lines=lines
        )
        for name, lines in (("one", range(10, 20)), ("two", range(30, 35)))
    ]
    found = confirmed_together(contracts, timeout=1.0)
    assert (contracts if is_confirmed else []) == [one.contract for one in found]
    assert {Outcome.CONFIRMED} >= {one.outcome for one in found}


def test_the_worst_of_all_that_is_said_counts() -> None:
    confirmed = "x.py:7: info: Confirmed over all paths.\n"
    assert Outcome.CONFIRMED is read_contract(confirmed, "")[0]
    for line in ("info: Not confirmed.", "info: Unable to meet precondition.", "error: false"):
        assert Outcome.CONFIRMED is not read_contract(f"{confirmed}x.py:9: {line}\n", "")[0]
    assert (Outcome.NOT_CHECKED, "nothing was said") == read_contract("", "")
    assert Outcome.NOT_CONFIRMED is read_pair("No differences found. (attempted 9)\n", "")[0]
