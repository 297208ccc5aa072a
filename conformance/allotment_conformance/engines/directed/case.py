"""A directed case: the smallest one in which a clause shows, with the reason why it does."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from allotment_conformance.engines.features import REPORTS, features_of, is_within
from allotment_conformance.wire.messages import Json, Profile


@dataclass(frozen=True, slots=True, kw_only=True)
class Directed:
    """A case made for some *answer* clauses of SPEC.md.

    `why` says what the case shows and what would be answered without the clause. `needs` are the
    features that an implementation must have to be asked it. The expected answers are the model's.
    What `is_probed` is asked again with its clauses taken out of the specification, in every run.
    """

    name: str
    clauses: tuple[str, ...]
    why: str
    case: Json
    needs: frozenset[str]
    is_probed: bool = True

    def can_be_asked(self, profile: Profile) -> bool:
        """Whether it stays within what is declared; reports are asked for where they are."""
        return self.needs.difference(REPORTS) <= set(profile.features) and is_within(
            self.case, profile.largest
        )


def directed(name: str, clauses: str, why: str, case: Json) -> Directed:
    """A directed case; `clauses` are ids with spaces between them."""
    return Directed(
        name=name, clauses=tuple(clauses.split()), why=why, case=case, needs=features_of(case)
    )


def not_probed(cases: Iterable[Directed]) -> tuple[Directed, ...]:
    """The same cases; what they show is shown by others that are probed, which takes its time."""
    return tuple(replace(one, is_probed=False) for one in cases)
