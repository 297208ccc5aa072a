"""A report on the screen: a table on a terminal, plain lines everywhere else."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from allotment_conformance.counterexample.legible import legible
from allotment_conformance.workload.summary import Ending, Report, lines_of


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
