"""Each wrong rule is told from the specification by a case that was run, or cannot be."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from allotment_model.rules import SPEC
from allotment_model.variants import VARIANTS
from allotment_proofs.necessity.errata import FLOAT_LEDGERS, inexact_reversal
from allotment_proofs.necessity.least import least_amounts, sum_of_amounts
from allotment_proofs.necessity.pages import errata
from allotment_proofs.necessity.records import erratum_json, keep, witness_json
from allotment_proofs.necessity.slices import SLICES
from allotment_proofs.necessity.witnesses import (
    EQUIVALENT,
    Witness,
    all_witnesses,
    answers_of,
    smallest_witness,
)
from allotment_proofs.theorems import THEOREMS

pytestmark = pytest.mark.xdist_group("errata")

Found = tuple[list[Witness], list[str]]


@pytest.fixture(scope="module")
def found() -> Found:
    """All witnesses, and what is amiss with them."""
    return all_witnesses()


def test_every_variant_has_a_witness_or_is_equivalent(found: Found) -> None:
    witnesses, odd = found
    assert [] == odd
    assert len(VARIANTS) == len(witnesses) + len(EQUIVALENT)
    for witness in witnesses:
        variant = next(one for one in VARIANTS if one.name == witness.variant)
        assert witness.expected == answers_of(witness.cluster, witness.events, SPEC)
        assert witness.actual == answers_of(witness.cluster, witness.events, variant.of())
        assert witness.expected != witness.actual
        assert witness.is_least


def test_least_amounts_are_found_without_a_bound() -> None:
    """A host of nine slots is given, of which one is enough."""
    variant = next(one for one in VARIANTS if one.name == "exactly enough is not enough")
    witness = smallest_witness(variant)
    assert witness is not None
    host = replace(witness.cluster.hosts["A"], capacity={"slots": 9})
    roomy = replace(witness.cluster, hosts={"A": host})
    least = least_amounts(roomy, witness.events, variant.of())
    assert witness.cluster == least
    assert 1 == sum_of_amounts(witness.cluster)


def test_rules_that_have_no_term_keep_their_amounts() -> None:
    witness = smallest_witness(VARIANTS[0])
    assert witness is not None
    texts = replace(SPEC, free=lambda capacity, used: int(f"{capacity}") - used)
    assert least_amounts(witness.cluster, witness.events, texts) is None


def test_equivalence_rests_on_theorems() -> None:
    assert {*EQUIVALENT.values()} <= {theorem.name for theorem in THEOREMS}


def test_cases_of_a_slice_come_smallest_first() -> None:
    for piece in SLICES:
        hosts = [len(world.cluster.hosts) for world in piece.worlds()]
        assert piece.explicit or sorted(hosts) == hosts


@pytest.mark.parametrize(
    ("name", "hosts", "jobs"),
    [
        ("ascending buckets", {"A": 2, "B": 1}, [[[3]]]),
        ("shared host cursor", {"A": 1, "B": 2}, [[[3]]]),
        ("no rollback", {"A": 2, "B": 1, "C": 1}, [[[4]]]),
        ("cache filled inside a compound", {"A": 1}, [[[1, 1]], [[1]]]),
        ("one plan too few", {"A": 1}, [[[1]]]),
    ],
)
def test_witness_is_the_known_smallest(
    name: str, hosts: dict[str, int], jobs: list[list[list[int]]]
) -> None:
    witness = smallest_witness(next(one for one in VARIANTS if one.name == name))
    assert witness is not None
    record = witness_json(witness)
    found = {host["name"]: host["capacity"]["slots"] for host in record["cluster"]["hosts"]}
    asked = [
        [[part["tasks"]["max"] for part in parts] for parts in event["job"]["request"]]
        for event in record["events"]
        if event["event"] == "submit"
    ]
    assert (sorted(hosts.values()), jobs) == (sorted(found.values()), asked)


def test_inexact_reversal_is_found() -> None:
    reversal = inexact_reversal()
    assert 600 == reversal.cluster.hosts["A"].capacity["mem"]
    for ledger in FLOAT_LEDGERS:
        assert reversal.answers != answers_of(reversal.cluster, reversal.events, ledger.of())


def test_records_are_case_files(tmp_path: Path, found: Found) -> None:
    witnesses, _odd = found
    records = [*map(witness_json, witnesses), *map(erratum_json, errata().values())]
    keep(records, tmp_path)
    files = sorted(tmp_path.glob("*.json"))
    assert len(records) == len(files)
    for path in files:
        record = json.loads(path.read_text(encoding="utf-8"))
        assert {"name", "found", "cluster", "events", "answers"} <= record.keys()
