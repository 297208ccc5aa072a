"""Opposite faults are two failures, each of which is made small by itself."""

from collections.abc import Iterator

import pytest

from allotment_conformance.counterexample.shrink import shrink
from allotment_conformance.counterexample.signature import Signature, signature_of
from allotment_conformance.counterexample.words import job_of
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, NotACase
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

BOTH = case(
    cluster(host("A", 1)), submit("f", 1), submit("i", 2), submit("j", 2), submit("k", 1), RUN
)
"""The first job is placed; of the others each answers something else, in `never` and `cached`."""


def pending(answers: list[Json]) -> Iterator[Json]:
    return (
        job for answer in answers for job in answer.get("jobs", []) if job["answer"] == "pending"
    )


def found_with(asked: Json, field: str, value: bool) -> Disagreement | None:
    """What is wrong with who always says the same in that field."""
    answers = ModelAdapter().run(asked)
    for job in pending(answers):
        job[field] = value
    return Oracle(MODEL_PROFILE).judge(asked, answers).disagreement


@pytest.mark.parametrize("field", ["never", "cached"])
def test_true_for_false_is_not_false_for_true(field: str) -> None:
    one, other = (found_with(BOTH, field, value) for value in (True, False))
    assert one is not None
    assert other is not None
    always, at_no_time = signature_of(one), signature_of(other)
    assert Signature(kind=field, expected="false", actual="true") == always
    assert Signature(kind=field, expected="true", actual="false") == at_no_time
    assert f"{field}: true instead of false" == str(always)


TAKEN_FOR_A_WHILE = case(cluster(host("A", 1)), submit("f", 1), submit("k", 1), RUN)
TWICE_THE_SAME = case(cluster(host("A", 1)), submit("j", 2, 2), RUN)


@pytest.mark.parametrize(
    ("field", "asked"), [("never", TAKEN_FOR_A_WHILE), ("cached", TWICE_THE_SAME)]
)
def test_each_is_made_small_by_itself(field: str, asked: Json) -> None:
    """Who says the opposite in that field fails in one way here, and in the other on less."""

    def disagrees(asked: Json) -> Disagreement | None:
        try:
            answers = ModelAdapter().run(asked)
        except NotACase:
            return None
        for job in pending(answers):
            job[field] = not job[field]
        return Oracle(MODEL_PROFILE).judge(asked, answers).disagreement

    first, again = disagrees(asked), disagrees(shrink(asked, disagrees))
    assert first is not None
    assert again is not None
    assert job_of(first.actual, first.job)[field] == job_of(again.actual, again.job)[field]
