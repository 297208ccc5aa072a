"""Every clause has its evidence, and whatever is taken away leaves a gap."""

import re
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.evidence import checkout as checkouts
from allotment_conformance.evidence import survey as surveys
from allotment_conformance.evidence import theorems as of_theorems
from allotment_conformance.evidence.cases import case_links
from allotment_conformance.evidence.checkout import (
    Outcome,
    TestEnding,
    TestsNotRun,
    links_of_tests,
    run_tests,
)
from allotment_conformance.evidence.links import Kind, Link
from allotment_conformance.evidence.not_applicable import NOT_APPLICABLE, SEEN_BY_NO_CASE
from allotment_conformance.evidence.survey import Sources, read_sources, survey
from allotment_conformance.evidence.theorems import About, installed_theorems, theorem_links
from allotment_model.clauses import CLAUSES, Evidence
from allotment_proofs import catalogue
from allotment_proofs.necessity.witnesses import EQUIVALENT
from allotment_proofs.statement import Theorem
from allotment_proofs.theorems import THEOREMS
from house.sources import ROOT, repository_files
from model.test_variants import NEVER_DIFFER

pytestmark = pytest.mark.xdist_group("survey")
LISTED = checkouts.listed_theorems(ROOT)


@pytest.fixture(scope="module")
def sources(links_of_cases: list[Link]) -> Sources:
    """Every link of this checkout, resolved once."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(surveys, "case_links", lambda: links_of_cases)
        return read_sources(ROOT)


def gaps(sources: Sources) -> list[str]:
    return [f"{gap.clause}: {gap.told}" for gap in survey(sources).gaps]


def without(sources: Sources, kind: Kind, links: Sequence[Link] = ()) -> Sources:
    """The sources with other links of one kind."""
    others = [link for link in sources.links if link.kind is not kind]
    return replace(sources, links=[*others, *links])


def test_no_clause_has_a_gap(sources: Sources) -> None:
    assert [] == gaps(sources)
    assert {} == sources.unread
    assert len(CLAUSES) == len(survey(sources).rows)


@pytest.mark.parametrize("deleted", THEOREMS, ids=lambda one: one.name)
def test_deleted_theorem_is_a_gap(
    sources: Sources, deleted: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    rest = tuple(one for one in THEOREMS if one is not deleted)
    monkeypatch.setattr(catalogue, "THEOREMS", rest)
    left = installed_theorems()
    assert left is not None
    found = gaps(without(sources, Kind.THEOREM, theorem_links(left, LISTED)))
    assert any("it is listed and is not there" in one for one in found)


def test_theorem_that_is_not_listed_is_a_gap(sources: Sources) -> None:
    offered = {**LISTED, "A new sentence": About(clauses=("PLAN-1",), scope="unbounded")}
    found = gaps(without(sources, Kind.THEOREM, theorem_links(offered, LISTED)))
    assert ["PLAN-1: theorem 'A new sentence': it is not listed"] == found


def test_theorem_on_other_clauses_is_a_gap(sources: Sources) -> None:
    first = THEOREMS[0]
    offered = {**LISTED, first.name: About(clauses=("PLAN-2",), scope=first.scope)}
    found = gaps(without(sources, Kind.THEOREM, theorem_links(offered, LISTED)))
    assert [f"PLAN-2: theorem '{first.name}': its clauses are listed otherwise"] == found


@pytest.mark.parametrize(
    "edited", [one for one in THEOREMS if one.scope != "unbounded"], ids=lambda one: one.name
)
def test_scope_edited_on_the_page_is_a_gap(
    sources: Sources, edited: Theorem, tmp_path: Path
) -> None:
    page = (ROOT / checkouts.PAGE).read_text(encoding="utf-8")
    row = f"| {edited.name} | {' '.join(edited.clauses)} |"
    assert 1 == page.count(f"{row} {edited.scope} |\n")
    (tmp_path / "docs").mkdir()
    (tmp_path / checkouts.PAGE).write_text(
        page.replace(f"{row} {edited.scope} |", f"{row} unbounded |"), encoding="utf-8"
    )
    offered = installed_theorems()
    assert offered is not None
    links = theorem_links(offered, checkouts.listed_theorems(tmp_path))
    told = f"theorem '{edited.name}': its scope is listed otherwise"
    found = gaps(without(sources, Kind.THEOREM, links))
    assert {f"{clause}: {told}" for clause in edited.clauses} <= {*found}


def test_page_lists_the_theorems() -> None:
    assert catalogue.page() == (ROOT / checkouts.PAGE).read_text(encoding="utf-8")
    assert {one.name: About(clauses=one.clauses, scope=one.scope) for one in THEOREMS} == LISTED


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda one: one.id)
def test_renamed_clause_is_a_gap(sources: Sources, clause: object) -> None:
    renamed = [replace(one, id="PLAN-99") if one is clause else one for one in CLAUSES]
    found = gaps(replace(sources, clauses=renamed))
    assert any(one.startswith("PLAN-99: no model function") for one in found)
    assert any("SPEC.md and the model's list of clauses differ" in one for one in found)


def test_clause_renamed_in_the_specification_is_a_gap(sources: Sources, tmp_path: Path) -> None:
    text = (ROOT / "SPEC.md").read_text(encoding="utf-8")
    (tmp_path / "SPEC.md").write_text(text.replace("**PLAN-1** *(", "**PLAN-12** *("))
    found = gaps(replace(sources, specified=checkouts.specified(tmp_path)))
    assert ["PLAN-1: SPEC.md and the model's list of clauses differ: PLAN-1, PLAN-12"] == found


def test_reordered_specification_is_a_gap(sources: Sources) -> None:
    assert sources.specified is not None
    assert 1 == len(gaps(replace(sources, specified=sources.specified[::-1])))


@pytest.mark.parametrize("kind", Kind)
def test_each_kind_of_evidence_is_needed(sources: Sources, kind: Kind) -> None:
    bare = {one.partition(":")[0] for one in gaps(without(sources, kind)) if f"no {kind}" in one}
    assert {clause.id for clause in CLAUSES} - {clause for clause, _ in _marked(kind)} == bare


def _marked(kind: Kind) -> list[tuple[str, Kind]]:
    return [place for place in NOT_APPLICABLE if place[1] is kind]


def test_marks_give_their_reasons() -> None:
    reasons = [*NOT_APPLICABLE.values(), *SEEN_BY_NO_CASE.values()]
    assert all(reason.startswith("because ") for reason in reasons)


def test_mark_without_need_is_a_gap(sources: Sources) -> None:
    marks = {**NOT_APPLICABLE, ("PLAN-1", Kind.THEOREM): "because", ("X-1", Kind.SHOWN): "because"}
    assert [
        "PLAN-1: it has a theorem and is marked 'not applicable'",
        "X-1: X-1 has a mark 'not applicable' and is no clause",
    ] == gaps(replace(sources, not_applicable=marks))


def test_wrong_rules_that_no_case_shows_are_known_to_all() -> None:
    assert {*EQUIVALENT} == {*SEEN_BY_NO_CASE} == {*NEVER_DIFFER}


def test_emptied_case_shows_nothing() -> None:
    [case] = [one for one in DIRECTED if one.name == "consolidated-first"]
    emptied = replace(case, case={**case.case, "events": []})
    [link] = [link for link in case_links([emptied]) if link.kind is Kind.SHOWN]
    assert "no wrong rule that breaks PLAN-1 answers it otherwise" == link.broken


def test_wrong_rule_that_nothing_notices_is_a_gap(sources: Sources) -> None:
    unseen = Link(clause="PLAN-1", kind=Kind.WRONG, name="quiet")
    found = gaps(replace(sources, links=[*sources.links, unseen]))
    assert ["PLAN-1: wrong rule 'quiet': no case or test of the clause fails under it"] == found


def test_structure_and_inside_clauses_name_their_tests(sources: Sources) -> None:
    shown = {link.clause for link in sources.links if "::" in link.name}
    assert {one.id for one in CLAUSES if one.evidence is not Evidence.ANSWER} == shown


PLANS = "tests/impl/test_plans.py"
POLLS = "def test_every_call_polls_once_also_after_the_end() -> None:\n"
KEEPS = "def test_a_plan_never_changes() -> None:\n"
LISTED_FOR = '@pytest.mark.clause("PLAN-4", broken_by="one plan is changed at each call")'
NO_WRONG_RULE = ', broken_by="plans do not poll the token"'

MARKS = {
    "skip": "it is skipped",
    "skipif(True, reason='today')": "it is skipped",
    "usefixtures('skipping')": "it is skipped",
    "usefixtures('skipping_at_the_end')": "it is skipped",
    "xfail": "it is marked to fail",
    "xfail(run=False)": "it is marked to fail",
}

EDITS = {
    "emptied": (POLLS, f"{POLLS}    return\n"),
    "failing": ("    made = []\n", "    made = [0]\n"),
    "skips itself": (KEEPS, f"{KEEPS}    pytest.skip('today')\n"),
    "no wrong rule": (NO_WRONG_RULE, ""),
    **{mark: (LISTED_FOR, f"@pytest.mark.{mark}\n{LISTED_FOR}") for mark in MARKS},
}
"""Places of the tests of the plan iterator, and what each reads in a file of its own."""

FIXTURES = """
@pytest.fixture
def skipping() -> None:
    pytest.skip("today")


