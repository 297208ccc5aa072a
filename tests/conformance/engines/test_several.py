"""Allocators that are right with few of a kind, and wrong from some number on, are found."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, partial

import msgspec
import pytest

from allotment_conformance.engines.all_directed import ALL_DIRECTED
from allotment_conformance.engines.several import SEVERAL
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.cluster import Cluster
from allotment_model.plans import Plan
from allotment_model.request import Span
from allotment_model.rules import SPEC, Rules
from allotment_model.why import Keys, is_never

Fault = Callable[[Json], None]
"""What an allocator overlooks, done to the case before the specification answers it."""

NUMBERS = (2, 3, 4, 5, 8, 10, 17)
BETWEEN = (6, 12, 16)
"""Numbers at which nothing else begins."""

FIELDS = ("select", "rusage", "span")


def jobs_of(case: Json) -> Iterator[Json]:
    return (event["job"] for event in case["events"] if event["event"] == "submit")


def primaries_of(case: Json) -> Iterator[Json]:
    return (part for job in jobs_of(case) for parts in job["request"] for part in parts)


def without_field_of_part(field: str, number: int, case: Json) -> None:
    """The field of the part of that number counts for nothing."""
    for job in jobs_of(case):
        for parts in job["request"]:
            for part in parts[number - 1 : number]:
                part.pop(field, None)


def without_field_of_alternative(field: str, number: int, case: Json) -> None:
    """The same of all parts of the alternative of that number."""
    for job in jobs_of(case):
        for part in (part for parts in job["request"][number - 1 : number] for part in parts):
            part.pop(field, None)


def without_entry(number: int, case: Json) -> None:
    """The entry of that number of a rusage is dropped."""
    for part in primaries_of(case):
        del part.get("rusage", [])[number - 1 : number]


def without_alternatives(number: int, case: Json) -> None:
    """No more alternatives than so many are looked at."""
    for job in jobs_of(case):
        del job["request"][number:]


def without_priority_of(is_such: Callable[[list[list[Json]]], bool], case: Json) -> None:
    """The priority of such requests counts for nothing."""
    for job in jobs_of(case):
        if is_such(job["request"]):
            job.pop("priority", None)


def with_texts_changed(change: Callable[[str], str], expression: Json) -> None:
    """The texts that a select is written with are changed."""
    if "text" in expression:
        expression["text"] = change(expression["text"])
    for operand in expression.get("args", []):
        with_texts_changed(change, operand)


def with_texts_of_selects(change: Callable[[str], str], case: Json) -> None:
    """The same of the selects of all jobs."""
    for part in primaries_of(case):
        with_texts_changed(change, part.get("select", {}))


def without_attributes_of_later_hosts(case: Json) -> None:
    """The tenth host and those behind it have no attributes."""
    for one in case["cluster"]["hosts"][9:]:
        one.pop("attributes", None)


def with_amounts_of_later_hosts(case: Json) -> None:
    """Amounts are not looked at on the tenth host and those behind it."""
    for one in case["cluster"]["hosts"][9:]:
        slots = one["capacity"].get("slots", 0)
        names = case["cluster"].get("resources", {}).get("host", [])
        one["capacity"] = {"slots": slots, **dict.fromkeys(names, 10**9)}


def without_changes_of_later_hosts(case: Json) -> None:
    """Changes of the tenth host and those behind it come to nothing."""
    later = {one["name"] for one in case["cluster"]["hosts"][9:]}
    for event in case["events"]:
        if event["event"] == "host_change" and event["host"] in later:
            for field in event.keys() - {"event", "host"}:
                del event[field]


WRONG: dict[str, Fault] = {
    "attributes of later hosts": without_attributes_of_later_hosts,
    "amounts of later hosts": with_amounts_of_later_hosts,
    "changes of later hosts": without_changes_of_later_hosts,
    **{
        f"{field} of part {number}": partial(without_field_of_part, field, number)
        for field in FIELDS
        for number in NUMBERS
    },
    **{
        f"{field} of alternative {number}": partial(without_field_of_alternative, field, number)
        for field in FIELDS
        for number in NUMBERS
    },
    **{
        f"rusage of alternative {number}": partial(without_field_of_alternative, "rusage", number)
        for number in BETWEEN
    },
    **{f"entry {number}": partial(without_entry, number) for number in NUMBERS},
    **{
        f"beyond {number} alternatives": partial(without_alternatives, number) for number in NUMBERS
    },
    "priority of alters": partial(without_priority_of, lambda request: len(request) > 1),
    "priority of compounds": partial(without_priority_of, lambda request: len(request[0]) > 1),
    "stripped texts": partial(with_texts_of_selects, str.strip),
    "lower-case texts": partial(with_texts_of_selects, str.lower),
}


@cache
def right_answers(number: int) -> list[Json]:
    return ModelAdapter().run(with_books(number))


def with_books(number: int) -> Json:
    return {**SEVERAL[number].case, "report": ["books"]}


@pytest.mark.parametrize("fault", WRONG.values(), ids=WRONG)
def test_wrong_from_some_number_on_is_found(fault: Fault) -> None:
    def answers_wrong(number: int) -> bool:
        changed = msgspec.json.decode(msgspec.json.encode(with_books(number)))
        fault(changed)
        return ModelAdapter().run(changed) != right_answers(number)

    assert any(map(answers_wrong, range(len(SEVERAL))))


def fills_after(number: int, parts_before: int) -> bool:
    """CACHE-3 but for the part behind that number of others, which fills the cache, too."""
    return parts_before in (0, number)


def never_without_part(number: int, keys: Keys, cluster: Cluster, rules: Rules) -> bool:
    """WHY-2 of the same request without the parts of that number."""
    left = tuple((*parts[: number - 1], *parts[number:]) for parts in keys)
    return is_never(left, cluster, rules)


WRONG_AT_ONE: dict[str, Rules] = {
    **{
        f"filled by part {number}": replace(SPEC, may_fill=partial(fills_after, number - 1))
        for number in BETWEEN
    },
    **{
        f"never without part {number}": replace(SPEC, is_never=partial(never_without_part, number))
        for number in BETWEEN
    },
}


@pytest.mark.parametrize("rules", WRONG_AT_ONE.values(), ids=WRONG_AT_ONE)
def test_wrong_at_one_number_alone_is_found(rules: Rules) -> None:
    wrong = ModelAdapter(rules)
    assert any(
        wrong.run(with_books(number)) != right_answers(number) for number in range(len(SEVERAL))
    )


def wide(hosts: int, tasks: int, span: Span) -> Iterator[Plan]:
    """Plans of so many hosts and more have all that remains in the first bucket, or in the last."""
    for plan in SPEC.plans(tasks, span):
        if len(plan) < hosts:
            yield plan
        elif span.ptile is None:
            least = plan[-1]
            yield (tasks - least * (len(plan) - 1), *[least] * (len(plan) - 1))
        else:
            yield (span.ptile,) * len(plan)


@pytest.mark.parametrize("hosts", [5, 9, 13, 17, 18, 33])
def test_wide_plan_that_is_not_the_one_of_the_specification_is_found(hosts: int) -> None:
    wrong = ModelAdapter(replace(SPEC, plans=partial(wide, hosts)))
    found = [one for one in range(len(SEVERAL)) if wrong.run(with_books(one)) != right_answers(one)]
    assert "plans-that-are-wide-and-uneven" in [SEVERAL[number].name for number in found]


def test_names_of_all_directed_cases_are_unique() -> None:
    names = Counter(one.name for one in ALL_DIRECTED)
    assert [] == [name for name, count in names.items() if count > 1]


@pytest.mark.parametrize(("name", "sessions"), [("33-sessions", 33), ("18-cases", 18)])
def test_same_jobs_are_tried_in_each_of_many_sessions(name: str, sessions: int) -> None:
    """An allocator that stops to try what pends is told, in whichever session it does."""
    [number] = [at for at, one in enumerate(SEVERAL) if one.name == f"tried-in-each-of-{name}"]
    tried = [
        {job["job"] for job in answer["jobs"]}
        for answer in right_answers(number)
        if answer.get("jobs")
    ]
    assert sessions <= sum(set("abcde") <= jobs for jobs in tried)
