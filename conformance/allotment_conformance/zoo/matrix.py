"""The matrix of the zoo: which engine finds which allocator, after how many cases.

    allotment zoo --update docs/zoo.md

makes the smallest cases and the tables anew; it takes some minutes.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from textwrap import fill

from allotment_conformance.runs.pool import Crew, Desk
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.catalogue import MUTANTS, mutant
from allotment_conformance.zoo.hunt import ENGINES, Trail, hunt
from allotment_conformance.zoo.smallest import FILE, as_text

BEGIN_MARK = "<!-- made by `allotment zoo --update`: begin -->"
END_MARK = "<!-- made by `allotment zoo --update`: end -->"
KEPT = Path(__file__).parent / "data" / FILE
VERIFY = ("directed", "bulk", "sizes")
"""The engines of `allotment verify`."""


Watch = Callable[[str, Trail], None]
"""Is told of each allocator when its trail is known."""


def matrix(
    names: Sequence[str], processes: int, watch: Watch = lambda name, trail: None
) -> dict[str, Trail]:
    """The trail of each allocator of the zoo, in the order of the names.

    Raises `Lost` if one of the processes ends before its time. An interrupt goes through; the
    processes, which do not hear it, are ended first.
    """
    trails: dict[str, Trail] = {}
    with Crew(processes, Hunter, grace=0) as crew:
        for name, trail in zip(names, crew.in_order(Hunter.trail, names), strict=True):
            trails[name] = trail
            watch(name, trail)
    return trails


class Hunter:
    """What hunts, in a process of its own."""

    def __init__(self, desk: Desk) -> None:
        """A hunt goes to its end and has no items, so nothing is noted on the desk."""

    def trail(self, name: str) -> Trail:
        """The trail of one allocator of the zoo."""
        return hunt(mutant(name))

    def close(self) -> None:
        """Nothing is held."""


def update(page: Path, processes: int) -> dict[str, Trail]:
    """Make the smallest cases in the package and the tables of a page anew."""
    trails = matrix([one.id for one in MUTANTS], processes, _tell)
    found = {name: trail.smallest for name, trail in trails.items() if trail.smallest}
    KEPT.write_text(as_text(found), encoding="utf-8")
    page.write_text(with_tables(page.read_text(encoding="utf-8"), trails), encoding="utf-8")
    return trails


def _tell(name: str, trail: Trail) -> None:
    """One line on the progress, for the person who waits."""
    print(f"{name}: {', '.join(trail.engines) or 'not found'}", file=sys.stderr, flush=True)


def with_tables(page: str, trails: Mapping[str, Trail]) -> str:
    """The page with new tables between its two marks."""
    before, _begin, rest = page.partition(BEGIN_MARK)
    _old, _end, after = rest.partition(END_MARK)
    lines = ["", *map(_item, _summary(trails)), "", *table(trails), "", *_oddities(), ""]
    return before + BEGIN_MARK + "\n".join(["", *lines]) + END_MARK + after


def _item(words: str) -> str:
    """An item of a list, in lines as long as those of the page."""
    return fill(
        words,
        width=100,
        initial_indent="- ",
        subsequent_indent="  ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _summary(trails: Mapping[str, Trail]) -> Iterable[str]:
    by_verify = [one for one in trails.values() if set(one.engines) & set(VERIFY)]
    after = [number for one in trails.values() if (number := one.found_after["bulk"]) is not None]
    yield f"{len(trails)} allocators; `allotment verify` finds {len(by_verify)} of them"
    if after:
        yield f"bulk cases find half of what they find within {median(after):.0f} cases"
    for engine in ENGINES:
        found = [name for name, one in trails.items() if engine in one.engines]
        alone = [name for name in found if trails[name].engines == [engine]]
        yield f"*{engine}* finds {len(found)}; nobody else finds of them: {_listed(alone)}"
    yield f"found by none: {_listed([name for name, one in trails.items() if not one.engines])}"


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names) or "none"


def table(trails: Mapping[str, Trail]) -> Iterable[str]:
    """One row an allocator: numbers of cases until it was found."""
    yield f"| allocator | kind | clauses | {' | '.join(ENGINES)} | events, hosts | differs in |"
    yield "|---|---|---|" + "---:|" * len(ENGINES) + "---:|---|"
    for name, trail in trails.items():
        yield row(name, trail)


def row(name: str, trail: Trail) -> str:
    """The row of one allocator."""
    one = mutant(name)
    numbers = [str(trail.found_after[engine] or "·") for engine in ENGINES]
    small = trail.smallest
    size = f"{len(small.case['events'])}, {len(small.case['cluster']['hosts'])}" if small else "·"
    kind = small.kind if small else "·"
    cells = [f"`{name}`", one.kind, " ".join(one.clauses), *numbers, size, kind]
    return f"| {' | '.join(cells)} |"


def _oddities() -> Iterable[str]:
    yield "| odd, and right | what is odd |"
    yield "|---|---|"
    for one in CALIBRATION:
        yield f"| `{one.id}` | {one.what} |"
