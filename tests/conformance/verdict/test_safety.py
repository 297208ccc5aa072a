"""Safety is judged from answers alone: what they say is followed, right or wrong."""

from typing import Any

import pytest

from allotment_conformance.engines.bulk import cases
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    finish,
    host,
    pool_change,
    submit,
    withdraw,
)
from allotment_conformance.verdict.outcome import Level, Outcome, breaks, strongest
from allotment_conformance.verdict.safety import what_is_unsafe
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

OK: Json = {"answer": "ok"}
HOSTS = cluster(host("A", 2), host("B", 1, closed=True))


def refused(code: str) -> Json:
    """The event was refused."""
    return {"answer": "refused", "code": code}


def ran(*jobs: Json) -> Json:
    """The answers of a run."""
    return {"answer": "ran", "jobs": list(jobs)}


def placed(name: str, *parts: list[list[Any]], alternative: int = 0) -> Json:
    """A job was dispatched on these hosts."""
    told = {"job": name, "answer": "dispatched", "alternative": alternative}
    return {**told, "parts": list(parts)}


def pending(name: str) -> Json:
    """A job waits."""
    return {"job": name, "answer": "pending", "reason": "span", "never": True, "cached": True}


def unsafe(events: list[Json], answers: list[Json]) -> str | None:
    """What is unsafe."""
    return what_is_unsafe(case(HOSTS, *events), answers, MODEL_PROFILE)


@pytest.mark.parametrize(
    ("events", "answers"),
    [
        ([submit("j", 1), RUN], [OK, ran(pending("j"))]),
        ([submit("j", 1), RUN], [OK, ran()]),
        ([submit("j", 1), RUN], [OK, ran(placed("j", [["B", 1]]))]),
        ([submit("j", 2), RUN], [OK, ran(placed("j", [["B", 1], ["A", 1]]))]),
        ([submit("j", 1), RUN], [refused("counts"), ran()]),
        ([submit("j", 0), RUN], [OK, ran(placed("j", [["A", 9]]))]),
        ([pool_change("gold", 1), RUN], [OK, ran()]),
        (
            [submit("j", 2), RUN, finish("j"), BEGIN, submit("k", 2), RUN],
            [OK, ran(placed("j", [["A", 2]])), OK, OK, OK, ran(placed("k", [["A", 2]]))],
        ),
    ],
)
def test_odd_answers_may_be_safe(events: list[Json], answers: list[Json]) -> None:
    assert unsafe(events, answers) is None


@pytest.mark.parametrize(
    ("events", "answers", "words"),
    [
        (
            [submit("j", 3), RUN],
            [OK, ran(placed("j", [["A", 3]]))],
            "event 2: job j takes more than is free",
        ),
        (
            [submit("j", 2), RUN],
            [OK, ran(placed("j", [["A", 1], ["A", 1]]))],
            "event 2: a primary of job j takes a host twice",
        ),
        (
            [submit("j", 1), RUN],
            [OK, ran(placed("j", [["Z", 1]]))],
            "event 2: job j is placed on a host that does not exist",
        ),
        (
            [submit("j", 2), RUN],
            [OK, ran(placed("j", [["A", 1]]))],
            "event 2: tasks of job j: 2 are asked for, 1 placed",
        ),
        (
            [submit("j", 1), RUN],
            [OK, ran(placed("j", [["A", 1], ["B", 0]]))],
            "event 2: job j takes 0 slots on host B",
        ),
        (
            [submit("j", [1, 1]), RUN],
            [OK, ran(placed("j", [["A", 1]]))],
            "event 2: job j has 2 parts, 1 are placed",
        ),
        (
            [submit("j", 1), RUN],
            [OK, ran(placed("j", [["A", 1]], alternative=1))],
            "event 2: job j has no alternative 1",
        ),
        (
            [submit("j", 1), RUN],
            [OK, ran(placed("j", [["A", 1]]), placed("j", [["A", 1]]))],
            "event 2: job j, which is not pending, is tried",
        ),
        (
            [submit("j", 2), RUN, finish("j"), submit("k", 1), RUN],
            [OK, ran(placed("j", [["A", 2]])), OK, OK, ran(placed("k", [["A", 1]]))],
            "event 5: job k takes more than is free",
        ),
        ([submit("j", 1), submit("j", 1)], [OK, OK], "event 2: a second job j is accepted"),
        ([finish("j")], [OK], "event 1: job j, which is not running, finishes"),
        ([withdraw("j")], [OK], "event 1: job j, which is not pending, is withdrawn"),
    ],
)
def test_what_must_never_be_is_told(events: list[Json], answers: list[Json], words: str) -> None:
    assert words == unsafe(events, answers)


def test_model_is_safe() -> None:
    for one in cases(3, 60, MODEL_PROFILE):
        assert what_is_unsafe(one, ModelAdapter().run(one), MODEL_PROFILE) is None


def test_levels_hold_where_stronger_ones_do() -> None:
    held = {
        outcome: [level for level in Level if not breaks(outcome, level)] for outcome in Outcome
    }
    assert list(Level) == held[Outcome.EXACT]
    assert [Level.SAFETY, Level.PERMITTED] == held[Outcome.PERMITTED]
    assert [Level.SAFETY] == held[Outcome.DRIFT] == held[Outcome.SAFE]
    assert [] == held[Outcome.UNSAFE]


def test_strongest_level_is_that_of_the_weakest_case() -> None:
    assert Level.EXACT is strongest({"exact": 3, "crash": 1})
    assert Level.SAFETY is strongest({"exact": 3, "profile drift": 1, "permitted": 2})
    assert strongest({"exact": 3, Outcome.UNSAFE: 1}) is None
    assert strongest({"crash": 3}) is None
