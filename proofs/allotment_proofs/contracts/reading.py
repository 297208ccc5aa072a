"""The contracts as their sources state them: read, not imported."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files

HOME = __package__
NAMED = re.compile(r"\b[A-Z]{2,}-[1-9]\d*\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    """One contract, or one pair of functions that must behave alike.

    `functions` are full names: one of a contract, two of a pair. `scope` are its preconditions.
    `lines` are those of its source.
    """

    name: str
    sentence: str
    clauses: tuple[str, ...]
    scope: str
    functions: tuple[str, ...]
    lines: range = range(0)

    @property
    def module(self) -> str:
        """The full name of the module that states it."""
        return self.functions[0].rpartition(".")[0]

    @property
    def is_pair(self) -> bool:
        """Whether two functions are compared."""
        return len(self.functions) == 2


def contracts_of(module: str) -> Iterator[Contract]:
    """The contracts and pairs of one module of this package, in order."""
    source = files(HOME).joinpath(f"{module}.py").read_text(encoding="utf-8")
    public = [
        node
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
    ]
    names = {node.name for node in public}
    for node in public:
        other = node.name.replace("model_", "impl_", 1)
        if other != node.name and other in names:
            yield _contract(node, module, (node.name, other), _guard(node))
        elif not node.name.startswith("impl_"):
            yield _contract(node, module, (node.name,), _preconditions(node))


def _contract(
    node: ast.FunctionDef, module: str, functions: tuple[str, ...], scope: str
) -> Contract:
    words = (ast.get_docstring(node) or "").partition("\n\n")[0]
    return Contract(
        name=functions[0].removeprefix("model_") if functions[1:] else node.name,
        sentence=re.sub(r"\s*\([^)]*\)\.$", "", words).rstrip("."),
        clauses=tuple(NAMED.findall(words)),
        scope=scope or "unbounded",
        functions=tuple(f"{HOME}.{module}.{name}" for name in functions),
        lines=range(node.lineno, (node.end_lineno or node.lineno) + 1),
    )


def _preconditions(node: ast.FunctionDef) -> str:
    lines = (line.strip() for line in (ast.get_docstring(node) or "").splitlines())
    return ", ".join(line.removeprefix("pre: ") for line in lines if line.startswith("pre: "))


def _guard(node: ast.FunctionDef) -> str:
    """What the first line of a pair's code lets pass."""
    match node.body:
        case [_, ast.If(test=ast.UnaryOp(op=ast.Not(), operand=scope)), *_]:
            return ast.unparse(scope)
        case _:
            return ""
