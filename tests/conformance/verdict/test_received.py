"""What an allocator sent back: an answer to each event, or in words why it is none."""

from typing import Any

import pytest

from allotment_conformance.verdict.received import SHOWN, NoAnswer, ask, kept, received
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.nesting import TOO_DEEP

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
        (ran(reason="\ud800"), r"\ud800"),
        (ran(parts=[{("A", 1)}]), "type set is not JSON serializable"),
        (
            {"answer": "ok", "books": {"hosts": {1: {}}, "pools": {}, "limits": []}},
            "Expected `str`",
        ),
    ],
)
def test_what_is_no_answer_is_told_as_json(sent: object, told: str) -> None:
    [given] = received([sent], 1)
    assert isinstance(given, NoAnswer)
    assert told in given.words
    assert given.words.encode()


class Text(str):
    """A text that is equal to all others."""

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return True


class Number(int):
    """A number of the allocator's own."""


def test_answer_is_what_json_gives_of_it() -> None:
    notes = (("plan", (1,)), ("claimed", "A", 1))
    parts = ((("A", Number(1)),),)
    [given] = received([ran(job=Text("j"), parts=parts, events=notes)], 1)
    assert ran(events=[["plan", [1]], ["claimed", "A", 1]]) == given
    assert not isinstance(given, NoAnswer)
    assert str is type(given["jobs"][0]["job"])


def test_name_may_have_half_of_a_character() -> None:
    assert [ran(job="\ud800")] == received([ran(job="\ud800")], 1)


def test_books_of_any_size_are_received() -> None:
    limit = {"kind": "user", "scope": "cluster", "resource": "slots", "each": True}
    uses = [{**limit, "holder": "u", "host": None, "used": 10**30}]

    def told(limits: object) -> Json:
        return {"answer": "ok", "books": {"hosts": {}, "pools": {}, "limits": limits}}

    assert [told(uses)] == received([told(tuple(uses))], 1)


def test_tuple_of_answers_is_a_list_of_them() -> None:
    class Answering(ModelAdapter):
        def run(self, case: Json) -> Any:
            return tuple(super().run(case))

    case = {"cluster": {"hosts": []}, "events": [{"event": "begin_session"}] * 2}
    assert [{"answer": "ok"}] * 2 == ask(Answering(), case)


def test_tuples_may_be_nested_too_deeply() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = (deep,)
    [given] = received([ran(parts=deep)], 1)
    assert isinstance(given, NoAnswer)
    assert TOO_DEEP in given.words


def test_wrong_answers_are_kept_as_json_gives_them() -> None:
    assert [[["A", 1]]] == kept(((("A", 1),),))
    for amiss in ({1: 2}, {"A"}, float("nan")):
        assert isinstance(kept([amiss]), NoAnswer)


def test_only_the_beginning_of_a_long_answer_is_shown() -> None:
    [given] = received([ran(pad="x" * 1_000_000)], 1)
    assert isinstance(given, NoAnswer)
    assert len(given.words) < SHOWN + 200
    assert given.words.endswith("x…")
