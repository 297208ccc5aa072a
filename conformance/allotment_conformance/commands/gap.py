"""Measure what balanced splits and greedy compounds cost."""

from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import check_writable, write_result
from allotment_conformance.commands.workload_options import (
    HOSTS_HELP,
    LOG_HELP,
    AdapterName,
    Copies,
    Cycle,
    LimitJobs,
    Memory,
    SelectEvery,
    cluster_named,
    log_named,
)
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.gap import lines, result_of
from allotment_conformance.report.progress import progress
from allotment_conformance.report.simulation import simulation_progress
from allotment_conformance.report.visible import visible
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.workload.compounds import CompoundGap
from allotment_conformance.workload.conversation import AllocatorFailed
from allotment_conformance.workload.gap import measure

LARGEST_WORLD = 12
"""Slots of the small world: each more takes more than twice as long, 12 about half a minute."""

ClusterName = Annotated[str, typer.Argument(metavar="CLUSTER", help=HOSTS_HELP)]
LogName = Annotated[str, typer.Argument(metavar="WORKLOAD", help=LOG_HELP)]
Slots = Annotated[
    int,
    typer.Option(
        metavar="N", min=2, max=LARGEST_WORLD, help="Compounds: all clusters of so many slots."
    ),
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="Write the figures there, too.")
]


def command(
    hosts: ClusterName,
    log: LogName,
    adapter: AdapterName = DEFAULT_ADAPTER,
    mem: Memory = None,
    cycle: Cycle = 1,
    limit_jobs: LimitJobs = None,
    select_every: SelectEvery = 0,
    copies: Copies = 1,
    slots: Slots = 8,
    json_file: JsonFile = None,
) -> int:
    """Measure what balanced splits and greedy compounds cost.

    A workload is simulated, and of each request that pends is said whether any other split would
    have fitted. Then every compound of a small world is tried, greedily and in all ways.

    Example: allotment gap 5x3 sample

    Exit status: 0 done, 1 the allocator failed, 2 bad input, 130 interrupted.
    """
    check_writable(json_file, inputs=[log, hosts])
    cluster = cluster_named(hosts, mem)
    jobs = log_named(log, cluster, limit_jobs, select_every, copies)
    try:
        with simulation_progress("gap") as watch, progress("gap", _words) as watch_compounds:
            gap = measure(
                jobs,
                cluster,
                load_adapter(adapter),
                slots=slots,
                cycle=cycle,
                watch=watch,
                watch_compounds=watch_compounds,
            )
    except AllocatorFailed as failed:
        print(visible(f"The allocator failed: {failed.event}: {failed.actual}"))
        print(visible(f"Expected: {failed.expected}."))
        print("`allotment simulate` on the same workload leaves a case that shows it.")
        return Exit.DISAGREEMENT
    write_result(json_file, result_of(gap))
    print(visible("\n".join(lines(gap))))
    return Exit.INTERRUPTED if gap.compounds is None else Exit.HOLDS


def _words(gap: CompoundGap) -> str:
    return f"{gap.cases:,} compounds"
