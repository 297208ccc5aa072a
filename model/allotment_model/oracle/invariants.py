"""Invariants: what holds in every state that events lead to."""

from collections.abc import Iterator

from allotment_model.accounts import open_ledger
from allotment_model.books import recount
from allotment_model.rules import SPEC, Rules
from allotment_model.state import State


def check_invariants(state: State, rules: Rules = SPEC) -> list[str]:
    """What is broken in a state, as a clause id and a sentence each; empty if it is sound."""
    return [
        *_books(state, rules),
        *_jobs(state),
        *_distinct_hosts(state),
        *_cached_keys(state, rules),
    ]


def _books(state: State, rules: Rules) -> Iterator[str]:
    """SESSION-3, SESSION-4, SESSION-5: in use is what live jobs hold, and never negative."""
    held = recount(state.live.values(), state.cluster.limits, rules)
    for account in held.keys() | state.books.keys():
        in_books, by_jobs = state.books.get(account, 0), held.get(account, 0)
        if in_books != by_jobs:
            yield f"SESSION-3: the books say {in_books} for {account}, live jobs hold {by_jobs}"
        if in_books < 0:
            yield f"SESSION-3: {in_books} in use on {account}"


def _jobs(state: State) -> Iterator[str]:
    """SESSION-6: each job is in one place."""
    places = (set(state.pending), set(state.live), state.finished, state.withdrawn)
    together: set[str] = set()
    for place in places:
        yield from (f"SESSION-6: job {name} is in two places" for name in place & together)
        together |= place
    if len(together) != state.next_number:
        yield f"SESSION-6: of {state.next_number} accepted jobs {len(together)} are accounted for"
    if not state.finishing <= set(state.live):
        yield "SESSION-6: a job that is not live waits for its end"


def _distinct_hosts(state: State) -> Iterator[str]:
    """HOST-7: the claims of one primary are on distinct hosts."""
    for name, allocation in state.live.items():
        for placement in allocation.placements:
            hosts = [claim.host for claim in placement.claims]
            if len(set(hosts)) < len(hosts):
                yield f"HOST-7: job {name} claims a host twice in one primary"


def _cached_keys(state: State, rules: Rules) -> Iterator[str]:
    """CACHE-9, CACHE-6: every cached key fails against the present books."""
    ledger = open_ledger(state.cluster, state.books)
    for key in {key for cache in state.caches for key in cache}:
        if rules.is_placeable(key, ledger, rules):
            yield f"CACHE-9: a cached primary of {key.tasks_max} tasks would be placed"
