"""All lists of answers to a case that the specification permits."""

import json
from collections.abc import Callable, Iterator
from functools import partial

from allotment_conformance.engines.features import largest_of
from allotment_conformance.vectors.choices import runs
from allotment_conformance.verdict.allowed import Allowed, canonical, with_cancelled
from allotment_conformance.verdict.compare import sent_answer
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Case, Json, Profile, read_case
from allotment_conformance.wire.profiles import choices_of, leaves_choices, rules_for
from allotment_model.events import Event, RunSession
from allotment_model.oracle.accepts import rules_of_choices
from allotment_model.oracle.choices import Budget, TooManyChoicesError
from allotment_model.oracle.following import Following
from allotment_model.rules import Rules
from allotment_model.runs import queue
from allotment_model.state import State, initial

MOST_LISTS = 200
"""So many lists a person would still look through; a case with more is not made a vector."""

MOST_STEPS = 20_000
"""Steps of following choices for one case: a second or so. What takes more has too many lists."""


MOST_TASKS, MOST_HOSTS = 1_000, 16
"""Where choices are followed a case has no more: each task is counted, each host is looked at."""


class TooManyAnswers(Exception):
    """A case has more lists of answers than can be written down."""


def permitted(case: Json, profile: Profile, most: int = MOST_LISTS) -> list[list[Json]]:
    """The lists of answers; where the profile leaves no choice, that without cancellation first.

    CANCEL-1: in a run with `cancel_at` each job may be the one that is cancelled, and may leave
    the entries of UNDO-4 in the cache. HOST-9, PLAN-11: a job may have any placement that the
    profile allows. Raises `TooManyAnswers` if there are more than `most`.
    """
    sent = read_case(case)
    assert sent.cluster, "a vector brings its cluster"
    if leaves_choices(profile) and not _can_be_followed(sent, case):
        raise TooManyAnswers
    state = initial(to_model.cluster(sent.cluster))
    lists: dict[str, list[Json]] = {}
    try:
        for answers in _lists(sent, 0, state, _steps_of(profile)):
            lists.setdefault(json.dumps(answers), answers)
            if len(lists) > most:
                raise TooManyAnswers
    except TooManyChoicesError as many:
        raise TooManyAnswers from many
    texts = sorted(lists) if leaves_choices(profile) else lists
    return [lists[text] for text in texts]


def _can_be_followed(sent: Case, case: Json) -> bool:
    """Whether choices can be followed: protocol events differ with each host that is looked at."""
    largest = largest_of(case)
    is_small = largest.tasks <= MOST_TASKS and largest.hosts <= MOST_HOSTS
    return is_small and "events" not in sent.report


Steps = Callable[[State, Event], Iterator[Allowed]]
"""All that an event may be answered in a state."""


def _steps_of(profile: Profile) -> Steps:
    """What a profile allows."""
    if not leaves_choices(profile):
        return partial(_canonical_steps, rules_for(profile))
    choices = choices_of(profile)
    rules = rules_of_choices(choices)
    follow = Following(profile=choices, rules=rules, budget=Budget(MOST_STEPS))
    return partial(_steps_by_choice, follow)


def _lists(sent: Case, number: int, state: State, steps: Steps) -> Iterator[list[Json]]:
    if number == len(sent.events):
        yield []
        return
    for one in steps(state, to_model.event(sent.events[number])):
        answer = in_order(sent_answer(one, sent.report))
        for rest in _lists(sent, number + 1, one.state, steps):
            yield [answer, *rest]


def _canonical_steps(rules: Rules, state: State, event: Event) -> Iterator[Allowed]:
    yield canonical(state, event, rules)
    if isinstance(event, RunSession) and event.cancel_at is not None:
        for name in queue(state, rules):
            yield from with_cancelled(state, name, rules)


def _steps_by_choice(follow: Following, state: State, event: Event) -> Iterator[Allowed]:
    if isinstance(event, RunSession):
        yield from runs(state, event, follow)
    else:
        yield canonical(state, event, follow.rules)


def in_order(answer: Json) -> Json:
    """The limits of the books in an order of their own: theirs means nothing, and may change."""
    if "books" not in answer:
        return answer
    limits = sorted(answer["books"]["limits"], key=json.dumps)
    return {**answer, "books": {**answer["books"], "limits": limits}}
