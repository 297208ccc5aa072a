"""How deeply messages may be nested: docs/protocol.md, SPEC.md 2."""

import re
from collections.abc import Iterable
from typing import Any

DEEPEST = 500
"""Levels of objects and lists in a case, and in a list of answers; the message around them has one
more. A select of 200 levels, twice what the specification accepts, has fewer, and all that handles
messages recursively stays well within what Python allows."""

DEEPEST_SELECT = (DEEPEST - 8) // 2 + 1
"""Levels of the deepest select of such a case: it begins at level 8, and an operation takes two."""

TOO_DEEP = f"nested more than {DEEPEST} levels deep"


_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]|[^"\[\]{}]+')
"""Texts of JSON, what opens and closes objects and lists, and all between."""


def cut_short(text: bytes) -> bytes:
    """The text of a message with zeros for what stands deeper in it than Python may read."""
    kept, level = [], 0
    for token in _TOKENS.findall(text):
        opens = token in (b"[", b"{")
        level += opens
        if level <= DEEPEST:
            kept.append(token)
        elif opens and level == DEEPEST + 1:
            kept.append(b"0")
        level -= token in (b"]", b"}")
    return b"".join(kept)


def is_too_deep(value: Any, deepest: int = DEEPEST) -> bool:
    """Whether a case, or a list of answers, is nested too deeply; looked at level by level."""
    level = [value]
    for _ in range(deepest):
        # What is there twice is looked at once: so this ends also where something holds itself.
        holding = {id(one): one for one in level if isinstance(one, dict | list | tuple)}.values()
        if not holding:
            return False
        level = [
            item for one in holding for item in (one.values() if isinstance(one, dict) else one)
        ]
    return any(isinstance(one, dict | list | tuple) for one in level)


def are_too_deep(selects: Iterable[Any]) -> bool:
    """SPEC.md 2: whether a select is; nothing else of a case that was read can be."""
    level = list(selects)
    for _ in range(DEEPEST_SELECT):
        if not level:
            return False
        level = [inner for one in level for inner in one.args or ()]
    return bool(level)
