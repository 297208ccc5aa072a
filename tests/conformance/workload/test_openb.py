"""Node and pod tables: what becomes of each column, and that a fault refuses the whole table."""

import gzip
from pathlib import Path

import pytest

from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.workload.jobs import Findings, LoggedJob, Remark
from allotment_conformance.workload.openb import PODS_PER_NODE, PodTable, read_nodes, read_pods
from allotment_conformance.workload.simulation import simulate
from allotment_conformance.workload.summary import Ending
from allotment_conformance.workload.text_files import WorkloadNotReadable
from conformance.workload.tables import NODES, PODS, nodes, pod, pods, write_table

NO_HOSTS: Json = {"hosts": []}
EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


def found(table: PodTable) -> tuple[list[LoggedJob], Findings]:
    """The jobs of a table, and what was found."""
    findings = Findings()
    return list(table.jobs(findings)), findings


def test_node_is_a_host_with_exact_amounts(tmp_path: Path) -> None:
    cluster = read_nodes(nodes(tmp_path, "a,32500,1024,2,T4", "b,1,0,0,"))
    capacity = {"slots": PODS_PER_NODE, "cpu": 32500, "mem": 1_024_000, "gpu": 2000}
    a = {"name": "a", "capacity": capacity, "attributes": {"model": "T4"}}
    b = {"name": "b", "capacity": {"slots": PODS_PER_NODE, "cpu": 1, "mem": 0, "gpu": 0}}
    assert [a, b] == cluster["hosts"]
    assert {"host": ["cpu", "mem", "gpu"], "attributes": {"model": "text"}} == cluster["resources"]


def test_pod_is_a_job_of_one_task(tmp_path: Path) -> None:
    table = pods(tmp_path, "p,1500,7,2,500,T4|P100,BE,Failed,5,90,30")
    [job], findings = found(read_pods(table, NO_HOSTS))
    expected = LoggedJob(
        name="p",
        submit_time=5,
        run_time=60,
        tasks=1,
        amounts={"cpu": 1500, "mem": 7000, "gpu": 1000},
        models=("T4", "P100"),
        user="unknown",
        queue="BE",
        project="unknown",
    )
    assert expected == job
    assert (1, 1) == (findings.jobs_read, findings.jobs_promised)


def test_pod_that_was_never_scheduled_runs_while_it_was_there(tmp_path: Path) -> None:
    [job], findings = found(read_pods(pods(tmp_path, "p,1,1,0,0,,,Pending,5,90,"), NO_HOSTS))
    assert (85, "unknown") == (job.run_time, job.queue)
    assert {Remark.NEVER_RAN: 1} == findings.remarks


def test_selects_are_made_up_for_each_nth_gpu_pod(tmp_path: Path) -> None:
    cluster = read_nodes(nodes(tmp_path, "a,1,1,1,T4", "b,1,1,1,P100", "c,1,1,0,"))
    lines = [pod(f"p{n}", gpus=n % 3, share=9, spec="A10" if n == 1 else "") for n in range(60)]
    table = pods(tmp_path, *lines)
    jobs, findings = found(read_pods(table, cluster, select_every=4))
    asking = [job for job in jobs[2:] if job.models]
    assert 39 // 4 == len(asking) == findings.remarks[Remark.SELECT_MADE_UP]
    assert {("T4",), ("P100",)} == {job.models for job in asking}
    assert all(job.amounts["gpu"] for job in asking)
    again, fewer = found(read_pods(table, cluster, select_every=4, most=30))
    assert jobs[:30] == again
    assert sum(job.models != () for job in again) - 1 == fewer.remarks[Remark.SELECT_MADE_UP]
    assert not any(job.models for job in found(read_pods(table, cluster))[0][2:])


