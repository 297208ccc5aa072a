"""The options that several commands have in common that judge an allocator."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.wire.limits import Limits

LIMITS = Limits()
"""Those of a program for which no others are given."""

DAY = 24.0 * 60 * 60
"""Seconds: nobody waits longer for a program, and no clock knows an endless wait."""

Command = Annotated[
    list[str], typer.Argument(metavar="COMMAND", help="The program and its arguments, behind --.")
]
Cases = Annotated[int, typer.Option(min=0, help="Bulk cases, besides the directed ones.")]
Seed = Annotated[int, typer.Option(help="What the bulk cases are drawn from.")]
Budget = Annotated[float | None, typer.Option(metavar="SECONDS", min=0, help="Stop then: exit 3.")]
Processes = Annotated[
    int | None,
    typer.Option(min=0, help="Default: all processors. 0: this one, for a debugger."),
]
SomeProcesses = Annotated[int | None, typer.Option(min=1, help="Default: all processors.")]
CaseFile = Annotated[
    Path | None,
    typer.Option(
        "--case",
        metavar="FILE",
        allow_dash=True,
        help="Instead: run this one case, that of a DIR, or -.",
    ),
]
Failures = Annotated[int, typer.Option(min=1, help="Failures told apart and made small.")]
CertifyLimit = Annotated[
    float, typer.Option(metavar="SECONDS", min=0, help="For certifying each of them.")
]
Timeout = Annotated[float, typer.Option(metavar="SECONDS", min=0.001, max=DAY)]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the result there, too.")
]
Stream = Annotated[
    Path | None,
    typer.Option("--ndjson", metavar="FILE", help="Write records there as it goes, for `report`."),
]
Folder = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Kept ones are run first, new ones written there. [default: counterexamples]",
    ),
]
FolderOfNew = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="One is written there. [default: counterexamples]"),
]
