"""The select expression: its tree, how it is read, and what is wrong with it (SELECT-1, -2).

A tree may arrive nested deeper than Python recurses, and must then be refused, not crash. So
reading and checking walk with a stack of their own: every node goes on the stack, its arguments
follow, and it is finished when it comes up for the second time, with its arguments done. Hashes
are made bottom-up, with the nodes. Only trees within the bound are compared and compiled, where
recursion is simplest.
"""

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

LEVELS_LARGEST = 100
"""How deep a select may be nested; a leaf is level 1."""

LEVELS_READ = 247
"""How deep a select of a case may be, to be refused: an operation takes two levels of JSON, the
select begins at level 8, and what is nested more than 500 levels deep is no case (SPEC.md 2)."""


class Operator(Enum):
    """The operators of a select."""

    NOT = "!"
    MINUS = "neg"
    TIMES = "*"
    DIVIDE = "/"
    PLUS = "+"
    SUBTRACT = "-"
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    EQUAL = "=="
    UNEQUAL = "!="
    AND = "&&"
    OR = "||"


UNARY = frozenset({Operator.NOT, Operator.MINUS})
"""The operators of one argument; all others have two."""

_OPERATORS = {operator.value: operator for operator in Operator}


class Expression:
    """A select, as a tree of frozen nodes that are equal if their contents are (CACHE-1)."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class Number(Expression):
    """A number, in thousandths."""

    thousandths: int


@dataclass(frozen=True, slots=True)
class Text(Expression):
    """A text."""

    text: str


@dataclass(frozen=True, slots=True)
class Attribute(Expression):
    """The value of a host's attribute; a host that lacks it is left out (SELECT-4)."""

    name: str


@dataclass(frozen=True, slots=True)
class Defined(Expression):
    """1 on a host that has the attribute, else 0 (SELECT-4)."""

    name: str


@dataclass(frozen=True, slots=True)
class Operation(Expression):
    """An operator and its one or two arguments."""

    operator: Operator
    arguments: tuple[Expression, ...]
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_hash", hash((self.operator, self.arguments)))

    def __hash__(self) -> int:
        """The hash of the content, made when the arguments had theirs: no recursion is needed."""
        return self._hash


Node: TypeAlias = Number | Text | Attribute | Defined | Operation


def node(expression: Expression) -> Node:
    """See an expression as the closed choice that it is, so that matches are exhaustive."""
    assert isinstance(expression, Number | Text | Attribute | Defined | Operation)
    return expression


def read_expression(raw: object) -> Expression:
    """Read a select from builtins, as in SPEC.md 2.1; raises ``ValueError`` if it is none."""
    finished: list[Expression] = []
    waiting: list[object] = [raw]
    level = 1
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Operate):
            split = len(finished) - item.arguments
            finished[split:] = [Operation(item.operator, tuple(finished[split:]))]
            level -= 1
            continue
        if not isinstance(item, dict):
            raise ValueError(f"a select is made of objects, not {type(item).__name__}")
        if "op" in item:
            operate, arguments = _read_operation(item)
            level += 1
            if level > LEVELS_READ:
                raise ValueError("nested more than 500 levels deep")
            waiting.append(operate)
            waiting.extend(reversed(arguments))
        else:
            finished.append(_read_leaf(item))
    return finished[0]


@dataclass(frozen=True, slots=True)
class _Operate:
    """Says that the last arguments that were finished belong to an operator."""

    operator: Operator
    arguments: int


def _read_operation(raw: dict[object, object]) -> tuple[_Operate, list[object]]:
    if raw.keys() != {"op", "args"}:
        raise ValueError("an operation of a select has exactly the fields `op` and `args`")
    name, arguments = raw["op"], raw["args"]
    if not isinstance(name, str) or name not in _OPERATORS:
        raise ValueError(f"a select has no operator {name!r}")
    operator = _OPERATORS[name]
    expected = 1 if operator in UNARY else 2
    if not isinstance(arguments, list | tuple) or len(arguments) != expected:
        raise ValueError(f"operator {name!r} of a select takes a list of {expected}")
    return _Operate(operator, expected), list(arguments)


def _read_leaf(raw: dict[object, object]) -> Expression:
    if len(raw) != 1:
        raise ValueError("a leaf of a select has exactly one field")
    [(field, value)] = raw.items()
    if field == "number":
        if type(value) is not int:
            raise ValueError(f"a number of a select is an integer, not {value!r}")
        return Number(value)
    if field not in ("text", "attribute", "defined"):
        raise ValueError(f"a select has no {field!r}")
    if type(value) is not str:
        raise ValueError(f"{field!r} of a select takes a text, not {value!r}")
    if field == "text":
        return Text(value)
    return Attribute(value) if field == "attribute" else Defined(value)


def walk(root: Expression) -> list[tuple[Node, int]]:
    """All nodes, each after its arguments, with their level; the root is at level 1."""
    nodes: list[tuple[Node, int]] = []
    waiting: list[tuple[Node, int]] = [(node(root), 1)]
    while waiting:
        item, level = waiting.pop()
        nodes.append((item, level))
        if isinstance(item, Operation):
            waiting.extend((node(argument), level + 1) for argument in item.arguments)
    nodes.reverse()
    return nodes


def depth(root: Expression) -> int:
    """How many levels a tree has; a leaf has one."""
    return max(level for _, level in walk(root))
