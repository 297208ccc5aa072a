"""What a symbol cannot refuse is refused where it stands."""

import ast

import pytest

from allotment_proofs.trusted.forms import check, check_sources
from allotment_proofs.trusted.symbols import Unsupported
from house.sources import PACKAGES, python_files


def test_specification_has_no_such_form() -> None:
    check_sources()


def test_theorems_run_nothing_of_the_oracle_that_is_not_looked_through() -> None:
    imported = {
        node.module
        for path in python_files(PACKAGES["allotment_proofs"] / "theorems")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and "allotment_model.oracle" in str(node.module)
    }
    assert {"allotment_model.oracle.invariants"} == imported


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("if type(slots) == int: pass", "type does not ask"),
        ("x = hasattr(slots, 'bit_length')", "hasattr does not ask"),
        ("x = getattr(slots, 'denominator', 0)", "getattr does not ask"),
        ("x = map(type, slots)", "type does not ask"),
        ("x = slots is True", "`is True` does not ask"),
        ("x = slots is period", "`is period` does not ask"),
        ("x = slots is not slots", "`is slots` does not ask"),
        ("try: f()\nexcept Exception: pass", "`except Exception` would hide"),
        ("try: f()\nexcept: pass", "`except ` would hide"),
        ("try: f()\nexcept (StopIteration, TypeError): pass", "`except TypeError` would hide"),
        ("with suppress(TypeError): f()", "With is no form"),
        ("try: f()\nexcept* LeftOutError: pass", "TryStar is no form"),
        ("from contextlib import suppress", "suppress is not known to ask"),
        ("from operator import is_", "is_ is not known to ask"),
        ("from elsewhere import replace", "replace is not known to ask"),
        ("from allotment_model_2 import kind", "kind is not known to ask"),
        ("from allotment_model.oracle.explain import told", "told is not known to ask"),
        ("from allotment_model import oracle", "oracle is not known to ask"),
        ("from .oracle import told", "told is not known to ask"),
        ("try: f()\nfinally: n = 1", "`finally` may hide"),
        ("from operator import eq as is_", "is_ is not known to ask"),
        ("import operator", "Import is no form"),
        ("SearchError = Exception", "SearchError is bound anew"),
        ("def f(LeftOutError): pass", "LeftOutError is bound anew"),
        ("f.LeftOutError = Exception", "LeftOutError is bound anew"),
        ("match f:\n case SearchError: pass", "SearchError is bound anew"),
        ("def __post_init__(self): pass", "__post_init__ is called by what does not name it"),
        ("class A:\n def __eq__(self, other): pass", "__eq__ is called by what does not"),
        ("x = splits.gi_frame", "gi_frame is no attribute"),
        ("x = frame.f_builtins", "f_builtins is no attribute"),
        ("x = Account.mro()", "mro is no attribute"),
        ("x = used.term == 3", "term is no attribute"),
        ("x = tasks.real", "real is no attribute"),
        ("x = items._stop", "_stop is no attribute"),
        ("x = items.length", "length is no attribute"),
        ("x = plans.len(placements)", "len is no attribute"),
        ("match tasks:\n case Thing(real=n): pass", "the pattern Thing may ask"),
        ("match f:\n case Callable(__globals__=n): pass", "the pattern Callable may ask"),
        ("match f:\n case Operation(real=n): pass", "real does not ask"),
        ("match f:\n case Operation(__class__=n): pass", "__class__ does not ask"),
        ("x = f.type", "type does not ask"),
        ("x = slots.__class__", "__class__ does not ask"),
        ("x = object.__eq__(slots, slots)", "__eq__ does not ask"),
        ("x = per_task is per", "`is per` does not ask"),
        ("x = limit.kind is kind is slots", "`is slots` does not ask"),
        ("def Per(): pass", "Per is bound anew"),
        ("Scope = slots", "Scope is bound anew"),
        ("class Category: pass", "Category is bound anew"),
        ("try: f()\nexcept select.LeftOutError: pass", "`except select.LeftOutError` would hide"),
        ("match slots:\n case int(real=_): pass", "the pattern int may ask"),
        ("match slots:\n case f.Any(): pass", "the pattern f.Any may ask"),
        ("for Any in (int,):\n match slots:\n  case Any(real=_): pass", "the pattern Any may ask"),
        ("def f(Any):\n match Any:\n  case Any(real=_): pass", "the pattern Any may ask"),
        ("Any = object", "object does not ask"),
        ("x = '{0.__doc__}'.format(slots)", "format does not ask"),
        ("x = '{0.__doc__}'.format_map(slots)", "format_map does not ask"),
        ("match flag:\n case True: pass", "MatchSingleton is no form"),
        ("if (last := slots): pass", "NamedExpr is no form"),
        ("def f():\n global n", "Global is no form"),
    ],
)
def test_form_that_asks_no_symbol_is_refused(line: str, told: str) -> None:
    with pytest.raises(Unsupported, match=rf"^a\.py:[123]: {told}"):
        check(ast.parse(line), "a.py")


@pytest.mark.parametrize(
    "line",
    [
        "x = slots is None",
        "from allotment_model.oracles import x",
        "x = limit is not Scope.HOST",
        "x = [limit for limit in limits if limit.kind is not kind]",
        "try: f()\nexcept (LeftOutError, StopIteration): pass",
        "type = 3",
        "match f:\n case Operation(operator=n): pass",
        "def f(x: object) -> object: pass",
    ],
)
def test_form_that_no_symbol_meets_is_taken(line: str) -> None:
    check(ast.parse(line), "a.py")
