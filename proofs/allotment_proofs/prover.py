"""The prover: whether a theorem holds, and whether wrong rules break it.

*Proved*, *refuted* and *unknown* are three outcomes and are never merged: a solver that gives up
has neither proved nor refuted anything. Assumptions that contradict each other prove nothing
either, so a theorem on such is *vacuous*, which counts as not proved.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from time import process_time
from types import FunctionType
from typing import Any

import z3

from allotment_model import arithmetic
from allotment_model.variants import VARIANTS, Variant
from allotment_proofs.functions import noticed
from allotment_proofs.mutants import changing, mutants_of
from allotment_proofs.places import place_of, raised_at
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.trusted.sequences import reading
from allotment_proofs.trusted.symbols import Unsupported
from allotment_proofs.unaffected import UNAFFECTED

EFFORT = 1_000_000
"""The most steps of the solver for one question: a measure that does not depend on the machine.
All questions about the specification together take fewer."""

TIMEOUT_MS = 60_000
"""What stops the solver should steps not count what it does."""

SOON = 250_000
"""Steps within which nearly every question about a wrong rule is answered as it stands."""

BOUNDS = (1, 2, 3, 4, 6, 8, 12, 20, 1000)
"""Counterexamples are sought with all numbers within the first of these that has one."""

MODELS = 3
"""How many values that met assumptions are kept: cases of a theorem take turns between few shapes.
"""

SMALL = 8
"""Where a wrong rule does not show soon, it is looked for within this bound; and so are values that
meet the assumptions of a case, first of all: without bounds they take ten times as many steps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Proved:
    """The claims hold, and their assumptions can be met."""

    word = "proved"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refuted:
    """A claim fails: which, and for what values."""

    case: str
    told: str
    values: dict[str, str]
    word = "refuted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Vacuous:
    """The assumptions of a case contradict each other."""

    case: str
    word = "vacuous"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """The solver gave up: on which case, why, and what it was asked."""

    case: str
    reason: str
    smtlib: str
    word = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unlifted:
    """The lifter does not know a construct of the rules: file, line and what."""

    reason: str
    word = "unsupported"


Outcome = Proved | Refuted | Vacuous | Unknown | Unlifted


@dataclass(frozen=True, slots=True, kw_only=True)
class Proof:
    """What was found about one theorem.

    `is_challenged` tells whether wrong rules were tried; only then is anything said about them.
    None are on a theorem that is not proved. `lifted` are the functions that it runs, of a whole
    run those of the first case: watching all takes longer than proving all.
    `variants` has the outcome under each variant of a rule that the theorem reads. `smtlib` has
    what the solver was asked, by case, and `unstable` the further seeds of the solver under which
    it is not proved. `mutation` is a change of a lifted source that refutes the
    theorem; it is sought where no variant does. `seconds` are those of this process for the
    theorem, and `seconds_of_variants` those for all that should refute it.
    """

    theorem: Theorem
    outcome: Outcome
    seconds: float
    seconds_of_variants: float
    lifted: tuple[FunctionType, ...]
    is_challenged: bool
    variants: dict[str, Outcome] = field(default_factory=dict)
    smtlib: dict[str, str] = field(default_factory=dict)
    unstable: tuple[tuple[int, Outcome], ...] = ()
    mutation: str = ""

    @property
    def is_suspicious(self) -> bool:
        """Whether nothing that was tried refutes the theorem: it may say nothing at all."""
        refuted = (isinstance(outcome, Refuted) for outcome in self.variants.values())
        return self.is_challenged and not (self.mutation or any(refuted))

    @property
    def unlisted(self) -> list[str]:
        """The variants that leave the theorem true and are not listed as doing so."""
        return [
            name
            for name, outcome in self.variants.items()
            if isinstance(outcome, Proved | Vacuous) and name not in unaffected_by(self.theorem)
        ]

    @property
    def undecided(self) -> dict[str, Outcome]:
        """The variants of which it stays open whether they leave the theorem true."""
        found = self.variants.items()
        return {name: one for name, one in found if isinstance(one, Unknown | Unlifted)}

    @property
    def wrongly_listed(self) -> list[str]:
        """The variants that are listed as leaving the theorem true, and do not."""
        return [
            name
            for name in sorted(unaffected_by(self.theorem))
            if self.is_challenged
            and not isinstance(self.variants.get(name), Proved | Vacuous | Unknown | Unlifted)
        ]


