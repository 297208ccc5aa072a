"""Send the jobs of a workload log through an allocator."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.console import Console

from allotment_conformance.commands.files import (
    check_writable,
    unused,
    write_file,
    write_result,
)
from allotment_conformance.commands.run_options import Stream
from allotment_conformance.commands.workload_options import (
    HOSTS_HELP,
    LOG_HELP,
    AdapterName,
    BadWorkload,
    Copies,
    Cycle,
    LimitJobs,
    Memory,
    SelectEvery,
    cluster_named,
    log_named,
)
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.plain import PlainRun
from allotment_conformance.report.recorder import recording
from allotment_conformance.report.simulation import (
    difference_as_text,
    end,
    print_report,
    see,
    simulation_progress,
)
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.messages import as_json
from allotment_conformance.workload.conversation import CannotKeep
from allotment_conformance.workload.jobs import Findings
from allotment_conformance.workload.simulation import simulate
from allotment_conformance.workload.summary import Ending, Report
from allotment_conformance.workload.tally import Tally

STATUS = {
    Ending.COMPLETE: Exit.HOLDS,
    Ending.DIFFERENCE: Exit.DISAGREEMENT,
    Ending.FAILURE: Exit.DISAGREEMENT,
    Ending.NO_ROOM: Exit.BAD_INPUT,
    Ending.INTERRUPTED: Exit.INTERRUPTED,
}

LogName = Annotated[str, typer.Argument(metavar="LOG", help=LOG_HELP)]
Hosts = Annotated[str, typer.Option(metavar="NxS|NODES", help=HOSTS_HELP)]
AgainstModel = Annotated[
    bool, typer.Option("--against-model", help="Run the model beside it; stop where they part.")
]
Every = Annotated[
    int | None,
    typer.Option(
        metavar="N", min=1, help="The model computes each N-th decision only, and follows."
    ),
]
CaseFile = Annotated[
    Path,
    typer.Option(
        metavar="FILE",
        help="Where a case that shows what is wrong is written; numbered if it is there.",
    ),
]
JsonFile = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the figures there as JSON.")
]


def command(
    log: LogName,
    hosts: Hosts,
    adapter: AdapterName = DEFAULT_ADAPTER,
    against_model: AgainstModel = False,
    every: Every = None,
    case: CaseFile = Path("allotment-difference.json"),
    mem: Memory = None,
    cycle: Cycle = 1,
    limit_jobs: LimitJobs = None,
    select_every: SelectEvery = 0,
    copies: Copies = 1,
    json: JsonFile = None,
    ndjson: Stream = None,
) -> int:
    """Send the jobs of a workload log through an allocator, session by session.

    A session is held at each instant at which a job arrives or ends. Every job of the log is
    reported as placed, as never placeable, or as skipped for a reason that is named.

    Example: allotment simulate sample --hosts 5x3 --against-model

    Exit status: 0 done, 1 a difference from the model or an answer that is none, 2 bad input,
    130 interrupted.
    """
    if every is not None and not against_model:
        raise BadWorkload("--every is for the model", remedy="Add --against-model.")
    case = _written(case, json, ndjson, inputs=[log, hosts])
    cluster = cluster_named(hosts, mem)
    jobs = log_named(log, cluster, limit_jobs, select_every, copies)
    asked = load_adapter(adapter)
    with recording(ndjson) as stream:
        run = PlainRun(stream, "simulate", adapter)
        with simulation_progress("simulate") as show:

            def watch(findings: Findings, tally: Tally) -> None:
                see(run, findings, tally)
                show(findings, tally)

            report = simulate(
                jobs,
                cluster,
                asked,
                against_model=against_model,
                every=every or 1,
                cycle=cycle,
                watch=watch,
            )
        end(run, report, str(case), STATUS[report.ending])
    return _told(report, case, json)


def _written(case: Path, *others: Path | None, inputs: list[str]) -> Path:
    """Where the case is written, if all can be: not over that of an earlier run."""
    check_writable(*others, case, inputs=inputs)
    return unused(case)


def _told(report: Report, case: Path, json: Path | None) -> int:
    """Print the report, write what is to be written, and say how it ended.

    Raises `CannotKeep`, when all is told, for a run that this has ended.
    """
    if report.difference is not None:
        write_file(case, as_json(report.difference.case) + "\n")
    write_result(json, msgspec.to_builtins(report))
    print_report(report, Console())
    if report.difference is not None:
        print("\n" + difference_as_text(report, str(case)))
    if report.no_room is not None:
        raise CannotKeep(report.no_room)
    return STATUS[report.ending]
