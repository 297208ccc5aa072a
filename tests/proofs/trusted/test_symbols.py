"""A lifted term means what the Python function computes; what has no term is refused by line."""

import ast
import inspect
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from random import Random
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
import z3

from allotment_model import arithmetic, plans
from allotment_model.variants import VARIANTS
from allotment_proofs.places import place_of
from allotment_proofs.statement import Lifting
from allotment_proofs.trusted.sequences import NAMES, reading
from allotment_proofs.trusted.symbols import Reading, Unsupported, joined, merged, paths, term
from house.sources import PACKAGES, python_files

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


def connected(a: int, b: int, c: int) -> bool:
    return (a > b and not b > c) or (a == c and b >= 0)


def extremes(a: int, b: int, c: int) -> int:
    return max(a, b, -c) - min((a, b)) * abs(c - 1)


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
    connected,
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
        {bool: z3.Bool, str: z3.String}.get(parameter.annotation, z3.Int)(name)
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
    constants = terms_for(function)
    with reading() as found:
        lifted = Lifting().of(function, *constants)
    random = Random(1)
    refused = 0
    for _ in range(ROUNDS):
        size = random.choice([1, 3, 100, 2**60])
        arguments = [
            random.random() < 0.5 if z3.is_bool(one) else random.randint(-size, size)
            for one in constants
        ]
        known = [(one, term(value)) for one, value in zip(constants, arguments, strict=True)]
        if all(valued(one, known) for one, _raised in found.obligations):
            assert function(*arguments) == valued(lifted, known), arguments
        else:
            refused += 1
            with pytest.raises(ZeroDivisionError):
                function(*arguments)
    assert refused < ROUNDS / 2


def test_settle_lifts_for_what_is_not_looked_into() -> None:
    before, after = z3.Consts("before after", z3.DeclareSort("Ledger"))
    placed = z3.Bool("placed")
    with reading():
        lifted = Lifting().of(arithmetic.settle, before, after, placed)
    assert z3.If(placed, after, before).eq(lifted)


def test_division_by_what_may_be_zero_is_an_obligation() -> None:
    solver = z3.Solver()
    with reading() as found:
        Lifting().of(guarded_division, *z3.Ints("a b"))
        solver.add(z3.Not(z3.And(*terms_of(found))))
        assert z3.unsat == solver.check()
        Lifting().of(floor_division, *z3.Ints("a b"))
    solver = z3.Solver()
    solver.add(*terms_of(found), z3.Int("b") == 0)
    assert z3.unsat == solver.check()


def test_a_known_condition_is_not_asked_again() -> None:
    a = z3.Int("a")
    with reading():
        found = paths(thrice_asked, a)
    assert [1, 4, 6] == sorted(value for _there, value in found)
    solver = z3.Solver()
    solver.add(z3.Not(z3.Or(*(there for there, _value in found))))
    assert z3.unsat == solver.check()


def thrice_asked(a: int) -> int:
    if a > 3:
        return 1 if a > 3 else 2
    return 6 if a > 0 else 4


def absolute(a: int) -> int:
    return a if a >= 0 else -a


def nested_in_a_branch(a: int, b: int) -> Any:
    if a >= 0:
        return merged(absolute, a) + merged(absolute, b)
    return merged(absolute, a) - merged(absolute, b)


def raising_in_a_nested_run(a: int, b: int) -> Any:
    return merged(floor_division, a, b) if b > 3 else 0


def test_nested_runs_know_what_outer_runs_have_met() -> None:
    a, b = z3.Ints("a b")
    with reading() as found:
        lifted = Lifting().of(nested_in_a_branch, a, b)
        assert [] == found.obligations
        Lifting().of(raising_in_a_nested_run, a, b)
    for first, second in ((3, 2), (3, -2), (-3, 2), (-3, -2), (0, 0)):
        known = [(a, z3.IntVal(first)), (b, z3.IntVal(second))]
        sign = 1 if first >= 0 else -1
        assert abs(first) + sign * abs(second) == valued(lifted, known)
        assert all(valued(one, known) for one, _raised in found.obligations)


def test_model_is_as_before_after_a_reading_that_fails() -> None:
    code = plans.plans.__code__
    with pytest.raises(KeyError), reading():
        raise KeyError
    assert code is plans.plans.__code__
    assert {*NAMES}.isdisjoint(vars(plans))


