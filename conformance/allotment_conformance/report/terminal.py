"""A run for a person: the table of clauses, figures, what went wrong, and the verdict."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from allotment_conformance.report.progress import number_of
from allotment_conformance.report.stream import (
    ClauseRow,
    ClauseVerdict,
    Counted,
    Failed,
    Found,
    SliceRow,
    Started,
)
from allotment_conformance.report.summary import Summary
from allotment_conformance.report.visible import visible
from allotment_conformance.wire.failure import STDERR

STYLES = {
    ClauseVerdict.HOLDS: "green",
    ClauseVerdict.SO_FAR: "yellow",
    ClauseVerdict.PERHAPS: "red",
    ClauseVerdict.BROKEN: "bold red",
    ClauseVerdict.NOT_CLAIMED: "dim",
    ClauseVerdict.NOT_EXERCISED: "yellow",
    ClauseVerdict.NOT_CHECKED: "dim",
}

WIDTH_PIPED = 120
"""Columns where there is no terminal to say how many: the longest row fits."""

SLICE_COLUMNS = ("cases", "alike", "unclaimed", "run", "sessions", "decisions")
"""What the table tells of a slice of the small world."""

MOST_ITEMS_SHOWN = 50
"""What does not hold of things that were looked at one by one; JUnit has all."""

MOST_SHOWN = 3
"""Failures that are told one by one; the counts tell of all."""

MOST_OTHERS = 10
"""Failures that are named without a case made small: more than a run keeps."""


def terminal() -> Console:
    """Standard output; wide enough for the table where it is not a terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(width=WIDTH_PIPED, highlight=False)


def print_report(summary: Summary, console: Console | None = None) -> None:
    """The clauses one by one, what was run, what went wrong, and what came of it."""
    console = console or terminal()
    rows, slices = summary.table(), list(summary.slices.values())
    if rows:
        console.print(clause_table(rows))
    if slices:
        console.print(slice_table(slices))
    for line in lines(summary):
        console.print(visible(line), highlight=False, markup=False, soft_wrap=True)


def clause_table(rows: Sequence[ClauseRow]) -> Table:
    """The clauses one by one."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("clause", "", "evidence", "shown", "verdict"):
        table.add_column(heading, no_wrap=heading in ("clause", "evidence", "verdict"))
    for row in rows:
        verdict = Text(row.verdict, style=STYLES[row.verdict])
        table.add_row(
            row.id, Text(visible(row.title)), str(row.evidence), Text(visible(row.shown)), verdict
        )
    return table


def slice_table(slices: Sequence[SliceRow]) -> Table:
    """The slices of the small world one by one."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("slice", no_wrap=True)
    for heading in (*SLICE_COLUMNS, "recounted"):
        table.add_column(heading, justify="right")
    for one in slices:
        table.add_row(*(Text(visible(told)) for told in slice_cells(one)))
    return table


def slice_cells(one: SliceRow) -> list[str]:
    """The name of a slice, its counts, and whether they are those of the bounds."""
    recounted = "-"
    if one.finished:
        recounted = "equal" if one.as_recounted else f"{one.recounted:,}"
    return [one.name, *(f"{one.counts.get(name, 0):,}" for name in SLICE_COLUMNS), recounted]


def lines(summary: Summary) -> list[str]:
    """All but the table."""
    return [*figures(summary), *_wrong(summary), *_canary(summary), summary.verdict]


def figures(summary: Summary) -> Iterator[str]:
    """What was run, and where the time went."""
    yield from _plain(summary)
    seen, declared = summary.counted, summary.declared
    if declared is None or (seen is None and not summary.slices):
        return
    yield ""
    yield _asked(summary.asked)
    name = f"{declared.profile.name} {declared.profile.version}"
    if seen is None:
        yield from _of_slices(name, summary)
        return
    yield f"{name}: {cases(seen)}"
    if seen.cancels_asked and not seen.cancelled:
        yield (
            f"claims `cancel`, and was cancelled in 0 of {seen.cancels_asked:,} runs that asked:"
            " that is permitted, and shows nothing of CANCEL-1"
        )
    if summary.asked.command == "check":
        yield f"cases: {_counts(seen.outcomes)}"
        yield f"events: {_counts(seen.events)}"
    yield from _times(seen, summary.asked)


def _plain(summary: Summary) -> Iterator[str]:
    """What was counted of a run without clauses, and what does not hold."""
    if summary.figures is not None:
        yield from (f"{name}: {told}" for name, told in summary.figures.figures.items())
    if summary.items:
        wrong = summary.wrong_items
        yield f"{len(summary.items):,} looked at one by one, {len(wrong):,} do not hold"
        yield from (f"{one.name}: {one.words}" for one in wrong[:MOST_ITEMS_SHOWN])
        if len(wrong) > MOST_ITEMS_SHOWN:
            yield f"and {len(wrong) - MOST_ITEMS_SHOWN:,} more"


