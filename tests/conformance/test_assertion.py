"""`assert_conforms` in a test of one's own: silent on what is right, in words on what is wrong."""

import re
import subprocess
import sys
from functools import partial

import pytest

import allotment_conformance
from allotment_conformance import assert_conforms
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.legality import IllegalProfile
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.served import Mutant
from allotment_conformance.zoo.variants import Served


class Counting(ModelAdapter):
    """Counts its cases, and whether it was closed."""

    cases = closed = 0

    def run(self, case: Json) -> list[Json]:
        """One more."""
        Counting.cases += 1
        return super().run(case)

    def close(self) -> None:
        """That was all."""
        Counting.closed += 1


class Breaking(ModelAdapter):
    """Cannot take a withdrawal."""

    def run(self, case: Json) -> list[Json]:
        """The model's answers, if there are any."""
        if any(event["event"] == "withdraw" for event in case["events"]):
            raise ZeroDivisionError("nobody withdraws")
        return super().run(case)


class Leaking(ModelAdapter):
    """Takes no submission after a case with a withdrawal."""

    is_closed = False

    def run(self, case: Json) -> list[Json]:
        """The model's answers, or refusals."""
        answers, events = super().run(case), [event["event"] for event in case["events"]]
        if self.is_closed and "submit" in events:
            answers[events.index("submit")] = {"answer": "refused", "code": "duplicate-name"}
        self.is_closed |= "withdraw" in events
        return answers


class Remembering(ModelAdapter):
    """Keeps the cases that it was asked."""

    def __init__(self, cases: list[Json]) -> None:
        super().__init__()
        self.cases = cases

    def run(self, case: Json) -> list[Json]:
        """One more."""
        self.cases.append(case)
        return super().run(case)


class Nameless(ModelAdapter):
    """Declares no name."""

    def start(self) -> Json:
        """A profile that is not legal."""
        return {**super().start(), "name": ""}


def test_right_adapter_is_asked_all_and_closed() -> None:
    assert_conforms(Counting, cases=30)
    directed = Counting.cases - 30
    assert (True, 1) == (directed > 250, Counting.closed)


def test_odd_and_right_adapter_passes() -> None:
    assert_conforms(CALIBRATION[0].make, cases=20)


def test_wrong_adapter_fails_in_words() -> None:
    with pytest.raises(AssertionError) as raised:
        assert_conforms(lambda: Served("no rollback"), cases=0)
    told = str(raised.value)
    assert "does not conform.\nFound in directed case 'bucket-order'." in told
    assert "UNDO-1: failed plan leaves nothing" in told
    assert "job j is dispatched: 2 slots on C, 1 slot on A, 1 slot on B" in told
    assert re.search(r"and is right on \d+ that pass: 'no-rollback'", told)


def test_exception_of_the_adapter_is_told_as_its_answer() -> None:
    with pytest.raises(AssertionError, match="ZeroDivisionError: nobody withdraws"):
        assert_conforms(Breaking, cases=0)


def test_what_is_kept_from_case_to_case_is_told_with_the_case_that_leaves_it() -> None:
    with pytest.raises(AssertionError, match="Fails only after 1 other case, asked before it"):
        assert_conforms(Leaking, cases=0)


def test_drawn_cases_come_from_the_seed() -> None:
    asked = []
    for seed in (1, 1, 2):
        cases: list[Json] = []
        assert_conforms(partial(Remembering, cases), cases=5, seed=seed)
        asked.append(cases[-5:])
    assert asked[0] == asked[1] != asked[2]


def test_profile_that_is_not_legal_is_refused() -> None:
    with pytest.raises(IllegalProfile, match="`name` is empty"):
        assert_conforms(Nameless)


def test_blind_kit_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Oracle, "_agrees", lambda self, allowed, given, sent: True)
    with pytest.raises(AssertionError, match="the kit is broken"):
        assert_conforms(ModelAdapter, cases=0)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, allotment_conformance; print(*sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"msgspec", "hypothesis", "rich", "allotment_model"} & set(told.stdout.split())


def test_other_names_are_not_there() -> None:
    assert not hasattr(allotment_conformance, "assert_everything")


@pytest.mark.parametrize("name", ["eight-parts", "eight-changes-wait", "cache-lost-between-cases"])
def test_allocator_that_is_wrong_in_large_cases_or_in_parts_fails(name: str) -> None:
    with pytest.raises(AssertionError, match="does not conform"):
        assert_conforms(lambda: Mutant(name=name), cases=0)