def test_each_run_has_arguments_of_its_own() -> None:
    with reading():
        lifted = Lifting().of(changing_its_argument, {"slots": z3.Int("a")})
    assert [3, 3] == [valued(lifted, [(z3.Int("a"), z3.IntVal(a))]) for a in (0, 1)]


def changing_its_argument(amounts: dict[str, int]) -> int:
    if amounts["slots"] > 0:
        amounts["mem"] = 0
    else:
        amounts["mem"] = amounts["disk"] = 0
    return 3 if len(amounts) <= 3 and "mem" in amounts else 4


def misspelt(a: int) -> Any:
    return a + b  # type: ignore[name-defined]  # noqa: F821


def power(a: int) -> int:
    return a**2


def quotient(a: int) -> float:
    return a / 2


def unknown_end(a: int) -> int:
    return sum(one for one in range(a))


def text(a: int) -> str:
    return str(a)


def type_of(a: int) -> bool:
    return isinstance(a, float)


def arithmetic_on_truth(a: int, flag: bool) -> int:
    return a + flag


def compared_with_text(a: int) -> bool:
    return a == "1"  # type: ignore[comparison-overlap]


def compared_with_what_z3_reads(name: str) -> bool:
    """Z3 takes this text for the letter A."""
    return name == "\\u0041"


def branches_of_two_shapes(a: int) -> int | None:
    return a if a > 0 else None


def unknown_key(a: int) -> int:
    return {a: 1}.get(3, 0)


def unknown_look_up(a: int) -> int:
    return {3: 1}.get(a, 0)


def unknown_member_of_set(a: int) -> bool:
    return 3 in {one + 1 for one in (a, 2)}


def unknown_index(a: int) -> int:
    return (1, 2)[a]


def never_returning(a: int) -> int:
    raise ValueError


def without_an_end(a: int) -> int:
    while a > 0:
        a = a - 1
    return a


def of_two_lengths(a: int, flag: bool) -> tuple[int, ...]:
    return (a,) if flag else (a, a)


@pytest.mark.parametrize(
    "function",
    [
        *(
            misspelt,
            power,
            quotient,
            unknown_end,
            text,
            type_of,
            arithmetic_on_truth,
            compared_with_text,
            compared_with_what_z3_reads,
        ),
        *(unknown_key, unknown_look_up, unknown_member_of_set, unknown_index),
        *(branches_of_two_shapes, never_returning, without_an_end, of_two_lengths),
    ],
    ids=lambda one: one.__name__,
)
def test_what_has_no_term_names_file_and_line(function: Callable[..., Any]) -> None:
    with pytest.raises(Unsupported) as refusal, reading():
        Lifting().of(function, *terms_for(function))
    first = function.__code__.co_firstlineno
    file, line, *_ = place_of(refusal.value).split(":")
    assert "test_symbols.py" == file
    assert int(line) in range(first, first + len(inspect.getsource(function).splitlines()))


def test_iterator_is_no_argument_of_a_call_that_is_repeated() -> None:
    with pytest.raises(Unsupported, match="iterator"), reading():
        paths(sum, iter([z3.Int("a")]))


class Opaque:
    """A kind of which nothing is known."""

    def __init__(self, held: Any) -> None:
        self.held = held


@pytest.mark.parametrize(
    ("of", "kind"),
    [
        (lambda number: deque([number]), "deque"),
        (lambda number: defaultdict(int, a=number), "defaultdict"),
        (lambda number: MappingProxyType({"a": number}), "mappingproxy"),
        (lambda number: SimpleNamespace(a=number), "SimpleNamespace"),
        (lambda number: {"a": (1, Opaque(number))}, "Opaque"),
        (lambda number: (one for one in (number,)), "generator"),
    ],
)
def test_kind_whose_parts_are_not_known_is_refused(of: Any, kind: str) -> None:
    with pytest.raises(Unsupported, match=f"^a {kind}, whose parts are not known"), reading():
        Lifting().of(len, of(z3.Int("number")))
    with pytest.raises(Unsupported, match=f"^a {kind}, whose parts are not known"), reading():
        Lifting().of(lambda: merged(len, of(1)))


