"""How deeply messages may be nested: docs/protocol.md, SPEC.md 2."""

from typing import Any

DEEPEST = 500
"""Levels of objects and lists. A select of 200 levels, twice what the specification accepts, has
fewer, and all that handles messages recursively stays well within what Python allows."""

TOO_DEEP = f"nested more than {DEEPEST} levels deep"


def is_too_deep(value: Any) -> bool:
    """Whether a message, or a part of one, is nested too deeply; looked at level by level."""
    level = [value]
    for _ in range(DEEPEST):
        # What is there twice is looked at once: so this ends also where something holds itself.
        holding = {id(one): one for one in level if isinstance(one, dict | list | tuple)}.values()
        if not holding:
            return False
        level = [
            item for one in holding for item in (one.values() if isinstance(one, dict) else one)
        ]
    return any(isinstance(one, dict | list | tuple) for one in level)
