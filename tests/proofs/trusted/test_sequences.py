"""Lifted plans are those of the model, and sequences of unknown length refuse what they cannot."""

import ast
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
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
from allotment_proofs.mutants import changing, node_of
from allotment_proofs.prover import Outcome, Proved, Refuted, Unlifted, outcome_under
from allotment_proofs.statement import Lifting
from allotment_proofs.theorems import GROUPS
from allotment_proofs.theorems.plans import Family, family
from allotment_proofs.trusted.sequences import (
    MODULES,
    NAMES,
    Items,
    length_of,
    range_of,
    reading,
    tuple_of,
)
from allotment_proofs.trusted.symbols import Symbol, Unsupported, joined, merged, term
from proofs.trusted.test_symbols import valued

Known = list[tuple[Any, Any]]
BOUNDS = z3.Ints("tasks hosts_min hosts_max tasks_per_host ptile")


Asked = tuple[Callable[[int], Any], Callable[[int], Any]]


def asked_once(items: Items | Family) -> Asked:
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
    names = {*vars(plans)}
    with reading():
        assert {*NAMES} <= {*vars(plans)}
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


def asked_as_a_pattern(items: Any) -> bool:
    match items:
        case [_first, *_rest]:
            return True
        case _:
            return False


@pytest.mark.parametrize(
    "ask",
    [
        *(list, any, next, bool, len, str, hash, set, reversed, sum, sorted),
        lambda items: items == (1,),
        lambda items: 1 in items,
        lambda items: isinstance(items, tuple),
        lambda items: items[-1],
        lambda items: items[1:],
        lambda items: next(iter(items)),
        lambda items: [*enumerate(items)],
        lambda items: tuple_of(one for one in items).append(1),
        lambda items: [*stopping(items)],
        asked_as_a_pattern,
        lambda items: items.append(1),
    ],
)
def test_what_is_not_known_of_a_sequence_is_refused(ask: Callable[[Any], Any]) -> None:
    items = range_of(Symbol(z3.Int("stop")))
    with pytest.raises(Unsupported), reading():
        merged(lambda: ask(items))


