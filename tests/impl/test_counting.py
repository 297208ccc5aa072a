"""Counting finds the first plan that a search over all plans would find."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from allotment_impl.counting import fewest_hosts, hosts_within
from allotment_impl.demand import HostWant, SpanBounds
from allotment_impl.plans import host_counts, make_plan
from allotment_impl.refusals import TASKS_LARGEST
from allotment_impl.requests import Span

BOUNDS = st.none() | st.integers(1, 9)
SPANS = st.builds(
    Span, hosts_min=BOUNDS, hosts_max=BOUNDS, tasks_per_host=BOUNDS, ptile=st.none() | BOUNDS
)


def searched(tasks: int, span: SpanBounds, rooms: list[int], hosts_most: int) -> int:
    """The first number of hosts whose buckets, descending, fit the rooms, descending."""
    descending = sorted(rooms, reverse=True)
    for hosts in host_counts(tasks, span):
        buckets = make_plan(tasks, span, hosts).buckets()
        if hosts <= min(len(rooms), hosts_most) and all(
            slots <= room for slots, room in zip(buckets, descending, strict=False)
        ):
            return hosts
    return 0


@given(
    st.integers(1, 60),
    st.just(Span()) | SPANS,
    st.lists(st.integers(0, 12), max_size=25),
    st.integers(0, 25) | st.just(TASKS_LARGEST),
)
def test_counting_agrees_with_searching(
    tasks: int, raw: Span, rooms: list[int], hosts_most: int
) -> None:
    span = SpanBounds.fill(raw)
    tallest = max(rooms, default=0)

    def hosts_with(room: int) -> int:
        assert 1 <= room <= tallest
        return sum(1 for one in rooms if one >= room)

    expected = searched(tasks, span, rooms, hosts_most)
    assert expected == fewest_hosts(tasks, span, hosts_with, tallest, hosts_most)


def test_a_million_tasks_are_counted_in_few_steps() -> None:
    asked = []

    def hosts_with(room: int) -> int:
        asked.append(room)
        return 10_000

    span = SpanBounds.fill(None)
    assert 0 == fewest_hosts(TASKS_LARGEST, span, hosts_with, 64, TASKS_LARGEST)
    assert len(asked) <= 3 * 64


@pytest.mark.parametrize(
    ("left", "want", "expected"),
    [
        (10, HostWant(1, 2, 0), TASKS_LARGEST),
        (9, HostWant(1, 2, 0), 0),
        (10, HostWant(1, 1, 2), 2),
        (10, HostWant(1, 0, 3), 3),
        (-1, HostWant(1, 0, 3), 0),
    ],
)
def test_a_limit_over_the_cluster_bounds_the_hosts(
    left: int, want: HostWant, expected: int
) -> None:
    assert expected == hosts_within(left, 5, want)
