"""Choices: all runs that a profile permits which leaves hosts or splits open (HOST-9, PLAN-11)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import permutations, product

from allotment_conformance.verdict.allowed import Allowed
from allotment_conformance.verdict.instead import dispatches, pends
from allotment_model.answers import Cancelled, Dispatched, JobAnswer, Part, Ran, Tried
from allotment_model.cache import Key
from allotment_model.events import RunSession
from allotment_model.oracle import choices
from allotment_model.oracle.following import Following
from allotment_model.runs import as_tried, queue
from allotment_model.state import State


def runs(state: State, event: RunSession, follow: Following) -> Iterator[Allowed]:
    """Each run, by whatever choices. Raises `TooManyChoicesError`.

    `state` has one cache, and so have the states that the runs lead to.
    """
    names = queue(state, follow.rules)
    yield from _extended(state, names, (), event.cancel_at is not None, follow)


def _extended(
    state: State,
    names: Sequence[str],
    told: tuple[Tried, ...],
    may_cancel: bool,
    follow: Following,
) -> Iterator[Allowed]:
    """The runs that begin with these answers; CANCEL-1: at most one job is cancelled."""
    if not names:
        yield Allowed(answer=Ran(jobs=told), state=state)
        return
    name, *rest = names
    for answer, after in _answers(state, name, may_cancel, follow):
        follow.budget.spend()
        goes_on = may_cancel and not isinstance(answer, Cancelled)
        tried = (*told, Tried(job=name, answer=answer))
        yield from _extended(after, rest, tried, goes_on, follow)


def _answers(
    state: State, name: str, may_cancel: bool, follow: Following
) -> Iterator[tuple[JobAnswer, State]]:
    """What a job may be answered, with each state that this may lead to."""
    placed = (
        one
        for answer in dispatches(state, name, follow)
        for one in _ordered(answer, state.pending[name].keys[answer.alternative], follow)
    )
    answers: list[JobAnswer] = [*pends(state, name, follow), *placed]
    for answer in dict.fromkeys(answers):
        for after in follow.states(state, name, answer):
            yield answer, after
    if may_cancel:
        for entries in dict.fromkeys(follow.cancelled(state.pending[name].keys, state)):
            yield Cancelled(), as_tried(replace(state, caches=(dict(entries),)), name)


def _ordered(answer: Dispatched, keys: Sequence[Key], follow: Following) -> Iterator[Dispatched]:
    """The same claims in each order in which they may be told.

    PAR-3: in that of the buckets. Equal ones are exchanged, and free ones have any order.
    """
    parts = zip(answer.parts, keys, strict=True)
    for told in product(*(list(_orders(part, key, follow)) for part, key in parts)):
        yield replace(answer, parts=told)


def _orders(part: Part, key: Key, follow: Following) -> Iterator[Part]:
    is_free = follow.enumerate_for(key) is choices.splits
    slots = [number for _host, number in part]
    for order in permutations(part):
        follow.budget.spend()
        if is_free or slots == [number for _host, number in order]:
            yield order
