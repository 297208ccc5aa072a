"""Simulated time: when sessions are held, what is counted, and that no job is lost."""

from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from allotment_conformance.report.simulation import lines_of
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, Adapter, load_adapter
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.workload.hosts import cluster_of
from allotment_conformance.workload.jobs import Remark, Skipped
from allotment_conformance.workload.simulation import BeyondTheProfile, simulate
from allotment_conformance.workload.summary import Ending, Report
from allotment_conformance.workload.swf import SwfLog
from conformance.workload.logs import line, write_log

SAMPLE = SwfLog(name="sample")


class Recorder(ModelAdapter):
    """The model, with every case that it was sent."""

    def __init__(self, profile: Profile = MODEL_PROFILE) -> None:
        super().__init__(profile=profile)
        self.cases: list[Json] = []

    def run(self, case: Json) -> list[Json]:
        """The model's answers."""
        self.cases.append(case)
        return super().run(case)

    def events(self) -> list[list[str]]:
        """What each case holds, in short."""
        return [[_in_short(event) for event in case["events"]] for case in self.cases]


def _in_short(event: Json) -> str:
    job = event.get("job", "")
    name = job if isinstance(job, str) else job["name"]
    return f"{event['event']} {name}".strip()


def settled(report: Report) -> int:
    """The jobs of which a report says what became."""
    placed_or_not = report.jobs_placed + report.jobs_never_placeable + report.jobs_left_pending
    return placed_or_not + sum(report.jobs_skipped.values())


@pytest.mark.parametrize("adapter", ["model", DEFAULT_ADAPTER])
@pytest.mark.parametrize(("hosts", "memory_mb"), [("5x3", None), ("3x2,2x5", 4000), ("2x1", None)])
def test_every_job_of_the_sample_is_accounted_for(
    adapter: str, hosts: str, memory_mb: int | None
) -> None:
    allocator: Adapter = ModelAdapter() if adapter == "model" else load_adapter(adapter)
    cluster = cluster_of(hosts, memory_mb=memory_mb)
    report = simulate(SAMPLE, cluster, allocator, against_model=True)
    assert Ending.COMPLETE is report.ending
    assert report.difference is None
    assert (report.jobs_read, 0) == (settled(report), report.jobs_left_pending)
    assert report.decisions == report.jobs_placed + report.exhaustions + (report.cache_hits or 0)


def test_sample_shows_what_simulations_are_for() -> None:
    report = simulate(SAMPLE, cluster_of("5x3"), ModelAdapter())
    assert report.waits is not None
    assert report.waits.median > 0
    assert min(report.uneven_splits, report.exhaustions, report.cache_hits or 0) > 20
    assert report.jobs_never_placeable == report.jobs_wider_than_the_cluster > 0
    assert {Skipped.NO_PROCESSORS: 1, Skipped.RUN_TIME_UNKNOWN: 1} == report.jobs_skipped


def test_sessions_are_held_when_jobs_arrive_or_end(tmp_path: Path) -> None:
    first, second = line(submit=5, run=10, asked=2), line(number=2, submit=9, run=3, asked=2)
    recorder = Recorder()
    report = simulate(
        SwfLog(name=write_log(tmp_path, [first, second])), cluster_of("1x3"), recorder
    )
    assert [
        ["begin_session", "submit job1", "run_session"],
        ["begin_session", "submit job2", "run_session"],
        ["finish job1", "begin_session", "run_session"],
        ["finish job2", "begin_session", "run_session"],
    ] == recorder.events()
    assert [True, False, False, False] == ["cluster" in case for case in recorder.cases]
    assert report.waits is not None
    assert (3.0, 6) == (report.waits.mean, report.waits.largest)
    assert (13, 26, 26 / 39) == (report.makespan, report.slot_seconds, report.utilisation)


def test_cycles_gather_what_happens_in_them(tmp_path: Path) -> None:
    jobs = [line(number=number, submit=number, run=0) for number in (1, 2, 60, 61)]
    recorder = Recorder()
    report = simulate(SwfLog(name=write_log(tmp_path, jobs)), cluster_of("9x9"), recorder, cycle=60)
    assert [
        ["begin_session", "submit job1", "submit job2", "submit job60", "run_session"],
        ["finish job1", "finish job2", "finish job60", "begin_session", "run_session"],
        ["begin_session", "submit job61", "run_session"],
        ["finish job61", "begin_session", "run_session"],
    ] == recorder.events()
    assert report.waits is not None
    assert 59 == report.waits.largest


