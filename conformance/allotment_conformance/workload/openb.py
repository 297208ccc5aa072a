"""Node and pod tables of a cluster with GPUs, in the form of the openb trace.

A node is a host with `cpu` (one thousandth is a milli-CPU), `mem` (one is a MiB) and `gpu`, and the
attribute `model` if it has GPUs of one. The GPUs of a host are one pool of milli-GPUs: that a pod
has to get its share from one and the same card is not told, so some placements would be refused by
the real machine. The tables do not bound the pods of a node; slots do.

A pod is a job of one task, or of `copies` equal tasks.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from zlib import crc32

from allotment_conformance.wire.messages import Json
from allotment_conformance.workload.hosts import MEMORY, MODEL
from allotment_conformance.workload.jobs import LATEST, Findings, LoggedJob, Remark
from allotment_conformance.workload.tables import Row, rows
from allotment_conformance.workload.text_files import refused
from allotment_model.cluster import LARGEST_AMOUNT

NODE_COLUMNS = ("sn", "cpu_milli", "memory_mib", "gpu", "model")
POD_COLUMNS = (
    *("name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli", "gpu_spec", "qos", "pod_phase"),
    *("creation_time", "deletion_time", "scheduled_time"),
)
PODS_PER_NODE = 110
"""Slots of a host: what a node of Kubernetes takes if nobody says otherwise."""

MILLI = 1000
LARGEST_WHOLE = LARGEST_AMOUNT // MILLI
"""The most MiB or GPUs of a host or pod (AMOUNT-1)."""

UNKNOWN = "unknown"


def read_nodes(name: str) -> Json:
    """The cluster of a node table. Raises `WorkloadNotReadable`."""
    hosts: dict[str, Json] = {}
    for row in rows(name, NODE_COLUMNS):
        host = _host(row)
        if host["name"] in hosts:
            raise row.refused("sn", f"'{host['name']}' is there twice")
        hosts[host["name"]] = host
    if not hosts:
        raise refused(name, None, "there is no node", "Name a table with at least one.")
    resources = {"host": ["cpu", MEMORY, "gpu"], "attributes": {MODEL: "text"}}
    return {"resources": resources, "hosts": list(hosts.values())}


def _host(row: Row) -> Json:
    """The host of one line."""
    capacity = {
        "slots": PODS_PER_NODE,
        "cpu": row.whole("cpu_milli", LARGEST_AMOUNT),
        MEMORY: row.whole("memory_mib", LARGEST_WHOLE) * MILLI,
        "gpu": row.whole("gpu", LARGEST_WHOLE) * MILLI,
    }
    host: Json = {"name": row.name("sn"), "capacity": capacity}
    if model := row.cells["model"].strip():
        host["attributes"] = {MODEL: model}
    return host


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTable:
    """The jobs of a pod table, wholly read."""

    name: str
    pods: tuple[LoggedJob, ...]
    remarks: Counter[Remark]

    def jobs(self, findings: Findings) -> Iterator[LoggedJob]:
        """The jobs in the order of their lines."""
        findings.remarks += self.remarks
        findings.jobs_promised = len(self.pods)
        findings.remark(Remark.EMPTY, not self.pods)
        for pod in self.pods:
            findings.jobs_read += 1
            yield pod


def read_pods(
    name: str, cluster: Json, *, select_every: int = 0, copies: int = 1, most: int | None = None
) -> PodTable:
    """The pods of a table, those of at most its first `most` lines. Raises `WorkloadNotReadable`.

    Of the pods with a GPU and an empty `gpu_spec` each `select_every`-th asks for the model of one
    host of the cluster, which its name alone decides; with 0 none does.
    """
    reader = _PodReader(_models(cluster), select_every, copies)
    pods: dict[str, LoggedJob] = {}
    remarks: Counter[Remark] = Counter()
    for row in rows(name, POD_COLUMNS):
        pod = reader.pod(row)
        if pod.name in pods:
            raise row.refused("name", f"'{pod.name}' is there twice")
        pods[pod.name] = pod
        if most is None or len(pods) <= most:
            remarks = reader.remarks.copy()
    return PodTable(name=name, pods=tuple(pods.values())[:most], remarks=remarks)


def _models(cluster: Json) -> list[str]:
    """The model of each host that has one: so often is it drawn."""
    attributes = [host.get("attributes", {}) for host in cluster["hosts"]]
    return [one[MODEL] for one in attributes if MODEL in one]


class _PodReader:
    """Makes jobs of the lines of a pod table."""

    def __init__(self, models: list[str], select_every: int, copies: int) -> None:
        self.remarks: Counter[Remark] = Counter()
        self._models = models
        self._select_every = select_every
        self._copies = copies
        self._without_spec = 0

    def pod(self, row: Row) -> LoggedJob:
        """The job of one line."""
        name = row.name("name")
        gpus, share = row.whole("num_gpu", LARGEST_WHOLE), row.whole("gpu_milli", MILLI)
        submit_time = row.whole("creation_time", LATEST)
        return LoggedJob(
            name=name,
            submit_time=submit_time,
            run_time=self._run_time(row, submit_time),
            tasks=self._copies,
            amounts={
                "cpu": row.whole("cpu_milli", LARGEST_AMOUNT),
                MEMORY: row.whole("memory_mib", LARGEST_WHOLE) * MILLI,
                "gpu": gpus * share,
            },
            models=self._models_asked(name, row.cells["gpu_spec"], has_gpu=gpus > 0),
            user=UNKNOWN,
            queue=row.cells["qos"].strip() or UNKNOWN,
            project=UNKNOWN,
        )

    def _run_time(self, row: Row, submit_time: int) -> int:
        """Seconds from when it was scheduled to when it was deleted."""
        never_ran = not row.cells["scheduled_time"].strip()
        start = submit_time if never_ran else row.whole("scheduled_time", LATEST)
        end = row.whole("deletion_time", LATEST)
        if end < start:
            raise row.refused("deletion_time", f"{end} is before it was scheduled, at {start}")
        self.remarks[Remark.NEVER_RAN] += never_ran
        return end - start

    def _models_asked(self, name: str, spec: str, *, has_gpu: bool) -> tuple[str, ...]:
        """The models that will do: those of its `gpu_spec`, or one that is made up."""
        named = tuple(model for word in spec.split("|") if (model := word.strip()))
        if named or not (has_gpu and self._models and self._select_every):
            return named
        self._without_spec += 1
        if self._without_spec % self._select_every:
            return ()
        self.remarks[Remark.SELECT_MADE_UP] += 1
        return (self._models[crc32(name.encode()) % len(self._models)],)
