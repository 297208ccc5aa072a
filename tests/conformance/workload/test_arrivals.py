"""Jobs are put in order of time with a bounded memory, and worded as submissions."""

from dataclasses import replace

from allotment_conformance.wire.messages import read_case
from allotment_conformance.workload.arrivals import in_order_of_time, submitted
from allotment_conformance.workload.jobs import Findings, LoggedJob, Remark


def job(name: str, submit_time: int, *, mem: int | None = None) -> LoggedJob:
    """A job of three processors."""
    return LoggedJob(
        name=name,
        submit_time=submit_time,
        run_time=10,
        tasks=3,
        amounts={} if mem is None else {"mem": mem},
        user="u",
        queue="q",
        project="p",
    )


def test_jobs_are_sorted_and_ties_keep_their_order() -> None:
    findings = Findings()
    jobs = [job("a", 5), job("b", 3), job("c", 5), job("d", 3)]
    ordered = in_order_of_time(jobs, findings)
    assert ["b", "d", "a", "c"] == [one.name for one in ordered]
    assert not findings.remarks


def test_job_too_far_out_of_place_comes_late() -> None:
    findings = Findings()
    jobs = [job("a", 5), job("b", 6), job("c", 7), job("d", 1)]
    ordered = in_order_of_time(jobs, findings, read_ahead=1)
    assert ["a", "b", "d", "c"] == [one.name for one in ordered]
    assert {Remark.LATE: 1} == findings.remarks


def test_submission_is_one_primary() -> None:
    sent = submitted(job("a", 0, mem=1500), ["mem"])
    entry = {"resource": "mem", "amount": 1500, "per": "task"}
    primary = {"tasks": {"min": 3, "max": 3}, "rusage": [entry]}
    assert [[primary]] == sent["request"]
    read_case({"events": [{"event": "submit", "job": sent}]})


def test_amounts_are_asked_only_if_hosts_have_them_and_they_are_known() -> None:
    for mem, amounts in ((1500, []), (1500, ["cpu"]), (None, ["mem"]), (0, ["mem"])):
        sent = submitted(job("a", 0, mem=mem), amounts)
        assert [[{"tasks": {"min": 3, "max": 3}}]] == sent["request"]


def test_models_become_a_select() -> None:
    sent = submitted(replace(job("a", 0), models=("T4", "P100")), [])
    [[primary]] = sent["request"]
    is_t4, is_p100 = (
        {"op": "==", "args": [{"attribute": "model"}, {"text": model}]} for model in ("T4", "P100")
    )
    assert {"op": "||", "args": [is_t4, is_p100]} == primary["select"]
    read_case({"events": [{"event": "submit", "job": sent}]})