def prove(
    theorem: Theorem, *, seeds: int = 1, with_variants: bool = True, with_smtlib: bool = False
) -> Proof:
    """The outcome of a theorem under the specification; if it is proved, under wrong rules too."""
    started = process_time()
    lifting, answers, asked = Lifting(), Answers(), list[Question]()
    with watching(theorem) as lifted:
        outcome = outcome_under(theorem, lifting, answers=answers, asked=asked)
    unstable = unstable_over(asked, seeds) if isinstance(outcome, Proved) else ()
    seconds = process_time() - started
    is_challenged = with_variants and isinstance(outcome, Proved)
    variants = {
        variant.name: outcome_under(theorem, Lifting(variant.of()), answers=answers, hasty=True)
        for variant in (touching(lifting, theorem) if is_challenged else ())
    }
    is_refuted = any(isinstance(one, Refuted) for one in variants.values())
    is_sought = is_challenged and not is_refuted
    mutation = refuting_mutation(theorem, lifted, answers) if is_sought else ""
    return Proof(
        theorem=theorem,
        outcome=outcome,
        seconds=seconds,
        seconds_of_variants=process_time() - started - seconds,
        lifted=tuple(lifted),
        is_challenged=is_challenged,
        variants=variants,
        smtlib={one.case.name: smtlib_of(one) for one in asked} if with_smtlib else {},
        unstable=tuple(unstable),
        mutation=mutation,
    )


@contextmanager
def watching(theorem: Theorem) -> Iterator[list[FunctionType]]:
    """The functions that a proof runs, in a list that is filled in the end; of a whole run as told.

    Watching all of a whole run takes longer than proving it, so only its first case is watched.
    """
    if theorem.is_whole:
        yield list(functions_of(theorem, in_haste=True))
        return
    with noticed() as found:
        yield found


def functions_of(theorem: Theorem, *, in_haste: bool = False) -> tuple[FunctionType, ...]:
    """The functions of the model that a theorem runs; in haste, a whole run in its first case."""
    with noticed() as found, reading(), suppress(Unsupported):
        for _case in theorem.cases(Lifting()):
            if in_haste and theorem.is_whole:
                break
    return tuple(found)


def refuting_mutation(theorem: Theorem, lifted: Sequence[FunctionType], answers: "Answers") -> str:
    """The first small change of a lifted function that refutes the theorem, in words.

    Leaves come first, and of them the shortest: what they compute shows soonest. Of a whole run
    only the first case is looked at, which is as good a place for it as the others.
    """
    every = theorem.cases
    if theorem.is_whole:
        theorem = replace(theorem, cases=lambda lifting: islice(every(lifting), 1))
    for function in sorted(lifted, key=_is_soon):
        for mutant in mutants_of(function):
            changed = {function: mutant.node}
            try:
                outcome = outcome_under(
                    theorem, Lifting(), answers=answers, hasty=True, changed=changed
                )
            except (z3.Z3Exception, TypeError, KeyError):
                continue
            if isinstance(outcome, Refuted):
                return mutant.told
    return ""


def _is_soon(function: FunctionType) -> tuple[bool, int]:
    return function.__module__ != arithmetic.__name__, len(function.__code__.co_code)


def unaffected_by(theorem: Theorem) -> frozenset[str]:
    """The variants that are listed as leaving the theorem true."""
    return frozenset(UNAFFECTED.get(theorem.name, ()))


