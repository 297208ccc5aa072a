"""The prover: whether a theorem holds, and whether wrong rules break it.

*Proved*, *refuted* and *unknown* are three outcomes and are never merged: a solver that gives up
has neither proved nor refuted anything. Assumptions that contradict each other prove nothing
either, so a theorem on such is *vacuous*, which counts as not proved.
"""

import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from types import FunctionType
from typing import Any

import z3

from allotment_model.rules import SPEC
from allotment_model.variants import VARIANTS, Variant
from allotment_proofs.functions import noticed
from allotment_proofs.mutants import mutants_of
from allotment_proofs.statement import Case, Lifting, Term, Theorem
from allotment_proofs.trusted import symbols
from allotment_proofs.trusted.sequences import reading
from allotment_proofs.trusted.symbols import Unsupported
from allotment_proofs.unaffected import UNAFFECTED

EFFORT = 1_000_000
"""The most steps of the solver for one question: a measure that does not depend on the machine.
All questions about the specification together take fewer."""

TIMEOUT_MS = 60_000
"""What stops the solver should steps not count what it does."""

BOUNDS = (1, 2, 3, 4, 6, 8, 12, 20, 1000)
"""Counterexamples are sought with all numbers within the first of these that has one."""


SMALL = 8
"""Wrong rules are first looked for within this bound, where most show."""


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
    `variants` has the outcome under each variant of a rule that the theorem reads. `smtlib` has
    what the solver was asked, by case. `mutation` is a change of a lifted source that refutes the
    theorem; it is sought where no variant does.
    """

    theorem: Theorem
    outcome: Outcome
    seconds: float
    lifted: tuple[FunctionType, ...]
    is_challenged: bool
    variants: dict[str, Outcome] = field(default_factory=dict)
    smtlib: dict[str, str] = field(default_factory=dict)
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
            if not isinstance(outcome, Refuted | Unlifted)
            and name not in unaffected_by(self.theorem)
        ]

    @property
    def wrongly_listed(self) -> list[str]:
        """The variants that are listed as leaving the theorem true, and do not."""
        return [
            name
            for name in sorted(unaffected_by(self.theorem))
            if self.is_challenged and not isinstance(self.variants.get(name), Proved | Vacuous)
        ]


def prove(theorem: Theorem, *, seed: int = 0, with_variants: bool = True) -> Proof:
    """The outcome of a theorem under the specification and under every variant that touches it."""
    started = perf_counter()
    lifting, smtlib = Lifting(), dict[str, str]()
    outcome = outcome_under(theorem, lifting, seed=seed, smtlib=smtlib)
    seconds = perf_counter() - started
    variants = {
        variant.name: outcome_under(theorem, Lifting(variant.of()), seed=seed, small_first=True)
        for variant in (touching(lifting, theorem) if with_variants else ())
    }
    lifted = functions_of(theorem)
    is_refuted = any(isinstance(one, Refuted) for one in variants.values())
    mutation = "" if is_refuted or not with_variants else refuting_mutation(theorem, lifted)
    return Proof(
        theorem=theorem,
        outcome=outcome,
        seconds=seconds,
        lifted=lifted,
        is_challenged=with_variants,
        variants=variants,
        smtlib=smtlib,
        mutation=mutation,
    )


def functions_of(theorem: Theorem) -> tuple[FunctionType, ...]:
    """The functions of the model that a theorem runs; of a whole run, those of its first case."""
    with noticed() as found, reading(), suppress(Unsupported):
        for _case in theorem.cases(Lifting()):
            if theorem.is_whole:
                break
    return tuple(found)


def refuting_mutation(theorem: Theorem, lifted: Sequence[FunctionType]) -> str:
    """The first small change of a lifted function that refutes the theorem, in words."""
    for function in lifted:
        for mutant in mutants_of(function):
            changed = {function: mutant.node}
            try:
                outcome = outcome_under(theorem, Lifting(), small_first=True, changed=changed)
            except (z3.Z3Exception, TypeError, KeyError):
                continue
            if isinstance(outcome, Refuted):
                return mutant.told
    return ""


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
    seed: int = 0,
    smtlib: dict[str, str] | None = None,
    small_first: bool = False,
    changed: Mapping[FunctionType, Any] = {},
) -> Outcome:
    """The first outcome of a case that is not *proved*; *proved* if all are.

    `changed` has other sources for some functions of the model.
    """
    try:
        with reading(changed) as found:
            for case in theorem.cases(lifting):
                question = Question(case=case, obligations=tuple(found.obligations), seed=seed)
                outcome = question.answer(small_first=small_first)
                if smtlib is not None:
                    smtlib[case.name] = question.smtlib()
                if not isinstance(outcome, Proved):
                    return outcome
    except Unsupported as unknown:
        return Unlifted(reason=place_of(unknown))
    return Proved()


def place_of(unknown: Unsupported) -> str:
    """What was asked of a symbol, with the file and the line of the asking."""
    code = getattr(unknown.of, "__code__", None)
    if code is not None:
        return f"{Path(code.co_filename).name}:{code.co_firstlineno}: {unknown}: {code.co_name}"
    frames = traceback.extract_tb((unknown.__cause__ or unknown).__traceback__)
    trusted = Path(symbols.__file__).parent
    asking = [one for one in frames if Path(one.filename).parent != trusted] or list(frames)
    return f"{Path(asking[-1].filename).name}:{asking[-1].lineno}: {unknown}: {asking[-1].line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One case and what its terms rest on, as the solver is asked about it."""

    case: Case
    obligations: tuple[Term, ...]
    seed: int

    def answer(self, *, small_first: bool = False) -> Outcome:
        """Whether the claim holds wherever the assumptions do, and means what Python computes.

        `small_first` looks for a counterexample among small numbers before it tries a proof.
        """
        assumed = self._solver()
        satisfiable = assumed.check()
        if satisfiable != z3.sat:
            vacuous = Vacuous(case=self.case.name)
            return vacuous if satisfiable == z3.unsat else self._unknown(assumed)
        if small_first and (found := self._counterexample((SMALL,))) is not None:
            return self._counterexample(BOUNDS) or found
        solver = self._negated()
        answer = solver.check()
        if answer == z3.unsat:
            return Proved()
        found = self._counterexample(BOUNDS)
        if answer == z3.unknown:
            return found or self._unknown(solver)
        return found or self._refuted(solver.model())

    def smtlib(self) -> str:
        """What the solver is asked: the case holds if this cannot be satisfied."""
        return str(self._negated().to_smt2())

    def _solver(self) -> Any:
        solver = z3.Solver()
        solver.set(rlimit=EFFORT, timeout=TIMEOUT_MS, random_seed=self.seed, ctrl_c=False)
        solver.add(*self.case.assumptions)
        return solver

    def _negated(self) -> Any:
        solver = self._solver()
        solver.add(z3.Not(z3.And(z3.BoolVal(True), self.case.claim, *self.obligations)))
        return solver

    def _counterexample(self, bounds: Sequence[int]) -> Refuted | None:
        """One whose numbers are all within the first bound that has one."""
        solver = self._negated()
        numbers = _numbers(solver.assertions())
        for bound in bounds:
            solver.push()
            solver.add(*(z3.And(-bound <= number, number <= bound) for number in numbers))
            if solver.check() == z3.sat:
                return self._refuted(solver.model())
            solver.pop()
        return None

    def _refuted(self, model: Any) -> Refuted:
        values = {name: _shown(model, value) for name, value in self.case.values.items()}
        told = self.case.told.format(**values)
        if not z3.is_true(model.eval(z3.And(*self.obligations), model_completion=True)):
            told = f"divides by zero or asks for a bucket that is not there: {told}"
        return Refuted(case=self.case.name, told=told, values=values)

    def _unknown(self, solver: Any) -> Unknown:
        return Unknown(case=self.case.name, reason=solver.reason_unknown(), smtlib=solver.to_smt2())


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


def stable_over(theorems: Sequence[Theorem], seeds: int) -> Iterator[tuple[Theorem, int, Outcome]]:
    """The outcome of each theorem under each further seed."""
    for theorem in theorems:
        for seed in range(1, seeds):
            yield theorem, seed, outcome_under(theorem, Lifting(SPEC), seed=seed)
