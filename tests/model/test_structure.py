"""Properties of the model's code: exact integers, one mode, no snapshot, wants and reversals."""

import ast
import inspect
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import allotment_model
from allotment_model import attempt
from allotment_model.accounts import Account, Ledger, charge, give_back
from allotment_model.arithmetic import fits, free, reverse, shared_want, want
from allotment_model.rules import SPEC, Rules
from allotment_model.search import AllocationMode
from allotment_model.state import initial
from model.worlds import cluster, host, random_session, replay

PACKAGE = Path(allotment_model.__file__).parent
AMOUNTS = st.integers(0, 2**53 - 1)
TASKS = st.integers(1, 2**20)


def trees() -> dict[str, ast.Module]:
    """The syntax trees of all modules of the model."""
    return {
        str(path.relative_to(PACKAGE)): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(PACKAGE.rglob("*.py"))
    }


def comparisons_of_mode(tree: ast.Module) -> Iterator[str]:
    """Every comparison, match or look-up that depends on an allocation mode."""
    for node in ast.walk(tree):
        match node:
            case ast.Compare():
                operands = [node.left, *node.comparators]
            case ast.Match(subject=subject) | ast.Subscript(slice=subject):
                operands = [subject]
            case ast.If(test=test) | ast.IfExp(test=test):
                operands = [test]
            case _:
                continue
        names = {
            node.id
            for operand in operands
            for node in ast.walk(operand)
            if isinstance(node, ast.Name)
        }
        if {"mode", "AllocationMode"} & names:
            yield ", ".join(ast.unparse(operand) for operand in operands)


def test_nothing_compares_the_mode() -> None:
    assert {} == {
        name: found for name, t in trees().items() if (found := [*comparisons_of_mode(t)])
    }
    assert ["normal"] == [mode.value for mode in AllocationMode]


@pytest.mark.parametrize(
    "source",
    [
        "if mode is AllocationMode.NORMAL: pass",
        "x = 1 if mode == other else 2",
        "match mode:\n    case _: pass",
        "TABLE[mode]",
        "if mode: pass",
    ],
)
def test_comparison_of_a_mode_is_flagged(source: str) -> None:
    assert [*comparisons_of_mode(ast.parse(source))]


def test_no_float_is_made() -> None:
    for name, tree in trees().items():
        for node in ast.walk(tree):
            assert not isinstance(node, ast.Div), name
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), name
            assert not (isinstance(node, ast.Name) and node.id in ("float", "round")), name


def test_no_snapshot_is_written() -> None:
    writers = {"copyreg", "json", "marshal", "pickle", "shelve"}
    methods = {"__getstate__", "__reduce__", "__setstate__", "dump", "dumps", "snapshot", "restore"}
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                assert writers.isdisjoint(alias.name for alias in node.names), name
            if isinstance(node, ast.ImportFrom):
                assert node.module not in writers, name
            if isinstance(node, ast.FunctionDef):
                assert node.name not in methods, name


def test_fresh_scheduler_has_an_empty_cache() -> None:
    for seed in range(20):
        state, _answers = replay(*random_session(seed))
        assert ({},) == initial(state.cluster).caches


def test_cache_is_emptied_in_one_place() -> None:
    calls = [
        name
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "rules.emptied"
    ]
    assert ["scheduler.py"] == calls


def test_one_place_tries_a_primary() -> None:
    calls = [
        node
        for node in ast.walk(ast.parse(inspect.getsource(attempt)))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "place"
    ]
    assert 1 == len(calls)


def test_spec_never_imports_the_variants() -> None:
    for name, tree in trees().items():
        if Path(name).parts[0] in ("oracle", "variants"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                assert "variants" not in str(node.module).split("."), name


@settings(derandomize=True)
@given(AMOUNTS, AMOUNTS, TASKS)
def test_want_never_shrinks(per_task: int, per_host: int, slots: int) -> None:
    assert want(per_task, per_host, slots) <= want(per_task, per_host, slots + 1)


@settings(derandomize=True)
@given(AMOUNTS, AMOUNTS, TASKS)
def test_want_fits_by_division(per_task: int, left: int, slots: int) -> None:
    by_division = per_task == 0 or slots <= left // per_task
    assert by_division == fits(want(per_task, 0, slots), left)


@settings(derandomize=True)
@given(AMOUNTS, AMOUNTS, TASKS)
def test_shared_want_counts_the_job_once(per_job: int, per_task: int, tasks: int) -> None:
    assert per_job + sum([per_task] * min(tasks, 50)) == shared_want(
        per_job, per_task, min(tasks, 50)
    )


@settings(derandomize=True)
@given(AMOUNTS, AMOUNTS)
def test_free_is_never_negative(capacity: int, used: int) -> None:
    assert (capacity - used if used <= capacity else 0) == free(capacity, used)


@settings(derandomize=True)
@given(AMOUNTS, AMOUNTS, st.integers(1, 5))
def test_reversal_is_idempotent(used: int, debit: int, times: int) -> None:
    now, held = used + debit, True
    for _ in range(times):
        now, held = reverse(now, debit, held)
    assert (used, False) == (now, held)


@settings(derandomize=True)
@given(AMOUNTS, st.permutations(range(4)), st.lists(AMOUNTS, min_size=4, max_size=4))
def test_order_of_reversals_does_not_matter(used: int, order: list[int], debits: list[int]) -> None:
    now = used + sum(debits)
    for index in order:
        now, _held = reverse(now, debits[index], True)
    assert used == now


@settings(derandomize=True)
@given(
    st.dictionaries(st.sampled_from("ABC"), AMOUNTS),
    st.dictionaries(st.sampled_from("ABC"), AMOUNTS),
)
def test_charge_then_give_back_is_nothing(books: dict[str, int], debits: dict[str, int]) -> None:
    used = {Account("mem", name): amount for name, amount in books.items() if amount}
    wants = {Account("mem", name): amount for name, amount in debits.items()}
    ledger = Ledger(cluster=cluster(host("A", 1)), used=used, at_start=used)
    assert ledger == give_back(charge(ledger, wants, SPEC), wants, SPEC)


def test_rules_default_to_the_spec() -> None:
    assert Rules() == SPEC
