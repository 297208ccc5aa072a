"""What an allocator sent back: an answer to each event, or in words why it is none."""

from typing import Any

import pytest

from allotment_conformance.verdict.received import SHOWN, NoAnswer, received

PLACED = {"job": "j", "answer": "dispatched", "alternative": 0, "parts": [[["A", 1]]]}


def ran(**fields: Any) -> dict[str, Any]:
    """The answer of a run with one job, with some fields made otherwise."""
    return {"answer": "ran", "jobs": [{**PLACED, **fields}]}


def test_answer_of_the_right_shape_is_one() -> None:
    assert [ran()] == received([ran()], 1)


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (ran(alternative=10**5000), "$[0].jobs[0].alternative`: what JSON cannot hold"),
        (ran(alternative=2**53), "<= 9007199254740991 - at `$[0].jobs[0].alternative`"),
        (ran(parts=[[["A", -(2**53)]]]), ">= -9007199254740991 - at `$[0].jobs[0].parts[0]"),
        (ran(pad=True), '"parts": [[["A", 1]]], "pad": true'),
        (ran(pad=object()), '"pad": "<object>"'),
        (ran(events=[["hop", (1, 2)]]), '["hop", [1, 2]] is not a protocol event'),
        ({("a",): 1}, "what JSON cannot hold"),
    ],
)
def test_what_is_no_answer_is_told_as_json(sent: object, told: str) -> None:
    [given] = received([sent], 1)
    assert isinstance(given, NoAnswer)
    assert told in given.words


def test_only_the_beginning_of_a_long_answer_is_shown() -> None:
    [given] = received([ran(pad="x" * 1_000_000)], 1)
    assert isinstance(given, NoAnswer)
    assert len(given.words) < SHOWN + 200
    assert given.words.endswith("x…")
