"""The examples on the errata pages of SPEC.md tell the named fault from the specification."""

import json
import re
from typing import Any

import pytest

from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.rules import SPEC
from allotment_model.variants import VARIANTS
from allotment_proofs.necessity.errata import (
    FLOAT_LEDGERS,
    fit_together,
    greedy_compound,
    inexact_reversal,
    unbalanced_split,
)
from allotment_proofs.necessity.records import erratum_json, witness_json
from allotment_proofs.necessity.witnesses import smallest_witness
from house.sources import ROOT
from house.spec_examples import BLOCK

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


def size(example: Example) -> tuple[int, int, list[int]]:
    """Hosts, slots, and the tasks of each primary: what the smallest witnesses agree in."""
    slots = [host["capacity"]["slots"] for host in example["cluster"]["hosts"]]
    submitted = [event["job"] for event in example["events"] if event["event"] == "submit"]
    parts = [part for job in submitted for compound in job["request"] for part in compound]
    return len(slots), sum(slots), [part["tasks"]["max"] for part in parts]


def test_smallest_witnesses_are_those_of_the_pages() -> None:
    first = smallest_witness(FAULTS["cache filled inside a compound"])
    assert first is not None
    assert size(examples()["E1"][0]) == size(witness_json(first))
    assert size(examples()["E2"][0]) == size(erratum_json(inexact_reversal()))
    assert size(examples()["E5"][0]) == size(erratum_json(greedy_compound()))
    assert size(examples()["E6"][0]) == size(erratum_json(unbalanced_split()))


@pytest.mark.parametrize("number", [0, 1])
def test_parts_of_a_greedy_compound_fit_together(number: int) -> None:
    example = examples()["E5"][number]
    free = tuple(host["capacity"]["slots"] for host in example["cluster"]["hosts"])
    parts = example["events"][0]["job"]["request"][0]
    ran = next(one for one in example["answers"] if one["answer"] == "ran")
    assert "pending" == ran["jobs"][0]["answer"]
    assert fit_together(tuple(one["tasks"]["max"] for one in parts), free)
