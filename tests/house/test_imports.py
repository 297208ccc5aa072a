"""Who may import whom: the arrows of ARCHITECTURE.md, also those hidden in strings."""

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from house.sources import PACKAGES, ROOT, docstring_node, documented_items, python_files

ALLOWED = {
    "allotment_model": frozenset[str](),
    "allotment_impl": frozenset({"lark", "msgspec", "numpy"}),
    "allotment_conformance": frozenset(
        {"allotment_model", "click", "hypothesis", "jinja2", "msgspec", "pytest", "rich", "typer"}
    ),
    "allotment_proofs": frozenset(
        {"allotment_model", "cosmic_ray", "crosshair", "rich", "typer", "z3"}
    ),
}
"""What each package may import besides itself and the standard library."""

PERMITTED_STRINGS = {
    "allotment_conformance": frozenset({"allotment_impl:Adapter"}),
    "allotment_proofs": frozenset({"allotment_impl.demand", "allotment_impl.plans"}),
}
"""Where a package is named without being imported: the default adapter, and what CrossHair
compares with the model in a process of its own."""

IMPORTING_CALLS = frozenset({"__import__", "find_spec", "import_module", "run_module"})
OUR_NAME = re.compile(r"(allotment_(?:model|impl|conformance|proofs))\b\S*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A module that a source imports or names, and the line where it does."""

    module: str
    line: int
    text: str = field(compare=False)
    is_statement: bool = field(compare=False, default=False)

    @property
    def top(self) -> str:
        """The package or module that the name starts with."""
        return re.split(r"[.:]", self.module, maxsplit=1)[0]


def mentions(source: str) -> Iterator[Mention]:
    """Every module that a source imports or names in a string, docstrings apart."""
    tree = ast.parse(source)
    docstrings = {docstring_node(item) for item in documented_items(tree)}
    for node in ast.walk(tree):
        match node:
            case ast.Import(names=names):
                for alias in names:
                    yield _imported(alias.name, node.lineno)
            case ast.ImportFrom(module=str(module), level=0):
                yield _imported(module, node.lineno)
            case ast.Call(func=called, args=[ast.Constant(value=str(module)), *_]):
                if ast.unparse(called).rpartition(".")[2] in IMPORTING_CALLS:
                    yield Mention(module=module, line=node.lineno, text=module)
            case ast.Constant(value=str(text)) if node not in docstrings:
                if named := OUR_NAME.fullmatch(text):
                    yield Mention(module=named[1], line=node.lineno, text=text)


def _imported(module: str, line: int) -> Mention:
    return Mention(module=module, line=line, text=module, is_statement=True)


def forbidden_arrows(source: str, package: str) -> list[str]:
    """Every mention of a module that the package may not know."""
    known = ALLOWED[package] | sys.stdlib_module_names | {package}
    permitted = PERMITTED_STRINGS.get(package, frozenset())
    return [
        f"line {mention.line}: {package} -> {mention.text}"
        for mention in sorted(set(mentions(source)), key=lambda one: (one.line, one.text))
        if mention.top not in known and (mention.is_statement or mention.text not in permitted)
    ]


def misplaced(folder: Path, package: str) -> list[str]:
    """What keeps the folder from holding exactly that one package and nothing importable beside it.

    Folders inside the package need an `__init__` too: without one they are left out of strict
    checks and of some builds.
    """
    complaints = [
        f"{path.name} stands beside the package"
        for path in sorted(folder.iterdir())
        if path.name != package and (path.suffix == ".py" or any(path.rglob("*.py")))
    ]
    homes = {path.parent for path in python_files(folder / package)} | {folder / package}
    complaints += [
        f"{home.relative_to(folder)} has no __init__.py"
        for home in sorted(homes)
        if not (home / "__init__.py").is_file()
    ]
    return complaints


def test_only_the_allowed_arrows_exist() -> None:
    found = [
        f"{path.relative_to(ROOT)}, {arrow}"
        for package, folder in PACKAGES.items()
        for path in python_files(folder)
        for arrow in forbidden_arrows(path.read_text(encoding="utf-8"), package)
    ]
    assert [] == found


def test_each_folder_holds_one_package() -> None:
    complaints = [
        complaint
        for package, folder in PACKAGES.items()
        for complaint in misplaced(folder.parent, package)
    ]
    assert [] == complaints


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("allotment_model", "import numpy"),
        ("allotment_model", "from allotment_conformance.cli import main"),
        ("allotment_impl", "import allotment_model.plans"),
        ("allotment_impl", "if True:\n    def late():\n        from hypothesis import given"),
        ("allotment_conformance", "import allotment_impl"),
        ("allotment_conformance", "import allotment_proofs as proofs"),
        ("allotment_conformance", "from allotment_impl.session import Scheduler"),
        ("allotment_conformance", "importlib.import_module('allotment_impl')"),
        ("allotment_conformance", "__import__('numpy')"),
        ("allotment_conformance", "NAME = 'allotment_impl:Other'"),
        ("allotment_conformance", "NAME = 'allotment_impl.adapter:Adapter'"),
        ("allotment_conformance", "NAME = f'allotment_impl.{part}'"),
        ("allotment_conformance", "WORDS = ['-m', 'allotment_impl']"),
        ("allotment_proofs", "import allotment_conformance"),
        ("allotment_proofs", "NAME = 'allotment_impl:Adapter'"),
        ("allotment_proofs", "from allotment_impl.plans import make_plan"),
    ],
)
def test_forbidden_arrow_is_flagged(package: str, source: str) -> None:
    assert 1 == len(forbidden_arrows(source, package)), source


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("allotment_model", "from __future__ import annotations\nimport dataclasses"),
        ("allotment_model", "from allotment_model.plans import plans"),
        ("allotment_model", "def one():\n    'allotment_impl'"),
        ("allotment_impl", "import numpy as np, lark, msgspec.json"),
        ("allotment_conformance", "ADAPTER = 'allotment_impl:Adapter'"),
        ("allotment_conformance", "import_module(name)"),
        ("allotment_conformance", "TEXT = 'allotment_impl is what a scheduler embeds'"),
        ("allotment_proofs", "import_module('allotment_impl.plans')"),
        ("allotment_proofs", "import z3\nfrom allotment_model import rules"),
    ],
)
def test_allowed_arrow_is_not_flagged(package: str, source: str) -> None:
    assert [] == forbidden_arrows(source, package)


def test_second_package_is_flagged(tmp_path: Path) -> None:
    for name in ("allotment_model/__init__.py", "allotment_model/room/rules.py", "other/x.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    (tmp_path / "loose.py").touch()
    assert [
        "loose.py stands beside the package",
        "other stands beside the package",
        "allotment_model/room has no __init__.py",
    ] == misplaced(tmp_path, "allotment_model")
