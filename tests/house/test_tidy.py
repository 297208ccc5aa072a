"""Sizes, docstrings and leftovers: what keeps the sources readable.

Each checker takes a source and answers with complaints, so that it can be tested on a bad one.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from house.sources import (
    PACKAGES,
    ROOT,
    Documented,
    Function,
    code_lines,
    docstring_node,
    documented_items,
    lines_spanned,
    model_code_lines,
    python_files,
    repository_files,
    text_of,
)

LINE_LENGTH = 100
MODEL_BUDGET = {"spec": 1100, "oracle": 600}
# Bracketed so that this file does not complain about itself.
LEFTOVER = re.compile(r"\b(?:TO[D]O|FIX[M]E|XX[X])\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The most lines that a function, docstring apart, and a module may have."""

    function: int
    module: int


MODEL = Limits(function=25, module=300)
ELSEWHERE = Limits(function=40, module=500)


def size_complaints(source: str, limits: Limits) -> Iterator[str]:
    """Every function, module and line that is too long."""
    lines = source.splitlines()
    if len(lines) > limits.module:
        yield f"module of {len(lines)} lines, at most {limits.module}"
    for number, line in enumerate(lines, start=1):
        if len(line) > LINE_LENGTH:
            yield f"line {number} has {len(line)} characters, at most {LINE_LENGTH}"
    for item in documented_items(ast.parse(source)):
        if isinstance(item, Function):
            assert item.end_lineno is not None, "parsed nodes know where they end"
            length = item.end_lineno + 1 - item.lineno - len(lines_spanned(docstring_node(item)))
            if length > limits.function:
                yield f"{item.name} has {length} lines, at most {limits.function}"


def undocumented(source: str) -> Iterator[str]:
    """Every public class and function, and the module itself, that lacks a docstring."""
    tree = ast.parse(source)
    if not (ast.get_docstring(tree) or "").strip():
        yield "the module"
    yield from _undocumented_within(tree, "")


def _undocumented_within(parent: ast.Module | ast.ClassDef, prefix: str) -> Iterator[str]:
    for item in parent.body:
        if not isinstance(item, ast.ClassDef | Function) or item.name.startswith("_"):
            continue
        if not (ast.get_docstring(item) or "").strip() and not _repeats_another(item):
            yield f"{prefix}{item.name}"
        if isinstance(item, ast.ClassDef):
            yield from _undocumented_within(item, f"{prefix}{item.name}.")


def _repeats_another(item: Documented) -> bool:
    """Whether the item only restates one that has the docstring: an overload or a setter."""
    decorators = [] if isinstance(item, ast.Module) else item.decorator_list
    words = [ast.unparse(decorator).rpartition(".")[2] for decorator in decorators]
    return not {"overload", "setter"}.isdisjoint(words)


def is_public(path: Path) -> bool:
    """Whether a module's own name is public; a package's `__init__` is."""
    return path.stem == "__init__" or not path.stem.startswith("_")


def leftovers(text: str) -> list[str]:
    """The marks of unfinished work in a text."""
    return LEFTOVER.findall(text)


def checked_folders() -> list[tuple[Path, Limits]]:
    """The folders whose sizes are held, each with its limits."""
    packages = [
        (folder, MODEL if name == "allotment_model" else ELSEWHERE)
        for name, folder in PACKAGES.items()
    ]
    return [*packages, (ROOT / "tests", ELSEWHERE)]


def test_sizes_stay_within_limits() -> None:
    complaints = [
        f"{path.relative_to(ROOT)}: {complaint}"
        for folder, limits in checked_folders()
        for path in python_files(folder)
        for complaint in size_complaints(path.read_text(encoding="utf-8"), limits)
    ]
    assert [] == complaints


def test_public_items_have_docstrings() -> None:
    complaints = [
        f"{path.relative_to(ROOT)}: {item} has no docstring"
        for folder in PACKAGES.values()
        for path in python_files(folder)
        if is_public(path)
        for item in undocumented(path.read_text(encoding="utf-8"))
    ]
    assert [] == complaints


def test_model_stays_within_its_budget() -> None:
    lines = model_code_lines()
    for part, budget in MODEL_BUDGET.items():
        assert lines[part] <= budget, part


def test_nothing_is_left_unfinished() -> None:
    texts = {path: text_of(path) for path in repository_files()}
    found = {
        str(path.relative_to(ROOT)): marks
        for path, text in texts.items()
        if text is not None and (marks := leftovers(text))
    }
    assert {} == found
    assert len(texts) > 10


def test_long_function_is_flagged() -> None:
    def function_of(lines: int) -> str:
        body = "    x = 1\n" * (lines - 1)
        return f'def long():\n    """First.\n\n    Last.\n    """\n{body}'

    assert [] == list(size_complaints(function_of(25), MODEL))
    assert ["long has 26 lines, at most 25"] == list(size_complaints(function_of(26), MODEL))
    nested = "class Holder:\n    async def long(self):\n" + "        x = 1\n" * 40
    assert ["long has 41 lines, at most 40"] == list(size_complaints(nested, ELSEWHERE))


def test_long_module_is_flagged() -> None:
    assert [] == list(size_complaints("x = 1\n" * 300, MODEL))
    assert ["module of 301 lines, at most 300"] == list(size_complaints("x = 1\n" * 301, MODEL))


def test_long_line_is_flagged() -> None:
    assert [] == list(size_complaints(f"# {'-' * 98}\n", MODEL))
    complaints = list(size_complaints(f"# {'-' * 99}\n", MODEL))
    assert ["line 1 has 101 characters, at most 100"] == complaints


def test_missing_docstrings_are_flagged() -> None:
    source = """
from typing import overload
def _hidden(): ...
def bare(): ...
def empty():
    "  "
class Shape:
    def __init__(self): ...
    def area(self): ...
    @overload
    def side(self): ...
    @area.setter
    def area(self, size): ...
"""
    assert ["the module", "bare", "empty", "Shape", "Shape.area"] == list(undocumented(source))
    assert [] == list(undocumented('"""A module."""\ndef told():\n    """Told."""\n'))


@pytest.mark.parametrize(
    ("name", "expected"), [("__init__.py", True), ("plans.py", True), ("_lift.py", False)]
)
def test_public_modules_are_recognised(name: str, expected: bool) -> None:
    assert expected == is_public(Path(name))


def test_code_lines_leave_words_out() -> None:
    source = '''"""Module
docstring."""

# A comment.
TEXT = """first
second"""  # a comment beside code


def one():
    """Docstring."""
    return (
        1
    )
'''
    assert 6 == code_lines(source)


@pytest.mark.parametrize("mark", ["TO" + "DO", "FIX" + "ME", "XX" + "X"])
def test_leftover_is_flagged(mark: str) -> None:
    assert [mark] == leftovers(f"x = 1  # {mark}: later")
    assert [] == leftovers(f"{mark}S and {mark.lower()}")
