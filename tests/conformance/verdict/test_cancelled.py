"""CANCEL-1, UNDO-4: what may follow a cancelled attempt."""

from typing import Any

import pytest

from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.wire.profiles import MODEL_PROFILE

CANCELLING = {"event": "run_session", "cancel_at": 0}
OK = {"answer": "ok"}
CUT = {"job": "j", "answer": "cancelled"}


def submit(name: str, *alternatives: int) -> dict[str, Any]:
    request = [[{"tasks": {"min": 2, "max": 2}, "span": {"hosts_max": n}}] for n in alternatives]
    job = {"name": name, "user": "u", "queue": "q", "project": "p", "request": request}
    return {"event": "submit", "job": job}


def pending(name: str, *, cached: bool) -> dict[str, Any]:
    answer = {"answer": "pending", "reason": "capacity", "never": True, "cached": cached}
    return {"job": name, **answer}


def kind_of(events: list[Any], answers: list[Any], report: list[str] | None = None) -> Kind | None:
    """How the case of one host with one slot is judged."""
    hosts = [{"name": "A", "capacity": {"slots": 1}}]
    case = {"cluster": {"hosts": hosts}, "events": events, "report": report or []}
    disagreement = Oracle(MODEL_PROFILE).judge(case, answers).disagreement
    return disagreement.kind if disagreement is not None else None


def ran(*jobs: dict[str, Any]) -> dict[str, Any]:
    return {"answer": "ran", "jobs": list(jobs)}


@pytest.mark.parametrize("cached", [False, True])
def test_first_alternative_may_be_in_the_cache(cached: bool) -> None:
    events = [submit("j", 3, 4), submit("k", 3), CANCELLING]
    assert kind_of(events, [OK, OK, ran(CUT, pending("k", cached=cached))]) is None


def test_alternative_that_was_cut_is_not_in_the_cache() -> None:
    events = [submit("j", 3, 4), submit("k", 4), CANCELLING]
    answers = [OK, OK, ran(CUT, pending("k", cached=True))]
    assert Kind.CACHED == kind_of(events, answers)


def test_caches_that_later_answers_exclude_are_dropped() -> None:
    events = [submit("j", 3, 4), submit("k", 3), CANCELLING, submit("l", 3), CANCELLING]
    start = [OK, OK, ran(CUT, pending("k", cached=True)), OK]
    assert kind_of(events, [*start, ran(pending("l", cached=True))]) is None
    assert Kind.CACHED == kind_of(events, [*start, ran(pending("l", cached=False))])


def test_cancelled_job_waits_for_the_next_session() -> None:
    events = [submit("j", 3), CANCELLING, CANCELLING, {"event": "begin_session"}, CANCELLING]
    answers = [OK, ran(CUT), ran(), OK, ran(pending("j", cached=False))]
    assert kind_of(events, answers) is None


def test_at_most_one_job_is_cancelled() -> None:
    events = [submit("j", 3), submit("k", 3), CANCELLING]
    assert Kind.CANCELLED == kind_of(events, [OK, OK, ran(CUT, {**CUT, "job": "k"})])


def test_nothing_is_cancelled_unasked() -> None:
    events = [submit("j", 3), {"event": "run_session"}]
    assert Kind.CANCELLED == kind_of(events, [OK, ran(CUT)])


def test_cancellation_may_come_too_late() -> None:
    assert kind_of([submit("j", 3), CANCELLING], [OK, ran(pending("j", cached=False))]) is None


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ([], None),
        ([["primary", 0, 0]], None),
        ([["primary", 0, 0], ["plan", [2]]], None),
        ([["primary", 0, 0], ["plan", [1]]], Kind.EVENTS),
        ([["primary", 0, 0], ["plan", [2]], ["filled", "capacity"]], Kind.EVENTS),
        ([["primary", 0, 0], ["plan", [2]], ["committed"]], Kind.EVENTS),
    ],
)
def test_cut_attempt_tells_what_came_before(told: list[Any], kind: Kind | None) -> None:
    answers = [OK, ran({**CUT, "events": told})]
    assert kind == kind_of([submit("j", 3), CANCELLING], answers, ["events"])


def test_told_fills_are_in_the_cache() -> None:
    told = [["primary", 0, 0], ["plan", [2]], ["filled", "capacity"], ["primary", 1, 0]]
    events = [submit("j", 3, 4), submit("k", 3), CANCELLING]
    hit = pending("k", cached=True) | {"events": [["primary", 0, 0], ["hit", "capacity"]]}
    assert kind_of(events, [OK, OK, ran({**CUT, "events": told}, hit)], ["events"]) is None
    assert kind_of(events, [OK, OK, ran({**CUT, "events": told[:2]}, hit)], ["events"]) is not None


def test_runs_that_asked_and_tried_a_job_are_counted() -> None:
    events = [submit("j", 3), CANCELLING, CANCELLING, {"event": "run_session"}]
    hosts = [{"name": "A", "capacity": {"slots": 1}}]
    for tried, cancelled in ((CUT, 1), (pending("j", cached=False), 0)):
        told = [OK, ran(tried), ran(), ran()]
        found = Oracle(MODEL_PROFILE).judge({"cluster": {"hosts": hosts}, "events": events}, told)
        assert (1, cancelled) == (found.cancels_asked, found.cancelled)
