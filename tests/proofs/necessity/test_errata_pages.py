"""The examples on the errata pages of SPEC.md tell the named fault from the specification."""

import json
import re
from typing import Any

import pytest
import z3

from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.rules import SPEC
from allotment_model.variants import VARIANTS
from allotment_proofs.necessity.errata import FLOAT_LEDGERS
from allotment_proofs.necessity.pages import blocks, differing, fit_together, rewritten
from house.sources import ROOT
from house.spec_examples import BLOCK

pytestmark = pytest.mark.xdist_group("errata")

Example = dict[str, Any]
PAGE = re.compile(r"^### (E\d+) .*?\n(.*?)(?=^##)", re.MULTILINE | re.DOTALL)
FAULTS = {one.name: one for one in (*VARIANTS, *FLOAT_LEDGERS)}


def examples() -> dict[str, list[Example]]:
    """The examples of each page."""
    text = (ROOT / "SPEC.md").read_text(encoding="utf-8")
    return {
        name: [json.loads(block) for block in BLOCK.findall(body)]
        for name, body in PAGE.findall(text)
    }


def answers(example: Example, fault: str = "") -> Any:
    """What the specification, or the model with a fault, answers."""
    case = {field: value for field, value in example.items() if field != "answers"}
    return ModelAdapter(FAULTS[fault].of(SPEC) if fault else SPEC).run(case)


SHOWN = (
    ("E1", 0, "cache filled inside a compound"),
    ("E2", 0, "binary fractions, capacity - used"),
    ("E2", 0, "binary fractions, used + want"),
    ("E7", 0, "counts never arrive"),
    ("E7", 1, "counts is not refused"),
    ("E8", 0, "nested primaries unchecked"),
    ("E9", 0, "compound keeps parts"),
    ("E9", 0, "failed work keeps its debits"),
    ("E10", 0, "hit pends the job"),
    ("E10", 1, "key without span"),
    ("E12", 0, "per-task pool amount once"),
    ("E12", 0, "per-job amount for each task"),
)
"""Page, number of the example, and a fault that it shows."""


@pytest.mark.parametrize(("page", "number", "fault"), SHOWN)
def test_example_tells_the_fault(page: str, number: int, fault: str) -> None:
    example = examples()[page][number]
    assert example["answers"] == answers(example)
    assert example["answers"] != answers(example, fault)


def test_every_example_has_its_fault_or_shows_an_accepted_gap() -> None:
    gaps = {("E5", 0), ("E5", 1), ("E6", 0)}
    without_variant = {("E13", 0)}
    shown = {(page, number) for page, number, _fault in SHOWN}
    found = {(page, number) for page, given in examples().items() for number in range(len(given))}
    assert found == shown | gaps | without_variant


def test_shared_cursor_does_not_show_where_the_page_says_so() -> None:
    example = examples()["E13"][0]
    assert example["answers"] == answers(example, "shared host cursor")


def test_room_hurts_where_the_page_says_so() -> None:
    example = examples()["E5"][1]
    assert example["answers"] == answers(example)
    _submitted, _other, first, _begun, second = example["answers"]
    assert ["pending", "dispatched"] == [one["answer"] for one in first["jobs"]]
    assert ["dispatched"] == [one["answer"] for one in second["jobs"]]


def test_generated_examples_are_those_of_the_pages() -> None:
    assert [] == differing((ROOT / "SPEC.md").read_text(encoding="utf-8"))


def test_changed_examples_are_written_anew() -> None:
    text = (ROOT / "SPEC.md").read_text(encoding="utf-8")
    changed = text
    for before, after in (
        ('"name": "one", "user": "u"', '"name": "one", "user": "v"'),
        ('"capacity": {"slots": 3}}, {"name": "B", "capacity": {"slots": 1}', '"capacity": {}'),
    ):
        place = changed.index(before, changed.index("### E1 "))
        changed = changed[:place] + after + changed[place + len(before) :]
    assert ["E1", "E6"] == [page for page, _number, _example in differing(changed)]
    assert text == rewritten(changed)


def test_every_page_of_a_fault_is_generated() -> None:
    """By hand is the list of refusals of E7 alone."""
    generated = {(page, number) for page, number, _example in blocks()}
    every = {(page, number) for page, given in examples().items() for number in range(len(given))}
    assert {("E7", 1)} == every - generated


@pytest.mark.parametrize("number", [0, 1])
def test_parts_of_a_greedy_compound_fit_together(number: int) -> None:
    example = examples()["E5"][number]
    free = tuple(host["capacity"]["slots"] for host in example["cluster"]["hosts"])
    parts = example["events"][0]["job"]["request"][0]
    ran = next(one for one in example["answers"] if one["answer"] == "ran")
    assert "pending" == ran["jobs"][0]["answer"]
    asked = tuple(one["tasks"]["max"] for one in parts)
    assert z3.is_true(z3.simplify(fit_together(asked, tuple(map(z3.IntVal, free)))))
