"""Normal forms: two answers are equal if what this module makes of them is equal.

SPEC.md 2.2 leaves three things open: the order within the books' lists, the order of neighbouring
reversals, and what happens in plans with more buckets than there are hosts. SPEC.md 2.4 leaves
open the fields of a pending answer that a profile does not declare.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from typing import Any

from allotment_conformance.wire.messages import Json, as_json

Notes = list[list[Any]]

OF_A_PLAN = frozenset({"offered", "refused", "claimed"})
"""Protocol events that belong to the plan taken last; a reversal may belong to an earlier part."""

PENDING_FIELDS = ("reason", "never", "cached")


def answers(
    given: Iterable[Any], case: Json, report: Collection[str], declares: Collection[str]
) -> list[Json]:
    """The normal form of the answers to all events of a case."""
    pairs = zip(given, _hosts(case), strict=True)
    return [answer(one, declares, report, hosts) for one, hosts in pairs]


def _hosts(case: Json) -> Iterator[int]:
    """How many hosts the cluster has in the session of each event, if all additions hold."""
    hosts, coming = len(case["cluster"]["hosts"]), 0
    for event in case["events"]:
        if event["event"] == "begin_session":
            hosts, coming = hosts + coming, 0
        coming += event["event"] == "host_add"
        yield hosts


def answer(given: Json, declares: Collection[str], report: Collection[str], hosts: int) -> Json:
    """The normal form of an answer; `hosts` is how many the cluster has in this session.

    Reports that were not asked for are dropped.
    """
    normal = {field: value for field, value in given.items() if field != "books"}
    if "books" in report and "books" in given:
        normal["books"] = books(given["books"])
    if "jobs" in given:
        normal["jobs"] = [job_answer(one, declares, report, hosts) for one in given["jobs"]]
    return normal


def job_answer(given: Json, declares: Collection[str], report: Collection[str], hosts: int) -> Json:
    """The normal form of what one job was answered."""
    silent = [field for field in PENDING_FIELDS if field not in declares]
    normal = {field: value for field, value in given.items() if field not in (*silent, "events")}
    if "events" in report and "events" in given:
        normal["events"] = events(given["events"], hosts, reasons="reason" in declares)
    return normal


def books(given: Json) -> Json:
    """The books with the uses of limits in a fixed order."""
    limits = sorted(given["limits"], key=lambda use: as_json(dict(sorted(use.items()))))
    return {**given, "limits": limits}


def events(given: Notes, hosts: int, *, reasons: bool) -> Notes:
    """SPEC.md 2.2: neighbouring reversals sorted, plans of too many buckets left out."""
    normal: Notes = []
    reversals: Notes = []
    for note in _without_wide_plans(given, hosts):
        if note[0] == "reversed":
            reversals.append(note)
            continue
        normal += sorted(reversals)
        reversals = []
        keeps_reason = reasons or note[0] not in ("hit", "filled")
        normal.append(note if keeps_reason else note[:1])
    return normal + sorted(reversals)


def with_cuts_accepted(expected: Json, actual: Json) -> tuple[Json, Json]:
    """CANCEL-1: both answers in normal form, where a cancelled job may have been cut anywhere.

    The expected answer holds all protocol events that may stand before the cut.
    """
    jobs = expected.get("jobs", [])
    others = actual.get("jobs", [])
    if len(jobs) != len(others):
        return expected, actual
    pairs = zip(jobs, others, strict=True)
    accepted = [other if _is_cut(other, one) else one for one, other in pairs]
    return ({**expected, "jobs": accepted} if jobs else expected), actual


def _is_cut(actual: Json, expected: Json) -> bool:
    """Whether the events stop somewhere before the cut, all fills told, and give claims back."""
    if not (
        "cancelled" == expected["answer"] == actual["answer"] and actual["job"] == expected["job"]
    ):
        return False
    told: Notes = list(actual.get("events", []))
    whole: Notes = expected.get("events", [])
    while told and told[-1][0] == "reversed":
        told.pop()
    fills = [sum(note[0] == "filled" for note in notes) for notes in (told, whole)]
    return told == whole[: len(told)] and fills[0] == fills[1]


def _without_wide_plans(given: Notes, hosts: int) -> Iterator[list[Any]]:
    """The notes that do not belong to a plan with more buckets than the cluster has hosts."""
    wide = False
    claimed: Counter[tuple[str, int]] = Counter()
    for note in given:
        if note[0] == "plan":
            wide = len(note[1]) > hosts
            claimed.clear()
        elif note[0] == "reversed" and wide and claimed[tuple(note[1:])] > 0:
            claimed[tuple(note[1:])] -= 1
            continue
        elif note[0] not in OF_A_PLAN and note[0] != "reversed":
            wide = False
        if wide and note[0] == "claimed":
            claimed[tuple(note[1:])] += 1
        if not (wide and (note[0] in OF_A_PLAN or note[0] == "plan")):
            yield note
