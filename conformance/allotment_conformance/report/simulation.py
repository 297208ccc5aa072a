"""A simulation's result, for a person and for a stream; and how far one has come."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

import msgspec
from rich.console import Console
from rich.table import Table
from rich.text import Text

from allotment_conformance.counterexample.legible import legible
from allotment_conformance.report.plain import PlainRun
from allotment_conformance.report.progress import progress
from allotment_conformance.report.stream import Found
from allotment_conformance.report.visible import visible
from allotment_conformance.workload.jobs import Findings
from allotment_conformance.workload.simulation import Watch
from allotment_conformance.workload.summary import Ending, Report
from allotment_conformance.workload.tally import Tally


@contextmanager
def simulation_progress(work: str) -> Iterator[Watch]:
    """What to call after each session of a simulation that is shown under that name."""
    with progress(work, _words) as show:

        def watch(findings: Findings, tally: Tally) -> None:
            promised = findings.jobs_promised
            part = settled(findings, tally) / promised if promised else None
            show((findings, tally), part)

        yield watch


def _words(state: tuple[Findings, Tally]) -> str:
    """How far a simulation has come; a log need not say how many jobs it has."""
    findings, tally = state
    of = "" if findings.jobs_promised is None else f" of {findings.jobs_promised:,}"
    return f"{settled(findings, tally):,}{of} jobs, {tally.decisions:,} decisions"


def settled(findings: Findings, tally: Tally) -> int:
    """How many jobs there is nothing more to tell of."""
    return tally.placed + tally.never_placeable + findings.skipped.total()


def see(run: PlainRun, findings: Findings, tally: Tally) -> None:
    """The figures of a simulation that goes on."""
    run.figures(
        {
            "jobs read": findings.jobs_read,
            "jobs placed": tally.placed,
            "jobs never placeable": tally.never_placeable,
            "sessions": tally.sessions,
            "decisions": tally.decisions,
        }
    )


def end(run: PlainRun, report: Report, case: str, status: int) -> None:
    """The figures of the report, a difference with the file of its case, and how it ended."""
    told = msgspec.to_builtins(report)
    found = told.pop("difference")
    run.figures({name.replace("_", " "): n for name, n in told.items()}, at_once=True)
    if report.difference is not None:
        run.failing += 1
        run.stream.add(
            Found(
                origin=f"second {report.difference.second} of the log",
                reproduced=True,
                case=found["case"],
                difference=str(report.ending),
                words=difference_as_text(report, case),
                place=case,
            )
        )
    run.end(str(report.ending), status, f"{report.ending.upper()}: {report.log}")


def print_report(report: Report, console: Console) -> None:
    """Print the report, coloured and framed only if the console is a terminal."""
    if console.is_terminal:
        console.print(_table(report))
    else:
        print(as_text(report), file=console.file)


def as_text(report: Report) -> str:
    """The report as plain lines, figures aligned."""
    lines = list(lines_of(report))
    width = max(len(line.label) for line in lines)
    return "\n".join(
        line.label if line.figure is None else f"  {line.label:<{width}}  {line.figure}"
        for line in lines
    )


def _table(report: Report) -> Table:
    """The report as a table with a section for each title."""
    table = Table(show_header=False)
    for line in lines_of(report):
        if line.figure is None:
            table.add_section()
            table.add_row(Text(line.label, style="bold"), "")
        else:
            table.add_row(Text(line.label), Text(line.figure))
    return table


def difference_as_text(report: Report, file: str) -> str:
    """The difference or failure in words, and where the case that shows it was written."""
    found = report.difference
    assert found is not None, "there is something to tell"
    failed = report.ending is Ending.FAILURE
    what = "The allocator failed" if failed else "The allocator differs from the model"
    lines = [
        f"{what} at second {found.second} of the log.",
        f"  event     {found.event}",
        f"  expected  {found.expected}",
        f"  actual    {found.actual}",
        f"  case      {file}",
    ]
    return "\n".join(map(legible, lines))


class Line(NamedTuple):
    """One line of a report; a section's title has no figure."""

    label: str
    figure: str | None = None


def lines_of(report: Report) -> Iterator[Line]:
    """The report in the order in which it is shown."""
    yield Line("Input")
    yield Line("log", visible(report.log))
    for header in ("MaxJobs", "MaxNodes", "MaxProcs"):
        if header in report.headers:
            yield Line(f"header {header}", visible(report.headers[header]))
    yield Line("cluster", f"{report.hosts:,} hosts, {report.slots:,} slots")
    yield Line("allocator", visible(report.allocator))
    yield from _job_lines(report)
    yield from _time_lines(report)
    yield from _decision_lines(report)


def _job_lines(report: Report) -> Iterator[Line]:
    yield Line("Jobs")
    yield Line("read", f"{report.jobs_read:,}")
    yield Line("placed", f"{report.jobs_placed:,}")
    yield Line("never placeable", f"{report.jobs_never_placeable:,}")
    if report.jobs_wider_than_the_cluster:
        yield Line("  wider than the cluster", f"{report.jobs_wider_than_the_cluster:,}")
    if report.jobs_left_pending:
        yield Line("left pending at the end", f"{report.jobs_left_pending:,}")
    if report.jobs_unsettled:
        yield Line(f"unsettled: {report.ending}", f"{report.jobs_unsettled:,}")
    yield Line("skipped", f"{sum(report.jobs_skipped.values()):,}")
    for kind, count in report.jobs_skipped.items():
        yield Line(f"  {kind}", f"{count:,}")
    if report.remarks:
        yield Line("Remarks on the log")
    for kind, count in report.remarks.items():
        yield Line(kind, f"{count:,}")


def _time_lines(report: Report) -> Iterator[Line]:
    yield Line("Simulated time")
    if report.waits is not None:
        yield Line("wait, mean", f"{report.waits.mean:,.1f} s")
        yield Line("wait, median", f"{report.waits.median:,.1f} s")
        yield Line("wait, 95th percentile", f"{report.waits.percentile_95:,} s")
        yield Line("wait, largest", f"{report.waits.largest:,} s")
    yield Line("makespan", f"{report.makespan:,} s")
    yield Line("utilisation", f"{report.utilisation:.1%}")
    for name, share in report.utilisation_of_amounts.items():
        yield Line(f"  of {name}", f"{share:.1%}")


def _decision_lines(report: Report) -> Iterator[Line]:
    yield Line("Decisions")
    yield Line("sessions", f"{report.sessions:,}")
    yield Line("decisions", f"{report.decisions:,}")
    yield Line("exhaustions", f"{report.exhaustions:,}")
    hits = report.cache_hits
    yield Line("cache hits", "not declared" if hits is None else f"{hits:,}")
    yield Line("uneven splits", f"{report.uneven_splits:,}")
    yield Line("dispatches to several hosts", f"{report.multi_host_dispatches:,}")
    yield Line("time in the allocator", f"{report.seconds.in_allocator:,.2f} s")
    if report.seconds.in_model is not None:
        yield Line("time in the model", f"{report.seconds.in_model:,.2f} s")
    yield Line("time overall", f"{report.seconds.overall:,.2f} s")
    for what, seconds in (
        ("in the allocator", report.seconds.in_allocator),
        ("overall", report.seconds.overall),
    ):
        rate = report.decisions / seconds if seconds else 0
        yield Line(f"decisions a second, {what}", f"{rate:,.0f}")
    if report.decisions_compared is not None:
        yield Line("decisions computed by the model", f"{report.decisions_compared:,}")
        outcome = "one, see below" if report.ending is Ending.DIFFERENCE else "none"
        yield Line("differences from the model", outcome)
