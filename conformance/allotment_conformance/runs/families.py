"""Families of clauses, PLAN, HOST, WANT, …, each with the directed cases that show it."""

from collections.abc import Iterator

from allotment_conformance.engines.all_directed import ALL_DIRECTED
from allotment_conformance.runs.work import Question, Share, questions
from allotment_conformance.verdict.claims import why_not_claimed
from allotment_conformance.wire.messages import Profile
from allotment_model.clauses import CLAUSES, Clause, Evidence


def family_of(clause_id: str) -> str:
    """What stands before the number of a clause."""
    return clause_id.rpartition("-")[0]


FAMILIES = tuple(dict.fromkeys(family_of(clause.id) for clause in CLAUSES))
"""All of them, in the order of SPEC.md."""


def questions_of(family: str, profile: Profile) -> Iterator[Question]:
    """The directed cases of those clauses of a family that an implementation claims."""
    claimed = {one.id for one in _answer_clauses(family) if why_not_claimed(one, profile) is None}
    for number, one in enumerate(ALL_DIRECTED):
        if claimed.intersection(one.clauses):
            yield from questions(Share(directed=True, start=number, stop=number + 1), profile)


def drawn_questions(cases: int, seed: int, profile: Profile) -> Iterator[Question]:
    """So many bulk cases."""
    return questions(Share(directed=False, start=0, stop=cases, seed=seed), profile)


def why_not_asked(family: str, profile: Profile) -> str | None:
    """Why no case of a family is asked; None if one is."""
    if next(questions_of(family, profile), None) is not None:
        return None
    clauses = _answer_clauses(family)
    if not clauses:
        return "not checked here: no answer shows it"
    reasons = dict.fromkeys(why_not_claimed(clause, profile) for clause in clauses)
    if None in reasons:
        return "not checked here: its directed cases are larger than what is declared"
    return f"not claimed: {'; '.join(map(str, reasons))}"


def _answer_clauses(family: str) -> list[Clause]:
    found = (clause for clause in CLAUSES if family_of(clause.id) == family)
    return [clause for clause in found if clause.evidence is Evidence.ANSWER]
