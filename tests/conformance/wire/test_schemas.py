"""The schemas are those of the types, and say what the types say."""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from allotment_conformance.engines.bulk import cases
from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.wire import schemas
from allotment_conformance.wire.messages import Json, NotACase, plain, read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import parts_of
from allotment_conformance.wire.profiles import MODEL_PROFILE
from house.spec_examples import spec_examples

VALIDATORS = {name: Draft202012Validator(one) for name, one in schemas.schemas().items()}
CLUSTER: Json = {"hosts": []}


def is_valid(name: str, message: object) -> bool:
    """Whether a message is what its schema says."""
    return bool(VALIDATORS[name].is_valid(message))


def test_packaged_schemas_are_those_of_the_types(tmp_path: Path) -> None:
    schemas.write(tmp_path / "made")
    written = {file.name: file.read_text() for file in (tmp_path / "made").iterdir()}
    assert schemas.texts() == schemas.packaged_texts() == written


def test_schemas_are_schemas() -> None:
    for validator in VALIDATORS.values():
        validator.check_schema(validator.schema)


def test_messages_of_the_kit_and_of_the_model_are_valid() -> None:
    for example in spec_examples():
        answers = example.pop("answers")
        assert is_valid("case", example)
        assert is_valid("answered", {"id": "1", "answers": answers})
    asked = [one.case for one in DIRECTED] + list(cases(1, 60, MODEL_PROFILE))
    model = ModelAdapter()
    for case in (part for one in asked for part in parts_of(one)):
        assert is_valid("run", {"cmd": "run", "id": "1", "case": case})
        answered = {"id": "1", "answers": model.run(case)}
        assert is_valid("answered", answered)
    assert is_valid("started", {"version": 1, "profile": plain(MODEL_PROFILE)})
    assert is_valid("start", {"cmd": "start", "version": 1})
    assert is_valid("stop", {"cmd": "stop"})


@pytest.mark.parametrize(
    "select",
    [
        {},
        {"number": 1, "text": "a"},
        {"op": "!"},
        {"args": []},
        {"op": "!", "args": [{"number": 1}, {"number": 1}]},
        {"op": "+", "args": [{"number": 1}]},
        {"op": "^", "args": [{"number": 1}, {"number": 1}]},
    ],
)
def test_schema_and_type_refuse_the_same_selects(select: Json) -> None:
    job = {
        "name": "j",
        "user": "u",
        "queue": "q",
        "project": "p",
        "request": [[{"select": select}]],
    }
    case = {"cluster": CLUSTER, "events": [{"event": "submit", "job": job}]}
    assert not is_valid("case", case)
    with pytest.raises(NotACase):
        read_case(case)


@pytest.mark.parametrize(
    "event",
    [
        {"event": "run_session", "cancel_at": -1},
        {"event": "dance"},
        {"event": "finish", "job": "j", "why": "because"},
        {"event": "limit_remove", "limit": {"kind": "user", "scope": "host", "resource": "slots"}},
        {
            "event": "limit_remove",
            "limit": {"kind": "user", "each": False, "scope": "host", "resource": "slots"},
        },
    ],
)
def test_schema_and_type_refuse_the_same_events(event: Json) -> None:
    case = {"cluster": CLUSTER, "events": [event]}
    assert not is_valid("case", case)
    with pytest.raises(NotACase):
        read_case(case)


def test_only_programs_may_add_fields() -> None:
    answer = {"answer": "ok", "took": 1}
    assert is_valid("answered", {"id": "1", "answers": [answer], "more": True})
    assert not is_valid("stop", {"cmd": "stop", "more": True})
    assert not is_valid("answered", {"id": "1", "answers": [{"answer": "perhaps"}]})
    assert "additionalProperties" in json.dumps(schemas.schemas()["case"])
