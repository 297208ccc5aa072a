"""Where in a source something was asked of a symbol, or raised: words for messages only."""

import re
import traceback
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FunctionType, TracebackType
from typing import Any

from allotment_proofs.trusted import symbols
from allotment_proofs.trusted.symbols import Unsupported

TRUSTED = Path(symbols.__file__).parent
PLACED = re.compile(r"\w+\.py:\d+: ")
"""How a refusal begins that names its place itself: what it refuses was not run."""


def place_of(unknown: Unsupported) -> str:
    """What was asked of a symbol, with the file and the line of the asking."""
    if PLACED.match(str(unknown)):
        return str(unknown)
    trace = (unknown.__cause__ or unknown).__traceback__
    for frame, _line in traceback.walk_tb(trace):
        if frame.f_code is symbols.joined_branches.__code__ and frame.f_back:
            names = frame.f_back.f_locals
            code = _read(names["function"] if "function" in names else names["self"]._make)
            return f"{Path(code.co_filename).name}:{code.co_firstlineno}: {unknown}: {code.co_name}"
    asking = _last(trace)
    return f"{Path(asking.filename).name}:{asking.lineno}: {unknown}: {asking.line}"


def raised_at(raised: Exception) -> str:
    """What a run raises, and where."""
    place = _last(raised.__traceback__)
    return f"raises {type(raised).__name__} at {Path(place.filename).name}:{place.lineno}"


def _last(trace: TracebackType | None) -> traceback.FrameSummary:
    """The innermost frame that is not of trusted code, if there is one."""
    frames = traceback.extract_tb(trace)
    return ([one for one in frames if _is_read(one.filename)] or frames)[-1]


def _is_read(file: str) -> bool:
    return Path(file).parent != TRUSTED


def _read(function: Any) -> CodeType:
    """The code whose branches were joined; of what trusted code made, the first that it encloses.

    The items of a sequence are such: where a generator of the model makes them, it is enclosed.
    """
    codes = [one.__code__ for one in _enclosed(getattr(function, "func", function))]
    return ([one for one in codes if _is_read(one.co_filename)] or codes)[0]


def _enclosed(function: Any) -> Iterator[FunctionType]:
    """The function, and all functions that it encloses, however deep."""
    yield function
    for cell in function.__closure__ or ():
        if type(cell.cell_contents) is FunctionType:
            yield from _enclosed(cell.cell_contents)
