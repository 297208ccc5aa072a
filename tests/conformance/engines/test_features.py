"""What a case asks of an implementation, whatever the names in it are."""

from collections.abc import Iterator

import msgspec
import pytest

from allotment_conformance.engines.bulk import case_of
from allotment_conformance.engines.features import features_of, largest_of
from allotment_conformance.engines.notation import (
    RUN,
    attribute,
    case,
    cluster,
    counts,
    host,
    host_add,
    host_change,
    limit,
    limit_set,
    number,
    operation,
    pool_change,
    primary,
    submit,
    uses,
)
from allotment_conformance.runs.work import questions as questions_of
from allotment_conformance.runs.work import shares
from allotment_conformance.wire.messages import Json, Largest, Sizes
from allotment_conformance.wire.profiles import MODEL_PROFILE


def largest_amount(*events: Json, **of_cluster: object) -> int:
    """The largest amount of a case with a host of one slot."""
    made = cluster(host("A", 1), **of_cluster)  # type: ignore[arg-type]
    return largest_of(case(made, *events)).amount


def test_names_of_resources_are_no_fields() -> None:
    made = cluster(
        {"name": "A", "capacity": {"slots": 1, "max": 9, "cap": 8}, "attributes": {"amount": 7}},
        amounts=["max", "cap"],
        shared=["pools"],
        attributes={"amount": "number", "capacity": "text"},
        pools={"pools": 6},
    )
    asked = submit("j", primary(2, uses("max", 5), select=attribute("amount")))
    sizes = largest_of(case(made, asked, RUN))
    assert Sizes(tasks=2, hosts=1, amount=9) == sizes


def test_every_amount_counts() -> None:
    assert 9 == largest_amount(submit("j", primary(1, uses("mem", 9))))
    assert 9 == largest_amount(shared=["lic"], pools={"lic": 9})
    assert 9 == largest_amount(limits=[limit("user", "u", "cluster", "slots", 9)])
    assert 9 == largest_amount(host_add(host("B", 9)))
    assert 9 == largest_amount(host_change("A", capacity={"slots": 9}))
    assert 9 == largest_amount(pool_change("lic", 9))
    assert 9 == largest_amount(limit_set("user", "u", "cluster", "slots", 9))


def test_every_other_number_counts() -> None:
    select = operation("<", operation("neg", number(-9)), attribute("width"))
    assert 9 == largest_amount(submit("j", primary(1, select=select)))
    assert 9 == largest_amount(submit("j", 1, priority=-9))
    assert 9 == largest_amount(host_add(host("B", 1, attributes={"width": -9, "arch": "x86"})))
    assert 9 == largest_amount(host_change("A", attributes={"width": 9, "arch": None}))
    with_attributes = cluster(host("A", 1, attributes={"width": 9}))
    assert 9 == largest_of(case(with_attributes)).amount


def test_what_is_out_of_range_needs_the_whole_range() -> None:
    assert 2**53 - 1 == largest_amount(submit("j", primary(1, uses("mem", 2**53))))
    assert 2**20 == largest_of(case(cluster(), submit("j", 2**20 + 1))).tasks


NARROW = Largest(tasks=2**20 - 1, hosts=10_000, amount=2**31 - 1)


def test_nothing_beyond_what_is_declared_is_asked() -> None:
    """An allocator of 32 bits is sent no larger number, neither a directed nor a bulk one."""
    profile = msgspec.structs.replace(
        MODEL_PROFILE, features=(*MODEL_PROFILE.features, "text"), largest=NARROW
    )
    questions = [question for share in shares(400, 1) for question in questions_of(share, profile)]
    assert 900 <= len(questions)
    numbers = [one for question in questions for one in numbers_in(question.case)]
    assert 2**31 - 1 >= max(numbers)
    assert -(2**31) < min(numbers)


def numbers_in(value: object) -> Iterator[int]:
    """Every number of a case, whatever it is."""
    if isinstance(value, dict):
        for item in value.values():
            yield from numbers_in(item)
    elif isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, int):
        yield value


@pytest.mark.parametrize("amount", [1, 400, 2500])
def test_little_is_asked_of_who_takes_little(amount: int) -> None:
    profile = msgspec.structs.replace(
        MODEL_PROFILE, largest=Largest(tasks=4, hosts=2, amount=amount)
    )
    for index in range(300):
        sizes = largest_of(case_of(1, index, profile))
        assert 4 >= sizes.tasks
        assert amount >= sizes.amount


def test_counts_of_jobs_and_primaries_count() -> None:
    of_job = submit("j", primary(None), tasks=counts(1, 7))
    of_part = submit("k", [primary(2), primary(counts(1, 8))])
    assert 7 == largest_of(case(cluster(), of_job)).tasks
    assert 8 == largest_of(case(cluster(), of_job, of_part)).tasks


def test_features_are_those_of_the_events() -> None:
    asked = case(cluster(host("A", 1)), submit("j", [1, 1], priority=1), host_change("A"))
    assert {"compound", "priorities", "host-changes"} == features_of(asked)
