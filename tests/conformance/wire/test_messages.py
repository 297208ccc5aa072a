"""What is a case and what is not, and the way of cases into the model and back."""

from typing import Any

import pytest

from allotment_conformance.wire import to_model
from allotment_conformance.wire.envelope import read_reply
from allotment_conformance.wire.failure import Fault, ProtocolBroken
from allotment_conformance.wire.messages import (
    NotACase,
    NotAMessage,
    plain,
    read_answers,
    read_case,
    read_profile,
)
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

HOST = {"name": "A", "capacity": {"slots": 1}}
LIMIT = {"kind": "user", "each": True, "scope": "cluster", "resource": "slots", "cap": 1}
NAMED = {key: value for key, value in LIMIT.items() if key not in ("each", "cap")} | {"name": "u"}


def submit(**fields: Any) -> dict[str, Any]:
    job = {"name": "j", "user": "u", "queue": "q", "project": "p", "request": [[{}]]}
    return {"events": [{"event": "submit", "job": job | fields}]}


def select(expression: dict[str, Any]) -> dict[str, Any]:
    return submit(request=[[{"select": expression}]])


@pytest.mark.parametrize(
    "case",
    [
        {},
        {"events": [], "more": 1},
        {"events": [{"event": "sleep"}]},
        {"events": [{"event": "finish"}]},
        {"events": [{"event": "run_session", "cancel_at": -1}]},
        {"events": [{"event": "run_session", "cancel_at": True}]},
        {"events": [{"event": "limit_remove", "limit": LIMIT}]},
        {"events": [{"event": "limit_set", "limit": LIMIT | {"name": "u"}}]},
        {"events": [{"event": "limit_set", "limit": LIMIT | {"each": False}}]},
        {"events": [{"event": "limit_set", "limit": NAMED}]},
        {"events": [], "report": ["all"]},
        submit(priority=1.0),
        submit(priority=True),
        submit(tasks={"min": 1}),
        submit(request=[{}]),
        select({}),
        select({"number": 1, "text": "a"}),
        select({"op": "-", "args": [{"number": 1}]}),
        select({"op": "!", "args": [{"number": 1}, {"number": 1}]}),
        select({"op": "xor", "args": [{"number": 1}, {"number": 1}]}),
        select({"number": 1, "args": []}),
    ],
)
def test_malformed_case_is_refused(case: dict[str, Any]) -> None:
    with pytest.raises(NotACase):
        read_case(case)


@pytest.mark.parametrize(
    "cluster",
    [
        {"hosts": [HOST, HOST]},
        {"hosts": [HOST], "limits": [LIMIT, LIMIT | {"cap": 2}]},
        {"hosts": [], "resources": {"host": ["mem"], "shared": ["mem"]}},
        {"hosts": [], "resources": {"attributes": {"slots": "number"}}},
        {"hosts": [HOST | {"capacity": {"mem": 1}}]},
        {"hosts": [HOST | {"capacity": {"slots": -1}}]},
        {"hosts": [HOST | {"attributes": {"gpu": 1}}]},
        {"hosts": [], "pools": {"lic": 1}},
        {"hosts": [], "limits": [LIMIT | {"cap": 2**53}]},
    ],
)
def test_impossible_cluster_is_refused(cluster: dict[str, Any]) -> None:
    sent = read_case({"events": [], "cluster": cluster}).cluster
    assert sent
    with pytest.raises(NotACase):
        to_model.cluster(sent)


def test_numbers_beyond_the_range_may_be_sent() -> None:
    case = {"cluster": {"hosts": [HOST]}} | submit(
        request=[[{"tasks": {"min": 1, "max": 1}, "select": {"number": 2**70}}]]
    )
    assert [{"answer": "refused", "code": "amount-range"}] == ModelAdapter().run(case)


def test_first_case_needs_a_cluster() -> None:
    with pytest.raises(NotACase):
        ModelAdapter().run({"events": []})


def test_later_case_goes_on_with_the_scheduler() -> None:
    adapter = ModelAdapter()
    adapter.run({"cluster": {"hosts": [HOST]}} | submit(tasks={"min": 1, "max": 1}))
    answers = adapter.run({"events": [{"event": "run_session"}], "report": ["books", "events"]})
    assert [
        {
            "answer": "ran",
            "jobs": [
                {
                    "job": "j",
                    "answer": "dispatched",
                    "alternative": 0,
                    "parts": [[["A", 1]]],
                    "events": [
                        ["primary", 0, 0],
                        ["plan", [1]],
                        ["offered", "A"],
                        ["claimed", "A", 1],
                        ["committed"],
                    ],
                }
            ],
            "books": {"hosts": {"A": {"slots": 1}}, "pools": {}, "limits": []},
        }
    ] == answers
    assert answers == [plain(answer) for answer in read_answers(answers)]


def test_profile_is_read_as_declared() -> None:
    assert read_profile(ModelAdapter().start()) == MODEL_PROFILE


@pytest.mark.parametrize("answer", [{}, {"answer": "ok", "code": "x"}, {"answer": "ran"}, 1])
def test_malformed_answer_is_refused(answer: object) -> None:
    with pytest.raises(NotAMessage):
        read_answers([answer])


@pytest.mark.parametrize(
    ("line", "name"),
    [
        (b'{"id": "1", "id": "2", "answers": []}', "id"),
        (b'{"id" :"1", "answers": [{"answer":"ok", "x": {"a": 1, "b": 2, "a": {}}}]}', "a"),
        (rb'{"id": "\u003a", "answers": [], "answers": []}', "answers"),
    ],
)
def test_name_that_stands_twice_is_of_the_wrong_shape(line: bytes, name: str) -> None:
    with pytest.raises(ProtocolBroken, match=f'the name ."{name}".') as broken:
        read_reply(line)
    assert Fault.SHAPE == broken.value.fault


@pytest.mark.parametrize(
    "line",
    [
        rb'{"id": "a:b \u003a \ud83d\ude00", "answers": []}',
        b'{ "id" : "1" , "answers" : [ { "answer" : "ok" } , { "answer" : "ok" } ] }',
        b'{"id": "1", "answers": [], "took": 123456789012345678901234567890}',
    ],
)
def test_names_that_stand_once_are_read(line: bytes) -> None:
    assert read_reply(line).answers is not None
