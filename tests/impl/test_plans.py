"""The plan iterator's contract, and the plans it makes."""

import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment_impl.cancellation import AttemptCancelledError, CancellationToken
from allotment_impl.demand import SpanBounds
from allotment_impl.plans import Plan, SplitPlans, host_counts, make_plan
from impl.building import demand_of, primary

UNBOUNDED = SpanBounds.fill(None)


def started(most: int, token: CancellationToken | None = None, **span: Any) -> SplitPlans:
    plans = SplitPlans()
    plans.start(demand_of(primary(most, span=span)), token or CancellationToken())
    return plans


def all_plans(most: int, **span: Any) -> list[tuple[int, ...]]:
    plans, found = started(most, **span), []
    while (plan := plans.next()) is not None:
        found.append(plan.buckets())
    return found


def test_seven_tasks_split_balanced_and_ascending() -> None:
    assert [
        (7,),
        (4, 3),
        (3, 2, 2),
        (2, 2, 2, 1),
        (2, 2, 1, 1, 1),
        (2, 1, 1, 1, 1, 1),
        (1, 1, 1, 1, 1, 1, 1),
    ] == all_plans(7)


def test_one_task_has_one_plan() -> None:
    assert [(1,)] == all_plans(1)


@given(st.integers(1, 2**20), st.data())
def test_a_balanced_plan_is_a_descending_partition(most: int, data: st.DataObject) -> None:
    hosts = data.draw(st.integers(1, most))
    plan = make_plan(most, UNBOUNDED, hosts)
    assert most == sum(tasks * count for tasks, count in plan.runs)
    assert hosts == plan.bucket_count
    sizes = [tasks for tasks, _ in plan.runs]
    assert sizes == sorted(sizes, reverse=True)
    assert max(sizes) - min(sizes) <= 1
    assert min(sizes) >= 1


@pytest.mark.parametrize(
    ("span", "expected"),
    [
        ({"hosts_min": 3}, [(2, 2, 1), (2, 1, 1, 1), (1, 1, 1, 1, 1)]),
        ({"hosts_max": 2}, [(5,), (3, 2)]),
        ({"tasks_per_host": 2}, [(2, 2, 1), (2, 1, 1, 1), (1, 1, 1, 1, 1)]),
        ({"hosts_min": 4, "hosts_max": 3}, []),
        ({"hosts_min": 6}, []),
        ({"hosts_max": 2, "tasks_per_host": 2}, []),
        ({"ptile": 2}, [(2, 2, 1)]),
        ({"ptile": 5}, [(5,)]),
        ({"ptile": 9}, [(5,)]),
        ({"ptile": 2, "hosts_max": 2}, []),
        ({"ptile": 2, "hosts_min": 4}, []),
        ({"ptile": 2, "tasks_per_host": 1}, []),
        ({"ptile": 9, "tasks_per_host": 5}, [(5,)]),
    ],
)
def test_span_filters_the_plans(span: dict[str, int], expected: list[tuple[int, ...]]) -> None:
    assert expected == all_plans(5, **span)
    assert len(expected) == len(host_counts(5, demand_of(primary(5, span=span)).span))


def test_one_call_makes_one_small_plan() -> None:
    plan = started(2**20, ptile=1).next()
    assert Plan(((1, 2**20),)) == plan
    assert sys.getsizeof(plan.runs) < 100


@pytest.mark.clause("PLAN-4", broken_by="one plan is changed at each call")
def test_a_plan_never_changes() -> None:
    plans = started(7)
    first = plans.next()
    assert first is not None
    plans.next()
    plans.close()
    assert (7,) == first.buckets()
    with pytest.raises(AttributeError):
        first.runs = ()  # type: ignore[misc]


def test_the_end_is_stable() -> None:
    plans = started(2)
    assert [True, True, False, False, False] == [plans.next() is not None for _ in range(5)]


def test_closing_before_the_start_is_allowed() -> None:
    plans = SplitPlans()
    plans.close()
    assert plans.next() is None


@pytest.mark.clause("PLAN-6", broken_by="closing plans does nothing")
def test_closing_twice_or_midway_releases_everything() -> None:
    plans = started(7)
    plans.next()
    plans.close()
    plans.close()
    assert plans.next() is None
    assert (None, None) == (plans._demand, plans._token)


def test_a_closed_iterator_starts_afresh() -> None:
    plans = started(7)
    plans.next()
    plans.close()
    plans.start(demand_of(primary(2)), CancellationToken())
    assert Plan(((2, 1),)) == plans.next()


@pytest.mark.clause("PLAN-7", broken_by="plans do not poll the token")
def test_every_call_polls_once_also_after_the_end() -> None:
    token = CancellationToken()
    plans = started(2, token)
    assert 0 == token.polls
    for calls in range(1, 6):
        plans.next()
        assert calls == token.polls


def test_a_cancellation_stops_the_next_call() -> None:
    plans = started(7, CancellationToken(1))
    plans.next()
    with pytest.raises(AttemptCancelledError):
        plans.next()


def test_plans_look_at_nothing_but_the_request() -> None:
    assert all_plans(3) == all_plans(3)
    assert [(3,), (2, 1), (1, 1, 1)] == all_plans(3)


@pytest.mark.clause("PLAN-4", broken_by="all plans are made at the start")
def test_one_call_makes_one_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    made = []

    def counted(tasks: int, span: SpanBounds, hosts: int) -> Plan:
        made.append(hosts)
        return make_plan(tasks, span, hosts)

    monkeypatch.setattr("allotment_impl.plans.make_plan", counted)
    plans = started(7)
    assert [] == made
    plans.next()
    assert [1] == made
