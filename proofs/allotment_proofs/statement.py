"""What a theorem is: a sentence, and the claims over lifted functions that it stands for."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import partial
from typing import Any, get_args, get_type_hints

from allotment_model.rules import SPEC, Rules
from allotment_proofs.trusted.symbols import inner, joined, merged, outer, paths

Term = Any
"""A term of Z3, or a Python value that stands for one."""

LARGEST_AMOUNT, LARGEST_TASKS, DEEPEST_SELECT = 2**53 - 1, 2**20, 100
"""The bounds of AMOUNT-1 and INGEST-2, written out: a model that has others breaks the claims."""


_ANSWERS = {name: get_args(rule)[-1:] for name, rule in get_type_hints(Rules).items()}
JOINED = {
    name
    for name, answer in _ANSWERS.items()
    if answer in ((bool,), (int,), (tuple[int, bool],), (tuple[int, int],))
} - {"capacity", "is_open", "is_passed_over", "passes"}
"""The rules whose values are joined in one term. Those left out look up a value by its name, and
have no branches that could be joined."""


class Lifting:
    """The rules that a theorem speaks about: `lifting.want(a, b, s)` is the lifted rule `want`.

    `rules` are for model functions that take them: a rule that is called there is noted, and
    its branches are joined where they can be. `fields` are the fields of `Rules` that were read.
    """

    def __init__(self, rules: Rules = SPEC) -> None:
        self.fields, self.given = set[str](), rules
        self.rules: Rules = replace(rules, **self._noted())

    def _noted(self) -> dict[str, Any]:
        """The rules that are functions, each of which notes that it is called."""
        rules = {one.name: getattr(self.given, one.name) for one in fields(Rules)}
        return {
            name: partial(self._note, name, one) for name, one in rules.items() if callable(one)
        }

    def _note(self, name: str, rule: Callable[..., Term], *given: Term) -> Term:
        self.fields.add(name)
        return joined(rule, *given) if name in JOINED else rule(*given)

    def __getattr__(self, name: str) -> Callable[..., Term]:
        return partial(self.of, self.rule(name))

    def rule(self, name: str) -> Any:
        """The rule itself, to be called within a function that is lifted."""
        self.fields.add(name)
        return getattr(self.given, name)

    def of(self, function: Callable[..., Any], *arguments: Term, **named: Term) -> Term:
        """A call on terms, of a function of the model or of one that calls such."""
        return outer(merged(function, *inner(arguments), **inner(named)))

    def paths(self, function: Callable[..., Any], *arguments: Term) -> list[tuple[Term, Any]]:
        """The values of a call on terms, each with the condition under which it is returned."""
        return paths(function, *arguments)

    def under(self, **left_open: Callable[..., Term]) -> Rules:
        """The same rules with some left open: what they answer, given terms."""
        answers: dict[str, Any] = {name: _on_symbols(one) for name, one in left_open.items()}
        return replace(self.rules, **answers)


def _on_symbols(answer: Callable[..., Term]) -> Callable[..., Any]:
    return lambda *given: inner(answer(*outer(given)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One claim of a theorem: `claim` holds wherever the assumptions do.

    `told` puts a counterexample into words; the names in its braces are those of `values`, and of
    `more`, which are made only when there is a counterexample.
    """

    name: str = ""
    assumptions: tuple[Term, ...] = ()
    claim: Term
    told: str
    values: Mapping[str, Term] = field(default_factory=dict)
    more: Callable[[], Mapping[str, Term]] = dict


@dataclass(frozen=True, slots=True, kw_only=True)
class Theorem:
    """A sentence, the clauses that it is about, and how far it reaches.

    `cases` makes the claims from lifted rules. A theorem that `is_whole` runs the model from end to
    end, so it reads nearly every rule: it is tried with the variants that break its clauses, and
    with all of them where there is time for it (`mutation.wrong_rules`).
    """

    name: str
    clauses: tuple[str, ...]
    scope: str
    cases: Callable[[Lifting], Iterator[Case]]
    is_whole: bool = False
