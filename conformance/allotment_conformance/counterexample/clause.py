"""The clause that a disagreement belongs to, by what differs."""

from collections.abc import Collection

from allotment_conformance.counterexample.strangers import NOT_A_CANDIDATE, stranger
from allotment_conformance.counterexample.words import has_alternative, job_of, part_without_hosts
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.verdict.misplaced import misplaced
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, read_answers, read_case
from allotment_model.answers import Answer, Dispatched, JobAnswer, Ran
from allotment_model.oracle.accepts import MOST_CHOICES, Verdict, accepts, rules_of_choices
from allotment_model.oracle.blame import broken_clause, broken_clause_of_job
from allotment_model.oracle.choices import Budget
from allotment_model.oracle.following import Following
from allotment_model.oracle.profile import DECLARABLE, HostOrder, Profile, Split

CLAUSE_OF_NOTE = {
    "primary": "COMPOUND-2",
    "hit": "CACHE-4",
    "plan": "PLAN-1",
    "offered": "HOST-1",
    "refused": "HOST-7",
    "claimed": "PAR-1",
    "reversed": "UNDO-1",
    "filled": "CACHE-3",
    "committed": "UNDO-4",
}
"""The clause of a protocol event that is lacking, or that should not be there."""


CLAUSE_OF_REASON = {
    "span": "PLAN-9",
    "select": "SELECT-5",
    "shared": "SHARED-1",
}
"""The clause that kept a job from being placed, by the reason for which it has to wait (WHY-1)."""


def likeliest_clause(found: Disagreement, declares: Collection[str] = DECLARABLE) -> str | None:
    """The clause to name where no known fault does: what differs may say more than where.

    Hits are told first: one that should not be, or one that is lacking. An alternative that the
    request does not have is wrong, whatever stands there. A part that has to have hosts, and for
    which none is named, lacks its entries. Other hosts that only another order would
    give belong to that order, a split that only `any` would give to the split.
    That a job was placed which has to wait belongs to PAR-2; what places it under another order
    has searched its parts together, and else what its hosts exceed says more, or the reason for
    which it has to wait. Without hosts that reason is `select`, and says nothing. Of a limit it is
    told whether it was replaced, counts too little, or has less left.
    """
    clause = clause_of(found)
    if clause is None or found.kind not in OF_ONE_JOB:
        return clause
    expected, actual = (job_of(answer, found.job) for answer in (found.expected, found.actual))
    of_hit = _clause_of_hit(expected, actual) if "cached" in declares else None
    if of_hit is not None:
        return of_hit
    if not has_alternative(actual, found):
        return "ALTER-1"
    if expected["answer"] == "dispatched" and part_without_hosts(actual) is not None:
        return "PAR-3"
    if clause == "HOST-1" and _is_right_under(ANY_ORDER, found):
        return "HOST-9"
    if _is_uneven(actual, found) and _is_right_under(ANY_SPLIT, found):
        return "PLAN-2"
    if clause != "PAR-2" or not found.before.cluster.hosts:
        return clause
    if len(actual["parts"]) > 1 and _is_right_under(ANY_ORDER, found):
        return "COMPOUND-2"
    if expected["reason"] == "limit":
        return _exceeded(found) or "LIMIT-3"
    if expected["reason"] in CLAUSE_OF_REASON:
        return CLAUSE_OF_REASON[expected["reason"]]
    exceeded = _exceeded(found)
    if exceeded in OF_ROOM:
        return exceeded
    return "CACHE-4" if expected["cached"] and exceeded is None else clause


NAMES = "SESSION-7"
"""The clause of names of jobs."""

OF_ROOM = frozenset({"WANT-4", "SHARED-1", "LIMIT-1", "LIMIT-2", "LIMIT-3"})
"""Clauses that the hosts of a job break by themselves: there is no room for it."""

OF_ONE_JOB = (Kind.DECISION, Kind.ALTERNATIVE, Kind.PLACEMENT, Kind.REASON, Kind.CACHED)
"""What can differ in the answer to a job, `never` and protocol events apart."""


def _clause_of_hit(expected: Json, actual: Json) -> str | None:
    """CACHE-3, CACHE-4: a job that a hit keeps from its hosts; CACHE-8: a hit that is lacking."""
    match expected, actual:
        case {"answer": "dispatched", "alternative": 0}, {"answer": "pending", "cached": True}:
            return "CACHE-3"
        case {"answer": "dispatched"}, {"answer": "pending", "cached": True}:
            return "CACHE-4"
        case {"answer": "pending", "cached": True}, {"answer": "pending", "cached": False}:
            return "CACHE-8"
        case _:
            return None


