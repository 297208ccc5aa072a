"""Lifted plans are those of the model, and sequences of unknown length refuse what they cannot."""

import ast
import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from random import Random
from typing import Any

import pytest
import z3

from allotment_model import plans
from allotment_model.request import Span
from allotment_model.rules import SPEC
from allotment_model.variants import plans as wrong_plans
from allotment_proofs.mutants import changing, code_of, node_of
from allotment_proofs.statement import Lifting
from allotment_proofs.theorems.plans import family
from allotment_proofs.trusted import sequences
from allotment_proofs.trusted.sequences import MODULES, NAMES, Items, compiled, reading
from allotment_proofs.trusted.symbols import Symbol, Unsupported, merged, term
from proofs.trusted.test_symbols import valued

Known = list[tuple[Any, Any]]
BOUNDS = z3.Ints("tasks hosts_min hosts_max tasks_per_host ptile")


Asked = tuple[Callable[[int], Any], Callable[[int], Any]]


def asked_once(items: Items) -> Asked:
    """Whether there is an item of a number, and the item: in terms, which are made once."""
    return cache(lambda one: items.present(term(one))), cache(lambda one: items.at(term(one)))


def numbers(asked: Asked, known: Known) -> list[int]:
    """The numbers of the items that are there."""
    return [one for one in range(12) if valued(asked[0](one), known)]


@pytest.mark.parametrize("rule", [plans.plans, wrong_plans.ascending_plans])
@pytest.mark.parametrize("ptile", [None, 1, 2, 3, 9])
def test_lifted_plans_are_those_of_the_model(rule: Any, ptile: int | None) -> None:
    random, found = Random(2), []
    with reading():
        lifted = asked_once(
            family(Lifting(replace(SPEC, plans=rule)), BOUNDS[4] if ptile else None)
        )
        buckets = cache(lambda number: asked_once(lifted[1](number)))
        for _ in range(40):
            bounds = [random.randint(1, most) for most in (9, 4, 9, 9)]
            values = (*bounds, ptile or 1)
            known = [(one, term(value)) for one, value in zip(BOUNDS, values, strict=True)]
            made = [buckets(number) for number in numbers(lifted, known)]
            split = [tuple(valued(p[1](n), known) for n in numbers(p, known)) for p in made]
            found.append((bounds, split))
    for (tasks, least, most, per_host), split in found:
        span = Span(hosts_min=least, hosts_max=most, tasks_per_host=per_host, ptile=ptile)
        assert list(rule(tasks, span)) == split


def test_model_is_as_before_after_a_reading() -> None:
    code, names = plans.plans.__code__, {*vars(plans)}
    with reading():
        assert code is not plans.plans.__code__
        assert {*NAMES} <= {*vars(plans)}
    assert code is plans.plans.__code__
    assert names == {*vars(plans)}
    assert [(2,), (1, 1)] == list(plans.plans(2, Span()))


def test_changed_source_is_read_instead() -> None:
    split: Any = plans.balanced_split
    node = node_of(split)
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and one.id == "index" and isinstance(one.ctx, ast.Load):
            one.id = "hosts"
    tasks, hosts = z3.Ints("tasks hosts")
    with reading(), changing({split: node}):
        changed = Lifting().of(split, tasks, hosts).at(z3.IntVal(0))
    assert 2 == valued(changed, [(tasks, z3.IntVal(7)), (hosts, z3.IntVal(3))])


def stopping(splits: Any) -> Iterator[Any]:
    for one in splits:
        yield one
        return


def of_pairs(splits: Any) -> Any:
    return (one + other for one, other in splits)


@pytest.mark.parametrize("function", [stopping, of_pairs])
def test_loop_of_another_kind_stays_as_it_is(function: Any) -> None:
    given = [(1, 2), (3, 4)]
    before, function.__code__ = function.__code__, code_of(function, node_of(function))
    found = list(function(iter(given)))
    function.__code__ = before
    assert list(function(iter(given))) == found


def asked_as_a_pattern(items: Any) -> bool:
    match items:
        case [_first, *_rest]:
            return True
        case _:
            return False


@pytest.mark.parametrize(
    "ask",
    [
        *(list, any, next, bool, len, str, hash, set),
        lambda items: items == (1,),
        lambda items: 1 in items,
        lambda items: isinstance(items, tuple),
        lambda items: items[-1],
        lambda items: items[1:],
        lambda items: [*stopping(items)],
        asked_as_a_pattern,
        lambda items: items.append(1),
    ],
)
def test_what_is_not_known_of_a_sequence_is_refused(ask: Callable[[Any], Any]) -> None:
    items = Items(0, Symbol(z3.Int("stop")), lambda index: index)
    with pytest.raises(Unsupported), reading():
        merged(lambda: ask(items))


def behind_a_list(tasks: int) -> Any:
    """Python's tuple has gone through the generator before the list changes."""
    taken = [tasks]
    split = tuple(index + taken[0] for index in range(tasks))
    taken[0] = 0
    return split


def test_list_that_changes_behind_a_generator_is_refused() -> None:
    source = inspect.getsource(behind_a_list)
    read = compiled(ast.parse(source), __file__, {**globals(), **NAMES})["behind_a_list"]
    assert (2, 3) == behind_a_list(2)
    with pytest.raises(Unsupported, match="unhashable type: 'list'"), reading():
        merged(read, Symbol(z3.Int("tasks")))


@pytest.mark.parametrize(
    "again",
    [
        "tuple(found)\n    return tuple(found)",
        "return (a for a in found), (b for b in found)",
        "return found[0]",
        "return len(found)",
    ],
)
def test_generator_is_gone_through_once(again: str) -> None:
    source = f"def made(tasks):\n    found = (n + 1 for n in range(tasks))\n    {again}\n"
    read = compiled(ast.parse(source), __file__, {**globals(), **NAMES})["made"]
    with pytest.raises(Unsupported), reading():
        merged(read, Symbol(z3.Int("tasks")))


def test_own_name_for_a_function_of_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "max", min, raising=False)
    sequences._codes.cache_clear()
    with pytest.raises(Unsupported, match=r"plans has a name of its own for max"), reading():
        pass


def test_length_under_a_condition_is_refused() -> None:
    items = Items(0, Symbol(z3.Int("stop")), lambda index: index)
    with pytest.raises(Unsupported, match="length"), reading():
        _ = items.each(lambda one: one, lambda one: one > 3).length


def test_index_beyond_the_end_is_an_obligation() -> None:
    items = Items(0, Symbol(z3.Int("stop")), lambda index: index)
    with reading() as found:
        merged(lambda: items[2])
    solver = z3.Solver()
    solver.add(found.obligations[0][0], z3.Int("stop") < 3)
    assert z3.unsat == solver.check()


def test_modules_are_those_that_make_plans() -> None:
    assert [plans, wrong_plans] == list(MODULES)
