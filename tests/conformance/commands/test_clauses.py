"""`allotment clauses`: what it prints, and what it exits with."""

import json
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.evidence import survey as surveys
from allotment_conformance.evidence.links import Link
from allotment_model.clauses import CLAUSES

# One worker finds out what cases show, for these tests and those of the survey.
pytestmark = pytest.mark.xdist_group("survey")

UNTESTED = "case or test: tests not run"


@pytest.fixture
def surveying_once(links_of_cases: list[Link], monkeypatch: pytest.MonkeyPatch) -> None:
    """The run does not find out again what cases show."""
    monkeypatch.setattr(surveys, "case_links", lambda: links_of_cases)


@pytest.mark.usefixtures("surveying_once")
def test_table_has_every_clause_and_says_what_is_missing(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = tmp_path / "clauses.json"
    assert 3 == main(["clauses", "--no-tests", "--json", str(path)])
    printed = capsys.readouterr().out
    assert all(f"\n{clause.id} " in printed for clause in CLAUSES)
    assert f"INCOMPLETE: no gap in what could be read ({UNTESTED})\n" in printed
    written = json.loads(path.read_text(encoding="utf-8"))
    assert 3 == written["status"]
    assert [clause.id for clause in CLAUSES] == [one["clause"] for one in written["clauses"]]
    first = written["clauses"][0]
    assert ["second plan first", "only the first plan"] == [
        one["name"] for one in first["wrong rule"]
    ]
    assert ["plans.plans"] == [one["name"] for one in first["model function"]]


def test_gaps_only_shows_gaps(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveys, "model_links", list)
    monkeypatch.setattr(surveys, "case_links", list)
    assert 1 == main(["clauses", "--no-tests", "--gaps-only"])
    printed = capsys.readouterr().out
    assert "PLAN-1: no model function\n" in printed
    assert f"GAPS: {len(CLAUSES)} ({UNTESTED})\n" in printed


@pytest.mark.usefixtures("surveying_once")
def test_one_clause_is_shown_with_all_links(capsys: pytest.CaptureFixture[str]) -> None:
    assert 3 == main(["clauses", "HOST-3", "--no-tests"])
    printed = capsys.readouterr().out
    assert "HOST-3: each bucket searches afresh (answer)\n" in printed
    assert "  model function: search.hosts_to_search\n" in printed
    assert "  wrong rule: shared host cursor (seen by: " in printed


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["HOST-33"], "there is no clause 'HOST-33'"),
        (["--checkout", "/nowhere"], "/nowhere is not a checkout"),
        (["--json", "/nowhere/x.json"], "/nowhere/x.json cannot be written"),
        (["--loud"], "--loud"),
    ],
)
def test_bad_input_exits_2(
    words: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(["clauses", *words])
    printed = capsys.readouterr()
    assert complaint in printed.err
    assert "" == printed.out


def test_help_has_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(["clauses", "--help"])
    assert "Example: allotment clauses --gaps-only" in capsys.readouterr().out
