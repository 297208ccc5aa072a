"""How a mutant is judged, read and told. Cosmic Ray itself is run by `make mutate-model` only."""

import inspect
import re
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from types import FunctionType

import pytest
import z3

from allotment_model import accounts
from allotment_model.answers import Category, Refusal
from allotment_model.cache import Key
from allotment_model.cluster import Identity, Resources, Scope
from allotment_model.ingest import first_refusal, submission_checks
from allotment_model.request import Job, Primary, Span
from allotment_model.rules import SPEC
from allotment_model.variants import VARIANTS
from allotment_proofs.mutation import judge as judging
from allotment_proofs.mutation import session, wrong_rules
from allotment_proofs.mutation.changes import Change, by_field, changed_lines
from allotment_proofs.mutation.equivalence import (
    BOXES,
    box_size,
    changed,
    courses,
    difference,
    difference_in_cases,
)
from allotment_proofs.mutation.judge import Judgement
from allotment_proofs.mutation.page import HEAD, page
from allotment_proofs.mutation.session import (
    Mutant,
    functions_by_module,
    judged,
    theorems_by_function,
)
from allotment_proofs.prover import Proved, Refuted, Unlifted, functions_of, unaffected_by
from allotment_proofs.statement import Case, Lifting
from allotment_proofs.theorems import THEOREMS
from allotment_proofs.trusted.symbols import Unsupported
from house.sources import ROOT

pytestmark = pytest.mark.xdist_group("mutation")
Cases = Callable[[Lifting], Iterator[Case]]