SPLIT: Any = plans.balanced_split
AGAIN = "bucket_size(tasks, hosts, index)"
WRONG = {
    ("an item that nobody reads raises", "raises ZeroDivisionError at arithmetic.py"): """
        checked = tuple(bucket_size(tasks, 0, index) for index in range(hosts))
        return tuple(AGAIN for index in range(hosts))""",
    ("an item of which only the number is read raises", "raises ZeroDivisionError at plans.py"): """
        spare = len(tuple(tasks // index for index in range(hosts)))
        return tuple(AGAIN for index in range(hosts))""",
    ("an item far from the first raises", "raises ZeroDivisionError at plans.py"): """
        checked = tuple(tasks // (index - 40) for index in range(hosts))
        return tuple(AGAIN for index in range(hosts))""",
    ("an item of an item raises", "raises ZeroDivisionError at plans.py"): """
        checked = tuple(tuple(tasks // (1 + n - m) for m in range(hosts)) for n in range(hosts))
        return tuple(AGAIN for index in range(hosts))""",
    ("an item that is left out raises first", "raises ZeroDivisionError at plans.py"): """
        checked = tuple(n for n in (tasks // index for index in range(hosts)) if n < 0)
        return tuple(AGAIN for index in range(hosts))""",
    ("the condition of an item raises", "raises ZeroDivisionError at plans.py"): """
        checked = tuple(index for index in range(hosts) if tasks % index)
        return tuple(AGAIN for index in range(hosts))""",
    ("an item is not there", "raises IndexError at plans.py"): """
        checked = tuple(range(index)[0] for index in range(hosts))
        return tuple(AGAIN for index in range(hosts))""",
    ("a generator is gone through twice", "gone through twice"): """
        sizes = (AGAIN for index in range(hosts))
        taken = tuple(sizes)
        return tuple(sizes)""",
    ("a generator is gone through by two others", "gone through twice"): """
        sizes = (AGAIN for index in range(hosts))
        taken = tuple(size for size in sizes)
        return tuple(size for size in sizes)""",
    ("an iterator is gone through twice", "gone through twice"): """
        every = iter(range(hosts))
        taken = tuple(every)
        return tuple(AGAIN for index in every)""",
    ("an iterator is gone through by two generators", "gone through twice"): """
        every = iter(range(hosts))
        taken = tuple(n for n in every)
        return tuple(AGAIN for index in every)""",
    ("a generator has begun", "more than is known"): """
        sizes = (AGAIN for index in range(hosts))
        first = next(sizes)
        return tuple(sizes)""",
    ("a name is bound anew before", "slots"): """
        given = tasks
        sizes = (bucket_size(given, hosts, index) for index in range(hosts))
        given = given + 1
        return tuple(sizes)""",
    ("a name is bound anew afterwards", "slots"): """
        given = tasks + tasks // 100
        sizes = tuple(bucket_size(given, hosts, index) for index in range(hosts))
        given = tasks
        return sizes""",
    ("an enclosed list changes", "may change, or with it: list"): """
        left = [tasks]
        return tuple(left.pop() if left else 0 for index in range(hosts))""",
    ("a list in an enclosed tuple changes", "may change, or with it: list"): """
        left = ([tasks], hosts)
        return tuple(left[0].pop() if left[0] else 0 for index in range(hosts))""",
    ("an enclosed dictionary changes", "may change, or with it: dict"): """
        left = {"tasks": tasks}
        return tuple(left.pop("tasks", 0) for index in range(hosts))""",
    ("an enclosed set changes", "may change, or with it: set"): """
        left = {0}
        return tuple(left.pop() if left else AGAIN for index in range(hosts))""",
    ("an enclosed function changes something", "may change, or with it: builtin"): """
        take = {"tasks": tasks}.pop
        return tuple(take("tasks", 0) for index in range(hosts))""",
    ("a function in an enclosed tuple changes something", "may change, or with it: builtin"): """
        take = ({"tasks": tasks}.pop,)
        return tuple(take[0]("tasks", 0) for index in range(hosts))""",
    ("an enclosed iterator is gone through", "may change, or with it: tuple_iterator"): """
        left = iter((tasks,))
        return tuple(next(left, 0) for index in range(hosts))""",
    ("an enclosed generator is gone through", "may change, or with it: generator"): """
        left = (tasks for n in (1,))
        return tuple(one for index in range(hosts) for one in left)""",
    ("an enclosed range is gone through", "more than is known"): """
        inner = range(hosts)
        return tuple(AGAIN for index in range(hosts) for n in inner)""",
    ("several items are made of one", "several items of one"): """
        return tuple(AGAIN for index in range(hosts) for n in (1, 2))""",
    ("an item changes", "may change, or with it: list"): """
        rows = tuple([AGAIN] for index in range(hosts))
        rows[0].append(0)
        return tuple(row[-1] for row in rows)""",
    ("an item is a generator", "may change, or with it: generator"): """
        rows = tuple((AGAIN for n in (1,)) for index in range(hosts))
        taken = tuple(rows[0])
        return tuple(next(row, 0) for row in rows)""",
    ("items are left out, and counted", "which a condition picks"): """
        some = tuple(index for index in range(hosts) if index > 0)
        return tuple(AGAIN for index in range(len(some)))""",
    ("a condition leaves the largest out", "which a condition picks"): """
        return tuple(AGAIN for index in range(hosts) if index > 0)""",
    ("a list is made of items", "more than is known"): """
        return tuple(list(AGAIN for index in range(hosts)) + [0])""",
    ("numbers are given to items", "more than is known"): """
        return tuple(n for n, size in enumerate(AGAIN for index in range(hosts)))""",
    ("a loop goes through items", "more than is known"): """
        found = ()
        for index in range(hosts):
            found = (AGAIN, *found)
        return found""",
    ("a generator function goes through items", "more than is known"): """
        def sizes():
            yield 0
            yield from (AGAIN for index in range(hosts))
        return tuple(sizes())""",
    ("a range of what is no number", "no term for NoneType"): """
        checked = range(None, tasks)
        return tuple(AGAIN for index in range(hosts))""",
    ("the order is that of the end", "slots"): """
        return tuple(AGAIN for index in range(hosts))[::-1]""",
}
"""Bodies of `balanced_split`, each wrong in its way, and what is told of it."""

