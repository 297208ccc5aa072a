"""Proved, refuted, vacuous, unknown and unsupported are told apart."""

import inspect
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
import z3

from allotment_model import accounts, arithmetic, plans
from allotment_model.accounts import Account
from allotment_model.rules import SPEC
from allotment_model.variants import VARIANTS
from allotment_proofs import mutants, prover
from allotment_proofs.mutants import node_of
from allotment_proofs.prover import (
    Answers,
    Proved,
    Question,
    Refuted,
    Unknown,
    Unlifted,
    Vacuous,
    outcome_under,
    prove,
)
from allotment_proofs.report import complaints
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.theorems import THEOREMS
from allotment_proofs.theorems.world import World
from allotment_proofs.trusted.sequences import reading
from allotment_proofs.trusted.symbols import Unsupported
from allotment_proofs.unaffected import UNAFFECTED

NUMBER, OTHER = z3.Ints("number other")


def theorem_of(
    claim: Callable[[Lifting], Term], *assumptions: Term, told: str = "it is {number}"
) -> Theorem:
    def cases(lifting: Lifting) -> Iterator[Case]:
        held = claim(lifting)
        yield Case(assumptions=assumptions, claim=held, told=told, values={"number": NUMBER})

    return Theorem(name="A sentence", clauses=("PLAN-1",), scope="unbounded", cases=cases)


def test_true_claim_is_proved() -> None:
    proof = prove(theorem_of(lambda lifting: lifting.fits(NUMBER, NUMBER)))
    assert Proved() == proof.outcome
    assert [SPEC.fits] == list(proof.lifted)
    assert ["exactly enough is not enough", "zero want blocked"] == list(proof.variants)


def test_false_claim_is_refuted_with_small_values() -> None:
    outcome = prove(theorem_of(lambda lifting: NUMBER < 5)).outcome
    assert Refuted(case="", told="it is 5", values={"number": "5"}) == outcome


def test_contradicting_assumptions_are_vacuous() -> None:
    outcome = prove(theorem_of(lambda lifting: NUMBER < 5, NUMBER > 0, NUMBER < 0)).outcome
    assert Vacuous(case="") == outcome


def test_theorem_without_cases_is_vacuous() -> None:
    nothing = replace(theorem_of(lambda _lifting: NUMBER < 5), cases=lambda _lifting: iter(()))
    assert Vacuous(case="no case at all") == prove(nothing, with_variants=False).outcome


def test_division_by_zero_refutes() -> None:
    with_plan = theorem_of(
        lambda lifting: lifting.of(floor, NUMBER, OTHER) == lifting.of(floor, NUMBER, OTHER)
    )
    outcome = prove(with_plan).outcome
    assert isinstance(outcome, Refuted)
    assert outcome.told == f"raises ZeroDivisionError at {place(floor, 1)}: it is 0"


def place(function: Callable[..., Any], lines: int) -> str:
    """The file and line of a place in a function of this module, as messages tell it."""
    return f"test_prover.py:{function.__code__.co_firstlineno + lines}"


def test_counterexample_of_which_something_cannot_be_told_is_one() -> None:
    def more() -> dict[str, Term]:
        raise Unsupported("more than is known")

    def cases(_lifting: Lifting) -> Iterator[Case]:
        told, shown = "it is {number}, and {other} beside it", {"number": NUMBER}
        yield Case(claim=NUMBER < 5, told=told, values=shown, more=more)

    theorem = replace(theorem_of(lambda _lifting: NUMBER < 5), cases=cases)
    expected = Refuted(case="", told="it is 5, and unknown beside it", values={"number": "5"})
    assert expected == outcome_under(theorem, Lifting())


def test_what_a_run_raises_is_told_with_its_place() -> None:
    outcome = prove(theorem_of(lambda lifting: lifting.of(positive, NUMBER) == NUMBER)).outcome
    assert isinstance(outcome, Refuted)
    assert outcome.told == f"raises ValueError at {place(positive, 2)}: it is 0"


