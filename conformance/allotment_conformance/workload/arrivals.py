"""From logged jobs to submitted jobs: put in order of time, and worded as SPEC.md 2.1 has them."""

import heapq
from collections.abc import Container, Iterable, Iterator
from functools import partial, reduce

from allotment_conformance.engines.notation import attribute, operation, text
from allotment_conformance.wire.messages import Json
from allotment_conformance.workload.hosts import MODEL
from allotment_conformance.workload.jobs import Findings, LoggedJob, Remark

READ_AHEAD = 10_000
"""How many jobs may be held back to put a log in order: more than any log of the Parallel
Workloads Archive is out of order, and a few megabytes."""


def in_order_of_time(
    jobs: Iterable[LoggedJob], findings: Findings, *, read_ahead: int = READ_AHEAD
) -> Iterator[LoggedJob]:
    """The jobs by submit time, those of one time in the order of the log.

    Only so many jobs are held back. One that is further out of place comes late and is remarked.
    """
    held: list[tuple[int, int, LoggedJob]] = []
    latest = 0

    def next_held() -> LoggedJob:
        nonlocal latest
        job = heapq.heappop(held)[-1]
        findings.remark(Remark.LATE, job.submit_time < latest)
        latest = max(latest, job.submit_time)
        return job

    for place, job in enumerate(jobs):
        heapq.heappush(held, (job.submit_time, place, job))
        if len(held) > read_ahead:
            yield next_held()
    while held:
        yield next_held()


def submitted(job: LoggedJob, amounts: Container[str]) -> Json:
    """The job as it is submitted: one primary, which asks for those amounts that the hosts have."""
    primary: Json = {"tasks": {"min": job.tasks, "max": job.tasks}}
    if job.models:
        is_model = [operation("==", attribute(MODEL), text(model)) for model in job.models]
        primary["select"] = reduce(partial(operation, "||"), is_model)
    asked = {name: amount for name, amount in job.amounts.items() if amount and name in amounts}
    if asked:
        primary["rusage"] = [
            {"resource": name, "amount": amount, "per": "task"} for name, amount in asked.items()
        ]
    holders = {"user": job.user, "queue": job.queue, "project": job.project}
    return {"name": job.name, **holders, "request": [[primary]]}
