"""Forms in which Python tells a symbol from a number, or hides that a symbol refused something.

A symbol is not asked there, so it cannot refuse them. They must not stand in the source that is
run; what would be run is looked through before anything is proved.
"""

import ast
import builtins
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import allotment_model
from allotment_proofs.trusted.symbols import Unsupported

OF_OBJECTS = {"type", "hasattr", "getattr", "setattr", "vars", "dir", "id", "callable"}
TELLING = OF_OBJECTS | {"issubclass", "locals", "globals", "eval", "exec"}
"""Functions of Python that answer about a symbol as an object."""

NO_SYMBOL = re.compile(r"None|kind|per|(Category|Scope|Per)\.\w+")
"""What the model compares by `is`: None, two variables that hold members of enums, and members."""


@cache
def check_sources() -> None:
    """Raise Unsupported if a form that cannot be refused stands in the specification's source."""
    root = Path(allotment_model.__file__).parent
    for path in sorted(root.rglob("*.py")):
        if path.parent.name != "oracle":
            check(ast.parse(path.read_text(encoding="utf-8")), path.name)


def check(source: ast.AST, file: str) -> None:
    """The same, of a part of a source in that file."""
    for node in ast.walk(source):
        if told := _told(node):
            raise Unsupported(f"{file}:{getattr(node, 'lineno', 0)}: {told}")


def _told(node: ast.AST) -> str:
    """What is wrong with the form of a node, if anything is."""
    match node:
        case ast.Name(id=name, ctx=ast.Load()) if name in TELLING:
            return f"{name} does not ask a symbol"
        case ast.Compare(ops=operators, comparators=rights):
            for one, right in zip(operators, rights, strict=True):
                text = ast.unparse(right)
                if isinstance(one, ast.Is | ast.IsNot) and not NO_SYMBOL.fullmatch(text):
                    return f"`is {text}` does not ask a symbol"
        case ast.ExceptHandler(type=caught):
            for name in _names(caught):
                if name != "StopIteration" and (not name or hasattr(builtins, name)):
                    return f"`except {name}` would hide what a symbol refuses"
        case _:
            pass
    return ""


def _names(caught: ast.expr | None) -> list[str]:
    if isinstance(caught, ast.Tuple):
        return [ast.unparse(one) for one in caught.elts]
    return [ast.unparse(caught) if caught else ""]


def check_generators(function: Any, file: str) -> None:
    """Raise Unsupported if a name that a generator reads later may be bound anew before.

    Python's `tuple` goes through a generator at once; what stands for it here does so at the end.
    """
    bound = Counter(_bound(function))
    for node in ast.walk(function):
        if isinstance(node, ast.GeneratorExp):
            later = [node.elt, *(test for one in node.generators for test in one.ifs)]
            read = {one.id for part in later for one in ast.walk(part) if isinstance(one, ast.Name)}
            if twice := sorted(name for name in read if bound[name] > 1):
                told = f"a generator reads {twice[0]}, which is bound more than once"
                raise Unsupported(f"{file}:{node.lineno}: {told}")


def _bound(function: Any) -> Iterator[str]:
    """Names that are bound in a function, each as often as that is written; in a loop, twice."""
    for node in ast.walk(function):
        match node:
            case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                yield name
            case ast.For() | ast.While():
                yield from (
                    one.id
                    for one in ast.walk(node)
                    if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)
                )
            case ast.Nonlocal(names=names) | ast.Global(names=names):
                yield from [*names, *names]
            case _:
                pass
