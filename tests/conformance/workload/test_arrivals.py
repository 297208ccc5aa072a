"""Jobs are put in order of time with a bounded memory, and worded as submissions."""

from allotment_conformance.wire.messages import read_case
from allotment_conformance.workload.arrivals import in_order_of_time, submitted
from allotment_conformance.workload.swf import Findings, LoggedJob, Remark


def job(name: str, submit_time: int, *, memory_kb: int | None = None) -> LoggedJob:
    """A job of three processors."""
    return LoggedJob(
        name=name,
        submit_time=submit_time,
        run_time=10,
        processors=3,
        memory_kb=memory_kb,
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
    sent = submitted(job("a", 0, memory_kb=1500), with_memory=True)
    entry = {"resource": "mem", "amount": 1500, "per": "task"}
    primary = {"tasks": {"min": 3, "max": 3}, "rusage": [entry]}
    assert [[primary]] == sent["request"]
    read_case({"events": [{"event": "submit", "job": sent}]})


def test_memory_is_asked_only_if_it_counts_and_is_known() -> None:
    for memory_kb, with_memory in ((1500, False), (None, True), (0, True)):
        sent = submitted(job("a", 0, memory_kb=memory_kb), with_memory=with_memory)
        assert [[{"tasks": {"min": 3, "max": 3}}]] == sent["request"]
