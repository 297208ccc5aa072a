"""The model in lock-step finds a wrong allocator, and leaves a short case that shows it."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.workload.hosts import cluster_of
from allotment_conformance.workload.lockstep import ModelCannotFollow
from allotment_conformance.workload.reproduction import shortened
from allotment_conformance.workload.simulation import simulate
from allotment_conformance.workload.summary import Ending
from allotment_conformance.workload.swf import SwfLog
from allotment_model.rules import SPEC, Rules
from conformance.workload.logs import line, write_log

SAMPLE = SwfLog(name="sample")


def parts_there(rules: Rules, case: Json) -> bool:
    """Whether the wrong rules answer otherwise than the spec on the case."""
    return ModelAdapter(rules).run(case) != ModelAdapter().run(case)


def want_of_one_task(per_task: int, per_host: int, slots: int) -> int:
    """A wrong want: memory is asked for one task only; slots are right."""
    return slots if per_task == 1 else per_task + per_host


@pytest.mark.parametrize(
    ("changes", "most_hosts", "most_events"),
    [
        ({"fits": lambda wanted, left: wanted < left}, 1, 2),
        ({"reverse": lambda used, amount, held: (used, False)}, 3, 4),
        ({"credit": lambda used, amount: used}, 1, 6),
        ({"is_never": lambda keys, cluster, rules: False}, 1, 2),
        ({"may_fill": lambda parts_before: False}, 1, 3),
        ({"emptied": lambda cache: cache}, 1, 7),
        ({"is_passed_over": lambda host, claimed: False}, 5, 2),
        ({"queue_order": lambda priority, number: (priority, -number)}, 1, 3),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else None,
)
def test_wrong_allocator_is_found_with_a_short_case(
    changes: dict[str, Any], most_hosts: int, most_events: int
) -> None:
    rules = replace(SPEC, **changes)
    wrong = ModelAdapter(rules)
    report = simulate(SAMPLE, cluster_of("5x3"), wrong, against_model=True)
    assert Ending.DIFFERENCE is report.ending
    assert report.difference is not None
    assert report.difference.expected != report.difference.actual
    case = report.difference.case
    assert parts_there(rules, case)
    assert len(case["cluster"]["hosts"]) <= most_hosts, case
    assert len(case["events"]) <= most_events, case
    assert 0 < report.jobs_unsettled


def test_short_case_keeps_the_memory_that_matters(tmp_path: Path) -> None:
    jobs = [line(number=n, submit=n, asked=3, memory=700) for n in (1, 2, 3)]
    rules = replace(SPEC, want=want_of_one_task)
    wrong = ModelAdapter(rules)
    cluster = cluster_of("3x4", memory_mb=2)
    report = simulate(SwfLog(name=write_log(tmp_path, jobs)), cluster, wrong, against_model=True)
    assert report.difference is not None
    assert parts_there(rules, report.difference.case)


def test_refused_event_is_a_difference() -> None:
    class Refusing(ModelAdapter):
        def run(self, case: Json) -> list[Json]:
            refused = {"answer": "refused", "code": "unknown-name"}
            pairs = zip(case["events"], super().run(case), strict=True)
            return [refused if event["event"] == "finish" else answer for event, answer in pairs]

    report = simulate(SAMPLE, cluster_of("5x3"), Refusing(), against_model=True)
    assert report.difference is not None
    assert ("job job1 finishes", "accepted", "refused: unknown-name") == (
        report.difference.event,
        report.difference.expected,
        report.difference.actual,
    )
    assert ["submit", "finish"] == [event["event"] for event in report.difference.case["events"]]


class Twice(ModelAdapter):
    """Answers once more for the first job of each run."""

    def run(self, case: Json) -> list[Json]:
        answers = super().run(case)
        for ran in (answer for answer in answers if answer.get("jobs")):
            ran["jobs"].append(self.again(ran["jobs"][0]))
        return answers

    def again(self, job: Json) -> Json:
        return job


class Ghostly(Twice):
    """Answers for a job that nobody has submitted."""

    def again(self, job: Json) -> Json:
        return {**job, "job": "ghost"}


class LastIsCached(ModelAdapter):
    """Says of the last job of a run behind one that is placed that a hit keeps it waiting."""

    def run(self, case: Json) -> list[Json]:
        answers = super().run(case)
        for ran in (answer for answer in answers if len(answer.get("jobs", [])) > 1):
            if ran["jobs"][0]["answer"] == "dispatched":
                last = {"job": ran["jobs"][-1]["job"], "reason": "capacity", "never": False}
                ran["jobs"][-1] = {**last, "answer": "pending", "cached": True}
        return answers


@pytest.mark.parametrize(
    ("wrong", "expected", "actual"),
    [
        (Twice, "no more jobs are tried", "job job1 is dispatched: "),
        (Ghostly, "no more jobs are tried", "job ghost is dispatched: "),
        (LastIsCached, "", "is pending: capacity, known from the cache"),
    ],
)
def test_difference_behind_a_job_that_is_placed(
    wrong: type[ModelAdapter], expected: str, actual: str
) -> None:
    report = simulate(SAMPLE, cluster_of("5x3"), wrong(), against_model=True)
    assert Ending.DIFFERENCE is report.ending
    assert report.difference is not None
    assert expected in report.difference.expected
    assert actual in report.difference.actual
    case = report.difference.case
    assert wrong().run(case) != ModelAdapter().run(case)


def test_free_allocator_cannot_be_followed() -> None:
    for choice in ({"host_order": "unspecified"}, {"split": "any"}):
        profile = msgspec.structs.replace(MODEL_PROFILE, **choice)
        with pytest.raises(ModelCannotFollow):
            simulate(SAMPLE, cluster_of("5x3"), ModelAdapter(profile=profile), against_model=True)


@pytest.mark.parametrize("declared", ["reason", "never", "cached"])
def test_only_what_is_declared_is_compared(declared: str) -> None:
    class Elsewise(ModelAdapter):
        """Says of each pending job what is not so."""

        def run(self, case: Json) -> list[Json]:
            answers = super().run(case)
            for one in (one for answer in answers for one in answer.get("jobs", [])):
                if one["answer"] == "pending":
                    one["reason"], one["cached"] = "shared", not one["cached"]
                    one["never"] = False
            return answers

    def ending(declares: tuple[str, ...]) -> Ending:
        profile = msgspec.structs.replace(MODEL_PROFILE, declares=declares)
        return simulate(
            SAMPLE, cluster_of("5x3"), Elsewise(profile=profile), against_model=True
        ).ending

    assert Ending.COMPLETE is ending(())
    assert Ending.DIFFERENCE is ending((declared,))


def test_shortening_stops_when_the_work_is_used_up() -> None:
    submits = [{"event": "run_session"}] * 64
    case = {**cluster_list(64), "events": submits}
    assert case == shortened(case, lambda shorter: False, work=0)
    shorter = shortened(case, lambda shorter: len(shorter["events"]) >= 2, work=10**6)
    assert (2, 1) == (len(shorter["events"]), len(shorter["cluster"]["hosts"]))


def cluster_list(hosts: int) -> Json:
    """A case's cluster of that many hosts."""
    return {"cluster": cluster_of(f"{hosts}x1")}
