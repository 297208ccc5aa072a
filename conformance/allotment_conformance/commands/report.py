"""Show the result of a run: for a terminal, as Markdown, or as JUnit XML."""

import io
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from allotment_conformance.commands.files import (
    CannotRead,
    check_writable,
    refuse_device,
    write_file,
)
from allotment_conformance.report.junit import junit
from allotment_conformance.report.markdown import markdown
from allotment_conformance.report.summary import Summary, read
from allotment_conformance.report.terminal import (
    WIDTH_PIPED,
    print_report,
    terminal,
    where_found,
    where_kept,
)
from allotment_conformance.report.visible import visible


class Format(StrEnum):
    """What a report is for."""

    TERMINAL = "terminal"
    MARKDOWN = "markdown"
    JUNIT = "junit"


Stream = Annotated[
    Path,
    typer.Argument(metavar="FILE", allow_dash=True, help="What --ndjson has written, or -"),
]
Kind = Annotated[Format, typer.Option("--format", help="What it is for.")]
Output = Annotated[
    Path | None, typer.Option("--output", "-o", metavar="OUT", help="Default: standard output.")
]


def command(file: Stream, kind: Kind = Format.TERMINAL, output: Output = None) -> int:
    """Show the result of a run: for a terminal, as Markdown, or as JUnit XML.

    A run that was killed has left a stream that ends too early; the report says so.

    Example: allotment report run.ndjson --format junit -o junit.xml

    Exit status: that of the run; 3 if the stream ends before the run did; 2 bad input.
    """
    check_writable(output, inputs=[file])
    summary = _read(file)
    if output is None and kind is Format.TERMINAL:
        _print(summary, terminal())
    elif output is None:
        print(_text(summary, kind), end="")
    else:
        write_file(output, _text(summary, kind))
    return summary.exit_status


def _read(path: Path) -> Summary:
    if str(path) == "-":
        return read(sys.stdin.buffer, "standard input")
    refuse_device(path)
    try:
        with path.open("rb") as file:
            return read(file, str(path))
    except OSError as wrong:
        raise CannotRead(
            f"{path} cannot be read: {wrong.strerror}", remedy="Check the name of the file."
        ) from wrong


def _text(summary: Summary, kind: Format) -> str:
    match kind:
        case Format.TERMINAL:
            text = io.StringIO()
            _print(summary, Console(file=text, width=WIDTH_PIPED, highlight=False))
            return text.getvalue()
        case Format.MARKDOWN:
            return markdown(summary)
        case Format.JUNIT:
            return junit(summary)


def _print(summary: Summary, console: Console) -> None:
    """What the run itself has printed, and its counterexamples."""
    print_report(summary, console)
    for found in summary.found:
        told = f"\n{where_found(found)}\n\n{found.words}\n\n{where_kept(found)}"
        console.print(visible(told), highlight=False, markup=False, soft_wrap=True)
