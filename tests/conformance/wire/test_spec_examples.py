"""Every worked example of SPEC.md, answered by the model."""

import json
from typing import Any

import pytest

from allotment_conformance.wire.model_adapter import ModelAdapter
from house.spec_examples import spec_examples


@pytest.mark.parametrize("example", spec_examples())
def test_model_answers_worked_example(example: dict[str, Any]) -> None:
    case = {field: value for field, value in example.items() if field != "answers"}
    assert example["answers"] == ModelAdapter().run(case)


def test_examples_are_found() -> None:
    assert len(spec_examples()) >= 5


def test_answers_are_what_json_gives() -> None:
    for example in spec_examples():
        case = {field: value for field, value in example.items() if field != "answers"}
        answers = ModelAdapter().run(case | {"report": ["books", "events"]})
        assert answers == json.loads(json.dumps(answers))
