"""Every clause of SPEC.md is realised by the model; docstrings name only clauses that exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from house.sources import PACKAGES, ROOT, documented_items, python_files

CLAUSE = r"[A-Z]{2,}-[1-9]\d*"
DEFINITION = re.compile(rf"^(?:#{{2,6}} +(?:\*\*)?|(?:[-*] +)?\*\*)({CLAUSE})\b", re.MULTILINE)
NAMED = re.compile(rf"(?<![\w-])({CLAUSE})(?![\w-])")
NOT_A_CLAUSE = frozenset({"ISO", "PEP", "RFC", "SHA", "UTF"})
"""Families of other people's numbers that a docstring may name."""


def clauses_defined(specification: str) -> list[str]:
    """The ids of the clauses that a text defines, in order: a heading or a bold word opens each."""
    return DEFINITION.findall(specification)


def clauses_named(text: str) -> set[str]:
    """The clause ids that a docstring names."""
    return {name for name in NAMED.findall(text) if name.partition("-")[0] not in NOT_A_CLAUSE}


def docstrings(source: str) -> Iterator[tuple[bool, str]]:
    """Every docstring of a source, each with whether it belongs to a class or function."""
    for item in documented_items(ast.parse(source)):
        if words := ast.get_docstring(item):
            yield not isinstance(item, ast.Module), words


def realised(folder: Path) -> set[str]:
    """The ids that a model's classes and functions name, its wrong variants apart."""
    return {
        name
        for path in python_files(folder)
        if "variants" not in path.relative_to(folder).parts
        for is_code, words in docstrings(path.read_text(encoding="utf-8"))
        if is_code
        for name in clauses_named(words)
    }


def unknown(folder: Path, known: set[str]) -> list[str]:
    """Every id that a docstring below the folder names and the specification does not define."""
    return [
        f"{path.relative_to(folder)}: {name}"
        for path in python_files(folder)
        for _, words in docstrings(path.read_text(encoding="utf-8"))
        for name in sorted(clauses_named(words) - known)
    ]


def specified() -> list[str]:
    """The ids that SPEC.md defines."""
    return clauses_defined((ROOT / "SPEC.md").read_text(encoding="utf-8"))


def test_specification_defines_clauses_once() -> None:
    ids = specified()
    assert len(ids) > 50
    assert [] == sorted({name for name in ids if ids.count(name) > 1})


def test_every_clause_is_realised_by_the_model() -> None:
    assert [] == sorted(set(specified()) - realised(PACKAGES["allotment_model"]))


def test_docstrings_name_only_clauses_that_exist() -> None:
    known = set(specified())
    assert [] == [stray for folder in PACKAGES.values() for stray in unknown(folder, known)]


@pytest.mark.parametrize(
    "line",
    [
        "### HOST-8 An iterator that cannot start",
        "**HOST-8** An",
        "**HOST-8.** An",
        "- **HOST-8**:",
    ],
)
def test_definition_is_recognised(line: str) -> None:
    assert ["HOST-8"] == clauses_defined(f"Before.\n\n{line}\n\nAfter.\n")


@pytest.mark.parametrize(
    "line", ["HOST-8 says so.", "See **HOST-8**.", "| HOST-8 | inside |", "- x"]
)
def test_mention_is_no_definition(line: str) -> None:
    assert [] == clauses_defined(line)


def test_docstring_of_a_function_names_clauses() -> None:
    source = '"""HOST-1."""\ndef fits():\n    """Fits: WANT-4, PLAN-10 (UTF-8, HOST-2…5, E11)."""\n'
    named = {is_code: clauses_named(words) for is_code, words in docstrings(source)}
    assert {False: {"HOST-1"}, True: {"WANT-4", "PLAN-10", "HOST-2"}} == named


def test_stray_and_unrealised_clauses_are_flagged(tmp_path: Path) -> None:
    (tmp_path / "hosts.py").write_text(
        '"""Realises HOST-1 only in words."""\ndef fits():\n    """HOST-2 and HSOT-3."""\n'
    )
    (tmp_path / "variants").mkdir()
    (tmp_path / "variants" / "hosts.py").write_text('def broken():\n    """Breaks HOST-4."""\n')
    known = {"HOST-1", "HOST-2", "HOST-4"}
    assert {"HOST-1", "HOST-4"} == known - realised(tmp_path)
    assert ["hosts.py: HSOT-3"] == unknown(tmp_path, known)
