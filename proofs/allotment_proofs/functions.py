"""Which functions of the model were run: for reports, and to know what a changed file affects."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

import allotment_model

Place = tuple[str, int]
"""Where the source of a function starts: file and line."""


@cache
def _functions() -> dict[Place, FunctionType]:
    """Every function and method of the model, by place."""
    found = {}
    for module in [one for one in sys.modules.values() if _is_of_model(one)]:
        classes = [one for one in vars(module).values() if isinstance(one, type)]
        for owner in (module, *classes):
            for one in vars(owner).values():
                if isinstance(one, FunctionType):
                    found[_place(one.__code__)] = one
    return found


def _is_of_model(module: ModuleType) -> bool:
    return module.__name__.partition(".")[0] == allotment_model.__name__


def _place(code: CodeType) -> Place:
    return code.co_filename, code.co_firstlineno


@contextmanager
def noticed() -> Iterator[list[FunctionType]]:
    """The functions of the model that are called meanwhile; the list is filled at the end."""
    folder = str(Path(allotment_model.__file__).parent)
    called: dict[Place, None] = {}
    found: list[FunctionType] = []

    def notice(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(folder):
            called[_place(frame.f_code)] = None

    before = sys.getprofile()
    sys.setprofile(notice)
    try:
        yield found
    finally:
        sys.setprofile(before)
        known = _functions()
        found.extend(known[place] for place in called if place in known)
