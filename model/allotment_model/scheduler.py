"""One step of the scheduler for each event (SPEC.md, 2.2)."""

from dataclasses import replace
from typing import TYPE_CHECKING

from allotment_model.answers import Answer, Ok, Refusal, Refused
from allotment_model.books import end_jobs, with_limits_recounted
from allotment_model.changes import change_checks, changed
from allotment_model.events import BeginSession, Change, Event, Finish, RunSession, Submit, Withdraw
from allotment_model.ingest import first_refusal, keys_of, submission_checks
from allotment_model.request import Job
from allotment_model.runs import run_session, without_pending
from allotment_model.state import Queued, State

if TYPE_CHECKING:
    from allotment_model.rules import Rules


def step(state: State, event: Event, rules: "Rules") -> tuple[State, Answer]:
    """The canonical answer to an event, and the state after it."""
    match event:
        case BeginSession():
            return begin_session(state, rules), Ok()
        case Submit(job=job):
            return submit(state, job, rules)
        case RunSession():
            return run_session(state, rules)
        case Finish(job=name):
            return finish(state, name, rules)
        case Withdraw(job=name):
            return withdraw(state, name)
        case _:
            return accept_change(state, event, rules)


def submit(state: State, job: Job, rules: "Rules") -> tuple[State, Answer]:
    """INGEST-1, INGEST-2: a job joins the queue, or is refused."""
    resources = state.cluster.resources
    checks = submission_checks(job, resources, is_known(state, job.name))
    refusal = first_refusal(checks, rules.ignored_refusals)
    if refusal is not None:
        return state, Refused(code=refusal)
    keys = keys_of(job, resources, rules)
    queued = Queued(job=job, keys=keys, number=state.next_number)
    pending = {**state.pending, job.name: queued}
    return replace(state, pending=pending, next_number=state.next_number + 1), Ok()


def finish(state: State, name: str, rules: "Rules") -> tuple[State, Answer]:
    """SESSION-2: a live job ends, and is charged until the next session."""
    if name not in state.live:
        known = is_known(state, name)
        return state, Refused(code=Refusal.NOT_RUNNING if known else Refusal.UNKNOWN_NAME)
    if name in state.finishing:
        return state, Refused(code=Refusal.NOT_RUNNING)
    state = replace(state, finishing=state.finishing | {name})
    return (end_jobs(state, rules) if rules.finish_takes_effect_at_once() else state), Ok()


def withdraw(state: State, name: str) -> tuple[State, Answer]:
    """A pending job leaves the queue, at once: it holds nothing."""
    if name not in state.pending:
        known = is_known(state, name)
        return state, Refused(code=Refusal.NOT_PENDING if known else Refusal.UNKNOWN_NAME)
    pending, withdrawn = without_pending(state, name), state.withdrawn | {name}
    return replace(state, pending=pending, withdrawn=withdrawn), Ok()


def accept_change(state: State, change: Change, rules: "Rules") -> tuple[State, Answer]:
    """SESSION-2: a change waits for the next session, or is refused."""
    refusal = first_refusal(change_checks(change, state.coming), rules.ignored_refusals)
    if refusal is not None:
        return state, Refused(code=refusal)
    coming = changed(state.coming, change)
    cluster = coming if rules.change_takes_effect_at_once() else state.cluster
    return replace(state, coming=coming, cluster=cluster), Ok()


def begin_session(state: State, rules: "Rules") -> State:
    """SESSION-2, CACHE-2: finishes and changes take effect; the cache is emptied."""
    state = replace(end_jobs(state, rules), cluster=state.coming)
    books = with_limits_recounted(state, rules)
    cache = rules.emptied(state.caches[0])
    return replace(state, books=books, tried=frozenset(), caches=(cache,))


def is_known(state: State, name: str) -> bool:
    """SESSION-7: whether a job of that name was ever accepted."""
    return any(
        name in names for names in (state.pending, state.live, state.finished, state.withdrawn)
    )


def takes_effect_at_once() -> bool:
    """SESSION-2: no finish and no change takes effect before the next session."""
    return False
