"""Mutants of the functions that theorems run, each judged by those theorems, in this process."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from types import FunctionType

from allotment_model import oracle
from allotment_proofs.mutation.changes import Change
from allotment_proofs.mutation.judge import Judgement, judge
from allotment_proofs.prover import functions_of
from allotment_proofs.statement import Theorem
from allotment_proofs.theorems import THEOREMS

OF_FRACTIONS = {"passes", "evaluate", "_attribute"}
"""Functions that evaluate a select: a fraction has no term, so theorems give them known values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mutant:
    """One change of a function, its whole source after, and what the proofs say of it."""

    function: str
    before: str
    after: str
    source: str
    judgement: Judgement


@cache
def theorems_by_function() -> dict[FunctionType, list[Theorem]]:
    """The functions that are changed, and the theorems that run them."""
    found: dict[FunctionType, list[Theorem]] = defaultdict(list)
    for theorem in THEOREMS:
        for function in functions_of(theorem):
            is_of_oracle = function.__module__.startswith(oracle.__name__)
            if not is_of_oracle and function.__name__ not in OF_FRACTIONS:
                found[function].append(theorem)
    return found


def functions_by_module() -> dict[str, list[FunctionType]]:
    """The functions that are changed, by the module of the model that holds them."""
    found: dict[str, list[FunctionType]] = defaultdict(list)
    for function in theorems_by_function():
        found[function.__module__.rpartition(".")[2]].append(function)
    return dict(sorted(found.items()))


def judged(function: FunctionType, changes: Iterable[Change]) -> Iterator[Mutant]:
    """Each change of a function with the judgement of the theorems that run it."""
    theorems = theorems_by_function()[function]
    for change in changes:
        yield Mutant(
            function=function.__name__,
            before=change.before,
            after=change.after,
            source=change.source,
            judgement=judge(function, change.source, theorems),
        )
