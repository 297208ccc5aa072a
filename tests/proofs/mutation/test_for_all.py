"""Z3 is asked for numbers on which a changed function differs, and finds them."""

import importlib
import inspect
from types import FunctionType

import pytest

from allotment_proofs.mutation.for_all import CALLS, same_for_all

DIFFERENT = {
    "arithmetic.is_whole": ("parts_placed ==", "parts_placed <="),
    "arithmetic.may_fill": ("parts_before == 0", "parts_before == 1"),
    "accounts.capacity": (
        "y.get(account.resource, 0)",
        "y.get(account.resource, 1)",
    ),
    "accounts.left": ("ledger.used.get(account, 0)", "ledger.used.get(account, 1)"),
    "accounts.limit_account": ("is Scope.HOST", "is Scope.CLUSTER"),
    "accounts._write": ("amount == 0", "amount <= 1"),
    "attempt.attempt": ("ledger, after.ledger, False", "ledger, after.ledger, True"),
    "attempt.place_compound": ("if failed is None or", "if failed is not None or"),
    "books.end_jobs": ("not in state.finishing", "in state.finishing"),
    "books.with_limits_recounted": ("account.limit is None}", "account.limit is not None}"),
    "books.without_zeros": ("used != 0", "used > 1"),
    "changes._limit_checks": ("not is_amount(cap)", "is_amount(cap)"),
    "ingest.has_per": ("entry.per is per", "entry.per is not per"),
    "ingest.names_unknown": ("resources.shared} or not read_by", "resources.host} or not read_by"),
    "ingest.tasks_of": ("primary.tasks or job.tasks", "job.tasks or primary.tasks"),
    "ingest._total": ("max=sum(tasks.max", "max=sum(tasks.min"),
    "runs.run_session": ("state.caches[0]", "{}"),
    "runs.try_job": ("never = reason is not", "never = reason is"),
    "scheduler.begin_session": ("cluster=state.coming", "cluster=state.cluster"),
    "search.place": ("accounts.give_back(ledger, shared, rules)", "ledger"),
    "search.candidates": ("counted_on, ledger", "'A', ledger"),
    "select.type_of": ("or texts_compared", "and texts_compared"),
}


def function_of(name: str) -> FunctionType:
    module, _, function = name.partition(".")
    found = getattr(importlib.import_module(f"allotment_model.{module}"), function)
    assert isinstance(found, FunctionType)
    return found


@pytest.mark.parametrize("name", CALLS)
def test_difference_is_found(name: str) -> None:
    function = function_of(name)
    source = inspect.getsource(function)
    before, after = DIFFERENT[name]
    assert 1 == source.count(before)
    code = function.__code__
    assert "" == same_for_all(function, source.replace(before, after))
    assert code is function.__code__


QUICK = {calls.scope: name for name, calls in CALLS.items() if not name.startswith("attempt")}


@pytest.mark.parametrize("name", QUICK.values())
def test_function_is_the_same_as_itself(name: str) -> None:
    function = function_of(name)
    assert CALLS[name].scope == same_for_all(function, inspect.getsource(function))


def test_other_function_is_not_asked_about() -> None:
    function = function_of("arithmetic.fits")
    assert "" == same_for_all(function, inspect.getsource(function))