def _asked(asked: Started) -> str:
    """What it takes to run the same again."""
    versions = asked.versions
    told = f"kit {versions.kit}, protocol {versions.protocol}, Python {versions.python}"
    if asked.cases is None:
        return f"asked: every case of these slices, scope {asked.scope}; {told}"
    bulk = f"{number_of(asked.cases, 'bulk case')} of seed {asked.seed}"
    return f"asked: directed cases and {bulk}; {told}"


def _of_slices(name: str, summary: Summary) -> Iterator[str]:
    """What was run of the small world, all slices together."""
    total: Counter[str] = Counter()
    for one in summary.slices.values():
        total.update(one.counts)
    told = [
        f"{number_of(total['run'], 'case')} run",
        f"{total['sessions']:,} sessions",
        f"{total['decisions']:,} decisions that agree",
        f"{number_of(total['alike'], 'case')} like another",
    ]
    if total["unclaimed"]:
        told.append(f"{number_of(total['unclaimed'], 'case')} outside the profile")
    if total["skipped"]:
        told.append(
            f"{number_of(total['skipped'], 'case')} not judged to their end: too many choices"
        )
    yield f"{name}: {', '.join(told)}"
    if summary.ended is not None:
        yield f"{summary.ended.seconds:.1f} s with {summary.asked.processes} processes"


def cases(seen: Counted) -> str:
    """How many cases were run, and what was compared in them."""
    told = [
        number_of(seen.cases, "case"),
        f"{seen.decisions:,} decisions that agree",
        f"{seen.attempts_inside:,} of them with protocol events",
        f"{seen.cancelled:,} cancelled",
    ]
    if seen.skipped:
        told.append(f"{number_of(seen.skipped, 'case')} not judged to their end: too many choices")
    if seen.asked_again:
        told.append(
            f"{number_of(seen.asked_again, 'case')} asked again after a failure before them"
        )
    return ", ".join(told)


def _counts(counts: Mapping[str, int]) -> str:
    told = [f"{count:,} {name}" for name, count in counts.items() if count]
    return ", ".join(told) or "none"


def _times(seen: Counted, asked: Started) -> Iterator[str]:
    """Where the time went, that of the kit, the model and the allocator apart."""
    rate = seen.decisions / seen.seconds if seen.seconds else 0.0
    run = f"{seen.seconds:.1f} s with {asked.processes} processes, {rate:,.0f} decisions/s"
    spent = seen.processor_seconds
    told = ", ".join(f"{name.replace('_', ' ')} {number:.1f} s" for name, number in spent.items())
    starts = f", {seen.starts:,} starts of the program" if asked.command == "check" else ""
    yield f"{run}{starts}"
    yield f"processor time: {told}"


def _wrong(summary: Summary) -> Iterator[str]:
    """What was seen of drift, of danger, and of failures."""
    seen = summary.counted
    if seen is not None:
        drifts = sorted(seen.drifts.items(), key=lambda one: -one[1])
        for drift, count in drifts[:MOST_SHOWN]:
            yield f"profile drift in {count:,} of {seen.failed:,} violations: {drift}"
        yield from (f"unsafe: {told}" for told in seen.unsafe[:MOST_SHOWN])
    yield from not_made_small(summary)
    for one in summary.unanswered[:MOST_SHOWN] + summary.program_failures:
        yield from failure_lines(one)
    if summary.ended is not None:
        yield from summary.ended.remarks
    if summary.ended is not None and summary.ended.stopped_early:
        yield "So much went wrong that the rest was left out."
    if summary.ended is not None and not summary.ended.memory_is_limited:
        yield "memory of the program is not seen on this system, and not limited"


def where_found(found: Found) -> str:
    """The case that was made small, and whether it failed again."""
    again = "" if found.reproduced else " Asked again, it did not fail in this way."
    return f"Found in {found.origin}.{again}"


def not_made_small(summary: Summary) -> Iterator[str]:
    """The failures that are counted and told of, but of which no case was made small."""
    for one in summary.not_made_small[:MOST_OTHERS]:
        clause = f", perhaps {one.clause}" if one.clause else ""
        yield f"also wrong, and not made small: {one.signature}{clause}; {one.origin}"


def where_kept(found: Found) -> str:
    """The directory of a counterexample."""
    return f"It is in {found.place}." if found.place else "It was not kept."


def failure_lines(one: Failed) -> Iterator[str]:
    """How a program failed, and the end of its standard error."""
    where = {"case": one.origin, "start": "at the start", "stop": "at the end"}[one.at]
    yield f"{where}: {one.outcome}: {one.words}"
    for line in one.stderr.splitlines()[-MOST_SHOWN:]:
        yield f"  {STDERR}: {line}"


def _canary(summary: Summary) -> Iterator[str]:
    if summary.canary is not None:
        yield f"canary: {summary.canary.words}"
