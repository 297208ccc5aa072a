"""Which functions of the model realise a clause: read from the imported model's docstrings."""

import inspect
import re
from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from types import FunctionType, ModuleType

import allotment_model
from allotment_conformance.evidence.links import Kind, Link

NAMED = re.compile(r"(?<![\w-])[A-Z]{2,}-[1-9]\d*(?![\w-])")
APART = "allotment_model.variants"
"""The wrong rules: they name the clauses that they break."""


def model_links() -> list[Link]:
    """A link for each clause that a function or class of the model names."""
    return [
        Link(clause=clause, kind=Kind.MODEL, name=f"{module}.{item.__qualname__}")
        for module, item in _items()
        for clause in sorted(set(NAMED.findall(inspect.getdoc(item) or "")))
    ]


def _items() -> Iterator[tuple[str, FunctionType | type]]:
    """Every function, class and method, with the name of its module below the model."""
    for module in _modules():
        short = module.__name__.partition(".")[2]
        for item in vars(module).values():
            if isinstance(item, FunctionType | type) and item.__module__ == module.__name__:
                yield short, item
                if isinstance(item, type):
                    yield from ((short, one) for one in _methods(item))


def _methods(owner: type) -> Iterator[FunctionType]:
    return (one for one in vars(owner).values() if isinstance(one, FunctionType) and one.__doc__)


def _modules() -> Iterator[ModuleType]:
    for found in walk_packages(allotment_model.__path__, "allotment_model."):
        if found.name != APART and not found.name.startswith(f"{APART}."):
            yield import_module(found.name)
