"""Untimely: whether a wrong answer would be right had a change or a finish come at another time.

SESSION-2: finishes and changes wait for a session to begin, and take effect then. An answer that
would be right if one that waits had taken effect already, or if one had never come, tells of that
more than what it says of hosts.
"""

from collections.abc import Iterator
from dataclasses import replace
from enum import Enum, auto

from allotment_conformance.verdict import normal
from allotment_conformance.verdict.allowed import Allowed, canonical
from allotment_conformance.verdict.compare import Exchange, Judgement, Oracle, sent_answer
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, Profile, read_case
from allotment_conformance.wire.parts import without_events
from allotment_conformance.wire.profiles import rules_for
from allotment_model.rules import Rules
from allotment_model.scheduler import begin_session
from allotment_model.state import State

WAITS_FOR_THE_SESSION = "SESSION-2"
"""The clause that is broken then."""

WAIT = frozenset({"finish", "host_add", "host_change", "pool_change", "limit_set", "limit_remove"})
"""Events that take effect when a session begins."""

MOST_LEFT_OUT = 12
"""Of a case that is not small the last of these are left out, one at a time: a moment's work."""


class Untimely(Enum):
    """What an answer would be right for: a change that came too early, or one that never came."""

    EARLY = auto()
    LOST = auto()


def untimely(told: Exchange, found: Disagreement, profile: Profile) -> Untimely | None:
    """Whether the answer that was found to be wrong is one of these; None if it is not."""
    if any(_is_right_in(state, told, found, profile) for state in _begun(found.before, profile)):
        return Untimely.EARLY
    if _took_effect_at_once(told, found, profile):
        return Untimely.EARLY
    events = told.case["events"][: found.step]
    waited = [number for number, event in enumerate(events) if event["event"] in WAIT]
    lost = [n for n in waited[-MOST_LEFT_OUT:] if _is_right_without(n, told, found, profile)]
    return Untimely.LOST if lost else None


def _begun(state: State, profile: Profile) -> Iterator[State]:
    """The scheduler with what waits in effect: all of it, finishes alone, and changes alone.

    The cache may have been emptied then, or not.
    """
    rules = rules_for(profile)
    finishes, changes = bool(state.finishing), state.coming != state.cluster
    if finishes or changes:
        yield from _begun_now(state, rules)
    if finishes and changes:
        yield from _begun_now(replace(state, coming=state.cluster), rules)
        yield from _begun_now(replace(state, finishing=frozenset()), rules)


def _begun_now(state: State, rules: Rules) -> Iterator[State]:
    begun = replace(begin_session(state, rules), tried=state.tried, coming=state.coming)
    yield begun
    yield replace(begun, caches=state.caches)


def _is_right_in(state: State, told: Exchange, found: Disagreement, profile: Profile) -> bool:
    """Whether the answer would be right of a scheduler that stands like this."""
    oracle = Oracle(profile)
    oracle.states = [state]
    case: Json = {"events": [found.event], "report": told.case.get("report", [])}
    return _is_right(oracle.judge(case, [found.actual]), found, 0)


def _took_effect_at_once(told: Exchange, found: Disagreement, profile: Profile) -> bool:
    """Whether the books would be right if the event itself did not wait."""
    is_told = found.kind is Kind.BOOKS and found.actual.get("books") is not None
    if not is_told or found.event["event"] not in WAIT:
        return False
    [event] = read_case({"events": [found.event]}).events
    one = canonical(found.before, to_model.event(event), rules_for(profile))
    report = told.case["report"]
    given = normal.books(found.actual["books"])
    return any(
        normal.books(sent_answer(Allowed(answer=one.answer, state=state), report)["books"]) == given
        for state in _begun(one.state, profile)
    )


def _is_right_without(number: int, told: Exchange, found: Disagreement, profile: Profile) -> bool:
    """Whether all answers up to this one would be right if the event had not come."""
    events = without_events(told.case["events"][: found.step + 1], frozenset({number}))
    answers = [one for n, one in enumerate(told.given[: found.step + 1]) if n != number]
    judgement = Oracle(profile).judge({**told.case, "events": events}, answers)
    return _is_right(judgement, found, found.step - 1)


def _is_right(judgement: Judgement, found: Disagreement, step: int) -> bool:
    """Whether nothing is wrong up to the event, or to its job."""
    other = judgement.disagreement
    if other is None:
        return not judgement.skipped
    if other.step < step or None in (other.job, found.job):
        return False
    order = [one["job"] for one in found.actual["jobs"]]
    return order.index(other.job) > order.index(found.job)
