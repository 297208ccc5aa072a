"""The worked examples of SPEC.md, as the model answers them."""

from typing import Any

import pytest

from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import initial
from model.examples import Json, cluster_of, event_of, examples, json_of, json_of_books

EXAMPLES = list(examples())


@pytest.mark.parametrize(("below", "example"), EXAMPLES, ids=[below for below, _ in EXAMPLES])
def test_model_answers_as_the_example_says(below: str, example: Json) -> None:
    state, answers = initial(cluster_of(example["cluster"])), list[dict[str, Any]]()
    for told in example["events"]:
        state, answer = step(state, event_of(told), SPEC)
        answers.append(json_of(answer))
        if "books" in example.get("report", ()):
            answers[-1]["books"] = json_of_books(state)
    assert example["answers"] == answers, below


def test_examples_are_found() -> None:
    below = {name for name, _example in EXAMPLES}
    assert len(EXAMPLES) >= 15
    assert {"PLAN-3", "HOST-3", "E1", "E5", "E12"} <= below
