"""Diagnosis: what an allocator has missed, by the wrong allocator of the zoo that answers alike.

An allocator that answers like the specification with one sentence missing has, as far as its
failing cases show, missed that sentence. Small cases are failed alike by many, so one is named only
if it answers alike on all that are known, and fails none on which the allocator agrees. Of several
the first is the one that is wrong on the fewest directed cases: the others would have failed on
more. Where nobody does, no single known fault explains them.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from allotment_conformance.counterexample.blamed import blamed
from allotment_conformance.counterexample.clause import likeliest_clause
from allotment_conformance.counterexample.strangers import (
    NOT_A_CANDIDATE,
    is_named_nowhere,
    stranger,
)
from allotment_conformance.counterexample.suspects import (
    Suspect,
    asked_of,
    clause_shown,
    fails,
    suspects,
)
from allotment_conformance.counterexample.untimely import WAITS_FOR_THE_SESSION, Untimely, untimely
from allotment_conformance.engines.all_directed import SAMPLE
from allotment_conformance.verdict.compare import Exchange, exchange_of
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile
from allotment_model.clauses import CLAUSES

TITLES: Mapping[str, str] = {clause.id: clause.title for clause in CLAUSES}


@dataclass(frozen=True, slots=True, kw_only=True)
class Contradicted:
    """A fault that answers alike where the allocator fails, and fails where it does not.

    It `fails` so many of the `agreed` cases on which the allocator agrees.
    """

    name: str
    fails: int
    agreed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The clauses that are broken, and the faults that answer alike.

    The clauses are one of each fault; or else the likeliest one of this case, and `perhaps` one of
    others is broken instead. `faults` names those of the zoo that answer alike on all failing
    cases, `here` those that do so on this one only; `cases` is how many failing cases there were
    to tell them apart, 0 where nobody is compared because the profile leaves choices. None of
    `faults` fails a case on which the allocator agrees, of which each was asked `agreed` or more;
    those that do are `contradicted`. It is not `certain` of a failure that does not come each time:
    then chance may have answered alike. The clauses are `surmised` unless somebody is named for
    certain who was held against cases on which the allocator agrees, or an answer contradicts
    itself.
    """

    clauses: tuple[str, ...]
    faults: tuple[str, ...]
    perhaps: tuple[str, ...] = ()
    here: tuple[str, ...] = ()
    contradicted: tuple[Contradicted, ...] = ()
    cases: int = 1
    agreed: int = 0
    certain: bool = True
    surmised: bool = False

    def lines(self) -> list[str]:
        """For a person."""
        told = (*self.clauses, *self.perhaps)
        clauses = ["One of these:"] if len(told) > 1 else ["Perhaps:"] if self.surmised else []
        clauses += [f"{clause}: {TITLES[clause]}" for clause in told]
        clauses = clauses or ["none: SPEC.md 2.2, each event has exactly one answer"]
        return [*clauses, *self.verdict()]

    def headline(self) -> str:
        """The likeliest clause, and all others among which it is not sure."""
        told = (*self.clauses, *self.perhaps)
        if len(told) > 1:
            return f"one of {', '.join(told)}"
        return f"perhaps {told[0]}" if self.surmised and told else "".join(told)

    def verdict(self) -> list[str]:
        """Which fault it is, as far as the cases tell."""
        return [*self._known_faults(), *([] if self.certain else [BY_CHANCE])]

    def _known_faults(self) -> list[str]:
        if self.cases == 0:
            return ["Known faults are not compared: the profile leaves choices."]
        of_all = "this case" if self.cases == 1 else f"all {self.cases} cases that were compared"
        if self.faults:
            is_one = len(self.faults) == 1
            alike, are = ("This fault answers", "is") if is_one else ("These faults answer", "are")
            right = f" and {are} right on {self.agreed} that pass" if self.agreed else ""
            return [f"{alike} alike on {of_all}{right}: {_quoted(self.faults)}."]
        if self.contradicted:
            told = "No known fault explains both what fails and what passes here."
            return [told, *map(_contradiction, self.contradicted[:MOST_CONTRADICTED])]
        told = f"No single known fault answers alike on {of_all}"
        here = f"; on this one: {_quoted(self.here)}" if self.here else ""
        return [f"{told}{here}."]


CREDITS_ALL = "SESSION-4"
"""The clause of what a job that ended still holds."""

CONTRADICT_THEMSELVES = frozenset({"HOST-7"})
"""Clauses that an answer breaks whatever was asked."""

BY_CHANCE = "The failure does not come each time, so that may be chance."

MOST_NAMED = 6
"""Names that a person would still look up."""

MOST_CLAUSES = 4
"""Clauses that a person would look up where it may be any of them; the likeliest come first."""

MOST_CONTRADICTED = 2
"""Faults that are told with what speaks against them: the nearest ones say enough."""


def _contradiction(one: Contradicted) -> str:
    of = f"{one.fails} of {one.agreed} cases that pass here"
    return f"'{one.name}' answers alike on these failures, but would fail {of}."


