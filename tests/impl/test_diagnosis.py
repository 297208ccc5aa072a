"""Categories and prospects, by counting; a search of the same ledger must agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment_impl.allocators import Allocators, ParallelAllocator, SequentialAllocator
from allotment_impl.attempt import Attempt
from allotment_impl.cache import Category
from allotment_impl.cancellation import CancellationToken
from allotment_impl.demand import Demand, HostWant
from allotment_impl.diagnosis import VERDICTS_KEPT, Prospects, categorise, room_in
from allotment_impl.ledger import Ledger
from allotment_impl.requests import HostOrder
from impl.building import (
    BEGIN,
    RUN,
    Raw,
    cluster,
    demand_of,
    entry,
    host,
    limit,
    outcomes,
    primary,
    submit,
    waits,
)
from impl.test_candidates import ledger_of
from impl.workloads import AMOUNTS, hosts, limits, primaries

FAST = {"op": ">", "args": [{"attribute": "speed"}, {"number": 0}]}


@pytest.mark.parametrize(
    ("want", "free", "expected"),
    [
        (HostWant(1, 3, 0), 9, 3),
        (HostWant(1, 3, 0), 8, 2),
        (HostWant(1, 3, 2), 8, 2),
        (HostWant(1, 3, 2), 1, 0),
        (HostWant(1, 0, 2), 2, 2**20),
        (HostWant(1, 0, 2), 1, 0),
        (HostWant(1, 1, 0), 0, 0),
    ],
)
def test_room_is_the_most_tasks_that_fit(want: HostWant, free: int, expected: int) -> None:
    assert expected == room_in(want, free)
    if expected < 2**20:
        assert want.of(expected) <= free or expected == 0
        assert want.of(expected + 1) > free


def test_span_comes_before_everything() -> None:
    raw = primary(3, span={"hosts_min": 4}, select={"number": 0}, rusage=[entry("licence", 9)])
    assert [waits("j", "span", never=True)] == outcomes(cluster(), submit("j", [raw]), RUN)


def test_select_comes_before_shared_and_counts_closed_hosts() -> None:
    raw = primary(1, select=FAST, rusage=[entry("licence", 9)])
    world = cluster(host("A", 1))
    assert [waits("j", "select", never=True)] == outcomes(world, submit("j", [raw]), RUN)
    world = cluster(host("A", 1, attributes={"speed": 1}, open=False))
    assert [waits("j", "shared", never=True)] == outcomes(world, submit("j", [raw]), RUN)


def test_without_hosts_it_is_the_select() -> None:
    assert [waits("j", "select", never=True)] == outcomes(cluster(), submit("j", [primary(1)]), RUN)


def test_a_closed_cluster_is_capacity_but_not_for_ever() -> None:
    world = cluster(host("A", 1, open=False))
    assert [waits("j", "capacity")] == outcomes(world, submit("j", [primary(1)]), RUN)


def test_limit_is_what_stands_in_the_way_alone() -> None:
    world = cluster(host("A", 4), limits=(limit(2),))
    assert [waits("j", "limit", never=True)] == outcomes(world, submit("j", [primary(3)]), RUN)
    assert [waits("j", "capacity", never=True)] == outcomes(world, submit("j", [primary(5)]), RUN)
    first = submit("i", [primary(2)])
    assert waits("j", "limit") == outcomes(world, first, submit("j", [primary(1)]), RUN)[1]


def test_a_limit_on_licences_is_a_limit() -> None:
    world = cluster(host("A", 1), licence=1000, limits=(limit(10, resource="licence"),))
    raw = primary(1, rusage=[entry("licence", 11)])
    assert [waits("j", "limit", never=True)] == outcomes(world, submit("j", [raw]), RUN)


def test_the_ledger_in_which_it_failed_has_the_parts_before() -> None:
    raw = [primary(1, rusage=[entry("licence", 600)])] * 2
    world = cluster(host("A", 2), licence=1000)
    assert [waits("j", "shared")] == outcomes(world, submit("j", raw), RUN)


def test_an_alter_says_what_its_last_alternative_lacks() -> None:
    raw = [[primary(1, select=FAST)], [primary(1, rusage=[entry("mem", 5)])]]
    world = cluster(host("A", 1))
    assert [waits("j", "capacity", never=True)] == outcomes(world, submit("j", *raw), RUN)
    assert [waits("j", "select", never=True)] == outcomes(world, submit("j", *raw[::-1]), RUN)


def test_never_needs_every_alternative_and_any_part() -> None:
    hopeless, busy = primary(1, rusage=[entry("mem", 5)]), primary(1)
    world, full = cluster(host("A", 2)), submit("full", [primary(2)])
    assert waits("j", "capacity") == outcomes(world, full, submit("j", [busy], [hopeless]), RUN)[1]
    compound = submit("j", [busy, hopeless])
    assert [waits("j", "capacity", never=True)] == outcomes(world, compound, RUN)


def test_a_greedy_compound_is_not_called_hopeless() -> None:
    world = cluster(host("A", 4), host("B", 1))
    parts = [primary(1), primary(4, span={"hosts_max": 1})]
    assert [waits("j", "capacity")] == outcomes(world, submit("j", parts), RUN)


def test_never_follows_the_configuration() -> None:
    world = cluster(host("A", 1))
    events = [
        submit("j", [primary(2)]),
        RUN,
        {"event": "host_change", "host": "A", "capacity": {"slots": 2}, "open": False},
        BEGIN,
    ]
    assert [waits("j", "capacity", never=True)] == outcomes(world, *events[:2])
    assert [waits("j", "capacity")] == outcomes(world, *events, RUN)


def test_a_cached_failure_answers_never_as_well() -> None:
    world = cluster(host("A", 1))
    both = outcomes(world, submit("i", [primary(2)]), submit("j", [primary(2)]), RUN)
    assert waits("j", "capacity", never=True, cached=True) == both[1]


def test_prospects_do_not_grow_for_ever() -> None:
    prospects = Prospects(ledger_of(cluster(host("A", 1))))
    for most in range(1, VERDICTS_KEPT + 10):
        assert (most > 1) == prospects.are_none(demand_of(primary(most)))
    assert len(prospects._verdicts) <= VERDICTS_KEPT


def walk() -> Allocators:
    return Allocators(SequentialAllocator(), ParallelAllocator())


def searched(ledger: Ledger, demand: Demand) -> bool:
    """Whether the iterators find a placement; the ledger is left as it was."""
    attempt = Attempt(ledger, HostOrder.LISTED, CancellationToken(), None)
    found = attempt.claim_pools(demand) and (
        walk().choose(demand).place(attempt, demand) is not None
    )
    attempt.reverse_to(0)
    return found


def world(rows: list[Raw], licence: int, caps: list[Raw], *, opened: bool) -> Ledger:
    ledger = ledger_of(cluster(*rows, limits=tuple(caps)))
    ledger.pools[0].capacity = licence
    if opened:
        for one in ledger.hosts:
            one.open = True
    return ledger


ROWS = st.tuples(hosts("A"), hosts("B"), hosts("C")).map(list)


@given(ROWS, AMOUNTS, st.lists(limits(), max_size=2), primaries())
def test_counting_agrees_with_searching_the_empty_cluster(
    rows: list[Raw], licence: int, caps: list[Raw], raw: Raw
) -> None:
    demand = demand_of(raw)
    empty = world(rows, licence, caps, opened=True)
    assert searched(empty, demand) != Prospects(empty).are_none(demand)


@given(ROWS, AMOUNTS, st.lists(limits(), max_size=2), primaries(), st.lists(primaries()))
def test_counting_agrees_with_searching_without_limits(
    rows: list[Raw], licence: int, caps: list[Raw], raw: Raw, before: list[Raw]
) -> None:
    limited = world(rows, licence, caps, opened=False)
    free = world(rows, licence, [], opened=False)
    for one in before:
        demand = demand_of(one)
        attempt = Attempt(limited, HostOrder.LISTED, CancellationToken(), None)
        if attempt.claim_pools(demand):
            walk().choose(demand).place(attempt, demand)
    for account, used in zip(free.pools, limited.pools, strict=True):
        account.used = used.used
    for amount, left in enumerate(limited.amounts.left):
        free.amounts.left[amount][:] = left
    demand = demand_of(raw)
    if searched(limited, demand):
        return
    category = categorise(demand, limited)
    if searched(free, demand):
        assert Category.LIMIT is category
    else:
        assert Category.LIMIT is not category
