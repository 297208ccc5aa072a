"""Blamed: the clauses that a wrong answer may break where no known fault explains all failures."""

from collections.abc import Iterable

from allotment_conformance.counterexample.missed import missed
from allotment_conformance.counterexample.suspects import Suspect, clause_shown
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import choices_of


def blamed(
    case: Json, found: Disagreement, profile: Profile, likeliest: str, alike: Iterable[Suspect]
) -> tuple[str, ...]:
    """The clauses, the likeliest first; one if nothing else is known.

    They are those of the sentences without which the answer would be right in this case, and that
    of the difference itself, which is `likeliest`. Those who are `alike` have missed a sentence;
    of a clause that was told by following choices it is tried which ones allow the answer.
    """
    if found.clause is not None:
        missing = [one.breaks for one in missed(found, choices_of(profile))]
    else:
        missing = [one.clauses for one in alike]
    others = [clause_shown(clauses, case, likeliest) for clauses in missing]
    first = [likeliest] if found.clause is not None or likeliest in others else []
    return tuple(dict.fromkeys([*first, *others, likeliest]))