@pytest.fixture
def skipping_at_the_end():
    yield
    pytest.skip("today")
"""


def copied(folder: Path) -> Path:
    """A copy of the tests of this checkout, of which only those of the plan iterator are listed."""
    for path in repository_files():
        place = folder / path.relative_to(ROOT)
        if path.relative_to(ROOT).parts[0] in ("tests", "pyproject.toml"):
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    for name in checkouts.marked_files(folder):
        if name != PLANS:
            (folder / name).unlink()
    return folder


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """Such a copy."""
    return copied(tmp_path)


def edited(copy: Path, before: str, after: str) -> str:
    """The tests of the plan iterator, with one place that reads otherwise."""
    text = (copy / PLANS).read_text(encoding="utf-8")
    assert 1 == text.count(before)
    return text.replace(before, after)


@pytest.fixture(scope="module")
def after(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What is wrong with each listed test, after each edit: all files are run at once."""
    copy = copied(tmp_path_factory.mktemp("copy"))
    files = {name: f"tests/impl/test_plans_{number}.py" for number, name in enumerate(EDITS)}
    for name, file in files.items():
        (copy / file).write_text(edited(copy, *EDITS[name]), encoding="utf-8")
    (copy / PLANS).unlink()
    with (copy / "tests" / "conftest.py").open("a", encoding="utf-8") as file_of_fixtures:
        file_of_fixtures.write(FIXTURES)
    shown = [one for one in links_of_tests(run_tests(copy)) if one.kind is Kind.SHOWN]
    return {
        name: {
            test: link.broken
            for link in shown
            for of, _colons, test in (link.name.partition("::"),)
            if of == file
        }
        for name, file in files.items()
    }


