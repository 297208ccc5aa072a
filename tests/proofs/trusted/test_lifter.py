"""A lifted term means what the Python function computes; what is not known is refused by line."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from random import Random
from typing import Any

import pytest
import z3

from allotment_model import arithmetic, plans
from allotment_model.request import Span
from allotment_model.variants import VARIANTS
from allotment_proofs.trusted import values
from allotment_proofs.trusted.lifter import Lifter
from allotment_proofs.trusted.values import Items, Oracle, Unsupported

ROUNDS = 300
"""Values for each function; all functions together make thousands."""


@dataclass(frozen=True)
class Pair:
    """A record that functions below read."""

    first: int
    second: int


def floor_division(left: int, right: int) -> int:
    return left // right


def modulo(left: int, right: int) -> int:
    return left % right


def chained(a: int, b: int, c: int) -> bool:
    return -2 <= a < b != c


def joined(a: int, b: int, c: int) -> bool:
    return (a > b and not b > c) or (a == c and b >= 0)


def extremes(a: int, b: int, c: int) -> int:
    return max(a, b, -c) - min(a, b) * abs(c)


def branches(a: int, b: int, flag: bool) -> tuple[int, bool]:
    """Early returns, local names, a tuple taken apart."""
    if flag:
        if a > b:
            return a - b, flag
        a, b = b, a
    elif a == 0:
        return 7, not flag
    total = a + 2 * b
    return (total if total % 3 else -total), a in (b, 1)


def guarded_division(a: int, b: int) -> int:
    return a // b if b != 0 else 0


def all_and_any(a: int, b: int, c: int) -> bool:
    amounts = {"slots": a, "mem": b}
    return all(amount <= c for amount in amounts.values()) or any(
        amounts.get(name, 0) == 0 for name in ("mem", "disk", "slots") if name != "disk"
    )


def fields_of_record(a: int, b: int) -> int:
    pair = replace(Pair(a, b), second=b - 1)
    return pair.first * pair.second


def lexicographic(a: int, b: int, c: int) -> bool:
    return (a, b, c) < (b, a, c) or (a, b) >= (c, a)


OWN = (
    floor_division,
    modulo,
    chained,
    joined,
    extremes,
    branches,
    guarded_division,
    all_and_any,
    fields_of_record,
    lexicographic,
)
LEAVES = [
    function
    for _name, function in inspect.getmembers(arithmetic, inspect.isfunction)
    if function is not arithmetic.settle
]
REPLACING = [
    function
    for variant in VARIANTS
    for function in variant.replaced.values()
    if inspect.isfunction(function)
    and set(inspect.get_annotations(function).values())
    <= {int, bool, tuple[int, int]} | {tuple[int, bool]}
    and inspect.signature(function).parameters
]


def terms_for(function: Callable[..., Any]) -> list[Any]:
    """A constant of Z3 for each parameter."""
    return [
        (z3.Bool if parameter.annotation is bool else z3.Int)(name)
        for name, parameter in inspect.signature(function).parameters.items()
    ]


def valued(value: Any, known: list[tuple[Any, Any]]) -> Any:
    """The Python value of a lifted one, with values for its constants."""
    if isinstance(value, tuple):
        return tuple(valued(item, known) for item in value)
    if not isinstance(value, z3.ExprRef):
        return value
    closed = z3.simplify(z3.substitute(value, *known))
    return closed.as_long() if z3.is_int_value(closed) else z3.is_true(closed)


@pytest.mark.parametrize("function", [*OWN, *LEAVES, *REPLACING], ids=lambda one: one.__name__)
def test_term_has_the_value_of_the_function(function: Callable[..., Any]) -> None:
    lifter, constants = Lifter(), terms_for(function)
    lifted = lifter.call(function, *constants)
    random = Random(1)
    refused = 0
    for _ in range(ROUNDS):
        size = random.choice([1, 3, 100, 2**60])
        arguments = [
            random.random() < 0.5 if z3.is_bool(one) else random.randint(-size, size)
            for one in constants
        ]
        known = [(one, values.term(value)) for one, value in zip(constants, arguments, strict=True)]
        if all(valued(one, known) for one in lifter.obligations):
            assert function(*arguments) == valued(lifted, known), arguments
        else:
            refused += 1
            with pytest.raises(ZeroDivisionError):
                function(*arguments)
    assert refused < ROUNDS / 2


@pytest.mark.parametrize("ptile", [None, 1, 2, 3, 9])
def test_lifted_plans_are_those_of_the_model(ptile: int | None) -> None:
    tasks, hosts_min, hosts_max, per_host, of = z3.Ints("tasks hosts_min hosts_max per_host ptile")
    span = Span(hosts_min=hosts_min, hosts_max=hosts_max, tasks_per_host=per_host)
    family = Lifter().call(plans.plans, tasks, replace(span, ptile=of if ptile else None))
    random = Random(2)
    for _ in range(40):
        count, *bounds = (random.randint(1, most) for most in (9, 4, 9, 9))
        constants = (tasks, hosts_min, hosts_max, per_host, of)
        known = [
            (one, z3.IntVal(value))
            for one, value in zip(constants, (count, *bounds, ptile or 1), strict=True)
        ]
        span = Span(hosts_min=bounds[0], hosts_max=bounds[1], tasks_per_host=bounds[2], ptile=ptile)
        assert list(plans.plans(count, span)) == [
            tuple(valued(plan.at(values.term(index)), known) for index in present(plan, known))
            for plan in (family.at(values.term(index)) for index in present(family, known))
        ]


def present(items: Items, known: list[tuple[Any, Any]]) -> list[int]:
    """The numbers of the items that are there."""
    return [index for index in range(12) if valued(items.present(z3.IntVal(index)), known)]


def test_settle_lifts_for_what_is_not_looked_into() -> None:
    before, after = z3.Consts("before after", z3.DeclareSort("Ledger"))
    placed = z3.Bool("placed")
    lifted = Lifter().call(arithmetic.settle, before, after, placed)
    assert z3.If(placed, after, before).eq(lifted)


def test_oracle_is_called_and_not_looked_into() -> None:
    def asked(number: int, oracle: Callable[[int], int]) -> int:
        return oracle(number) + 1

    known = z3.Function("known", z3.IntSort(), z3.IntSort())
    number = z3.Int("number")
    assert (known(number) + 1).eq(Lifter().call(asked, number, Oracle(known)))


def test_division_by_what_may_be_zero_is_an_obligation() -> None:
    lifter = Lifter()
    lifter.call(guarded_division, *z3.Ints("a b"))
    solver = z3.Solver()
    solver.add(z3.Not(z3.And(*lifter.obligations)))
    assert z3.unsat == solver.check()
    lifter.call(floor_division, *z3.Ints("a b"))
    solver.add(z3.Not(z3.And(*lifter.obligations)))
    assert 2 == len(lifter.obligations)


def power(a: int) -> int:
    return a**2


def quotient(a: int) -> float:
    return a / 2


def looping(a: int) -> int:
    total = 0
    for one in (a, 2):
        total += one
    return total


def called_outside(a: int) -> str:
    return str(a)


def arithmetic_on_truth(a: int, flag: bool) -> int:
    return a + flag


def branches_of_two_shapes(a: int) -> int | None:
    return a if a > 0 else None


def unknown_key(a: int) -> int:
    return {a: 1}.get(3, 0)


def unknown_look_up(a: int) -> int:
    return {3: 1}.get(a, 0)


def unknown_member_of_set(a: int) -> bool:
    return 3 in {one + 1 for one in (a, 2)}


def least_of_a_sequence(a: int) -> int:
    return min((a, 2))


def unknown_index(a: int) -> int:
    return (1, 2)[a]


def same_object(a: int, b: int) -> bool:
    return a is b


def changed_in_place(a: int) -> dict[str, int]:
    amounts = {"slots": a}
    amounts["slots"] = 2
    return amounts


def filtered_length(a: int) -> int:
    return len([one for one in range(a) if one != 3])


def one_lambda(number: int) -> Callable[[int], int]:
    return lambda other: other + number


@pytest.mark.parametrize(
    "function",
    [
        *(power, quotient, looping, called_outside, arithmetic_on_truth, branches_of_two_shapes),
        *(unknown_key, unknown_look_up, unknown_member_of_set, least_of_a_sequence),
        *(unknown_index, same_object, changed_in_place, filtered_length),
    ],
    ids=lambda one: one.__name__,
)
def test_unknown_construct_names_file_and_line(function: Callable[..., Any]) -> None:
    with pytest.raises(Unsupported) as refusal:
        Lifter().call(function, *terms_for(function))
    first = function.__code__.co_firstlineno
    last = first + len(inspect.getsource(function).splitlines())
    file, line, *_ = str(refusal.value.args[0]).split(":")
    assert "test_lifter.py" == file
    assert int(line) in range(first, last)


def test_closure_is_lifted_with_what_it_encloses() -> None:
    number = z3.Int("number")
    assert (number + 3).eq(Lifter().call(one_lambda(3), number))


def test_read_functions_and_fields_are_remembered() -> None:
    lifter = Lifter()
    tasks, index = z3.Ints("tasks index")
    lifter.call(plans.balanced_split, tasks, z3.Int("hosts")).at(index)
    names = [function.__name__ for function in lifter.lifted]
    assert ["balanced_split", "bucket_size"] == names
