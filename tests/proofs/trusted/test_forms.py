"""What a symbol cannot refuse is refused where it stands."""

import ast

import pytest

from allotment_proofs.trusted.forms import check, check_generators, check_sources
from allotment_proofs.trusted.symbols import Unsupported


def test_specification_has_no_such_form() -> None:
    check_sources()


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
    ],
)
def test_form_that_asks_no_symbol_is_refused(line: str, told: str) -> None:
    with pytest.raises(Unsupported, match=rf"^a\.py:[12]: {told}"):
        check(ast.parse(line), "a.py")


@pytest.mark.parametrize(
    "line",
    [
        "x = slots is None",
        "x = limit is not Scope.HOST",
        "try: f()\nexcept (LeftOutError, StopIteration): pass",
        "type = 3",
    ],
)
def test_form_that_no_symbol_meets_is_taken(line: str) -> None:
    check(ast.parse(line), "a.py")


@pytest.mark.parametrize(
    "body",
    [
        "n = tasks\n    split = tuple(f(n, i) for i in range(3))\n    n = 0",
        "tasks = 2 * tasks\n    split = tuple(f(tasks, i) for i in range(3))",
        "for n in (1, 2):\n        split = tuple(i for i in range(3) if i < n)",
        "n = 1\n    split = tuple(f(n, i) for i in range(3))\n    n += 1",
    ],
)
def test_name_that_changes_behind_a_generator_is_refused(body: str) -> None:
    source = f"def g(tasks):\n    {body}\n    return split\n"
    with pytest.raises(Unsupported, match=r"^a\.py:\d: a generator reads \w+, which is bound more"):
        check_generators(ast.parse(source), "a.py")


def test_source_of_a_generator_may_be_bound_on_each_branch() -> None:
    branches = "    if a:\n        s = f(a)\n    else:\n        s = h(a)\n"
    source = f"def g(a):\n{branches}    return (i for i in s)"
    check_generators(ast.parse(source), "a.py")