def test_hopeless_jobs_are_tried_once_and_withdrawn(tmp_path: Path) -> None:
    jobs = [line(asked=9, run=5), line(number=2, submit=1)]
    recorder = Recorder()
    report = simulate(SwfLog(name=write_log(tmp_path, jobs)), cluster_of("2x4"), recorder)
    assert ["withdraw job1", "begin_session", "submit job2", "run_session"] == recorder.events()[1]
    assert (1, 1, 1) == (
        report.jobs_placed,
        report.jobs_never_placeable,
        report.jobs_wider_than_the_cluster,
    )


def test_job_that_splits_unevenly_only_is_never_placeable_but_not_wide(tmp_path: Path) -> None:
    log = SwfLog(name=write_log(tmp_path, [line(asked=4)]))
    report = simulate(log, cluster_of("1x3,1x1"), ModelAdapter())
    assert (1, 0) == (report.jobs_never_placeable, report.jobs_wider_than_the_cluster)


def test_profile_without_never_is_judged_by_width(tmp_path: Path) -> None:
    silent = replace(MODEL_PROFILE, declares=())
    log = SwfLog(
        name=write_log(tmp_path, [line(asked=9), line(number=2, asked=4), line(number=3, submit=2)])
    )
    report = simulate(log, cluster_of("1x3,1x1"), Recorder(silent), against_model=True)
    assert (1, 1, 1) == (
        report.jobs_placed,
        report.jobs_never_placeable,
        report.jobs_left_pending,
    )
    assert report.cache_hits is None


def test_what_the_profile_excludes_is_skipped(tmp_path: Path) -> None:
    small = replace(MODEL_PROFILE.largest, tasks=4, amount=10_000)
    profile = replace(MODEL_PROFILE, largest=small)
    jobs = [line(asked=5), line(number=2, asked=4, memory=9_000), line(number=3, asked=4)]
    log = SwfLog(name=write_log(tmp_path, jobs))
    report = simulate(log, cluster_of("2x4", memory_mb=10), ModelAdapter(profile=profile))
    assert {Skipped.TOO_MANY_TASKS: 1, Skipped.TOO_LARGE_AMOUNT: 1} == report.jobs_skipped
    assert {Remark.MEMORY_UNKNOWN: 2} == report.remarks
    assert 1 == report.jobs_placed


def test_job_at_the_end_of_time_is_skipped(tmp_path: Path) -> None:
    long = [line(number=number, run=10**18 - 1) for number in range(1, 13)]
    jobs = [*long, line(number=13, submit=10**13), line(number=14)]
    report = simulate(
        SwfLog(name=write_log(tmp_path, jobs)),
        cluster_of("1x4"),
        ModelAdapter(),
        against_model=True,
    )
    assert {Skipped.TOO_LATE: 13} == report.jobs_skipped
    assert 1 == report.jobs_placed


@pytest.mark.parametrize(
    "change",
    [
        {"largest": replace(MODEL_PROFILE.largest, hosts=1)},
        {"largest": replace(MODEL_PROFILE.largest, amount=2)},
        {"features": ()},
    ],
)
def test_cluster_beyond_the_profile_is_refused(change: dict[str, Any]) -> None:
    adapter = ModelAdapter(profile=replace(MODEL_PROFILE, **change))
    with pytest.raises(BeyondTheProfile):
        simulate(SAMPLE, cluster_of("2x4", memory_mb=10), adapter)


def test_memory_limits_placement(tmp_path: Path) -> None:
    log = SwfLog(
        name=write_log(tmp_path, [line(asked=2, memory=1500), line(number=2, asked=1, memory=501)])
    )
    report = simulate(log, cluster_of("1x9,1x1", memory_mb=2), ModelAdapter())
    assert 2 == report.jobs_placed
    assert 1 == report.multi_host_dispatches
    ignored = simulate(log, cluster_of("1x9,1x1"), ModelAdapter())
    assert {Remark.MEMORY_IGNORED: 2} == ignored.remarks
    assert 0 == ignored.multi_host_dispatches


def test_log_of_comments_gives_an_empty_report(tmp_path: Path) -> None:
    report = simulate(
        SwfLog(name=write_log(tmp_path, ["; no job"])), cluster_of("1x1"), ModelAdapter()
    )
    assert (0, 0, 0.0, None) == (
        report.jobs_read,
        report.decisions,
        report.utilisation,
        report.waits,
    )
    assert {Remark.EMPTY: 1} == report.remarks