def test_copies_are_tasks_of_one_job(tmp_path: Path) -> None:
    table = read_pods(pods(tmp_path, pod("p", cpu=3)), NO_HOSTS, copies=5)
    [job], _ = found(table)
    assert (5, 3) == (job.tasks, job.amounts["cpu"])


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a,-1,1,1,T4", "line 3: cpu_milli: '-1' is not a whole number"),
        ("a,1.5,1,1,T4", "line 3: cpu_milli: '1.5' is not a whole number"),
        ("a,1,,1,T4", "line 3: memory_mib: '' is not a whole number"),
        ("a,1,9007199254741,1,T4", "line 3: memory_mib: 9,007,199,254,741 is more than"),
        (f"a,{'9' * 30},1,1,T4", "line 3: cpu_milli: 30 digits, but at most 9,007,199,254,740,991"),
        (f"a,{2**53},1,1,T4", "line 3: cpu_milli: 9,007,199,254,740,992 is more than"),
        (f"a,1,1,{'9' * 5000},T4", "line 3: gpu: "),
        (",1,1,1,T4", "line 3: sn: there is no name"),
        ("first,1,1,1,T4", "line 3: sn: 'first' is there twice"),
        ("a,1,1,1", "line 3: 4 cells, but 5 columns"),
        ("a,1,1,1,T4,", "line 3: 6 cells, but 5 columns"),
        ('a,1,1,1,"T4\nb,1,1,1,T4\nc,1,1,1,T4', "line 3: has a quote that does not end"),
        ("a,1,1,1,\udcff", "line 3: is not UTF-8"),
    ],
)
def test_fault_of_a_node_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    path = tmp_path / "nodes.csv"
    path.write_bytes(f"{NODES}first,1,1,1,T4\n{line}\n".encode(errors="surrogateescape"))
    with pytest.raises(WorkloadNotReadable) as refusal:
        read_nodes(str(path))
    assert said in str(refusal.value)
    assert str(path) in str(refusal.value)


@pytest.mark.parametrize(
    ("header", "said"),
    [
        ("sn,cpu_milli,memory_mib,gpu\n", "line 1: there is no column 'model'"),
        (NODES[:-1] + ",rack\n", "line 1: there is no meaning to a column 'rack'"),
        (NODES[:-1] + ",gpu\n", "line 1: the column 'gpu' is there twice"),
        (NODES, "there is no node"),
    ],
)
def test_wrong_columns_are_told(tmp_path: Path, header: str, said: str) -> None:
    with pytest.raises(WorkloadNotReadable, match=said):
        read_nodes(write_table(tmp_path, header, [], "nodes.csv"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("first,1,1,0,0,,LS,Running,0,9,0", "line 3: name: 'first' is there twice"),
        ("p,1,1,-2,0,,LS,Running,0,9,0", "line 3: num_gpu: '-2' is not a whole number"),
        ("p,1,1,1,1001,,LS,Running,0,9,0", "line 3: gpu_milli: 1,001 is more than 1,000"),
        ("p,1,1,1,1,,LS,Running,,9,0", "line 3: creation_time: '' is not a whole number"),
        ("p,1,1,1,1,,LS,Running,0,9,10", "line 3: deletion_time: 9 is before it was scheduled"),
    ],
)
def test_fault_of_a_pod_is_told_with_its_line(tmp_path: Path, line: str, said: str) -> None:
    with pytest.raises(WorkloadNotReadable, match=said):
        read_pods(pods(tmp_path, pod("first"), line), NO_HOSTS)


def test_fault_behind_the_last_pod_that_is_taken_refuses_the_table(tmp_path: Path) -> None:
    with pytest.raises(WorkloadNotReadable, match="line 3"):
        read_pods(pods(tmp_path, pod("a"), "broken"), NO_HOSTS, most=1)


def test_compressed_table_is_read(tmp_path: Path) -> None:
    path = tmp_path / "pods.csv.gz"
    path.write_bytes(gzip.compress(f"{PODS}{pod('a')}\n\n".encode()))
    assert ["a"] == [job.name for job in found(read_pods(str(path), NO_HOSTS))[0]]


@pytest.mark.parametrize("adapter", ["model", DEFAULT_ADAPTER])
def test_shipped_tables_agree_with_the_model(adapter: str) -> None:
    cluster = read_nodes(str(EXAMPLES / "nodes.csv"))
    log = read_pods(str(EXAMPLES / "pods.csv"), cluster, select_every=2, copies=3)
    allocator = ModelAdapter() if adapter == "model" else load_adapter(adapter)
    report = simulate(log, cluster, allocator, against_model=True)
    assert (Ending.COMPLETE, None) == (report.ending, report.difference)
    assert min(report.jobs_placed, report.exhaustions, report.uneven_splits) > 0
    assert 0 < report.utilisation_of_amounts["gpu"] < 1
