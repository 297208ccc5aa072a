"""The plots of docs/performance.md, as SVG with text in it, alike for alike figures."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("svg")
matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "allotment", "font.size": 9})

from matplotlib import pyplot  # noqa: E402

Figures = dict[str, Any]
Series = Mapping[str, Sequence[tuple[float, float]]]


def draw(figures: Figures, folder: Path) -> None:
    """Draw all of them into a folder."""
    folder.mkdir(exist_ok=True)
    micro = "µs a decision"
    _plot(_by_name(figures["hosts"], "hosts"), "hosts", micro, folder / "hosts.svg")
    _plot(_by_name(figures["tasks"], "tasks"), "tasks of a job", micro, folder / "tasks.svg")
    rates: dict[str, list[tuple[float, float]]] = {}
    for point in figures["signatures"]:
        of_size = rates.setdefault(f"{point['hosts']:,} hosts", [])
        of_size.append((point["signatures"], point["per_s"]))
    _plot(rates, "signatures", "decisions a second", folder / "signatures.svg")


def _by_name(points: Sequence[Figures], variable: str) -> Series:
    found: dict[str, list[tuple[float, float]]] = {}
    for point in points:
        for name, micro in point["us"].items():
            found.setdefault(name, []).append((point[variable], micro))
    return found


def _plot(series: Series, across: str, up: str, file: Path) -> None:
    """Lines over two logarithmic axes."""
    figure, axes = pyplot.subplots(figsize=(4.4, 3.2), layout="constrained")
    for name, points in series.items():
        axes.loglog(*zip(*points, strict=True), marker="o", markersize=3, label=name)
    axes.minorticks_off()
    axes.set(xlabel=across, ylabel=up)
    axes.set_ylim(bottom=min(y for points in series.values() for _, y in points) / 2)
    axes.grid(visible=True, linewidth=0.3)
    axes.legend(frameon=False)
    figure.savefig(file, metadata={"Date": None, "Creator": None})
    pyplot.close(figure)