def _quoted(names: Sequence[str]) -> str:
    told = [f"'{name}'" for name in names[:MOST_NAMED]]
    more = len(names) - MOST_NAMED
    return ", ".join(told) + (f" and {more} more" if more > 0 else "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A case, and what the allocator answered that the specification does not allow.

    `alike`: in the same way as on the case that is told.
    """

    case: Json
    answers: object
    alike: bool = False


def diagnose(
    failing: Sequence[Failing],
    found: Disagreement,
    profile: Profile,
    *,
    agreed: Collection[int] = (),
    certain: bool = True,
) -> Diagnosis:
    """What an allocator has missed that fails on these cases, the smallest first.

    `found` belongs to the smallest. `agreed` are the numbers of directed cases on which it agrees.
    An allocator that gave no answer at all has no known fault. Of a failure that is not `certain`
    to come again the clause is not told by who answers alike.
    """
    cases = [exchange_of(one.case, one.answers) for one in _distinct(failing)]
    # Among choices the model's own answer may be a wrong one: who answers like it is no suspect.
    known = suspects() if found.clause is None else []
    alike = [one for one in known if one.answers_alike(cases[0], profile)]
    on_all = [one for one in alike if all(one.answers_alike(other, profile) for other in cases[1:])]
    explain, contradicted = _held_against(on_all, frozenset(agreed), profile)
    same = [exchange_of(one.case, one.answers) for one in failing if one.alike]
    blamable = [one for one in alike if all(one.answers_alike(other, profile) for other in same)]
    told = found.clause or likeliest_clause(found, profile.declares)
    clauses: tuple[str, ...] = () if told is None else (told,)
    sure = len(clauses)
    if told is not None and certain:
        moment = untimely(cases[0], found, profile)
        clauses, sure = _clauses(cases[0], found, profile, told, moment, explain, blamable)
    return Diagnosis(
        clauses=clauses[:sure],
        perhaps=clauses[sure:],
        faults=tuple(one.name for one in explain),
        here=() if on_all else tuple(one.name for one in alike),
        contradicted=() if explain else contradicted,
        cases=len(cases) if known else 0,
        agreed=min((len(asked_of(one).intersection(agreed)) for one in explain), default=0),
        certain=certain,
        surmised=told is not None
        and not (explain and certain and agreed)
        and not _contradicts_itself(told, found, cases[0].case),
    )


def _contradicts_itself(clause: str, found: Disagreement, case: Json) -> bool:
    """HOST-7: one host twice. HOST-1: a host that nobody has ever heard of."""
    if clause == NOT_A_CANDIDATE:
        host = stranger(found)
        return host is not None and is_named_nowhere(host, case)
    return clause in CONTRADICT_THEMSELVES


def _clauses(
    told: Exchange,
    found: Disagreement,
    profile: Profile,
    likeliest: str,
    moment: Untimely | None,
    explain: Sequence[Suspect],
    alike: Sequence[Suspect],
) -> tuple[tuple[str, ...], int]:
    """The clauses of a failure that comes each time, and how many of them are not in doubt.

    `explain` are the faults that explain all failures, `alike` those that answer alike on this one,
    before it was made small and after.
    """
    if moment is Untimely.EARLY:
        likeliest = WAITS_FOR_THE_SESSION
    if explain:
        shown = (clause_shown(one.clauses, told.case, likeliest) for one in explain)
        clauses = tuple(dict.fromkeys(shown))
        return clauses, len(clauses)
    if moment is Untimely.EARLY:
        return (likeliest,), 1
    first = [] if moment is None else [WAITS_FOR_THE_SESSION]
    # A finish without which it would be right may have been credited in part.
    leaks = [CREDITS_ALL] if first and _has_finished(told.case) else []
    others = blamed(told.case, found, profile, likeliest, alike)
    return tuple(dict.fromkeys([*first, *leaks, *others]))[:MOST_CLAUSES], 1


def _has_finished(case: Json) -> bool:
    return any(event["event"] == "finish" for event in case["events"])


def _held_against(
    on_all: list[Suspect], agreed: frozenset[int], profile: Profile
) -> tuple[list[Suspect], tuple[Contradicted, ...]]:
    """Those that fail none of the cases on which the allocator agrees, and those that fail some.

    The first fail the fewest of the sample, the second the fewest of these.
    """
    if len(on_all) <= 1 and not agreed:
        return on_all, ()
    telling = agreed.union(SAMPLE)
    failed = {one.name: fails(one, profile, telling) for one in on_all}
    explain = [one for one in on_all if failed[one.name].isdisjoint(agreed)]
    others = (
        Contradicted(
            name=one.name,
            fails=len(failed[one.name] & agreed),
            agreed=len(asked_of(one) & agreed),
        )
        for one in on_all
        if one not in explain
    )
    return (
        sorted(explain, key=lambda one: len(failed[one.name].intersection(SAMPLE))),
        tuple(sorted(others, key=lambda one: one.fails)),
    )


def _distinct(failing: Sequence[Failing]) -> list[Failing]:
    kept: list[Failing] = []
    for one in failing:
        if one not in kept:
            kept.append(one)
    return kept
