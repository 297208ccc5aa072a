"""How a time grows with a size: the exponent of a power law, fitted to what was measured."""

import math
from collections.abc import Iterable, Sequence
from typing import Any

Figures = dict[str, Any]


def exponent(points: Iterable[tuple[float, float]]) -> float:
    """The slope of a straight line through the logarithms, by least squares."""
    logs = [(math.log(x), math.log(y)) for x, y in points]
    middle_x = sum(x for x, _ in logs) / len(logs)
    middle_y = sum(y for _, y in logs) / len(logs)
    spread = sum((x - middle_x) ** 2 for x, _ in logs)
    return sum((x - middle_x) * (y - middle_y) for x, y in logs) / spread


def exponents(points: Sequence[Figures], variable: str) -> dict[str, float]:
    """For each that was measured on two sizes and more: how its time grows with the variable."""
    series: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        for name, micro in point["us"].items():
            series.setdefault(name, []).append((point[variable], micro))
    return {name: exponent(found) for name, found in series.items() if len(found) > 1}
