"""The list of clauses is that of SPEC.md: ids, order, kinds of evidence."""

import re

from allotment_model.clauses import CLAUSES
from model.sceptic_ingest import SPECIFICATION

DEFINITION = re.compile(r"^\*\*([A-Z]+-\d+)\*\* \*\(([a-z]+)", re.MULTILINE)
FEATURES = {
    *("compound", "alter", "select", "rusage", "span", "ptile", "shared", "limits"),
    *("priorities", "host-changes", "cancel", "events", "books", "text"),
}


def test_clauses_are_those_of_the_specification() -> None:
    defined = DEFINITION.findall(SPECIFICATION)
    assert defined == [(clause.id, clause.evidence.value) for clause in CLAUSES]


def test_titles_are_told_apart() -> None:
    assert len(CLAUSES) == len({clause.title for clause in CLAUSES})


def test_features_are_those_of_a_profile() -> None:
    assert set() == {feature for clause in CLAUSES for feature in clause.features} - FEATURES
