"""A disagreement as one sentence: what the answer says, and what it contradicts.

The sentence ends with the clause: "host B is claimed by bucket 1 and bucket 2 of job j; HOST-7".
"""

from collections.abc import Iterator
from typing import Any

from allotment_conformance.counterexample import words
from allotment_conformance.counterexample.strangers import (
    OF_A_DISPATCH,
    strange_holder,
    strange_pool,
    stranger,
)
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire.messages import Json, as_json

NOT_THERE = "which the cluster does not have"

Accounts = dict[str, int]
"""What is in use, by the words for what it is."""


def contradiction(found: Disagreement, clause: str) -> str:
    """The sentence, with the clause behind it if there is one."""
    told = _to_a_stranger(found) or _twice_taken(found) or _in_other_parts(found)
    told = told or _without_hosts(found) or _by_kind(found)
    return f"{told}; {clause}" if clause else told


def _by_kind(found: Disagreement) -> str:
    match found.kind:
        case Kind.CRASH | Kind.MALFORMED | Kind.COUNT:
            return f"to '{words.event(found.event)}' there is no answer: {found.actual}"
        case Kind.ACCEPTANCE | Kind.CODE:
            expected, actual = words.answer(found.expected)[0], words.answer(found.actual)[0]
            return f"'{words.event(found.event)}' is {actual}, and must be {expected}"
        case Kind.QUEUE:
            expected, actual = map(_order, (found.expected, found.actual))
            return f"{actual}, and it must be that {expected}"
        case Kind.BOOKS:
            return _books(found)
        case Kind.EVENTS:
            return _notes(found)
        case _:
            return _of_job(found)


def _order(answer: Json) -> str:
    """Who is tried, one after the other."""
    names = [words.name(one["job"]) for one in answer["jobs"]]
    if not names:
        return "no job is tried"
    if len(names) == 1:
        return f"job {names[0]} alone is tried"
    return f"the jobs are tried in the order {', '.join(names)}"


def _of_job(found: Disagreement) -> str:
    """Two answers for one job that contradict each other in one thing."""
    expected, actual = (
        words.job_of(answer, found.job) for answer in (found.expected, found.actual)
    )
    assert found.job is not None, "these kinds are of a job"
    name = f"job {words.name(found.job)}"
    match found.kind:
        case Kind.REASON:
            told, right = actual["reason"], expected["reason"]
            return f"{name} is said to wait for {told}, and waits for {right}"
        case Kind.NEVER if expected["never"]:
            return f"{name} can never be placed, and is said to be placeable one day"
        case Kind.NEVER:
            return f"{name} could be placed on the empty cluster, and is said never to be placeable"
        case Kind.CACHED if expected["cached"]:
            return f"that {name} pends is known from the cache, and is said to be found anew"
        case Kind.CACHED:
            return f"that {name} pends is not known from the cache, and is said to be"
        case _:
            right, told = words.job_answers(expected, actual, found.declares)
            right = right.removeprefix(f"{name} is ")
            beside = "one of the permitted answers:" if found.one_of_several else "it must be"
            return f"{told}; {beside} {right}"


def _to_a_stranger(found: Disagreement) -> str | None:
    """HOST-1: a host that is named, and is none of the cluster's; or who else is in the books."""
    host = stranger(found)
    if found.kind is Kind.BOOKS:
        other = f"host {words.name(host)}, {NOT_THERE}" if host is not None else _nobody(found)
        return other and f"the books tell of {other}"
    if host is None or found.job is None:
        return None
    return f"job {words.name(found.job)} is dispatched to host {words.name(host)}, {NOT_THERE}"


def _nobody(found: Disagreement) -> str | None:
    """The first pool or holder of the books that is none."""
    pool = strange_pool(found)
    if pool is not None:
        return f"pool {words.name(pool)}, {NOT_THERE}"
    who = strange_holder(found)
    return who and f"{who[0]} {words.name(who[1])}, for whom there is no job"


def _twice_taken(found: Disagreement) -> str | None:
    """HOST-7: a host that two buckets of one primary have."""
    if found.kind not in OF_A_DISPATCH or found.job is None:
        return None
    for number, part in enumerate(words.job_of(found.actual, found.job).get("parts", [])):
        buckets: dict[str, int] = {}
        for bucket, (host, _slots) in enumerate(part, start=1):
            if host in buckets:
                both = f"bucket {buckets[host]} and bucket {bucket}"
                of = words.part_of(found.job, number)
                return f"host {words.name(host)} is claimed by {both} of {of}"
            buckets[host] = bucket
    return None


def _in_other_parts(found: Disagreement) -> str | None:
    """COMPOUND-1: a job that is dispatched with more parts, or fewer, than its request has."""
    if found.kind not in OF_A_DISPATCH or found.job is None:
        return None
    answer = words.job_of(found.actual, found.job)
    if answer["answer"] != "dispatched" or not words.has_alternative(answer, found):
        return None
    keys = found.before.pending[found.job].keys
    told, asked = len(answer["parts"]), len(keys[answer["alternative"]])
    if told == asked:
        return None
    of = "its request" if len(keys) == 1 else f"alternative {answer['alternative']} of its request"
    parts = words.counted(told, "part") if told else "no part"
    return f"job {words.name(found.job)} is dispatched with {parts}, and {of} has {asked}"


def _without_hosts(found: Disagreement) -> str | None:
    """PAR-3: a part of as many as are asked for, with no entry for a host."""
    if found.kind not in OF_A_DISPATCH or found.job is None:
        return None
    answer = words.job_of(found.actual, found.job)
    number = words.part_without_hosts(answer)
    if number is None or not words.has_alternative(answer, found):
        return None
    return f"{words.part_of(found.job, number)} is dispatched, and to no host"


def _books(found: Disagreement) -> str:
    """The first account on which the books differ."""
    expected, actual = (_accounts(answer.get("books")) for answer in (found.expected, found.actual))
    if expected is None or actual is None:
        return "the books are asked for, and not told"
    name = next(n for n in {**expected, **actual} if expected.get(n, 0) != actual.get(n, 0))
    resource = name.rpartition(" ")[2]
    told, right = (words.quantity(resource, side.get(name, 0)) for side in (actual, expected))
    return f"of {name} {told} is said to be in use, and {right} is"


def _accounts(books: Json | None) -> Accounts | None:
    return None if books is None else dict(_each_account(books))


def _each_account(books: Json) -> Iterator[tuple[str, int]]:
    for host, used in books["hosts"].items():
        yield from ((f"host {words.name(host)}: {resource}", n) for resource, n in used.items())
    yield from ((f"pool {words.name(pool)}", n) for pool, n in books["pools"].items())
    for use in books["limits"]:
        yield f"the {words.use_of_limit(use)}", use["used"]


def _notes(found: Disagreement) -> str:
    """The first protocol event of the attempt that differs."""
    told, other = (
        words.job_of(answer, found.job).get("events") for answer in (found.actual, found.expected)
    )
    assert found.job is not None, "an attempt is for a job"
    attempt = f"the attempt for job {words.name(found.job)}"
    if told is None or other is None:
        return f"the protocol events of {attempt} are asked for, and not told"
    pairs: Iterator[tuple[Any, Any]] = zip([*told, None], [*other, None], strict=False)
    actual, expected = map(_note, next((one, two) for one, two in pairs if one != two))
    return f"in {attempt} {actual} stands where {expected} must"


def _note(note: list[Any] | None) -> str:
    return "the end" if note is None else as_json(note)
