"""Node and pod tables for tests: small, of our own making."""

from collections.abc import Iterable
from pathlib import Path

NODES = "sn,cpu_milli,memory_mib,gpu,model\n"
PODS = (
    "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,"
    "creation_time,deletion_time,scheduled_time\n"
)


def write_table(folder: Path, header: str, lines: Iterable[str], name: str) -> str:
    """Write a table; its path."""
    path = folder / name
    path.write_text(header + "".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def nodes(folder: Path, *lines: str) -> str:
    """Write a node table; its path."""
    return write_table(folder, NODES, lines, "nodes.csv")


def pods(folder: Path, *lines: str) -> str:
    """Write a pod table; its path."""
    return write_table(folder, PODS, lines, "pods.csv")


def pod(
    name: str,
    *,
    cpu: int = 1000,
    mem: int = 1,
    gpus: int = 0,
    share: int = 0,
    spec: str = "",
    start: int = 0,
    end: int = 10,
) -> str:
    """One line of a pod table."""
    return f"{name},{cpu},{mem},{gpus},{share},{spec},LS,Running,{start},{end},{start}"