def touching(lifting: Lifting, theorem: Theorem) -> list[Variant]:
    """The variants that replace a rule which was read; of a whole run, those of its clauses."""
    return [
        variant
        for variant in VARIANTS
        if not lifting.fields.isdisjoint(variant.replaced)
        and not (theorem.is_whole and {*theorem.clauses}.isdisjoint(variant.breaks))
    ]


def outcome_under(
    theorem: Theorem,
    lifting: Lifting,
    *,
    answers: "Answers | None" = None,
    asked: "list[Question] | None" = None,
    hasty: bool = False,
    changed: Mapping[FunctionType, Any] = {},
) -> Outcome:
    """That of the first case that is refuted, or else is not proved; *proved* if all are.

    `answers` are those given before. With `hasty` any counterexample will do, the smallest is not
    sought. `changed` has other sources for some functions of the model. `asked` receives the
    questions.
    """
    answers = answers or Answers()
    outcomes: list[Outcome] = []
    try:
        with reading() as found, changing(changed):
            for case in theorem.cases(lifting):
                question = Question(case=case, obligations=tuple(found.obligations))
                outcomes.append(answers.to(question, hasty=hasty))
                if asked is not None:
                    asked.append(question)
                if isinstance(outcomes[-1], Refuted):
                    return outcomes[-1]
    except Unsupported as unknown:
        return Unlifted(reason=place_of(unknown))
    left = [one for one in outcomes if not isinstance(one, Proved)]
    return (left or outcomes or [Vacuous(case="no case at all")])[0]


def _model_of_nothing() -> Any:
    solver = z3.Solver()
    solver.check()
    return solver.model()