def test_emptied_or_failing_listed_test_is_told(after: dict[str, dict[str, str]]) -> None:
    assert {
        "test_a_plan_never_changes": "",
        "test_closing_twice_or_midway_releases_everything": "",
        "test_every_call_polls_once_also_after_the_end": "it passes under the wrong rule "
        "'plans do not poll the token'",
        "test_one_call_makes_one_plan": "",
    } == after["emptied"]
    assert "it fails" == after["failing"]["test_one_call_makes_one_plan"]


@pytest.mark.parametrize("mark", MARKS)
def test_listed_test_that_is_marked_away_is_told(
    mark: str, after: dict[str, dict[str, str]]
) -> None:
    broken = dict(after[mark])
    assert MARKS[mark] == broken.pop("test_a_plan_never_changes")
    assert {""} == {*broken.values()}


def test_listed_test_that_skips_itself_is_told(after: dict[str, dict[str, str]]) -> None:
    assert "it is skipped" == after["skips itself"]["test_a_plan_never_changes"]


def test_file_of_listed_tests_that_skips_itself_is_told(copy: Path) -> None:
    before = "UNBOUNDED = SpanBounds"
    skip = "pytest.skip('today', allow_module_level=True)\n"
    (copy / PLANS).write_text(edited(copy, before, f"{skip}{before}"), encoding="utf-8")
    with pytest.raises(TestsNotRun, match=re.escape(f"{PLANS} is skipped")):
        run_tests(copy)


@pytest.mark.parametrize(
    ("ending", "told"),
    [(TestEnding.SKIPPED, "it is skipped"), (TestEnding.XFAIL, "it is marked to fail")],
)
def test_listed_test_that_is_marked_away_is_a_gap(
    sources: Sources, ending: TestEnding, told: str
) -> None:
    outcome = Outcome(
        test="tests/x.py::test_x", clauses=("PLAN-7",), wrong_rule=None, ending=ending
    )
    found = gaps(replace(sources, links=[*sources.links, *links_of_tests([outcome])]))
    assert [f"PLAN-7: case or test 'tests/x.py::test_x': {told}"] == found


def test_listed_test_without_a_known_wrong_rule_is_told(
    copy: Path, after: dict[str, dict[str, str]]
) -> None:
    told = "it names no wrong rule under which it must fail"
    assert told == after["no wrong rule"]["test_every_call_polls_once_also_after_the_end"]
    wrong = edited(copy, "closing plans does nothing", "closing plans does something")
    (copy / PLANS).write_text(wrong, encoding="utf-8")
    with pytest.raises(TestsNotRun, match="no wrong rule"):
        run_tests(copy)


def test_emptied_listed_test_is_a_gap(sources: Sources) -> None:
    test, wrong = "tests/impl/test_plans.py::test_x", "plans do not poll the token"
    outcomes = [
        Outcome(test=test, clauses=("PLAN-7",), wrong_rule=rule, ending=TestEnding.PASSED)
        for rule in (None, wrong)
    ]
    found = gaps(replace(sources, links=[*sources.links, *links_of_tests(outcomes)]))
    assert f"PLAN-7: case or test '{test}': it passes under the wrong rule '{wrong}'" in found


def test_what_is_not_there_is_not_a_gap(
    links_of_cases: list[Link], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(surveys, "case_links", lambda: links_of_cases)
    monkeypatch.setattr(of_theorems, "entry_points", lambda group: [])
    unread = read_sources(None)
    assert {Kind.THEOREM: "not installed", Kind.SHOWN: "no checkout"} == unread.unread
    assert [] == gaps(unread)


def test_theorems_without_their_solver_are_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_solver(_self: EntryPoint) -> None:
        raise ModuleNotFoundError("no z3", name="z3")

    monkeypatch.setattr(EntryPoint, "load", without_solver)
    assert installed_theorems() is None
