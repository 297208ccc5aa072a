"""Failures that need other cases before them: which ones are found, and that chance is not told."""

from collections.abc import Sequence
from typing import Any

import pytest

from allotment_conformance.counterexample import predecessors
from allotment_conformance.counterexample.asking import Finding, Fresh, InProcess, asked_one
from allotment_conformance.counterexample.find import Counterexample, Effort, counterexample
from allotment_conformance.engines.bulk import case_of
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    host,
    submit,
    withdraw,
)
from allotment_conformance.runs.tally import Failure
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import joined
from allotment_conformance.wire.profiles import MODEL_PROFILE

Json = dict[str, Any]

DUPLICATE = {"answer": "refused", "code": "duplicate-name"}
QUICK = Effort(certify_seconds=0.0)
BULK = [joined(case_of(1, number, MODEL_PROFILE)) for number in range(24)]
WITHDRAWS = case(
    cluster(host("A", 2), host("B", 1)),
    submit("k", 1),
    submit("gone", 2),
    RUN,
    submit("l", 3),
    withdraw("l"),
    BEGIN,
    RUN,
)
SUBMITS = case(cluster(host("A", 3)), submit("i", 2), BEGIN, submit("l", 1), RUN)


class Leaking(ModelAdapter):
    """Keeps the names of withdrawn jobs from one case to the next."""

    def __init__(self) -> None:
        super().__init__()
        self.gone: set[str] = set()

    def run(self, case: Json) -> list[Json]:
        answers = super().run(case)
        for number, event in enumerate(case["events"]):
            if event["event"] == "submit" and event["job"]["name"] in self.gone:
                answers[number] = DUPLICATE
        self.gone |= {one["job"] for one in case["events"] if one["event"] == "withdraw"}
        return answers


class Tired(ModelAdapter):
    """Gives up at its twentieth case."""

    asked = 0

    def run(self, case: Json) -> list[Json]:
        self.asked += 1
        if self.asked == 20:
            raise RuntimeError("twenty are enough")
        return super().run(case)


class Once(ModelAdapter):
    """Answers wrongly once, whichever of its kind is asked."""

    is_due = True

    def run(self, case: Json) -> list[Json]:
        answers = super().run(case)
        if Once.is_due and case == SUBMITS:
            Once.is_due = False
            answers[-1] = DUPLICATE
        return answers


def shown(kind: type[ModelAdapter], before: Sequence[Json], last: Json) -> Counterexample:
    """What is told of an allocator that was asked these, and fails at the last."""
    adapter = kind()
    running = InProcess(adapter, MODEL_PROFILE)
    finding = list(running.findings([*before, last]))[-1]
    assert finding.signature is not None
    failure = Failure(
        origin="a test",
        case=last,
        answers=finding.answers,
        signature=finding.signature,
        before=tuple(before),
    )
    return counterexample(InProcess(adapter, MODEL_PROFILE, fresh(kind)), failure, effort=QUICK)


def fresh(kind: type[ModelAdapter]) -> Fresh:
    """Asks a new one of this kind each time."""

    def asked(cases: Sequence[Json]) -> Finding:
        return list(InProcess(kind(), MODEL_PROFILE).findings(cases))[-1]

    return asked


@pytest.mark.parametrize("further", [0, 1, 5, 20])
def test_single_case_before_is_found_and_made_small(further: int) -> None:
    told = shown(Leaking, [*BULK[:3], WITHDRAWS, *without_withdrawals()[:further]], SUBMITS)
    assert told.reproduced
    assert [["withdraw"]] == [events_of(one) for one in told.before]
    assert ["submit"] == events_of(told.case)
    assert "Fails only after 1 other case, asked before it\n" in told.picture()
    assert "job l is withdrawn" in told.picture()


def test_failure_at_a_count_of_cases_keeps_all_that_it_takes() -> None:
    told = shown(Tired, BULK[:19], BULK[19])
    assert told.reproduced
    assert 19 == len(told.before)
    assert "Fails only after 19 other cases, asked before it\n" in told.picture()
    assert "What happens before" not in told.picture()


def test_failure_by_chance_has_no_cases_before_it() -> None:
    Once.is_due = True
    told = shown(Once, BULK[:5], SUBMITS)
    assert not told.reproduced
    assert () == told.before
    assert SUBMITS == told.case


def test_failure_of_a_case_alone_needs_none() -> None:
    class Last(ModelAdapter):
        def run(self, case: Json) -> list[Json]:
            return [*super().run(case)[:-1], DUPLICATE]

    told = shown(Last, BULK[:5], SUBMITS)
    assert told.reproduced
    assert () == told.before


def test_state_left_by_making_small_does_not_count() -> None:
    """The used allocator fails at the case alone; what is shown fails where nothing was left."""
    told = shown(Leaking, [WITHDRAWS], SUBMITS)
    again = asked_one(InProcess(Leaking(), MODEL_PROFILE), told.case)
    assert again.signature is None
    after = list(InProcess(Leaking(), MODEL_PROFILE).findings([*told.before, told.case]))
    assert told.signature == after[-1].signature


def test_nothing_is_found_when_the_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predecessors, "SECONDS", 0.0)
    told = shown(Leaking, [WITHDRAWS], SUBMITS)
    assert not told.reproduced
    assert () == told.before


def without_withdrawals() -> list[Json]:
    """Cases of the bulk that leave nothing behind."""
    return [one for one in BULK if "withdraw" not in events_of(one)] * 2


def events_of(told: Json) -> list[str]:
    """The kinds of its events."""
    return [event["event"] for event in told["events"]]
