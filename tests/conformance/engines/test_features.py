"""What a case asks of an implementation, whatever the names in it are."""

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
    pool_change,
    primary,
    submit,
    uses,
)
from allotment_conformance.wire.messages import Json, Sizes


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
    assert 1 == largest_amount(submit("j", primary(1, uses("mem", 2**53))))


def test_counts_of_jobs_and_primaries_count() -> None:
    of_job = submit("j", primary(None), tasks=counts(1, 7))
    of_part = submit("k", [primary(2), primary(counts(1, 8))])
    assert 7 == largest_of(case(cluster(), of_job)).tasks
    assert 8 == largest_of(case(cluster(), of_job, of_part)).tasks


def test_features_are_those_of_the_events() -> None:
    asked = case(cluster(host("A", 1)), submit("j", [1, 1], priority=1), host_change("A"))
    assert {"compound", "priorities", "host-changes"} == features_of(asked)
