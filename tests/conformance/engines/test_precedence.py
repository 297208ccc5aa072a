"""The directed cases of two codes: each pair stands as in SPEC.md 2.3, and no pair is missing."""

from itertools import pairwise

import pytest

from allotment_conformance.engines.directed.precedence import CASES, CHANGES, JOBS, LAST_PARTS
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.answers import Refusal

OF_OTHER_EVENTS = {Refusal.UNKNOWN_NAME, Refusal.NOT_RUNNING, Refusal.NOT_PENDING}
"""Codes that a submission cannot have."""

SUBMISSION_CODES = [code.value for code in Refusal if code not in OF_OTHER_EVENTS]


def test_neighbours_among_the_codes_of_a_submission() -> None:
    assert [f"{one} before {next_}" for one, next_ in pairwise(SUBMISSION_CODES)] == list(JOBS)


@pytest.mark.parametrize("codes", [*JOBS, *CHANGES])
def test_first_of_two_codes_is_answered(codes: str) -> None:
    earlier, _before, later = codes.partition(" before ")
    slug = codes.replace(" ", "-")
    [case] = [one.case for one in CASES if one.name.endswith(f"-{slug}")]
    assert earlier == ModelAdapter().run(case)[-1]["code"]
    assert later in [code.value for code in Refusal]


@pytest.mark.parametrize("code", LAST_PARTS)
def test_code_of_the_last_part_is_answered(code: str) -> None:
    [case] = [one.case for one in CASES if one.name == f"{code}-in-the-last-part"]
    assert code == ModelAdapter().run(case)[0]["code"]
