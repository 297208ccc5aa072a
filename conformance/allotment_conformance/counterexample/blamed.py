"""Blamed: the clauses that a wrong answer may break where no known fault explains all failures."""

from collections.abc import Iterable

from allotment_conformance.counterexample.missed import missed
from allotment_conformance.counterexample.suspects import Suspect, clause_shown
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import choices_of, leaves_choices


def blamed(
    case: Json, found: Disagreement, profile: Profile, likeliest: str, alike: Iterable[Suspect]
) -> tuple[str, ...]:
    """The clauses, the likeliest first; one if nothing else is known.

    The answer is that of the specification without one sentence: of each of the sentences without
    which it would be right in this case, and of the difference itself, which is `likeliest`. Those
    who are `alike` have missed one; where the profile leaves choices these are followed instead.
    """
    if leaves_choices(profile):
        missing = [one.breaks for one in missed(found, choices_of(profile))]
    else:
        missing = [one.clauses for one in alike]
    others = [clause_shown(clauses, case, likeliest) for clauses in missing]
    first = [likeliest] if likeliest in others else []
    return tuple(dict.fromkeys([*first, *others, likeliest]))