def positive(number: int) -> int:
    if number <= 0:
        raise ValueError("not positive")
    return number


def floor(number: int, other: int) -> int:
    return number // other


def test_what_is_not_lifted_is_unsupported() -> None:
    outcome = prove(theorem_of(lambda lifting: lifting.of(power, NUMBER, OTHER) == 0)).outcome
    assert isinstance(outcome, Unlifted)
    assert "test_prover.py" in outcome.reason


def power(number: int, other: int) -> int:
    return int(number**other)


def test_solver_that_gives_up_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prover, "EFFORT", 100)
    cube, sum_of_cubes = NUMBER * NUMBER * NUMBER, OTHER * OTHER * OTHER + 33
    outcome = prove(theorem_of(lambda lifting: cube * cube != sum_of_cubes)).outcome
    assert isinstance(outcome, Unknown)
    assert "(check-sat)" in outcome.smtlib


def test_refuted_case_counts_before_a_vacuous_one() -> None:
    def cases(_lifting: Lifting) -> Iterator[Case]:
        yield Case(name="vacuous", assumptions=(NUMBER < NUMBER,), claim=NUMBER < 5, told="")
        yield Case(name="true", claim=NUMBER == NUMBER, told="")
        if has_false_case:
            yield Case(name="false", claim=NUMBER < 5, told="")

    theorem = replace(theorem_of(lambda _lifting: NUMBER < 5), cases=cases)
    has_false_case = False
    assert Vacuous(case="vacuous") == outcome_under(theorem, Lifting())
    has_false_case = True
    assert Refuted(case="false", told="", values={}) == outcome_under(theorem, Lifting())


def test_wrong_rules_are_not_tried_on_what_is_not_proved() -> None:
    """Nothing is said of the wrong rules that are listed for it: they are not what is wrong."""
    false = theorem_of(lambda lifting: lifting.fits(NUMBER, 5))
    listed = replace(false, name=next(iter(UNAFFECTED)))
    proof = prove(listed)
    assert "refuted" == proof.outcome.word
    assert not proof.is_challenged
    assert {} == proof.variants
    assert [] == complaints(proof)