ANY_ORDER = Profile(host_order=HostOrder.UNSPECIFIED)
ANY_SPLIT = Profile(host_order=HostOrder.UNSPECIFIED, split=Split.ANY)


def _is_uneven(actual: Json, found: Disagreement) -> bool:
    """Whether a part that asks for no `ptile` was placed in buckets that are not balanced."""
    if actual["answer"] != "dispatched" or found.job is None:
        return False
    keys = found.before.pending[found.job].keys[actual["alternative"]]
    return any(
        key.span.ptile is None and max(slots) - min(slots) > 1
        for key, part in zip(keys, actual["parts"], strict=False)
        if (slots := [number for _host, number in part])
    )


def _is_right_under(profile: Profile, found: Disagreement) -> bool:
    """Whether the answer for the job would be allowed if this were declared."""
    return verdict_under(profile, found)[0].job != found.job


def verdict_under(profile: Profile, found: Disagreement) -> tuple[Verdict, Answer]:
    """What is said to the wrong answer to an event under a profile, and the answer."""
    [sent] = read_answers([found.actual])
    [event] = read_case({"events": [found.event]}).events
    answer = to_model.answer(sent)
    return accepts(found.before, to_model.event(event), answer, profile), answer


def _exceeded(found: Disagreement) -> str | None:
    """LIMIT-2, LIMIT-3, WANT-4, …: what the hosts exceed of a job that was placed, and must wait.

    None if that is nothing that can be told from the hosts.
    """
    verdict, answer = verdict_under(ANY_ORDER, found)
    if verdict.job is None or verdict.job != found.job or verdict.before is None:
        return None
    rules = rules_of_choices(ANY_ORDER)
    follow = Following(profile=ANY_ORDER, rules=rules, budget=Budget(MOST_CHOICES))
    placed = answer_to(answer, verdict.job)
    assert isinstance(placed, Dispatched), "it was placed"
    return misplaced(verdict.before, verdict.job, placed, follow)


def answer_to(answer: Answer, job: str) -> JobAnswer:
    """What a job was answered in a run."""
    assert isinstance(answer, Ran), "only a run answers for jobs"
    return next(tried.answer for tried in answer.jobs if tried.job == job)


def clause_of(found: Disagreement) -> str | None:
    """The clause that the difference belongs to.

    None where there was no answer, or a report that was asked for is lacking.
    """
    match found.kind:
        case Kind.CRASH | Kind.MALFORMED | Kind.COUNT:
            return None
        case Kind.QUEUE:
            return "SESSION-1"
        case Kind.BOOKS:
            return _clause_of_books(found)
        case Kind.CANCELLED:
            return "CANCEL-1"
        case Kind.EVENTS:
            return _clause_of_notes(found)
        case _:
            return _clause_of_answers(found)


def _clause_of_books(found: Disagreement) -> str | None:
    """SESSION-4: something is in use and nobody is live; else SESSION-3. None without books."""
    right, told = (answer.get("books") for answer in (found.expected, found.actual))
    if right is None or told is None:
        return None
    return "SESSION-3" if any(right.values()) else "SESSION-4"


def _clause_of_notes(found: Disagreement) -> str | None:
    """The clause of the first protocol event that differs; None where the list is lacking."""
    told, other = (
        job_of(answer, found.job).get("events") for answer in (found.expected, found.actual)
    )
    if told is None or other is None:
        return None
    pairs = zip([*told, ["end"]], [*other, ["end"]], strict=False)
    names = (b[0] if a == ["end"] else a[0] for a, b in pairs if a != b)
    name = next(names, None)
    return None if name is None else CLAUSE_OF_NOTE[name]


def _clause_of_answers(found: Disagreement) -> str:
    expected, actual = map(to_model.answer, read_answers([found.expected, found.actual]))
    if found.job is None or not isinstance(expected, Ran) or not isinstance(actual, Ran):
        clause = broken_clause(expected, actual)
        # The names of jobs have a clause of their own; those of hosts are refused by the list.
        return "INGEST-2" if clause == NAMES and found.event["event"] != "submit" else clause
    if stranger(found) is not None:
        return NOT_A_CANDIDATE
    one, other = (answer_to(answer, found.job) for answer in (expected, actual))
    return broken_clause_of_job(one, other)
