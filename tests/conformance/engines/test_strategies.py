"""Hypothesis makes sound cases, and shrinks them to what matters."""

from collections.abc import Callable

import msgspec
from hypothesis import HealthCheck, Phase, find, given, settings

from allotment_conformance.engines.features import features_of
from allotment_conformance.engines.statistics import Statistics
from allotment_conformance.engines.strategies import cases, cases_in_parts
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.received import ask
from allotment_conformance.wire.messages import Json, Profile, read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import begins, joined
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import mutant

PLAIN = msgspec.structs.replace(MODEL_PROFILE, features=("compound", "alter", "span", "books"))
FIXED = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=150,
    suppress_health_check=list(HealthCheck),
)


def found(profile: Profile, wanted: Callable[[Statistics], bool]) -> Json:
    """The smallest case that Hypothesis finds in which there is what is wanted."""

    def has(case: Json) -> bool:
        counted = Statistics()
        counted.add(case, ModelAdapter().run(case))
        return wanted(counted)

    patient = settings(FIXED, max_examples=3000, phases=(Phase.generate, Phase.shrink))
    return find(cases(profile), has, settings=patient)


@FIXED
@given(cases(MODEL_PROFILE))
def test_cases_are_cases(case: Json) -> None:
    read_case(case)
    answers = ModelAdapter().run(case)
    assert [] == [told for told in answers if told.get("code") in ("counts", "amount-range")]


@FIXED
@given(cases(PLAIN))
def test_lacking_features_are_not_asked_for(case: Json) -> None:
    assert features_of(case) <= set(PLAIN.features)


def test_uneven_plan_shrinks_to_two_hosts() -> None:
    case = found(PLAIN, lambda counted: counted.uneven > 0)
    assert ["submit", "run_session"] == [event["event"] for event in case["events"]]
    assert 2 == len(case["cluster"]["hosts"])
    assert [1] == [len(compound) for compound in case["events"][0]["job"]["request"]]


def test_later_alternative_shrinks_to_few_events() -> None:
    case = found(PLAIN, lambda counted: counted.later > 0)
    assert "run_session" == case["events"][-1]["event"]
    assert 3 >= len(case["events"])
    assert 2 >= len(case["cluster"]["hosts"])


def test_cases_in_parts_find_what_is_lost_between_cases() -> None:
    drawn: list[Json] = []

    @settings(FIXED, max_examples=120, phases=(Phase.generate,))
    @given(cases_in_parts(MODEL_PROFILE))
    def draw(case: Json) -> None:
        read_case(case)
        drawn.append(case)

    draw()
    assert {0, 1, 2} == {times for case in drawn for times in map(begins, case["events"])}
    wrong = [mutant("queue-lost-between-cases"), mutant("session-begun-by-each-case")]
    for adapter in (one.make() for one in wrong):
        told = (Oracle(MODEL_PROFILE).judge(one, ask(adapter, one)) for one in drawn)
        assert any(one.disagreement is not None for one in told)


def test_case_in_parts_shrinks_to_one_that_is_not() -> None:
    shrunk = find(cases_in_parts(PLAIN), lambda case: len(case["events"]) > 1, settings=FIXED)
    assert shrunk == joined(shrunk)
