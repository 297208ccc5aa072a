"""The smallest counterexample of everybody in the zoo, and the tables that are made of them."""

import pytest

from allotment_conformance.counterexample.find import disagreement_on
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo import matrix
from allotment_conformance.zoo.catalogue import MUTANTS, Specimen, mutant
from allotment_conformance.zoo.hunt import ENGINES, Asked, Trail, asked, first_wrong, made_small
from allotment_conformance.zoo.matrix import BEGIN_MARK, END_MARK
from allotment_conformance.zoo.smallest import smallest
from allotment_conformance.zoo.workbench import Workbench
from house.sources import ROOT

SMALLEST = smallest()
PAGE = (ROOT / "docs" / "zoo.md").read_text(encoding="utf-8")
TABLE = PAGE.partition(BEGIN_MARK)[2].partition(END_MARK)[0]

MADE_ANEW = (
    "shared-host-cursor",
    "cache-filled-inside-a-compound",
    "no-rollback",
    "float64-ledger",
    "int32-ledger",
    "chunk-of-4096",
    "stale-select",
    "limit-set-again-counts-from-zero",
)
"""Cheap to find and to shrink; one of each sort."""


def test_everybody_has_a_smallest_case() -> None:
    assert [one.id for one in MUTANTS] == list(SMALLEST)


@pytest.mark.parametrize("one", MUTANTS, ids=lambda one: one.id)
def test_smallest_case_shows_the_fault(one: Specimen) -> None:
    kept = SMALLEST[one.id]
    found = disagreement_on(one.make(), MODEL_PROFILE, kept.case)
    assert found is not None
    assert (kept.kind, len(kept.case["events"]) - 1) == (found.kind.value, found.step)
    assert disagreement_on(Workbench(), MODEL_PROFILE, kept.case) is None


def rows() -> dict[str, list[str]]:
    """The cells of the table of the page, by allocator."""
    lines = [line.strip("| ").split(" | ") for line in TABLE.splitlines() if "| `" in line]
    return {cells[0].strip("`"): cells for cells in lines}


def test_page_has_a_row_for_everybody() -> None:
    assert {one.id for one in MUTANTS} <= set(rows())


def test_page_and_kept_cases_agree() -> None:
    for name, cells in rows().items():
        if name in SMALLEST:
            kept = SMALLEST[name]
            size = f"{len(kept.case['events'])}, {len(kept.case['cluster']['hosts'])}"
            assert [size, kept.kind] == cells[-2:]


@pytest.mark.parametrize("name", MADE_ANEW)
def test_case_is_found_and_shrunk_again(name: str) -> None:
    kept, one = SMALLEST[name], mutant(name)
    engine, _case, number = kept.found_in.split()
    case = asked(engine)[int(number) - 1].case
    assert kept == made_small(one, case, kept.found_in)
    found_after = first_wrong(one.make(), asked(engine))
    assert str(found_after) == rows()[name][3 + list(ENGINES).index(engine)]


def test_right_allocator_is_not_found() -> None:
    some: list[Asked] = list(asked("directed"))[:60]
    assert first_wrong(Workbench(), some) is None


def test_tables_stand_between_the_marks() -> None:
    page = f"Before.\n{BEGIN_MARK}\nold\n{END_MARK}\nAfter.\n"
    trails = matrix.matrix([], 1)
    assert {} == trails
    found = matrix.with_tables(page, {"int32-ledger": TRAIL})
    assert found.startswith("Before.\n")
    assert found.endswith("After.\n")
    assert "old" not in found
    assert "| `int32-ledger` | arith-int |" in found


TRAIL = Trail(
    found_after={"directed": 3, "bulk": 5, "hypothesis": None, "sizes": None},
    smallest=next(iter(SMALLEST.values()), None),
)