@cache
def functions() -> dict[str, list[FunctionType]]:
    """What the theorems lift, by module; whole runs, which take long to watch, are left out."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "THEOREMS", [one for one in THEOREMS if not one.is_whole])
        return functions_by_module()


def leaf(name: str) -> FunctionType:
    """A function of `arithmetic`."""
    [found] = [one for one in functions()["arithmetic"] if one.__name__ == name]
    return found


def edited(function: FunctionType, before: str, after: str) -> FunctionType:
    """The function with one place of its source reading otherwise."""
    source = inspect.getsource(function)
    assert 1 == source.count(before)
    return changed(function, source.replace(before, after))


@pytest.mark.parametrize(
    ("after", "outcome", "told"),
    [
        ("wanted < left", "refuted", "fits is False"),
        ("not wanted > left", "survived", ""),
        ("wanted ^ left > 9", "unsupported", "arithmetic.py:"),
        ("wanted <= lost", "unsupported", "arithmetic.py:"),
        ("wanted <=", "crashed", "invalid syntax"),
        ("any(True for _ in iter(int, 1) if False)", "crashed", "TooLong"),
    ],
)
def test_change_is_judged_by_the_proofs(
    after: str, outcome: str, told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if told == "TooLong":
        monkeypatch.setattr(judging, "SECONDS", 0.1)
    fits = leaf("fits")
    source = inspect.getsource(fits)
    changed_source = source.replace("wanted <= left", after)
    theorems = theorems_by_function()[fits][:2]
    judgement = judging.judge(fits, changed_source, theorems)
    assert outcome == judgement.outcome
    assert told in judgement.told
    assert SPEC.fits(3, 3)


def test_waiting_is_not_too_long() -> None:
    with judging._within(0.05):
        time.sleep(0.1)
    with pytest.raises(judging.TooLong), judging._within(0.05):
        all(True for _endless in iter(int, 1))


def vacuous(_lifting: Lifting) -> Iterator[Case]:
    """A case whose assumptions contradict each other."""
    yield Case(assumptions=(z3.BoolVal(False),), claim=z3.BoolVal(True), told="")


def without_term(_lifting: Lifting) -> Iterator[Case]:
    """No case: what it would ask has no term."""
    raise Unsupported("no term")
    yield


@pytest.mark.parametrize(
    ("after", "before_whole", "outcome"),
    [
        ("wanted < left", without_term, "refuted"),
        ("not wanted > left", without_term, "unsupported"),
        ("wanted < left", vacuous, "vacuous"),
    ],
)
def test_whole_runs_judge_what_has_no_term_elsewhere(
    after: str, before_whole: Cases, outcome: str
) -> None:
    """And do not where a theorem is left open."""
    fits = leaf("fits")
    first = theorems_by_function()[fits][0]
    whole = replace(first, name="whole", is_whole=True)
    theorems = [whole, replace(first, name="before", cases=before_whole)]
    source = inspect.getsource(fits).replace("wanted <= left", after)
    judgement = judging.judge(fits, source, theorems)
    assert outcome == judgement.outcome
    assert ("whole" if outcome == "refuted" else "before") == judgement.theorem


def test_change_is_judged_by_the_theorems_that_run_it() -> None:
    fits = leaf("fits")
    source = inspect.getsource(fits).replace("wanted <= left", "wanted < left")
    change = Change(operator="x", before="wanted <= left", after="wanted < left", source=source)
    [mutant] = judged(fits, [change])
    assert ("fits", "refuted") == (mutant.function, mutant.judgement.outcome)
    assert mutant.judgement.theorem in {one.name for one in theorems_by_function()[fits]}


def test_functions_of_later_cases_are_seen_unless_in_haste() -> None:
    """Only the last sessions have a licence, and with it a limit."""
    [cached] = [one for one in THEOREMS if one.name.startswith("With the cache jobs go")]
    assert accounts.limit_account in functions_of(cached)
    assert accounts.limit_account not in functions_of(cached, in_haste=True)


def test_field_that_is_read_for_another_is_noticed() -> None:
    [holder] = [one for one in functions()["cluster"] if one.__name__ == "holder"]
    source = textwrap.dedent(inspect.getsource(holder))
    changes = [
        Change(operator=operator, before="", after="", source=after)
        for operator, after in by_field(source)
    ]
    assert 12 == len({change.source for change in changes})
    assert all(source.count("self.") == change.source.count("self.") for change in changes)
    assert {"refuted"} == {one.judgement.outcome for one in judged(holder, changes)}


def test_only_changed_lines_are_told() -> None:
    assert ("a + b", "a - b") == changed_lines("def f():\n    a + b\n", "def f():\n    a - b\n")
    assert ("x y", "z") == changed_lines("a\nx\n y\nb", "a\nz\nb")


def test_every_lifted_leaf_has_a_box() -> None:
    assert {*BOXES} == {function.__name__ for function in functions()["arithmetic"]}
    for function in functions()["arithmetic"]:
        assert "" == difference(function, function)
        assert box_size(function) >= 7


def test_difference_is_told_with_arguments() -> None:
    strict = edited(leaf("fits"), "wanted <= left", "wanted < left")
    assert "fits(1, 1) is True, and then False" == difference(leaf("fits"), strict)
    other = edited(leaf("fits"), "wanted <= left", "not wanted > left")
    assert "" == difference(leaf("fits"), other)
    divided = edited(leaf("debit"), "used + amount", "used // amount")
    assert "debit(0, 0) is 0, and then ZeroDivisionError" == difference(leaf("debit"), divided)


def test_difference_is_sought_in_all_small_cases() -> None:
    all_fit: FunctionType = accounts.all_fit  # type: ignore[assignment]
    assert "" == difference_in_cases(all_fit, edited(all_fit, "all(", "not not all("))
    any_fits = edited(all_fit, "return all(", "return any(")
    assert difference_in_cases(all_fit, any_fits).startswith("a case of 'splits' with the events")
    assert 7000 <= len(courses())


def test_page_tells_counts_and_survivors() -> None:
    def mutant(after: str, outcome: str) -> Mutant:
        return Mutant(
            function="fits",
            before="return wanted <= left",
            after=after,
            source=inspect.getsource(leaf("fits")).replace("return wanted <= left", after),
            judgement=Judgement(outcome=outcome, theorem="A sentence"),
        )

    fits = [
        mutant("return wanted < left", "refuted"),
        mutant("return not wanted > left", "survived"),
        mutant("return wanted == left", "survived"),
        mutant("return wanted ^ left", "unsupported"),
        mutant("return wanted is left", "vacuous"),
    ]
    told = page({"arithmetic": fits}, functions())
    assert "| `arithmetic.py` | 5 | 1 | 2 | 1 | 0 | 1 | 0 |" in told
    assert "| `arithmetic.fits` | 5 | 1 | 2 | 1 | 0 | 1 | 0 |" in told
    assert "`return wanted is left` | **not shown**, vacuous: A sentence |" in told
    assert "`return not wanted > left` | yes, on all 49 arguments of its box |" in told
    assert "`return wanted == left` | **no**: fits(1, 2) is True, and then False |" in told
    [is_never] = [one for one in functions()["why"] if one.__name__ == "is_never"]
    survivor = replace(mutant("return not wanted", "survived"), function=is_never.__name__)
    again = page({"why": [survivor]}, functions(), told)
    sums = {"| all | 5 | 1 | 2 | 1 | 0 | 1 | 0 |", "0 of 3 are the same by Z3 within their scope."}
    assert sums == {*told.splitlines()} - {*again.splitlines()}
    assert "| all | 6 | 1 | 3 | 1 | 0 | 1 | 0 |" in again
    assert "`return not wanted` | **not shown** |" in again
    assert told == page({"arithmetic": fits}, functions(), told)


def test_page_keeps_the_table_of_wrong_rules_until_there_is_another() -> None:
    first, second = (
        wrong_rules.section({"A theorem": {"no rollback": one}})
        for one in (Proved(), Refuted(case="", told="", values={}))
    )
    told = page({}, functions(), "", first)
    assert "\n1. A theorem\n" in told
    assert "\n| no rollback | \u00b7 |\n" in told
    assert "\n| one plan too few |  |\n" in told
    assert told == page({}, functions(), told)
    assert told.replace("| no rollback | \u00b7 |", "| no rollback | R |") == page(
        {}, functions(), told, second
    )


def test_wrong_rule_that_stays_undecided_is_named() -> None:
    given_up = Unlifted(reason="arithmetic.py:1: no term")
    outcomes: wrong_rules.Outcomes = {"no rollback": Proved(), "one plan too few": given_up}
    told = "A theorem: under the variant 'one plan too few' it is unsupported"
    assert [told] == list(wrong_rules.left_open({"A theorem": outcomes}))


def committed_marks() -> dict[str, dict[str, str]]:
    """By theorem about whole runs and wrong rule, what the committed page says."""
    text = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    section = text.partition(wrong_rules.HEAD)[2]
    theorems = re.findall(r"^\d+\. (.+)$", section, re.MULTILINE)
    rows = [line[2:-2].split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return {
        theorem: {name: marks[number].strip() for name, *marks in rows[1:]}
        for number, theorem in enumerate(theorems)
    }


def test_every_wrong_rule_is_committed_for_every_whole_run() -> None:
    marks = committed_marks()
    assert [one.name for one in wrong_rules.WHOLE] == list(marks)
    every = [variant.name for variant in VARIANTS]
    for theorem in wrong_rules.WHOLE:
        found = marks[theorem.name]
        assert every == list(found)
        assert {*found.values()} <= {"R", "\u00b7", ""}
        tried = [one for one in VARIANTS if {*one.breaks} & {*theorem.clauses}]
        for name in (one.name for one in tried if found[one.name]):
            is_listed = name in unaffected_by(theorem)
            assert ("\u00b7" if is_listed else "R") == found[name], (theorem.name, name)


def test_committed_marks_are_those_that_are_found() -> None:
    """Of the theorem that takes least."""
    [theorem] = [one for one in wrong_rules.WHOLE if one.name.startswith("With most_free")]
    found = wrong_rules.outcomes_under_all(theorem)
    every = {one.name: wrong_rules.mark_of(found.get(one.name)) for one in VARIANTS}
    assert every == committed_marks()[theorem.name]


def test_reasons_that_survivors_are_equivalent_hold() -> None:
    assert SPEC.host_used_seen is SPEC.pool_used_seen is SPEC.limit_used_seen
    assert {7} == {SPEC.limit_used_seen(7, before) for before in range(9)}
    assert {7} == {SPEC.limit_use_at_begin(7, before) for before in range(9)}
    identity = Identity(user="u", queue="q", project="p")
    key = Key(tasks_min=1, tasks_max=1, select=None, rusage=(), span=Span(), identity=identity)
    assert {} == SPEC.emptied({}) == SPEC.emptied({key: Category.SPAN})
    assert {Scope.HOST} == {one for one in Scope if one >= Scope.HOST}
    assert {0} == {SPEC.free(capacity, used) for capacity in (-1, 0) for used in range(9)}
    assert not SPEC.hit_ends_attempt()
    assert SPEC is SPEC.rules_for_part(SPEC, True) is SPEC.rules_for_part(SPEC, False)
    assert "B" == SPEC.limit_host("B", "A")
    lengths = [len(plan) for plan in SPEC.plans(9, Span())]
    assert sorted(lengths) == lengths
    uncounted = Job(name="j", identity=identity, request=((Primary(),),))
    checks = [*submission_checks(uncounted, Resources(attributes={}), name_is_taken=False)]
    assert Refusal.COUNTS is first_refusal(checks, frozenset())
    codes = [code for code, _applies in checks]
    assert codes.index(Refusal.SLOTS_IN_RUSAGE) < codes.index(Refusal.UNKNOWN_RESOURCE)


def test_every_committed_survivor_is_judged() -> None:
    text = (ROOT / "docs" / "mutation.md").read_text(encoding="utf-8")
    assert text.startswith(HEAD)
    assert all(f"`{module}.py`" in text for module in functions())
    [(by_z3, survivors)] = re.findall(r"^(\d+) of (\d+) are the same by Z3", text, re.MULTILINE)
    assert text.count("| yes, by Z3: ") == int(by_z3)
    assert text.count("| yes, ") == int(survivors)
    assert "**not shown**" not in text
    assert "**no**" not in text
