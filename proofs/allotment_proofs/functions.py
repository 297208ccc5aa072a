"""Which functions of the model were run: for reports, and to know what a changed file affects."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from cProfile import Profile
from functools import cache
from types import CodeType, FunctionType, ModuleType

import allotment_model

Place = tuple[str, int]
"""Where the source of a function starts: file and line."""


@cache
def _functions() -> dict[Place, FunctionType]:
    """Every function and method that is written in the model, by place."""
    found = {}
    for module in [one for one in sys.modules.values() if _is_of_model(one)]:
        classes = [one for one in vars(module).values() if isinstance(one, type)]
        for owner in (module, *classes):
            for one in vars(owner).values():
                if isinstance(one, FunctionType) and one.__code__.co_filename == module.__file__:
                    found[_place(one.__code__)] = one
    return found


def _is_of_model(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == allotment_model.__name__


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno


@contextmanager
def noticed() -> Iterator[list[FunctionType]]:
    """The functions of the model that are called meanwhile; the list is filled at the end."""
    profile, found = Profile(builtins=False, subcalls=False), list[FunctionType]()
    with profile:
        yield found
    called = {_place(one.code) for one in profile.getstats() if isinstance(one.code, CodeType)}
    found.extend(one for place, one in _functions().items() if place in called)