TAKEN = {
    "as it stands": """
        return tuple(AGAIN for index in range(hosts))""",
    "through an iterator": """
        every = iter(range(hosts))
        return tuple(AGAIN for index in every)""",
    "through two generators": """
        sizes = (AGAIN for index in range(hosts))
        return tuple(size for size in sizes)""",
    "each by a loop over one": """
        return tuple(size for index in range(hosts) for size in (AGAIN,))""",
    "through a tuple of tuples": """
        rows = tuple(tuple(AGAIN for n in range(1)) for index in range(hosts))
        return tuple(row[0] for row in rows)""",
    "with a sequence that is enclosed": """
        sizes = tuple(AGAIN for index in range(hosts))
        return tuple(AGAIN if sizes[0] else 0 for index in range(hosts))""",
    "beside one that is not gone through": """
        spare = (tasks // 0 for index in range(hosts))
        return tuple(AGAIN for index in range(hosts))""",
}
"""Others, each as good as the specification's."""


BALANCED = [one for one in GROUPS["Plans"] if one.clauses != ("PAR-2",) and "ptile" not in one.name]
"""The theorems about balanced plans."""


def split_by(body: str) -> dict[Any, Any]:
    """The source of `balanced_split` with another body."""
    lines = textwrap.dedent(body.replace("AGAIN", AGAIN)).splitlines()
    source = "\n    ".join(["def balanced_split(tasks, hosts):", *lines])
    return {SPLIT: node_of(SPLIT, source)}


def computed() -> list[Any]:
    """What Python computes for some numbers; None where it raises."""
    found: list[Any] = []
    for tasks, hosts in ((1, 1), (5, 1), (5, 2), (7, 3), (142, 45)):
        found.append(None)
        with suppress(ZeroDivisionError, IndexError, StopIteration, TypeError):
            found[-1] = plans.balanced_split(tasks, hosts)
    return found


def outcomes_with(body: str) -> Iterator[Outcome]:
    """How the theorems about balanced plans end with another body, one after the other."""
    changed = split_by(body)
    return (outcome_under(one, Lifting(), changed=changed, hasty=True) for one in BALANCED)


@pytest.mark.parametrize(("wrong", "told"), WRONG)
def test_source_that_is_wrong_on_purpose_is_not_proved(wrong: str, told: str) -> None:
    right, body = computed(), WRONG[wrong, told]
    with changing(split_by(body)):
        assert right != computed()
    fallen = next(one for one in outcomes_with(body) if one != Proved())
    assert isinstance(fallen, Refuted | Unlifted)
    assert told in (fallen.told if isinstance(fallen, Refuted) else fallen.reason)


@pytest.mark.parametrize("way", TAKEN)
def test_source_that_is_as_good_is_proved(way: str) -> None:
    right, body = computed(), TAKEN[way]
    with changing(split_by(body)):
        assert right == computed()
    assert [Proved()] * len(BALANCED) == list(outcomes_with(body))


HOSTS = Symbol(z3.Int("hosts"))


def number_after(given: Any) -> Any:
    """It raises where there is an item of the number after the one that is given."""
    tuple_of(7 // (1 + given - one) for one in range_of(HOSTS))
    return given


def test_number_of_an_item_is_another_than_that_of_an_item_within() -> None:
    """Also where a rule is read apart: were both one number, 1 + n - n would never be zero."""
    with reading() as found:
        merged(lambda: tuple_of(joined(number_after, one) for one in range_of(HOSTS)))
    solver = z3.Solver()
    solver.add(z3.Or(*(z3.Not(one) for one, _raised in found.obligations)))
    assert z3.sat == solver.check()


def test_own_name_for_a_function_of_python_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plans, "max", min, raising=False)
    with pytest.raises(Unsupported, match=r"has a name of its own for max"), reading():
        pass
    assert {"len", "range", "tuple", "min"}.isdisjoint(vars(plans))


def test_length_under_a_condition_is_refused() -> None:
    with pytest.raises(Unsupported, match="length"), reading():
        merged(lambda: length_of(tuple_of(one for one in range_of(HOSTS) if one > 3)))


def test_index_beyond_the_end_is_an_obligation() -> None:
    items = range_of(Symbol(z3.Int("stop")))
    with reading() as found:
        merged(lambda: items[2])
    solver = z3.Solver()
    solver.add(found.obligations[0][0], z3.Int("stop") < 3)
    assert z3.unsat == solver.check()


def test_modules_are_those_that_make_plans() -> None:
    assert [plans, wrong_plans] == list(MODULES)
