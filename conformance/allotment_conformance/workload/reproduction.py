"""From a difference met deep inside a workload to a short case of its own that shows it.

First the situation is built afresh: the same hosts with what was free on them, and the job. If the
allocator still disagrees there, that is the case, else it is everything that was sent. Either is
then made shorter as long as it disagrees and a fixed amount of work is not used up.
"""

from collections.abc import Callable, Iterator
from typing import Any

from allotment_conformance.counterexample.find import disagreement_on
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.workload.conversation import Conversation
from allotment_conformance.workload.lockstep import Situation
from allotment_model.accounts import Account
from allotment_model.state import State

WORK = 100_000
"""Events times hosts that shortening may run: what the model does in about half a minute."""


def reproduction(
    situation: Situation | None, conversation: Conversation, cluster: Json, profile: Profile
) -> Json:
    """A case with its own cluster on which the allocator disagrees, if it does so again."""

    def disagrees(case: Json) -> bool:
        return disagreement_on(conversation.adapter, profile, case) is not None

    for case in [] if situation is None else _cases_of(situation, cluster):
        if disagrees(case):
            return shortened(case, disagrees)
    return shortened(conversation.whole_case(), disagrees)


def _cases_of(situation: Situation, cluster: Json) -> Iterator[Json]:
    """The job on what was free: alone, and behind those that were tried before it in the run."""
    yield _one_run(_what_is_free(cluster, situation.before), situation.jobs[-1:])
    yield _one_run(_what_is_free(cluster, situation.begun), situation.jobs)


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
    for asked in ("rusage", "select"):
        if asked in primary:
            rest = {name: value for name, value in primary.items() if name != asked}
            yield {**job, "request": [[rest]]}


def _lower(number: int) -> list[int]:
    """Smaller numbers above zero: one, a half, one less."""
    return sorted(lower for lower in {1, number // 2, number - 1} if 0 < lower < number)


def _with(items: list[Any], place: int, item: Any) -> list[Any]:
    """The list with another item in that place."""
    return [*items[:place], item, *items[place + 1 :]]
