"""From a difference met deep inside a log to a short case of its own that shows it.

First the situation is built afresh: the same hosts with what was free on them, and the job. If the
two still part there, that is the case, else it is everything that was run. Either is then made
shorter as long as they part and a fixed amount of work is not used up.
"""

from collections.abc import Callable, Iterator
from typing import Any

from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, Profile, read_case
from allotment_conformance.wire.profiles import rules_for
from allotment_conformance.workload.lockstep import LockStep, Parted
from allotment_model.accounts import Account
from allotment_model.request import Job
from allotment_model.runs import queue, try_job
from allotment_model.scheduler import step
from allotment_model.state import State

WORK = 100_000
"""Events times hosts that shortening may run: what the model does in about half a minute."""


def reproduction(parted: Parted, lockstep: LockStep, cluster: Json, profile: Profile) -> Json:
    """A case with its own cluster on which the two part."""
    for case in situations(parted, cluster, profile):
        if lockstep.differs(case):
            return shortened(case, lockstep.differs)
    return shortened(lockstep.whole_case(), lockstep.differs)


def situations(parted: Parted, cluster: Json, profile: Profile) -> Iterator[Json]:
    """The job on what was free: alone, and behind those that were tried before it in the run."""
    if parted.difference.position is None:
        return
    rules = rules_for(profile)
    state = parted.before
    for event in read_case(parted.case).events[: parted.difference.event]:
        state, _ = step(state, to_model.event(event), rules)
    run_begins = state
    tried = queue(state, rules)[: parted.difference.position + 1]
    jobs = [_as_sent(state.pending[name].job) for name in tried]
    for name in tried[:-1]:
        state, _ = try_job(state, name, state.caches[0], rules)
    yield _one_run(_what_is_free(cluster, state), jobs[-1:])
    yield _one_run(_what_is_free(cluster, run_begins), jobs)


def _one_run(cluster: Json, jobs: list[Json]) -> Json:
    """The case in which these jobs are submitted and tried."""
    submits = [{"event": "submit", "job": job} for job in jobs]
    return {"cluster": cluster, "events": [*submits, {"event": "run_session"}]}


def _what_is_free(cluster: Json, state: State) -> Json:
    """The cluster with each capacity lowered to what is free."""
    hosts = [
        {
            **host,
            "capacity": {
                resource: capacity - state.books.get(Account(resource, host["name"]), 0)
                for resource, capacity in host["capacity"].items()
            },
        }
        for host in cluster["hosts"]
    ]
    return {**cluster, "hosts": hosts}


def _as_sent(job: Job) -> Json:
    """A job of a simulation, one primary, as it was submitted."""
    [[primary]] = job.request
    assert primary.tasks is not None, "a simulation submits counts"
    sent: Json = {"tasks": {"min": primary.tasks.min, "max": primary.tasks.max}}
    if primary.rusage:
        sent["rusage"] = [
            {"resource": entry.resource, "amount": entry.amount, "per": str(entry.per)}
            for entry in primary.rusage
        ]
    identity = job.identity
    holders = {"user": identity.user, "queue": identity.queue, "project": identity.project}
    return {"name": job.name, **holders, "request": [[sent]]}


def shortened(case: Json, differs: Callable[[Json], bool], *, work: int = WORK) -> Json:
    """The case with all left out or lowered that the difference does not need."""
    while True:
        for shorter in _shorter(case):
            work -= len(shorter["events"]) * len(shorter["cluster"]["hosts"])
            if work < 0:
                return case
            if differs(shorter):
                case = shorter
                break
        else:
            return case


def _shorter(case: Json) -> Iterator[Json]:
    """Shorter cases, those that are much shorter first."""
    events, cluster = case["events"], case["cluster"]
    for fewer in _with_less(events):
        yield {**case, "events": fewer}
    for fewer in _with_less(cluster["hosts"]):
        yield {**case, "cluster": {**cluster, "hosts": fewer}}
    for place, event in enumerate(events):
        if event["event"] == "submit":
            for lower in _lower_job(event["job"]):
                submit = {"event": "submit", "job": lower}
                yield {**case, "events": _with(events, place, submit)}
    for place, host in enumerate(cluster["hosts"]):
        for slots in _lower(host["capacity"]["slots"]):
            poorer = {**host, "capacity": {**host["capacity"], "slots": slots}}
            hosts = _with(cluster["hosts"], place, poorer)
            yield {**case, "cluster": {**cluster, "hosts": hosts}}


def _with_less(items: list[Any]) -> Iterator[list[Any]]:
    """The list without one stretch of it: half of it, a quarter, and so on down to one item."""
    size = len(items) // 2
    while size >= 1:
        for start in range(0, len(items), size):
            yield items[:start] + items[start + size :]
        size //= 2


def _lower_job(job: Json) -> Iterator[Json]:
    """The job with fewer tasks, and without the amounts that it asks for."""
    [[primary]] = job["request"]
    for tasks in _lower(primary["tasks"]["max"]):
        yield {**job, "request": [[{**primary, "tasks": {"min": tasks, "max": tasks}}]]}
    if "rusage" in primary:
        yield {**job, "request": [[{"tasks": primary["tasks"]}]]}


def _lower(number: int) -> list[int]:
    """Smaller numbers above zero: one, a half, one less."""
    return sorted(lower for lower in {1, number // 2, number - 1} if 0 < lower < number)


def _with(items: list[Any], place: int, item: Any) -> list[Any]:
    """The list with another item in that place."""
    return [*items[:place], item, *items[place + 1 :]]