def test_interrupt_leaves_a_report_that_adds_up() -> None:
    class Interrupted(ModelAdapter):
        runs = 0

        def run(self, case: Json) -> list[Json]:
            self.runs += 1
            if self.runs == 100:
                raise KeyboardInterrupt
            return super().run(case)

    report = simulate(SAMPLE, cluster_of("5x3"), Interrupted())
    assert Ending.INTERRUPTED is report.ending
    assert 99 == report.sessions
    assert report.jobs_read == settled(report) + report.jobs_unsettled
    assert 0 < report.jobs_unsettled < report.jobs_read
    assert 0 < report.utilisation <= 1


def changed(answers: list[Json], change: Json) -> list[Json]:
    """The answers, with that in the first decision of each run."""
    for answer in answers:
        for decision in answer.get("jobs", [])[:1]:
            decision.update(change)
    return answers


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"job": "nobody"}, "job nobody is dispatched"),
        ({"answer": "cancelled"}, "unknown field"),
        ({"alternative": "first"}, '"first"'),
        ({"parts": [[["h1", 1.0]]]}, "1.0"),
    ],
)
def test_answer_that_cannot_be_is_a_failure_with_a_case(change: Json, told: str) -> None:
    class Odd(ModelAdapter):
        def run(self, case: Json) -> list[Json]:
            return changed(super().run(case), change)

    report = simulate(SAMPLE, cluster_of("5x3"), Odd())
    assert Ending.FAILURE is report.ending
    assert report.difference is not None
    assert told in report.difference.actual
    assert 2 == len(report.difference.case["events"])


def test_refused_submission_is_a_skipped_job() -> None:
    class Picky(ModelAdapter):
        def run(self, case: Json) -> list[Json]:
            accepted = [event for event in case["events"] if not self.is_disliked(event)]
            answers = iter(super().run({**case, "events": accepted}))
            refused = {"answer": "refused", "code": "tasks-range"}
            return [
                refused if self.is_disliked(event) else next(answers) for event in case["events"]
            ]

        def is_disliked(self, event: Json) -> bool:
            return bool(event["event"] == "submit" and event["job"]["user"] == "user5")

    report = simulate(SAMPLE, cluster_of("5x3"), Picky())
    assert 10 < report.jobs_skipped[Skipped.REFUSED] < 50
    assert report.jobs_read == settled(report)


def test_nothing_is_used_where_every_submission_is_refused() -> None:
    class Closed(ModelAdapter):
        def run(self, case: Json) -> list[Json]:
            accepted = [event for event in case["events"] if event["event"] != "submit"]
            answers = iter(super().run({**case, "events": accepted}))
            refused = {"answer": "refused", "code": "tasks-range"}
            return [
                refused if event["event"] == "submit" else next(answers) for event in case["events"]
            ]

    report = simulate(SAMPLE, cluster_of("5x3"), Closed())
    assert report.jobs_read == settled(report) == sum(report.jobs_skipped.values())
    assert 0 == report.makespan
    assert "0.0%" in (line.figure for line in lines_of(report) if line.label == "utilisation")


def test_missing_answer_is_a_failure() -> None:
    class Short(ModelAdapter):
        def run(self, case: Json) -> list[Json]:
            return super().run(case)[:-1]

    report = simulate(SAMPLE, cluster_of("5x3"), Short())
    assert Ending.FAILURE is report.ending
    assert report.difference is not None
    assert "2 answers to 3 events" == report.difference.actual


@pytest.mark.parametrize("against_model", [False, True])
def test_allocator_that_raises_is_a_failure_with_a_case(against_model: bool) -> None:
    class Raising(ModelAdapter):
        def run(self, case: Json) -> list[Json]:
            if any(event.get("job") == "job9" for event in case["events"]):
                raise RuntimeError("no ninth job")
            return super().run(case)

    report = simulate(SAMPLE, cluster_of("5x3"), Raising(), against_model=against_model)
    assert (Ending.FAILURE, 0) != (report.ending, report.jobs_unsettled)
    assert report.difference is not None
    assert "RuntimeError: no ninth job" in report.difference.actual
    assert [{"event": "finish", "job": "job9"}] == report.difference.case["events"]
