"""What was to be reached, and whether it was."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from growth import exponents

Figures = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Goal:
    """A figure that was named before anything was built, with what was measured."""

    what: str
    to_reach: str
    found: str
    is_reached: bool


def goals(figures: Figures) -> list[Goal]:
    """All goals, on the sizes that were measured."""
    return [*_engine(figures), *_around(figures), *_kit(figures)]


def _at_least(what: str, least: float, found: float, unit: str) -> Goal:
    return Goal(what, f"≥ {least:,.0f} {unit}", f"{found:,.0f} {unit}", found >= least)


def _at_most(what: str, most: float, found: float, unit: str) -> Goal:
    return Goal(what, f"≤ {most:,.0f} {unit}", f"{found:,.1f} {unit}", found <= most)


SATURATED = (65_000, 40_000, 20_000)
"""Decisions a second at 128, 1,024 and 10,000 hosts."""


def _engine(figures: Figures) -> Iterator[Goal]:
    def cells(mix: str) -> list[Figures]:
        return [cell for cell in figures["cells"] if cell["mix"] == mix]

    for least, cell in zip(SATURATED, cells("saturated"), strict=False):
        share = f"{cell['dispatched_share']:.0%} dispatched"
        what = f"`indexed`, saturated, {cell['hosts']:,} hosts, {share}"
        yield _at_least(what, least, cell["per_s"], "decisions/s")
    hopeless, trivial = cells("hopeless")[-1], cells("trivial")[-1]
    what = f"hopeless wide requests, {hopeless['hosts']:,} hosts, against the C program"
    ratio = hopeless["c"]["ratio"] or hopeless["per_s"] * hopeless["c"]["seconds"]
    yield _at_least(what, 100, ratio, "times as fast")
    what = f"a one-task decision, {trivial['hosts']:,} hosts"
    yield _at_most(what, 10, 1e6 / trivial["per_s"], "µs")
    yield _sublinear(figures)
    yield _no_cliff(figures)


def _sublinear(figures: Figures) -> Goal:
    found = exponents(figures["hosts"], "hosts")["indexed"]
    what = "growth in hosts, saturated, few signatures"
    return Goal(what, "exponent < 1", f"{found:.2f}", found < 1)


CLIFF, CLIFF_FROM = 0.6, 1000
"""Up to twice the signatures may cost something; to lose half at one step of the curve, from so
many on, would be a cliff."""


def _no_cliff(figures: Figures) -> Goal:
    points = figures["signatures"]
    most = points[-1]["signatures"]
    least = min(CLIFF_FROM, most)
    steps = [
        after["per_s"] / before["per_s"]
        for before, after in pairwise(points)
        if before["hosts"] == after["hosts"] and after["signatures"] >= least
    ]
    what = f"steepest step of the curve, {least:,} to {most:,} signatures"
    return Goal(what, f"≥ {CLIFF} of the rate before", f"{min(steps):.2f}", min(steps) >= CLIFF)


def _around(figures: Figures) -> Iterator[Goal]:
    session, texts = figures["session"], figures["texts usual"]
    cache = figures["cache"]
    yield _at_least("cache hit: an interned key, found", 1_000_000, cache["lookups_per_s"], "/s")
    yield _at_least("cache hit: the whole decision", 1_000_000, cache["per_s"], "decisions/s")
    yield _at_least(
        "distinct request texts of the usual length, parsed and lowered",
        4000,
        texts["and lowered"],
        "texts/s",
    )
    what = f"one session of {session['jobs']:,} jobs on {session['hosts']:,} hosts"
    yield _at_most(what, 10, session["submit_s"] + session["run_s"], "s")
    yield _at_most("memory of that process", 1024, session["peak_mb"], "MiB")


def _kit(figures: Figures) -> Iterator[Goal]:
    what = "model, built-in allocator and comparison, in process, one core"
    yield _at_least(what, 3000, figures["in process"]["per_s"], "decisions/s")
    moved, wire = figures["transport"], figures["wire"]
    yield _by_the_clock("transport alone", 50_000, moved["per_s"], moved["per_kit_s"])
    what = "over the wire to the C sample, verdict included, two processes"
    yield _by_the_clock(what, 5000, wire["per_s"], wire["per_s_of_two_cores"])


def _by_the_clock(what: str, least: float, found: float, by_processor: float) -> Goal:
    """Several processes are measured by the clock: on a busy machine the goal is out of reach."""
    told = f"{found:,.0f} decisions/s; {by_processor:,.0f} by processor time"
    return Goal(what, f"≥ {least:,.0f} decisions/s", told, found >= least)
