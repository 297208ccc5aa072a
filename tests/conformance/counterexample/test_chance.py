"""Failures that come by chance, and those of which it cannot be known whether they do."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import pytest

from allotment_conformance.counterexample.asking import CannotAsk, Finding, Fresh, InProcess
from allotment_conformance.counterexample.certificate import Claim
from allotment_conformance.counterexample.chance import Times, times_again
from allotment_conformance.counterexample.find import (
    Counterexample,
    Effort,
    FailingCase,
    Shown,
    counterexample,
    failing_case,
    keep_nothing,
)
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.runs.fresh import in_fresh_process
from allotment_conformance.runs.tally import Unanswered, failure_of
from allotment_conformance.runs.verification import Order, Verification, tell_chance
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire import failure as wire
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

Json = dict[str, Any]

ASKED = case(cluster(host("A", 3), host("B", 1)), submit("j", 1), submit("k", 2), RUN)
TAKEN = {"answer": "refused", "code": "duplicate-name"}
ORDER = Order(adapter="a test", cases=0, seed=1)
CRASH = wire.Failure(ending=wire.Ending.CRASH, words="gone")


class Coin(ModelAdapter):
    """Refuses the first job of a case, or does not, by chance."""

    random = Random(2)
    share = 0.5

    def run(self, case: Json) -> list[Json]:
        answers = super().run(case)
        return [TAKEN, *answers[1:]] if answers and self.errs() else answers

    def errs(self) -> bool:
        return self.random.random() < self.share


class OftenWrong(Coin):
    share = 0.9


class Always(Coin):
    share = 1.0


class EverySecond(Coin):
    """Refuses it in the first case that it is asked, the third, and so on."""

    asked = 0

    def errs(self) -> bool:
        self.asked += 1
        return self.asked % 2 == 1


def shown(kind: type[Coin], fresh: Fresh | None = None) -> Counterexample:
    """What is told of an allocator that has erred once."""
    adapter, answers = kind(), [TAKEN, *ModelAdapter().run(ASKED)[1:]]
    found = Oracle(MODEL_PROFILE).judge(ASKED, answers).disagreement
    assert found is not None
    failure = failure_of("a test", ASKED, answers, found)
    asking = InProcess(adapter, MODEL_PROFILE, fresh or fresh_of(kind))
    return counterexample(asking, failure, effort=Effort(most_tries=30, certify_seconds=0.1))


def fresh_of(kind: type[Coin]) -> Fresh:
    """Asks a new one each time."""

    def asked(cases: Sequence[Json]) -> Finding:
        return list(InProcess(kind(), MODEL_PROFILE).findings(cases))[-1]

    return asked


@pytest.mark.parametrize("kind", [Coin, OftenWrong])
def test_chance_is_told_and_no_fault_is_certain(kind: type[Coin]) -> None:
    told = [shown(kind) for _time in range(6)]
    assert not any(one.reproduced or one.diagnosis.certain for one in told)
    assert any("Not each time: it failed " in one.picture() for one in told)
    for one in told:
        assert "so that may be chance." in one.picture()
        assert one.before == ()


def test_failure_that_comes_every_second_time_does_not_come_each_time() -> None:
    told = shown(EverySecond)
    assert not told.reproduced
    assert "Not each time: it failed 20 of the 40 times it was asked again." == told.remark
    assert "the smallest: it did not fail each time that it was asked." in told.picture()


def test_no_page_promises_the_smallest_where_another_failure_did_not_come_again() -> None:
    each, second = shown(Always), shown(EverySecond)
    fell = Unanswered(origin="a test", case=ASKED, failure=CRASH)
    crash = failing_case(Falls(1), fell, Effort(certify_seconds=0.1))
    assert Claim.SMALLEST is each.certificate.claim is crash.certificate.claim
    state = Verification(order=ORDER, profile=MODEL_PROFILE)
    state.counterexamples, state.failing_cases = [each, second], [crash]
    written: list[Shown] = []
    tell_chance(state, lambda one, _profile: written.append(one))
    assert 1 == len(state.remarks)
    assert "no case is called the smallest" in state.remarks[0]
    assert [*state.counterexamples, *state.failing_cases] == written
    for one in (written[0], written[2]):
        assert Claim.NONE is one.certificate.claim
        assert "Another failure of this run did not come again" in one.picture()
        assert "Not certified to be the smallest: another failure of this run" in one.picture()
    assert second is written[1]


def test_failures_that_come_again_keep_their_certificates() -> None:
    each = shown(Always)
    state = Verification(order=ORDER, profile=MODEL_PROFILE, counterexamples=[each])
    slow = wire.Failure(ending=wire.Ending.TIMEOUT, words="slow")
    late = FailingCase(origin="a test", case=ASKED, failure=slow, reproduced=False)
    state.failing_cases = [late]
    tell_chance(state, keep_nothing)
    assert ([], [each], [late]) == (state.remarks, state.counterexamples, state.failing_cases)


def test_failure_that_comes_each_time_is_certain() -> None:
    told = shown(Always)
    assert told.reproduced
    assert told.diagnosis.certain
    assert "How sure" not in told.picture()


def test_why_nobody_can_be_asked_alone_is_told() -> None:
    def fresh(_cases: Sequence[Json]) -> Finding:
        raise CannotAsk("in a process of its own there is no module 'mine'")

    told = shown(Always, fresh)
    assert told.reproduced
    remark = (
        "It may fail only after other cases: in a process of its own there is no module 'mine'."
    )
    assert remark == told.remark
    assert f"How sure\n    {remark}" in told.picture()


def test_adapter_that_a_process_of_its_own_does_not_find_is_told() -> None:
    with pytest.raises(CannotAsk, match="in a process of its own there is no module 'no_such'"):
        in_fresh_process("no_such:Adapter", MODEL_PROFILE)([ASKED])


class Falls:
    """Crashes each time, or every second time."""

    profile = MODEL_PROFILE
    shrink_seconds = 1.0

    def __init__(self, every: int) -> None:
        self.every, self.asked = every, 0

    def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
        for one in cases:
            self.asked += 1
            failure = CRASH if self.asked % self.every == 0 else None
            yield Finding(case=one, answers=None, failure=failure)

    def fresh(self, cases: Sequence[Json]) -> Finding:
        return list(self.findings(cases))[-1]


def test_crash_that_does_not_come_each_time_is_told() -> None:
    fell = Unanswered(origin="a test", case=ASKED, failure=CRASH)
    each, second = (failing_case(Falls(n), fell, Effort(certify_seconds=0.0)) for n in (1, 2))
    assert each.reproduced
    assert not second.reproduced


def test_time_to_ask_again_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allotment_conformance.counterexample.chance.SECONDS", 0.0)
    told = times_again(Falls(1), ASKED, Signature(kind=CRASH.name))
    assert Times(failed=0, asked=0) == told
    assert told.is_each


def test_whoever_is_slow_is_not_asked_all_at_once() -> None:
    sizes = []

    class Noting(Falls):
        def findings(self, cases: Iterable[Json]) -> Iterator[Finding]:
            asked = list(cases)
            sizes.append(len(asked))
            return super().findings(asked)

    told = times_again(Noting(1), ASKED, Signature(kind=CRASH.name))
    assert Times(failed=40, asked=40) == told
    assert [1, 1, 2, 4, 8, 16, 8] == sizes
