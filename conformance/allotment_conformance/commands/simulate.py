"""Send the jobs of a workload log through an allocator."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from allotment_conformance.errors import KitError
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.messages import as_json
from allotment_conformance.workload.hosts import MOST_MEMORY_MB, cluster_of
from allotment_conformance.workload.printing import difference_as_text, print_report
from allotment_conformance.workload.simulation import Watch, simulate
from allotment_conformance.workload.summary import Ending
from allotment_conformance.workload.swf import Findings
from allotment_conformance.workload.tally import Tally

STATUS = {Ending.COMPLETE: 0, Ending.DIFFERENCE: 1, Ending.INTERRUPTED: 130}


class FileNotWritable(KitError):
    """A result cannot be written to the file that was named for it."""

    code = "file-not-writable"


Log = Annotated[
    str,
    typer.Argument(
        metavar="LOG",
        help="A log in the Standard Workload Format, plain or .gz, or 'sample' for our own.",
    ),
]
Hosts = Annotated[
    str,
    typer.Option(
        metavar="NxS", help="The cluster: 43x3 is 43 hosts of 3 slots; 10x4,5x8 are two kinds."
    ),
]
AdapterName = Annotated[str, typer.Option(metavar="MODULE:NAME", help="The allocator.")]
AgainstModel = Annotated[
    bool, typer.Option("--against-model", help="Run the model beside it; stop where they part.")
]
CaseFile = Annotated[
    Path, typer.Option(metavar="FILE", help="Where a case that shows a difference is written.")
]
Memory = Annotated[
    int | None,
    typer.Option(
        metavar="MB_PER_HOST",
        min=1,
        max=MOST_MEMORY_MB,
        help="Let jobs ask for their memory, on hosts with so much each (MB of 1000 KB).",
    ),
]
Every = Annotated[int, typer.Option(metavar="SECONDS", min=1, help="Length of a scheduling cycle.")]
LimitJobs = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Read only the first N jobs.")
]
JsonFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the figures there as JSON.")
]


def command(
    log: Log,
    hosts: Hosts,
    adapter: AdapterName = DEFAULT_ADAPTER,
    against_model: AgainstModel = False,
    case: CaseFile = Path("allotment-difference.json"),
    mem: Memory = None,
    every: Every = 1,
    limit_jobs: LimitJobs = None,
    json: JsonFile = None,
) -> int:
    """Send the jobs of a workload log through an allocator, session by session.

    A session is held at each instant at which a job arrives or ends. Every job of the log is
    reported as placed, as never placeable, or as skipped for a reason that is named.

    Example: allotment simulate sample --hosts 5x3 --against-model

    Exit status: 0 done, 1 a difference from the model, 2 bad input, 130 interrupted.
    """
    for path in filter(None, (json, case if against_model else None)):
        _refuse_without_folder(path)
    cluster = cluster_of(hosts, memory_mb=mem)
    with _progress(limit_jobs) as watch:
        report = simulate(
            log,
            cluster,
            load_adapter(adapter),
            against_model=against_model,
            every=every,
            limit_jobs=limit_jobs,
            watch=watch,
        )
    print_report(report, Console())
    if report.difference is not None:
        _write(case, as_json(report.difference.case) + "\n")
        print("\n" + difference_as_text(report.difference, str(case)))
    if json is not None:
        _write(json, msgspec.json.format(msgspec.json.encode(report)).decode() + "\n")
    return STATUS[report.ending]


@contextmanager
def _progress(limit_jobs: int | None) -> Iterator[Watch]:
    """A progress bar on stderr if that is a terminal."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield lambda findings, tally: None
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("jobs"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        bar = progress.add_task("jobs", total=limit_jobs)

        def watch(findings: Findings, tally: Tally) -> None:
            settled = tally.placed + tally.never_placeable + findings.skipped.total()
            promised = findings.headers.get("MaxJobs", "")
            total = min(
                filter(None, (limit_jobs, int(promised) if promised.isdecimal() else None)),
                default=None,
            )
            progress.update(bar, completed=settled, total=total)

        yield watch


def _jobs_promised(findings: Findings, limit_jobs: int | None) -> int | None:
    """How many jobs there will be, by the log's own word; None if it does not say."""
    promised = findings.headers.get("MaxJobs", "")
    if not promised.isdecimal():
        return limit_jobs
    return min(int(promised), limit_jobs or int(promised))


def _refuse_without_folder(path: Path) -> None:
    """Tell before a long run that its result would have no place."""
    if path.is_dir() or not path.parent.is_dir():
        raise FileNotWritable(
            f"'{path}' cannot be written: it is a folder, or its folder is not there",
            remedy="Name a file in a folder that exists.",
        )


def _write(path: Path, text: str) -> None:
    """Write a result."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileNotWritable(
            f"'{path}' cannot be written: {error.strerror or error}",
            remedy="Name a file in a folder that exists and may be written to.",
        ) from error
