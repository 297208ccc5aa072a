"""Answers that cannot be so end a simulation and a gap, without the model."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.workload.conversation import AllocatorFailed
from allotment_conformance.workload.gap import measure
from allotment_conformance.workload.hosts import cluster_of
from allotment_conformance.workload.jobs import LoggedJob
from allotment_conformance.workload.openb import PodTable
from allotment_conformance.workload.simulation import simulate
from allotment_conformance.workload.summary import Ending
from allotment_conformance.workload.swf import SwfLog
from conformance.workload.logs import line, write_log

HOSTS = "1x4,1x3,1x2"

Change = Callable[[list[Json]], None]


def placed(parts: list[list[list[object]]]) -> Change:
    """Every dispatched job stands there, so it is said."""

    def change(jobs: list[Json]) -> None:
        for job in jobs:
            if job["answer"] == "dispatched":
                job["parts"] = parts

    return change


def all_on_the_first_host(jobs: list[Json]) -> None:
    """Every job is placed on one host, whatever it holds already."""
    for job in jobs:
        if job["answer"] == "dispatched":
            job["parts"] = [[["h1", sum(slots for part in job["parts"] for _, slots in part)]]]


def renamed(jobs: list[Json]) -> None:
    """Nobody's job is answered."""
    for job in jobs:
        job["job"] = "zzz"


def twice(jobs: list[Json]) -> None:
    """Each job is answered two times."""
    jobs.extend([dict(job) for job in jobs])


def second_alternative(jobs: list[Json]) -> None:
    """An alternative wins that the jobs do not have."""
    for job in jobs:
        job.update({"alternative": 1} if job["answer"] == "dispatched" else {})


def cancelled(jobs: list[Json]) -> None:
    """The first attempt was cut short."""
    jobs[:1] = [{"answer": "cancelled", "job": job["job"]} for job in jobs[:1]]


FAULTS: list[tuple[Change, str]] = [
    (renamed, "job zzz is not tried: it does not wait"),
    (twice, "is not tried: it does not wait"),
    (lambda jobs: jobs.clear(), "an answer for job job1, which waits"),
    (cancelled, "nobody cancels the run"),
    (second_alternative, "job job1 is placed by its only alternative"),
    (placed([[["h1", 3]], []]), "job job1 is placed by its only alternative, which has one part"),
    (placed([[["nohost", 3]]]), "hosts of the cluster, which has no nohost"),
    (placed([[["h1", 1]]]), "job job1 has 3 tasks, each on one slot"),
    (placed([[["h1", 4], ["h2", -1]]]), "job job1 has 3 tasks, each on one slot"),
    (placed([[["h1", 3], ["h2", 0]]]), "job job1 has 3 tasks, each on one slot"),
    (placed([[["h1", 2], ["h1", 1]]]), "no host is named twice"),
    (placed([[["h3", 3]]]), "no more than is free: h3 has room for 2 of these tasks"),
    (all_on_the_first_host, "no more than is free: h1 has room for 1 of these tasks"),
]


class Wrong(ModelAdapter):
    """The model, its answers to runs changed."""

    def __init__(self, change: Change) -> None:
        super().__init__()
        self.change = change

    def run(self, case: Json) -> list[Json]:
        """The answers."""
        answers = super().run(case)
        for answer in answers:
            if answer["answer"] == "ran":
                self.change(answer["jobs"])
        return answers


@pytest.fixture
def log(tmp_path: Path) -> SwfLog:
    """Two jobs of three tasks, side by side."""
    jobs = [line(number=n, asked=3, run=9, memory=300) for n in (1, 2)]
    return SwfLog(name=write_log(tmp_path, jobs))


@pytest.mark.parametrize(("change", "expected"), FAULTS)
def test_answer_that_is_none_ends_both(change: Change, expected: str, log: SwfLog) -> None:
    report = simulate(log, cluster_of(HOSTS), Wrong(change))
    assert Ending.FAILURE is report.ending
    assert report.difference is not None
    assert expected in report.difference.expected
    assert Wrong(change).run(report.difference.case) != ModelAdapter().run(report.difference.case)
    with pytest.raises(AllocatorFailed) as failed:
        measure(log, cluster_of(HOSTS), Wrong(change), slots=2)
    assert expected in failed.value.expected


def test_memory_bounds_what_is_free(log: SwfLog) -> None:
    placed_twice = Wrong(placed([[["h1", 3]]]))
    report = simulate(log, cluster_of("2x9", memory_mb=1), placed_twice)
    assert report.difference is not None
    assert "h1 has room for 0 of these tasks" in report.difference.expected
    assert Ending.COMPLETE is simulate(log, cluster_of("2x9", memory_mb=2), placed_twice).ending


def test_host_that_is_not_selected_is_told() -> None:
    hosts = [
        {"name": model, "capacity": {"slots": 1}, "attributes": {"model": model}}
        for model in ("old", "new")
    ]
    cluster = {"resources": {"attributes": {"model": "text"}}, "hosts": hosts}
    holders = {"user": "u", "queue": "q", "project": "p"}
    pod = LoggedJob(
        name="j", submit_time=0, run_time=1, tasks=1, amounts={}, models=("new",), **holders
    )
    report = simulate(
        PodTable(name="pods", pods=(pod,), remarks=Counter()),
        cluster,
        Wrong(placed([[["old", 1]]])),
    )
    assert report.difference is not None
    assert "hosts that the job selects, and old is none" == report.difference.expected


def test_gap_prints_what_was_expected(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    run = ModelAdapter.run

    def renamed_run(self: ModelAdapter, case: Json) -> list[Json]:
        answers = run(self, case)
        renamed(answers[-1].get("jobs", []))
        return answers

    monkeypatch.setattr(ModelAdapter, "run", renamed_run)
    model = "allotment_conformance.wire.model_adapter:ModelAdapter"
    assert 1 == main(["gap", "5x3", "sample", "--slots", "2", "--adapter", model])
    assert "Expected: job zzz is not tried: it does not wait." in capsys.readouterr().out