@dataclass(slots=True, kw_only=True)
class Answers:
    """The solver's answers, each found once: wrong rules leave many cases of a theorem as they are.

    Z3 holds equal terms once and numbers them. A term that was asked about is kept, so that no
    other gets its number. `_meeting` are the last values that met assumptions: nearly always they
    meet those of the next case or wrong rule too, and then no others are sought. Nor are they where
    zeros do: `_zeros` says nothing of any number, and what is not said is zero or false.
    """

    seed: int = 0
    _proved: dict[int, Term] = field(default_factory=dict)
    _meeting: list[Any] = field(default_factory=list)
    _zeros: Any = field(default_factory=_model_of_nothing)

    def to(self, question: "Question", *, hasty: bool = False) -> Outcome:
        """Whether the claim holds wherever the assumptions do, and means what Python computes."""
        refuting = question.refuting
        if refuting.get_id() in self._proved:
            return Proved()
        solver = question.solver(refuting, self.seed, SOON if hasty else EFFORT)
        answer = solver.check()
        if hasty and answer == z3.sat:
            return refuted_by(solver.model(), question, in_haste=True)
        if (odd := self._odd(question)) is not None:
            return odd
        if hasty and answer == z3.unknown:
            if (found := counterexample(question, (SMALL,), self.seed)) is not None:
                return found
            solver = question.solver(refuting, self.seed)
            answer = solver.check()
        if answer == z3.unsat:
            self._proved[refuting.get_id()] = refuting
            return Proved()
        found = counterexample(question, BOUNDS, self.seed)
        if answer == z3.unknown:
            return found or given_up(question, solver)
        return found or refuted_by(solver.model(), question)

    def _odd(self, question: "Question") -> Outcome | None:
        """What is to be said of assumptions that are not shown to be satisfiable."""
        assumed = question.assumed
        known = (self._zeros, *self._meeting)
        if any(z3.is_true(one.eval(assumed, model_completion=True)) for one in known):
            return None
        for bounds in (_within(SMALL, _numbers([assumed])), ()):
            solver = question.solver(z3.And(*assumed.children(), *bounds), self.seed)
            answer = solver.check()
            if answer == z3.sat:
                self._meeting = [solver.model(), *self._meeting[: MODELS - 1]]
                return None
        vacuous = Vacuous(case=question.case.name)
        return vacuous if answer == z3.unsat else given_up(question, solver)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One case and what its terms rest on, as the solver is asked about it."""

    case: Case
    obligations: tuple[tuple[Term, Exception], ...]

    @property
    def assumed(self) -> Term:
        """What must have values: the assumptions."""
        return z3.And(z3.BoolVal(True), *self.case.assumptions)

    @property
    def refuting(self) -> Term:
        """What must have none: the assumptions, with the claim false or an obligation not met."""
        met = (obligation for obligation, _raised in self.obligations)
        claim = z3.And(z3.BoolVal(True), self.case.claim, *met)
        return z3.And(*self.case.assumptions, z3.Not(claim))

    def solver(self, asked: Term, seed: int = 0, effort: int = EFFORT) -> Any:
        """A solver that has been told what it is asked about: Z3's core, without further tactics.

        They take longer than most questions do, and answer no more of them.
        """
        solver = z3.SimpleSolver()
        solver.set(rlimit=effort, timeout=TIMEOUT_MS, random_seed=seed, ctrl_c=False)
        solver.add(*asked.children())
        return solver


def smtlib_of(question: Question) -> str:
    """What the solver is asked: the case holds if this cannot be satisfied."""
    return str(question.solver(question.refuting).to_smt2())


def counterexample(question: Question, bounds: Sequence[int], seed: int) -> Refuted | None:
    """One whose numbers are all within the first bound that has one."""
    solver = question.solver(question.refuting, seed)
    numbers = _numbers(solver.assertions())
    for bound in bounds:
        solver.push()
        solver.add(*_within(bound, numbers))
        if solver.check() == z3.sat:
            return refuted_by(solver.model(), question)
        solver.pop()
    return None


def refuted_by(model: Any, question: Question, *, in_haste: bool = False) -> Refuted:
    """What a counterexample says, in domain words; it is one also where some cannot be told."""
    case, known = question.case, dict(question.case.values)
    with suppress(Unsupported):
        known |= {} if in_haste else case.more()
    values = {name: _shown(model, value) for name, value in known.items()}
    told = case.told.format_map(defaultdict(lambda: "unknown", values))
    for obligation, raised in question.obligations:
        if not z3.is_true(model.eval(obligation, model_completion=True)):
            told = f"{raised_at(raised)}: {told}"
            break
    return Refuted(case=case.name, told=told, values=values)


def given_up(question: Question, solver: Any) -> Unknown:
    """That the solver gave up, and on what."""
    case, reason = question.case.name, solver.reason_unknown()
    return Unknown(case=case, reason=reason, smtlib=solver.to_smt2())


def _shown(model: Any, value: Term) -> str:
    if not isinstance(value, z3.ExprRef):
        return str(value)
    known = model.eval(value, model_completion=True)
    return known.as_string() if z3.is_string_value(known) else str(known)


def _numbers(assertions: Sequence[Any]) -> list[Any]:
    """The integer constants of some terms."""
    found: dict[int, Any] = {}
    waiting, seen = list(assertions), set[int]()
    while waiting:
        one = waiting.pop()
        if one.get_id() in seen:
            continue
        seen.add(one.get_id())
        if z3.is_int(one) and z3.is_const(one) and one.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            found[one.get_id()] = one
        waiting.extend(one.children())
    return sorted(found.values(), key=str)


def _within(bound: int, numbers: Iterable[Term]) -> tuple[Term, ...]:
    return tuple(z3.And(-bound <= number, number <= bound) for number in numbers)


def unstable_over(asked: Sequence[Question], seeds: int) -> Iterator[tuple[int, Outcome]]:
    """The further seeds under which a question is not answered with *proved*, and with what."""
    for seed in range(1, seeds):
        answers = Answers(seed=seed)
        for question in asked:
            outcome = answers.to(question)
            if not isinstance(outcome, Proved):
                yield seed, outcome
