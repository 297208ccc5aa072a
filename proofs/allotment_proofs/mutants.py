"""Small changes of a function's source, to see whether a theorem would notice.

How a changed source is read decides nothing about the specification's own.
"""

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from allotment_proofs.trusted.forms import check

SWAPPED: dict[type[ast.AST], tuple[type[ast.AST], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add, ast.Sub),
    ast.FloorDiv: (ast.Mod,),
    ast.Mod: (ast.FloorDiv,),
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.And: (ast.Or,),
    ast.Or: (ast.And,),
}
NAMES = {"min": "max", "max": "min", "all": "any", "any": "all"}
FIELDS = {"tasks_max": "tasks_min"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """A changed source, and the change in words."""

    node: ast.FunctionDef
    told: str


def node_of(function: FunctionType, source: str = "") -> Any:
    """The function in its source file, or as `source` has it in that place."""
    lines, first = inspect.getsourcelines(function)
    node = ast.parse(textwrap.dedent(source or "".join(lines))).body[0]
    return ast.increment_lineno(node, first - 1)


def code_of(function: FunctionType, node: Any) -> CodeType:
    """The code of a function whose source is `node`."""
    file, module = function.__code__.co_filename, ast.Module([node], [])
    check(module, Path(file).name)
    whole = compile(ast.fix_missing_locations(module), file, "exec")
    codes = (one for one in whole.co_consts if isinstance(one, CodeType))
    return next(one for one in codes if one.co_name == node.name)


def exchanged(codes: Mapping[FunctionType, CodeType]) -> dict[FunctionType, CodeType]:
    """Give each function that code; the codes that they had."""
    before = {one: one.__code__ for one in codes}
    for one, code in codes.items():
        one.__code__ = code
    return before


@contextmanager
def changing(changed: Mapping[FunctionType, Any]) -> Iterator[None]:
    """Within a reading, `changed` functions are read from these sources instead."""
    before = exchanged({one: code_of(one, node) for one, node in changed.items()})
    try:
        yield
    finally:
        exchanged(before)


def mutants_of(function: FunctionType) -> Iterator[Mutant]:
    """Every change of one operator, number or name of a function that encloses nothing."""
    if function.__code__.co_freevars:
        return
    source = node_of(function)
    before = ast.unparse(source)
    for number, node in enumerate(ast.walk(source)):
        for choice in range(3 if _is_changed(node) else 0):
            changed = deepcopy(source)
            _change(list(ast.walk(changed))[number], choice)
            after = ast.unparse(changed)
            if before != after:
                lines = zip(before.splitlines(), after.splitlines(), strict=True)
                (line,) = [new.strip() for old, new in lines if old != new]
                yield Mutant(node=changed, told=f"{function.__qualname__}: {line}")


def _is_changed(node: ast.AST) -> bool:
    """Whether there may be a change of a node."""
    match node:
        case ast.Name(id=name):
            return name in NAMES
        case ast.Attribute(attr=name):
            return name in FIELDS
        case _:
            return isinstance(node, ast.BinOp | ast.BoolOp | ast.Compare | ast.Constant)


def _change(node: ast.AST, choice: int) -> None:
    """Change a node in place, if it has a change of that number."""
    match node:
        case ast.BinOp() if choice == 2:
            node.left = ast.copy_location(ast.UnaryOp(ast.USub(), node.left), node.left)
        case ast.BinOp() | ast.BoolOp():
            node.op = _swapped(node.op, choice)
        case ast.Compare(ops=[operator]):
            node.ops = [_swapped(operator, choice)]
        case ast.Constant(value=int() as number) if not isinstance(number, bool) and choice == 0:
            node.value = number + 1
        case ast.Name(id=name) if choice == 0:
            node.id = NAMES.get(name, name)
        case ast.Attribute(attr=name) if choice == 0:
            node.attr = FIELDS.get(name, name)
        case _:
            pass


def _swapped(operator: Any, choice: int) -> Any:
    others = SWAPPED.get(type(operator), ())
    return others[choice]() if choice < len(others) else operator