def test_wrong_rule_that_took_most_steps_takes_less_than_half(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Small values meet the assumptions at once; without bounds it took 840,000 steps."""
    solver_with, half = Question.solver, prover.EFFORT // 2

    def solver(self: Question, asked: Term, seed: int = 0, effort: int = half) -> Any:
        return solver_with(self, asked, seed, min(effort, half))

    monkeypatch.setattr(Question, "solver", solver)
    [filled] = [one for one in VARIANTS if one.name == "filled split"]
    [counting] = [one for one in THEOREMS if one.name.startswith("Counting hosts with room")]
    for seed in range(3):
        answers = Answers(seed=seed)
        outcome = outcome_under(counting, Lifting(filled.of()), answers=answers, hasty=True)
        assert "refuted" == outcome.word


def test_unlisted_variant_is_told() -> None:
    proof = prove(theorem_of(lambda lifting: lifting.fits(NUMBER, NUMBER + 1), NUMBER >= 0))
    assert ["exactly enough is not enough", "zero want blocked"] == proof.unlisted
    assert [] == proof.wrongly_listed


def test_theorem_that_nothing_refutes_is_suspicious() -> None:
    def says_nothing(lifting: Lifting) -> Term:
        return z3.Or(lifting.fits(NUMBER, OTHER), z3.Not(lifting.fits(NUMBER, OTHER)))

    assert prove(theorem_of(says_nothing)).is_suspicious
    assert not prove(theorem_of(lambda lifting: lifting.fits(0, NUMBER), NUMBER >= 0)).is_suspicious


def test_every_variant_of_a_read_rule_is_tried() -> None:
    lifting = Lifting()
    with reading():
        lifting.want(1, 0, NUMBER)
    theorem = theorem_of(lambda lifting: NUMBER == NUMBER)
    touching = [variant.name for variant in prover.touching(lifting, theorem)]
    assert [one.name for one in VARIANTS if "want" in one.replaced] == touching
    of_a_whole_run = replace(theorem, is_whole=True)
    assert [] == prover.touching(lifting, of_a_whole_run)


def test_term_that_two_cases_share_keeps_its_obligation() -> None:
    """The quotient is made for the first case, whose assumptions allow it; the second's do not."""

    def cases(lifting: Lifting) -> Iterator[Case]:
        quotient = lifting.of(floor, NUMBER, OTHER)
        same, told = quotient == quotient, "{number} is divided"
        yield Case(assumptions=(OTHER > 0,), claim=same, told=told, values={"number": NUMBER})
        yield Case(name="second", claim=same, told=told, values={"number": NUMBER})

    theorem = replace(theorem_of(lambda lifting: NUMBER == NUMBER), cases=cases)
    outcome = prove(theorem).outcome
    assert isinstance(outcome, Refuted)
    assert "second" == outcome.case


def test_changed_source_is_read_where_no_plans_are_made() -> None:
    """Its generator expressions are Python's: another `tuple` stands only where plans are made."""
    all_fit: Any = accounts.all_fit
    changed = node_of(all_fit, inspect.getsource(all_fit).replace("return all(", "return any("))
    wants = {Account("slots", "A"): NUMBER, Account("memory", "A"): OTHER}

    def fits(lifting: Lifting) -> Term:
        return lifting.of(all_fit, wants, World().ledger(), lifting.rules)

    theorem = theorem_of(
        lambda lifting: z3.Implies(fits(lifting), NUMBER <= z3.Int("capacity_A_slots")),
        *(NUMBER >= 0, *World().assumptions),
    )
    assert Proved() == outcome_under(theorem, Lifting())
    outcome = outcome_under(theorem, Lifting(), changed={all_fit: changed})
    assert isinstance(outcome, Refuted)
    assert "raises" not in outcome.told


def test_items_that_cannot_be_joined_are_told_at_the_line_that_makes_them() -> None:
    """Trusted code asks for the items of a plan; what is wrong stands in the model."""
    split: Any = plans.balanced_split
    source = inspect.getsource(split)
    item = "bucket_size(tasks, hosts, index)"
    assert 1 == source.count(item)
    changed = node_of(split, source.replace(item, f"({item} if index < 1 else (index,))"))
    [descend] = [one for one in THEOREMS if one.name == "The buckets of a balanced plan descend"]
    outcome = outcome_under(descend, Lifting(), changed={split: changed})
    assert isinstance(outcome, Unlifted)
    line = changed.body[-1].lineno
    assert outcome.reason.startswith(f"plans.py:{line}: no term for tuple")


def test_what_is_outside_of_trusted_code_can_only_lose_a_proof(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Sources that are not changed, wrong places and counterexamples: no outcome gets better."""
    right = theorem_of(lambda lifting: lifting.of(arithmetic.want, 1, 0, NUMBER) == NUMBER)
    wrong = theorem_of(lambda lifting: lifting.of(arithmetic.want, 1, 1, NUMBER) == NUMBER)
    unreadable = theorem_of(lambda lifting: lifting.of(power, NUMBER, OTHER) == 0)
    before = [prove(one) for one in (right, wrong, unreadable)]
    monkeypatch.setattr(mutants, "code_of", lambda function, _node: function.__code__)
    monkeypatch.setattr(prover, "place_of", lambda _unknown: "nowhere")
    monkeypatch.setattr(prover, "counterexample", lambda _question, _bounds, _seed: None)
    nothing = Refuted(case="", told="", values={})
    monkeypatch.setattr(prover, "refuted_by", lambda _model, _question, in_haste=False: nothing)
    after = [prove(one) for one in (right, wrong, unreadable)]
    words = ["proved", "refuted", "unsupported"]
    assert words == [one.outcome.word for one in before] == [one.outcome.word for one in after]
    assert [False, True] == [one[0].is_suspicious for one in (before, after)]
