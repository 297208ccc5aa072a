"""Blamed: the clauses that a wrong answer may break where no known fault explains all failures."""

from collections import Counter
from collections.abc import Iterable

from allotment_conformance.counterexample.clause import OF_ROOM
from allotment_conformance.counterexample.missed import missed
from allotment_conformance.counterexample.suspects import Suspect, clause_shown
from allotment_conformance.verdict.claims import why_not_claimed
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import choices_of
from allotment_model.clauses import CLAUSES, Evidence

SUMMED = "WANT-2"
"""The clause of several entries of one resource."""


def blamed(
    case: Json, found: Disagreement, profile: Profile, likeliest: str, alike: Iterable[Suspect]
) -> tuple[str, ...]:
    """The clauses, the likeliest first; one if nothing else is known.

    They are those of the sentences without which the answer would be right in this case, and that
    of the difference itself, which is `likeliest`. Those who are `alike` have missed a sentence;
    of a clause that was told by following choices it is tried which ones allow the answer. What no
    answer shows is not told, nor what the profile does not claim.
    """
    if found.clause is not None:
        missing = [one.breaks for one in missed(found, choices_of(profile))]
    else:
        missing = [one.clauses for one in alike]
    others = [clause_shown(clauses, case, likeliest) for clauses in missing]
    told = [likeliest]
    if likeliest in OF_ROOM and found.job is not None and _names_one_twice(case, found.job):
        told.append(SUMMED)
    first = told if found.clause is not None or likeliest in others else []
    checked = [one for one in others if one in _checked(profile)]
    return tuple(dict.fromkeys([*first, *checked, *told]))


def _checked(profile: Profile) -> frozenset[str]:
    """The clauses that answers show of an implementation of that profile."""
    shown = (one for one in CLAUSES if one.evidence is Evidence.ANSWER)
    return frozenset(one.id for one in shown if why_not_claimed(one, profile) is None)


def _names_one_twice(case: Json, job: str) -> bool:
    """Whether a part of a job has several entries of one resource that are summed."""
    submitted = (one["job"] for one in case["events"] if one["event"] == "submit")
    [request] = [one["request"] for one in submitted if one["name"] == job][:1]
    parts = (part for alternative in request for part in alternative)
    entries = (
        Counter((use["resource"], use.get("per")) for use in part.get("rusage", ()))
        for part in parts
    )
    return any(max(counted.values(), default=0) > 1 for counted in entries)
