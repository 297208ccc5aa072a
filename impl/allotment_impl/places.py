"""Where something stands in a tree of any depth: steps that become a text only if it is told."""

from typing import TypeAlias

Place: TypeAlias = "tuple[Place, str] | None"
"""A step with the steps before it, None at the root; a path for each node would be long."""


def path(place: Place) -> str:
    """All steps to a place, in order."""
    steps = []
    while place is not None:
        place, step = place
        steps.append(step)
    return "".join(reversed(steps))
