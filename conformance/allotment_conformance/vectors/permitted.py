"""All lists of answers to a case that the specification permits."""

import json
from collections.abc import Iterator

from allotment_conformance.verdict.allowed import Allowed, canonical, with_cancelled
from allotment_conformance.verdict.compare import sent_answer
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Case, Json, Profile, read_case
from allotment_conformance.wire.profiles import rules_for
from allotment_model.events import Event, RunSession
from allotment_model.rules import Rules
from allotment_model.runs import queue
from allotment_model.state import State, initial

MOST_LISTS = 200
"""So many lists a person would still look through; a case with more is not made a vector."""


class TooManyAnswers(Exception):
    """A case has more lists of answers than can be written down."""


def permitted(case: Json, profile: Profile) -> list[list[Json]]:
    """The lists of answers, the one without any cancellation first.

    CANCEL-1: in a run with `cancel_at` each job may be the one that is cancelled, and may leave
    the entries of UNDO-4 in the cache.
    """
    sent = read_case(case)
    assert sent.cluster, "a vector brings its cluster"
    state = initial(to_model.cluster(sent.cluster))
    lists: list[list[Json]] = []
    for answers in _lists(sent, 0, state, rules_for(profile)):
        if answers not in lists:
            lists.append(answers)
        if len(lists) > MOST_LISTS:
            raise TooManyAnswers
    return lists


def _lists(sent: Case, number: int, state: State, rules: Rules) -> Iterator[list[Json]]:
    if number == len(sent.events):
        yield []
        return
    for one in _allowed(state, to_model.event(sent.events[number]), rules):
        answer = _in_order(sent_answer(one, sent.report))
        for rest in _lists(sent, number + 1, one.state, rules):
            yield [answer, *rest]


def _allowed(state: State, event: Event, rules: Rules) -> Iterator[Allowed]:
    yield canonical(state, event, rules)
    if isinstance(event, RunSession) and event.cancel_at is not None:
        for name in queue(state, rules):
            yield from with_cancelled(state, name, rules)


def _in_order(answer: Json) -> Json:
    """The limits of the books in an order of their own: theirs means nothing, and may change."""
    if "books" not in answer:
        return answer
    limits = sorted(answer["books"]["limits"], key=json.dumps)
    return {**answer, "books": {**answer["books"], "limits": limits}}
