"""Plans: which splits of N tasks are made, in which order, and how their making ends."""

import inspect
from itertools import islice

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment_model.answers import Dispatched
from allotment_model.plans import balanced_split, plans, ptile_split
from allotment_model.request import Span
from model.worlds import cluster, host, job, primary, tried

COUNTS = st.integers(1, 60)
BOUNDS = st.one_of(st.none(), st.integers(1, 61))


def partitions(tasks: int, most: int) -> list[tuple[int, ...]]:
    """All descending partitions of so many tasks into parts of at most `most`."""
    if tasks == 0:
        return [()]
    return [
        (first, *rest)
        for first in range(min(tasks, most), 0, -1)
        for rest in partitions(tasks - first, first)
    ]


def test_seven_tasks_are_tried_in_this_order() -> None:
    expected = [(7,), (4, 3), (3, 2, 2), (2, 2, 2, 1), (2, 2, 1, 1, 1)]
    assert expected == list(islice(plans(7, Span()), 5))


@pytest.mark.parametrize("tasks", range(1, 13))
def test_balanced_split_is_the_only_balanced_partition(tasks: int) -> None:
    balanced = [one for one in partitions(tasks, tasks) if one[0] - one[-1] <= 1]
    balanced.sort(key=len)
    assert balanced == list(plans(tasks, Span()))


@settings(derandomize=True)
@given(COUNTS, BOUNDS, BOUNDS, BOUNDS)
def test_span_filters_the_plans(
    tasks: int, fewest: int | None, most: int | None, largest: int | None
) -> None:
    given_bounds = {"hosts_min": fewest, "hosts_max": most, "tasks_per_host": largest}
    span = Span(**{name: bound for name, bound in given_bounds.items() if bound is not None})
    kept = [
        plan
        for plan in plans(tasks, Span())
        if (fewest or 1) <= len(plan) <= (most or tasks) and plan[0] <= (largest or tasks)
    ]
    assert kept == list(plans(tasks, span))


@settings(derandomize=True)
@given(COUNTS, st.integers(1, 61))
def test_ptile_fills_all_hosts_but_the_last(tasks: int, ptile: int) -> None:
    split = ptile_split(tasks, ptile)
    assert tasks == sum(split)
    assert {ptile} >= set(split[:-1])
    assert 1 <= split[-1] <= ptile
    assert [split] == list(plans(tasks, Span(ptile=ptile)))


def test_bounds_filter_the_ptile_plan_too() -> None:
    assert [(2, 2, 1)] == list(plans(5, Span(ptile=2, hosts_max=3)))
    assert [] == list(plans(5, Span(ptile=2, hosts_max=2)))
    assert [] == list(plans(5, Span(ptile=2, hosts_min=4)))
    assert [] == list(plans(5, Span(ptile=2, tasks_per_host=1)))


def test_bounds_that_exclude_all_leave_no_plan() -> None:
    assert [] == list(plans(3, Span(hosts_min=4)))
    assert [] == list(plans(3, Span(hosts_min=3, hosts_max=2)))
    assert [] == list(plans(7, Span(hosts_max=3, tasks_per_host=2)))


def test_largest_count_costs_one_plan_a_call() -> None:
    made = plans(2**20, Span())
    assert [(2**20,), (2**19, 2**19)] == [next(made), next(made)]


def test_narrow_hosts_do_not_cost_all_wider_plans() -> None:
    assert (2,) * 2**19 == next(plans(2**20, Span(tasks_per_host=2)))


@pytest.mark.clause("PLAN-5", broken_by="plans start over at their end")
def test_end_of_plans_is_stable() -> None:
    made = plans(2, Span())
    assert [(2,), (1, 1), None, None] == [next(made, None) for _ in range(4)]


@pytest.mark.parametrize("calls", [0, 1, 3])
def test_closing_is_enough_at_any_time(calls: int) -> None:
    made = plans(2, Span())
    for _ in range(calls):
        next(made, None)
    assert inspect.isgenerator(made)
    made.close()
    made.close()
    assert next(made, None) is None


def test_plan_iterators_share_nothing() -> None:
    one, other = plans(3, Span()), plans(3, Span())
    next(one)
    assert (3,) == next(other)
    assert (2, 1) == next(one)


@pytest.mark.clause("PLAN-8", broken_by="plans look at the hosts")
def test_plans_see_the_request_alone() -> None:
    assert ["tasks", "span"] == list(inspect.signature(plans).parameters)


def test_split_of_as_many_hosts_as_tasks() -> None:
    assert (1, 1, 1) == balanced_split(3, 3)


def test_fewest_hosts_are_taken() -> None:
    hosts = cluster(host("A", 2), host("B", 3))
    (answer,) = tried(hosts, job("j", (primary(3),)))
    assert Dispatched(alternative=0, parts=((("B", 3),),)) == answer
