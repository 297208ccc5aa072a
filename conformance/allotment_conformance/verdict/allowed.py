"""What the specification allows as the answer to an event, with the state that it leads to."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from allotment_conformance.verdict.instead import instead
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, read_answers
from allotment_model.accounts import open_ledger
from allotment_model.answers import Answer, Cancelled, Note, Ran, Tried
from allotment_model.attempt import attempt
from allotment_model.cache import Cache
from allotment_model.events import Event
from allotment_model.oracle.accepts import Outcome, Verdict, accepts
from allotment_model.oracle.profile import Profile
from allotment_model.rules import Rules
from allotment_model.runs import as_tried, queue, try_job
from allotment_model.scheduler import step
from allotment_model.search import outcome
from allotment_model.state import State


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """An answer that the specification allows, and the state after it."""

    answer: Answer
    state: State


def canonical(state: State, event: Event, rules: Rules) -> Allowed:
    """The answer without any cancellation."""
    after, answer = step(state, event, rules)
    return Allowed(answer=answer, state=after)


def follow_choices(
    state: State, event: Event, given: Json, choices: Profile
) -> list[Allowed] | None:
    """PLAN-11, HOST-9: the answer itself, if some choices lead to it; else nothing.

    None if there are too many choices to follow.
    """
    verdict, answer = _followed(state, event, given, choices)
    if verdict.outcome is Outcome.SKIPPED:
        return None
    return [] if verdict.state is None else [Allowed(answer=answer, state=verdict.state)]


def forbidden_by_choices(
    state: State, event: Event, given: Json, choices: Profile
) -> tuple[Allowed | None, str | None]:
    """What could have been answered instead of what no choices lead to, and the broken clause.

    None where no job is wrong by itself: then the canonical answer is as good as any.
    """
    verdict, answer = _followed(state, event, given, choices)
    if verdict.job is None:
        return None, verdict.clause
    assert isinstance(answer, Ran), "only a run answers for jobs"
    told = instead(answer, verdict, choices)
    return Allowed(answer=told.answer, state=told.state), told.clause


def _followed(state: State, event: Event, given: Json, choices: Profile) -> tuple[Verdict, Answer]:
    [sent] = read_answers([given])
    answer = to_model.answer(sent)
    return accepts(state, event, answer, choices), answer


def with_cancelled(state: State, cancelled: str, rules: Rules) -> list[Allowed]:
    """CANCEL-1: the runs in which that job is cancelled: one for each cache it may leave.

    Nothing if no such job would be tried. A cancelled job comes with all protocol events that may
    stand before the cut.
    """
    if cancelled not in queue(state, rules):
        return []
    runs: list[tuple[State, tuple[Tried, ...]]] = [(state, ())]
    for name in queue(state, rules):
        runs = [
            (after, (*told, tried))
            for now, told in runs
            for after, tried in (
                _cut_short(now, name, rules)
                if name == cancelled
                else [try_job(now, name, now.caches[0], rules)]
            )
        ]
    return [Allowed(answer=Ran(jobs=told), state=after) for after, told in runs]


def _cut_short(state: State, name: str, rules: Rules) -> Iterator[tuple[State, Tried]]:
    """UNDO-4: a primary that was searched to its end has filled its key, the one cut has not."""
    cache = state.caches[0]
    ledger = open_ledger(state.cluster, state.books)
    after, notes = outcome(attempt(state.pending[name].keys, ledger, cache, rules))
    for left, told in _cuts(notes, cache, after.cache):
        tried = Tried(job=name, answer=Cancelled(), notes=told)
        yield as_tried(replace(state, caches=(left,)), name), tried


def _cuts(
    notes: tuple[Note, ...], before: Cache, after: Cache
) -> Iterator[tuple[Cache, tuple[Note, ...]]]:
    """The caches that a cut may leave, each with the notes that may stand before such a cut."""
    filled = [key for key in after if key not in before]
    fills = [place for place, note in enumerate(notes) if note[0] == "filled"]
    assert len(filled) == len(fills), "each fill is told"
    for count, place in enumerate([*fills, len(notes)]):
        begun = fills[count - 1] if count else -1
        if any(note[0] == "primary" for note in notes[begun + 1 : place]):
            yield {**before, **{key: after[key] for key in filled[:count]}}, notes[:place]
