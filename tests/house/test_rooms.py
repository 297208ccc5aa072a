"""The rooms with many modules say in their docstring what is where: all of it, and nothing else."""

import ast
import re
from pathlib import Path

import pytest

from house.sources import PACKAGES

KIT = PACKAGES["allotment_conformance"]
ROOMS = [
    PACKAGES["allotment_impl"],
    *(KIT / name for name in ("report", "runs", "verdict", "wire", "workload")),
]

NAME = re.compile(r"`([a-z_]+)`")
"""What is written as code and may be the name of a module."""

NO_MODULES = {"assert_conforms"}


def named(docstring: str) -> set[str]:
    return set(NAME.findall(docstring)) - NO_MODULES


def modules(room: Path) -> set[str]:
    """The modules and packages of a room, by name; commands are found by entry points."""
    files = {path.stem for path in room.glob("*.py")}
    packages = {path.parent.name for path in room.glob("*/__init__.py")}
    return (files | packages) - {"__init__", "commands"}


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: room.name)
def test_room_names_its_modules(room: Path) -> None:
    docstring = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    assert docstring is not None
    assert modules(room) == named(docstring)


def test_module_that_is_not_named_is_told() -> None:
    assert {"one", "other"} == named("Has `one`, ``other`` and `Classes`; `--json` is an option.")
