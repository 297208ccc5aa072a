"""The options that name a workload and a cluster, shared by the commands that simulate."""

from typing import Annotated

import typer

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json
from allotment_conformance.workload.hosts import MOST_MEMORY_MB, cluster_of
from allotment_conformance.workload.jobs import Log
from allotment_conformance.workload.openb import read_nodes, read_pods
from allotment_conformance.workload.swf import SwfLog
from allotment_conformance.workload.tables import is_table
from allotment_model.cluster import LARGEST_TASKS

LOG_HELP = (
    "A log in the Standard Workload Format, plain or .gz, or 'sample' for our own; "
    "or a pod table, *.csv."
)
HOSTS_HELP = (
    "The cluster: 43x3 is 43 hosts of 3 slots, 10x4,5x8 are two kinds; or a node table, *.csv."
)

AdapterName = Annotated[str, typer.Option(metavar="MODULE:NAME", help="The allocator.")]
LONGEST_CYCLE = 10**9
"""Seconds: thirty years, longer than any log."""

Memory = Annotated[
    int | None,
    typer.Option(
        metavar="MB_PER_HOST",
        min=1,
        max=MOST_MEMORY_MB,
        help="Let jobs ask for their memory, on hosts with so much each (MB of 1000 KB).",
    ),
]
Cycle = Annotated[
    int,
    typer.Option(metavar="SECONDS", min=1, max=LONGEST_CYCLE, help="Length of a scheduling cycle."),
]
LimitJobs = Annotated[
    int | None, typer.Option(metavar="N", min=1, help="Take only the first N jobs.")
]
SelectEvery = Annotated[
    int,
    typer.Option(
        metavar="N", min=0, help="Let each N-th GPU pod without gpu_spec ask for a model; 0: none."
    ),
]
Copies = Annotated[
    int,
    typer.Option(metavar="N", min=1, max=LARGEST_TASKS, help="Let a pod be a job of N such tasks."),
]


class BadWorkload(KitError):
    """The options that name jobs and hosts do not go together."""

    code = "bad-workload"


def cluster_named(hosts: str, mem: int | None) -> Json:
    """The cluster of a node table, or of a text like 43x3."""
    if not is_table(hosts):
        return cluster_of(hosts, memory_mb=mem)
    if mem is not None:
        raise BadWorkload(
            "--mem is for hosts like 43x3: a node table says what its hosts have",
            remedy="Leave out --mem.",
        )
    return read_nodes(hosts)


def log_named(
    log: str, cluster: Json, limit_jobs: int | None, select_every: int, copies: int
) -> Log:
    """The jobs of a pod table, or of a log in the Standard Workload Format."""
    has_nodes = "attributes" in cluster.get("resources", {})
    if is_table(log) != has_nodes:
        raise BadWorkload(
            f"'{log}' is {'a' if is_table(log) else 'no'} pod table, and pods and the hosts of a "
            "node table go together",
            remedy="Name two tables, *.csv, or a log with hosts like 43x3.",
        )
    if is_table(log):
        return read_pods(log, cluster, select_every=select_every, copies=copies, most=limit_jobs)
    if select_every or copies > 1:
        raise BadWorkload(
            "--select-every and --copies are for pod tables", remedy="Leave them out."
        )
    return SwfLog(name=log, most=limit_jobs)