@pytest.mark.parametrize("of", [lambda one: {one: 1}, lambda one: {one}, lambda one: {(1, one): 1}])
def test_term_is_no_key_and_no_member_of_a_set(of: Any) -> None:
    with pytest.raises(Unsupported, match="more than is known"), reading():
        Lifting().of(len, of(z3.Int("number")))


def test_closure_is_lifted_with_what_it_encloses() -> None:
    number = z3.Int("number")
    with reading():
        assert (number + 3).eq(Lifting().of(one_lambda(3), number))


def one_lambda(number: int) -> Callable[[int], int]:
    return lambda other: other + number


def positive(number: int) -> int:
    return number if number > 0 else 0


def asked_on_one_branch_first(number: int) -> tuple[int, int]:
    before = joined(positive, number) if number > 5 else 0
    return before, joined(positive, number)


def terms_of(found: Reading) -> list[z3.BoolRef]:
    """The obligations of a reading, without what is raised where one is not met."""
    return [obligation for obligation, _raised in found.obligations]


def calls_known(found: Reading) -> list[object]:
    """The functions whose values are known; conditions that were made simple are left out."""
    return [asked[0] for asked in found.known if asked[0] is not z3.simplify]


def test_known_value_holds_under_every_condition() -> None:
    with reading() as found:
        lifted = Lifting().of(asked_on_one_branch_first, z3.Int("number"))
        assert [positive] == calls_known(found)
    for number in range(-9, 10):
        known = [(z3.Int("number"), z3.IntVal(number))]
        assert (number if number > 5 else 0, positive(number)) == valued(lifted, known)


def test_call_that_may_raise_is_made_under_the_conditions_of_its_caller() -> None:
    number = z3.Int("number")
    with reading() as found:
        Lifting().of(lambda a: joined(tenth, a) if a != 0 else 0, number)
        assert [] == calls_known(found)
        assert not z3.is_false(z3.simplify(z3.And(*terms_of(found))))
    solver = z3.Solver()
    solver.add(z3.Not(z3.And(*terms_of(found))))
    assert z3.unsat == solver.check()


def tenth(number: int) -> int:
    return 10 // number


def test_rule_that_is_left_open_is_called_and_not_looked_into() -> None:
    known = z3.Function("known", z3.IntSort(), z3.IntSort())
    wanted, left = z3.Ints("wanted left")
    with reading():
        rules = Lifting().under(free=lambda capacity, used: known(capacity))
        lifted = Lifting().of(lambda a, b: rules.fits(a, rules.free(b, 0)), wanted, left)
    assert (wanted <= known(left)).eq(lifted)


def test_rules_that_are_called_are_noted() -> None:
    lifting = Lifting()
    with reading():
        lifting.of(lambda rules, a: rules.free(a, rules.debit(a, 1)), lifting.rules, z3.Int("a"))
        lifting.fits(z3.Int("a"), 3)
    assert {"free", "debit", "fits"} == lifting.fields


def nodes_of_the_specification() -> Iterator[ast.AST]:
    """All that is in the source of what is lifted."""
    for path in python_files(PACKAGES["allotment_model"]):
        if path.parent.name != "oracle":
            yield from ast.walk(ast.parse(path.read_text(encoding="utf-8")))


def test_model_asks_for_identity_only_of_what_is_never_a_symbol() -> None:
    """Python does not let `is` be refused: so its right side is None or a member of an enum."""
    asked = {
        ast.unparse(right)
        for node in nodes_of_the_specification()
        if isinstance(node, ast.Compare)
        for operator, right in zip(node.ops, node.comparators, strict=True)
        if isinstance(operator, ast.Is | ast.IsNot)
    }
    members = ("Category.", "Scope.", "Per.")
    variables_of_enums = {"kind", "per"}
    assert {"None"} == {one for one in asked - variables_of_enums if not one.startswith(members)}


def test_model_catches_no_refusal_of_a_symbol() -> None:
    caught = {
        ast.unparse(node.type) if node.type else "all"
        for node in nodes_of_the_specification()
        if isinstance(node, ast.ExceptHandler)
    }
    assert caught <= {"LeftOutError", "SearchError", "StopIteration", "select.LeftOutError"}
