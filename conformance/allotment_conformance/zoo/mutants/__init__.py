"""Mutants: the workbench with one step made wrong, each a fault of state or of numbers."""

from types import ModuleType

from allotment_conformance.zoo.mutants import (
    attempts,
    bounds,
    caches,
    changes,
    combinations,
    identities,
    names,
    numbers,
    parts,
    reasons,
    sessions,
)
from allotment_conformance.zoo.workbench.bench import Workbench


def mutants_of(module: ModuleType) -> list[type[Workbench]]:
    """The mutants that a module defines, in its order."""
    defined = [one for one in vars(module).values() if isinstance(one, type)]
    return [one for one in defined if issubclass(one, Workbench) and one.breaks]


MODULES = (
    *(numbers, attempts, caches, sessions, identities, reasons),
    *(combinations, names, bounds, changes, parts),
)

BENCH_MUTANTS: tuple[type[Workbench], ...] = tuple(
    mutant for module in MODULES for mutant in mutants_of(module)
)
"""All of them; each has a `name`, the clauses that it `breaks`, and its `kind`."""
