"""A run: each queued job is tried once, highest priority first."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from allotment_model.accounts import open_ledger
from allotment_model.answers import Category, Dispatched, Pending, Ran, Tried
from allotment_model.attempt import After, Won, attempt
from allotment_model.cache import Cache
from allotment_model.search import outcome
from allotment_model.state import Allocation, Queued, State

if TYPE_CHECKING:
    from allotment_model.rules import Rules


def queue(state: State, rules: "Rules") -> list[str]:
    """SESSION-1: the pending jobs not yet tried in this session, in the order of trying."""
    untried = [queued for name, queued in state.pending.items() if name not in state.tried]
    untried.sort(key=lambda queued: rules.queue_order(queued.job.priority, queued.number))
    return [queued.job.name for queued in untried]


def run_session(state: State, rules: "Rules") -> tuple[State, Ran]:
    """SESSION-1: a pending job blocks nobody."""
    tried = []
    for name in queue(state, rules):
        state, answer = try_job(state, name, state.caches[0], rules)
        tried.append(answer)
    return state, Ran(jobs=tuple(tried))


def try_job(state: State, name: str, cache: Cache, rules: "Rules") -> tuple[State, Tried]:
    """One attempt at a pending job: its answer and the state after it."""
    ledger = open_ledger(state.cluster, state.books)
    after, notes = outcome(attempt(state.pending[name].keys, ledger, cache, rules))
    if isinstance(after.result, Won):
        state, dispatched = dispatch(state, name, after, after.result, rules)
        return state, Tried(job=name, answer=dispatched, notes=notes)
    reason, cached = after.result.reason, after.result.cached
    never = reason is not Category.ERROR and rules.is_never(
        state.pending[name].keys, state.cluster, rules
    )
    answer = Pending(reason=reason, never=never, cached=cached)
    pending = state.pending if rules.stays_queued() else without_pending(state, name)
    books, caches, tried = after.ledger.used, (after.cache,), state.tried | {name}
    state = replace(state, pending=pending, books=books, caches=caches, tried=tried)
    return state, Tried(job=name, answer=answer, notes=notes)


def dispatch(
    state: State, name: str, after: After, won: Won, rules: "Rules"
) -> tuple[State, Dispatched]:
    """UNDO-4, SESSION-3: the ledger of the attempt becomes the books; the job is live."""
    parts = tuple(rules.part_of(placement) for placement in won.placements)
    allocation = Allocation(identity=state.pending[name].job.identity, placements=won.placements)
    state = replace(
        state,
        pending=without_pending(state, name),
        live={**state.live, name: allocation},
        books=after.ledger.used,
        caches=(after.cache,),
        tried=state.tried | {name},
    )
    return state, Dispatched(alternative=won.alternative, parts=parts)


def without_pending(state: State, name: str) -> Mapping[str, Queued]:
    """All that pends but this job."""
    return {other: queued for other, queued in state.pending.items() if other != name}


def as_tried(state: State, name: str) -> State:
    """SESSION-1: the job has had its attempt of this session."""
    return replace(state, tried=state.tried | {name})


def stays_queued() -> bool:
    """SESSION-6: a job that pends is not lost; it is tried again in the next session."""
    return True
