"""What a theorem is: a sentence, and the claims over lifted functions that it stands for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from allotment_model.rules import SPEC, Rules
from allotment_proofs.trusted.lifter import Lifter

Term = Any
"""A term of Z3, or a Python value that stands for one."""


@dataclass(slots=True)
class Lifting:
    """The rules that a theorem speaks about: `lifting.want(a, b, s)` is the lifted rule `want`."""

    rules: Rules = SPEC
    lifter: Lifter = field(default_factory=Lifter)

    def __getattr__(self, name: str) -> Callable[..., Term]:
        rule = getattr(self.rules, name)
        self.lifter.read.add((Rules, name))
        return partial(self.lifter.call, rule)

    def of(self, function: Callable[..., Any], *arguments: Term) -> Term:
        """A call of a model function that is not a field of `Rules`."""
        return self.lifter.call(function, *arguments)

    def under(self, rules: Rules) -> "Lifting":
        """The same lifting, of rules some of which are left open."""
        return Lifting(rules, self.lifter)

    @property
    def fields(self) -> frozenset[str]:
        """The fields of `Rules` that were read."""
        return frozenset(name for owner, name in self.lifter.read if owner is Rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One claim of a theorem: `claim` holds wherever the assumptions do.

    `told` puts a counterexample into words; the names in its braces are those of `values`.
    """

    name: str = ""
    assumptions: tuple[Term, ...] = ()
    claim: Term
    told: str
    values: Mapping[str, Term] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Theorem:
    """A sentence, the clauses that it is about, and how far it reaches.

    `cases` makes the claims from lifted rules.
    """

    name: str
    clauses: tuple[str, ...]
    scope: str
    cases: Callable[[Lifting], Iterator[Case]]
