"""Any adapter can be served over the protocol."""

import json
from typing import Any

import pytest

from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.serve import KitFault, serve

START = {"cmd": "start", "version": 1}
CASE = {"cluster": {"hosts": []}, "events": [{"event": "begin_session"}]}
ON = {"events": [{"event": "begin_session"}]}


def spoken(*requests: Any) -> list[Any]:
    """What the model answers to these requests."""
    said: list[bytes] = []
    serve(ModelAdapter(), [json.dumps(one).encode() for one in requests], said.append)
    return [json.loads(line) for line in said]


def run(name: str, case: Any) -> Any:
    """The request to run a case."""
    return {"cmd": "run", "id": name, "case": case}


def test_model_says_who_it_is_and_answers() -> None:
    greeting, *replies = spoken(START, run("a", CASE), run("b", ON), {"cmd": "stop"})
    assert (1, "allotment-model") == (greeting["version"], greeting["profile"]["name"])
    assert [{"id": name, "answers": [{"answer": "ok"}]} for name in "ab"] == replies


def test_end_of_input_is_an_end() -> None:
    assert [] == spoken()
    assert 1 == len(spoken(START))


def test_other_version_is_unsupported() -> None:
    assert [{"version": 1, "unsupported": "version 2 of the protocol"}] == spoken(
        {"cmd": "start", "version": 2}
    )


def test_case_that_cannot_be_treated_is_an_error() -> None:
    _greeting, bad, on, good = spoken(START, run("a", {"cluster": 1}), run("b", ON), run("c", CASE))
    assert {"id", "error"} == bad.keys()
    assert "not a case: Expected `object`, got `int` - at `$.cluster`" == bad["error"]
    assert {"id": "b", "error": "no `cluster`, and no scheduler to go on with"} == on
    assert {"id": "c", "answers": [{"answer": "ok"}]} == good


@pytest.mark.parametrize(
    "requests",
    [
        [{"cmd": "stop"}],
        [run("a", CASE)],
        [{**START, "more": 1}],
        [START, START],
        [START, {"cmd": "dance"}],
        [START, {**run("a", CASE), "more": 1}],
        [START, run("a", [])],
    ],
)
def test_what_the_kit_never_sends_is_refused(requests: list[Any]) -> None:
    with pytest.raises(KitFault):
        spoken(*requests)


@pytest.mark.parametrize("sign", ["", "-"])
def test_number_of_any_length_ends_nothing(sign: str) -> None:
    said: list[bytes] = []
    case = json.dumps(run("a", {**CASE, "events": [{"event": "run_session", "cancel_at": 77}]}))
    lines = [json.dumps(START), case.replace("77", sign + "7" * 5000), json.dumps(run("b", CASE))]
    serve(ModelAdapter(), [line.encode() for line in lines], said.append)
    _greeting, long, good = map(json.loads, said)
    words = "not a case: a number of 5,000 digits, at most 4,300 are read"
    assert {"id": "a", "error": f"{words} - at `$.case.events[0].cancel_at`"} == long
    assert {"id": "b", "answers": [{"answer": "ok"}]} == good


def test_long_number_outside_a_case_is_refused() -> None:
    with pytest.raises(KitFault, match=r"5,000 digits.*`\$\.version`"):
        serve(ModelAdapter(), [b'{"cmd": "start", "version": ' + b"7" * 5000 + b"}"], print)


def test_request_that_is_not_json_is_refused() -> None:
    with pytest.raises(KitFault, match="not JSON"):
        serve(ModelAdapter(), [b"start\n"], lambda line: None)
