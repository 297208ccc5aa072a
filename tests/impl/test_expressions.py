"""Reading selects: exact shapes; as deep as a case may be, and measured at any depth."""

import pytest

from allotment_impl.expressions import (
    LEVELS_READ,
    Attribute,
    Defined,
    Number,
    Operation,
    Operator,
    Text,
    depth,
    read_expression,
    walk,
)
from impl.building import Raw


def nested(levels: int) -> Raw:
    """A select of so many levels."""
    raw: Raw = {"number": 1}
    for _ in range(levels - 1):
        raw = {"op": "!", "args": [raw]}
    return raw


def test_leaves_are_read_as_what_they_say() -> None:
    assert Number(-5) == read_expression({"number": -5})
    assert Text("x") == read_expression({"text": "x"})
    assert Attribute("x") == read_expression({"attribute": "x"})
    assert Defined("x") == read_expression({"defined": "x"})


def test_leaves_of_different_kind_are_different() -> None:
    assert 4 == len({Number(1), Text("x"), Attribute("x"), Defined("x")})


def test_arguments_keep_their_order() -> None:
    raw = {
        "op": "-",
        "args": [{"op": "/", "args": [{"number": 1}, {"number": 2}]}, {"number": 3}],
    }
    quotient = Operation(Operator.DIVIDE, (Number(1), Number(2)))
    assert Operation(Operator.SUBTRACT, (quotient, Number(3))) == read_expression(raw)


@pytest.mark.parametrize("operator", list(Operator))
def test_every_operator_is_read(operator: Operator) -> None:
    arguments = 1 if operator.value in ("!", "neg") else 2
    raw = {"op": operator.value, "args": [{"number": 1}] * arguments}
    assert Operation(operator, (Number(1),) * arguments) == read_expression(raw)


@pytest.mark.parametrize(
    "raw",
    [
        None,
        5,
        [],
        {},
        {"number": 1, "text": "x"},
        {"number": True},
        {"number": 1.0},
        {"number": "1"},
        {"text": 1},
        {"attribute": None},
        {"defined": {"attribute": "x"}},
        {"name": "x"},
        {"op": "!"},
        {"op": "!", "args": [{"number": 1}, {"number": 1}]},
        {"op": "+", "args": [{"number": 1}]},
        {"op": "-", "args": [{"number": 1}]},
        {"op": "^", "args": [{"number": 1}, {"number": 1}]},
        {"op": ["!"], "args": [{"number": 1}]},
        {"op": "!", "args": {"number": 1}},
        {"op": "!", "args": [{"number": 1}], "number": 1},
        {"op": "!", "args": [7]},
    ],
)
def test_what_is_no_select_is_told(raw: object) -> None:
    with pytest.raises(ValueError, match="select"):
        read_expression(raw)


def test_nodes_come_after_their_arguments_with_levels() -> None:
    root = read_expression({"op": "+", "args": [{"number": 1}, {"op": "!", "args": [nested(1)]}]})
    levels = [level for _, level in walk(root)]
    assert [2, 3, 2, 1] == levels
    assert root == walk(root)[-1][0]


@pytest.mark.parametrize("levels", [1, 2, 100, 101, LEVELS_READ])
def test_what_a_case_may_hold_is_read(levels: int) -> None:
    assert levels == depth(read_expression(nested(levels)))


@pytest.mark.parametrize("levels", [LEVELS_READ + 1, 100_000])
def test_what_no_case_may_hold_is_refused(levels: int) -> None:
    with pytest.raises(ValueError, match=r"^nested more than 500 levels deep$"):
        read_expression(nested(levels))


def test_levels_beside_each_other_are_not_counted_twice() -> None:
    raw = nested(LEVELS_READ - 1)
    wide = read_expression({"op": "+", "args": [raw, raw]})
    assert LEVELS_READ == depth(wide)


def test_any_depth_is_measured() -> None:
    tree: Operation | Number = Number(1)
    for _ in range(100_000):
        tree = Operation(Operator.NOT, (tree,))
    assert 100_001 == depth(tree)
