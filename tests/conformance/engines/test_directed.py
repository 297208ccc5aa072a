"""Each directed case shows what it says: the spec without its clause answers otherwise."""

from collections import Counter, defaultdict
from collections.abc import Callable
from functools import cache

import pytest

from allotment_conformance.engines.directed import DIRECTED, Directed
from allotment_conformance.engines.features import features_of
from allotment_conformance.wire import to_model
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.breaking import wrong_allocators
from allotment_conformance.zoo.faults import FAULTS
from allotment_model.answers import Category, Refusal
from allotment_model.clauses import CLAUSES, Evidence
from allotment_model.oracle.accepts import Outcome, accepts
from allotment_model.oracle.profile import Profile, Split
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import initial

ANSWER_CLAUSES = {one.id for one in CLAUSES if one.evidence is Evidence.ANSWER}
OF_ANOTHER_PROFILE = {"PLAN-11"}
"""Clauses that the canonical profile does not claim; they have a test of their own."""


def by_clause() -> dict[str, list[Callable[[], Adapter]]]:
    """For each clause the allocators that break it."""
    found: dict[str, list[Callable[[], Adapter]]] = defaultdict(list)
    for wrong in wrong_allocators():
        for clause in wrong.breaks:
            found[clause].append(wrong.make)
    return found


WRONG = by_clause()


def answers(adapter: Adapter, case: Json) -> list[Json] | str:
    """The answers, or the name of the error that stopped it."""
    try:
        return adapter.run(case)
    except Exception as stopped:
        return type(stopped).__name__


@cache
def right_answers(name: str) -> list[Json]:
    """What the specification answers to the directed case of that name."""
    [directed] = [one for one in DIRECTED if one.name == name]
    return ModelAdapter().run(directed.case)


@pytest.mark.parametrize("directed", DIRECTED, ids=lambda one: one.name)
def test_each_clause_is_exercised(directed: Directed) -> None:
    right = right_answers(directed.name)
    for clause in set(directed.clauses) - OF_ANOTHER_PROFILE:
        differing = (answers(make(), directed.case) != right for make in WRONG[clause])
        assert any(differing), f"no allocator that breaks {clause} answers otherwise"


def test_every_answer_clause_has_a_case() -> None:
    claimed = {clause for directed in DIRECTED for clause in directed.clauses}
    assert claimed == ANSWER_CLAUSES


def test_every_fault_is_found() -> None:
    unfound = [
        fault.name
        for fault in FAULTS
        if all(answers(fault.make(), one.case) == right_answers(one.name) for one in DIRECTED)
    ]
    assert [] == unfound


def test_names_are_unique() -> None:
    names = Counter(directed.name for directed in DIRECTED)
    assert [] == [name for name, count in names.items() if count > 1]


def test_needs_are_the_features_of_the_case() -> None:
    for directed in DIRECTED:
        assert features_of(directed.case) == directed.needs


def test_every_code_event_and_category_occurs() -> None:
    told = [answer for one in DIRECTED for answer in ModelAdapter().run(one.case)]
    codes = {answer.get("code") for answer in told}
    assert {code.value for code in Refusal} == codes - {None}
    categories = {job.get("reason") for answer in told for job in answer.get("jobs", [])}
    assert {one.value for one in Category if one is not Category.ERROR} == categories - {None}
    events = {event["event"] for one in DIRECTED for event in one.case["events"]}
    assert 10 == len(events)


def test_directed_cases_are_small() -> None:
    assert 3 >= max(len(one.case["cluster"]["hosts"]) for one in DIRECTED)
    assert 13 >= max(len(one.case["events"]) for one in DIRECTED)


def test_any_split_must_not_pend() -> None:
    [case] = [one.case for one in DIRECTED if "PLAN-11" in one.clauses]
    sent = read_case(case)
    assert sent.cluster, "a directed case has a cluster"
    state = initial(to_model.cluster(sent.cluster))
    submission, run = map(to_model.event, sent.events)
    state, _ok = step(state, submission, SPEC)
    _after, pending = step(state, run, SPEC)
    assert Outcome.EXACT is accepts(state, run, pending, Profile()).outcome
    assert Outcome.FORBIDDEN is accepts(state, run, pending, Profile(split=Split.ANY)).outcome
