"""The walk over plans and hosts, its protocol events, and allocators of others."""

import time
from typing import Any

import pytest

from allotment_impl.allocators import (
    Allocators,
    ParallelAllocator,
    SequentialAllocator,
    place_by_plans,
)
from allotment_impl.attempt import AllocationMode, Attempt
from allotment_impl.cancellation import CancellationToken
from allotment_impl.candidates import CandidateHosts
from allotment_impl.demand import Demand
from allotment_impl.plans import Plan, SplitPlans
from allotment_impl.requests import HostOrder
from impl.building import (
    RUN,
    Raw,
    cluster,
    demand_of,
    entry,
    host,
    job,
    limit,
    outcomes,
    placed,
    primary,
    read_job,
    run,
    scheduler,
    submit,
    tasks,
    waits,
)
from impl.test_candidates import ledger_of


def events_of(world: Raw, *events: Raw, **options: Any) -> list[list[Any]]:
    walk = {"engine": "iterative", **options}
    found = run(world, *events, RUN, report=("events",), **walk)[-1]["jobs"][-1]["events"]
    assert isinstance(found, list)
    return found


def test_the_first_plan_that_holds_wins() -> None:
    world = cluster(host("A", 2), host("B", 2), host("C", 3))
    assert [placed("j", [("C", 3)])] == outcomes(world, submit("j", [primary(3)]), RUN)
    assert [placed("j", [("A", 2), ("B", 2)])] == outcomes(world, submit("j", [primary(4)]), RUN)


def test_each_bucket_sees_the_debits_of_those_before() -> None:
    world = cluster(host("A", 2), host("B", 2), host("C", 2), limits=(limit(3),))
    spread = primary(4, span={"hosts_min": 2, "hosts_max": 2})
    assert [waits("j", "limit", never=True)] == outcomes(world, submit("j", [spread]), RUN)


def test_an_amount_per_host_counts_once_a_claim_on_a_limit() -> None:
    caps = (limit(500, resource="mem"),)
    raw = primary(4, rusage=[entry("mem", 250, "host")], span={"ptile": 2})
    world = cluster(host("A", 2, 250), host("B", 2, 250), limits=caps)
    answer = run(world, submit("j", [raw]), RUN, report=("books",))[-1]
    assert [placed("j", [("A", 2), ("B", 2)])] == answer["jobs"]
    assert [500] == [one["used"] for one in answer["books"]["limits"]]


def test_events_tell_the_walk() -> None:
    world = cluster(host("A", 1), host("B", 2))
    assert [
        ["primary", 0, 0],
        ["plan", [3]],
        ["plan", [2, 1]],
        ["offered", "B"],
        ["claimed", "B", 2],
        ["offered", "A"],
        ["claimed", "A", 1],
        ["committed"],
    ] == events_of(world, submit("j", [primary(3)]))


def test_events_tell_who_was_passed_over_and_given_back() -> None:
    world = cluster(host("A", 4), host("B", 1))
    assert [
        ["primary", 0, 0],
        ["plan", [5]],
        ["plan", [3, 2]],
        ["offered", "A"],
        ["claimed", "A", 3],
        ["reversed", "A", 3],
        ["filled", "capacity"],
    ] == events_of(world, submit("j", [primary(5)]))
    world = cluster(host("A", 9), host("B", 2))
    assert [
        ["primary", 0, 0],
        ["plan", [2, 2]],
        ["offered", "A"],
        ["claimed", "A", 2],
        ["offered", "A"],
        ["refused", "A"],
        ["offered", "B"],
        ["claimed", "B", 2],
        ["committed"],
    ] == events_of(world, submit("j", [primary(4, span={"ptile": 2})]))


def test_events_of_a_compound_and_its_next_alternative() -> None:
    world = cluster(host("A", 2))
    raw = [[primary(1), primary(2)], [primary(3)]]
    assert [
        ["primary", 0, 0],
        ["plan", [1]],
        ["offered", "A"],
        ["claimed", "A", 1],
        ["primary", 0, 1],
        ["plan", [2]],
        ["reversed", "A", 1],
        ["primary", 1, 0],
        ["hit", "capacity"],
    ] == events_of(world, submit("i", [primary(3)]), submit("j", *raw))


def test_shared_wants_are_refused_before_any_plan() -> None:
    raw = primary(2, rusage=[entry("licence", 1)])
    found = events_of(cluster(host("A", 2)), submit("j", [raw]))
    assert [["primary", 0, 0], ["filled", "shared"]] == found


def test_without_a_cache_nothing_is_hit_or_filled() -> None:
    both = (submit("i", [primary(3)]), submit("j", [primary(3)]))
    found = events_of(cluster(host("A", 2)), *both, cache="none")
    assert [["primary", 0, 0], ["plan", [3]]] == found


def test_no_events_are_made_unless_asked_for() -> None:
    found = scheduler(cluster(host("A", 2)))
    found.submit(read_job(job("j", [primary(2)])))
    [outcome] = found.run_session()
    assert outcome.events is None


@pytest.mark.parametrize("span", [{}, {"ptile": 1}, {"hosts_min": 5}, {"tasks_per_host": 1}])
@pytest.mark.usefixtures("usual_collections")
def test_a_million_tasks_on_few_hosts_end_at_once(span: Raw) -> None:
    hosts = [host(name, 4) for name in "ABCDE"]
    began = time.perf_counter()
    raw = submit("j", [{"span": span}], tasks=tasks(2**20))
    assert [waits("j", "capacity", never=True)] == outcomes(cluster(*hosts), raw, RUN)
    assert time.perf_counter() - began < 1


def test_a_million_tasks_fit_on_one_host() -> None:
    raw = submit("j", [{}], tasks=tasks(2**20))
    found = outcomes(cluster(host("A", 2**20)), raw, RUN)
    assert [placed("j", [("A", 2**20)])] == found


class Spread:
    """An allocator of a third party: one task on each host, by plans of its own."""

    name = "spread"

    class Plans(SplitPlans):
        """Only the plan with the most hosts."""

        def next(self) -> Plan | None:
            plan = super().next()
            while (following := super().next()) is not None:
                plan = following
            return plan

    def takes(self, demand: Demand) -> bool:
        """Whatever has more than one task."""
        return demand.tasks > 1

    def place(self, attempt: Attempt, demand: Demand) -> Any:
        """By the built-in walk."""
        return place_by_plans(attempt, demand, self.Plans, CandidateHosts)


def test_an_allocator_of_others_goes_first() -> None:
    found = scheduler(cluster(host("A", 3), host("B", 3), host("C", 3)))
    found.register_allocator(Spread())
    found.submit(read_job(job("j", [primary(3)])))
    found.submit(read_job(job("k", [primary(1)])))
    first, second = found.run_session()
    assert ((("A", 1), ("B", 1), ("C", 1)),) == getattr(first, "parts", None)
    assert ((("A", 1),),) == getattr(second, "parts", None)


def test_what_an_allocator_leaves_behind_is_taken_back() -> None:
    class Careless(Spread):
        name = "careless"

        def place(self, attempt: Attempt, demand: Demand) -> Any:
            attempt.claim_host(attempt.ledger.hosts[0], attempt.bucket(demand, 1))
            return None

    found = scheduler(cluster(host("A", 3)))
    found.register_allocator(Careless())
    found.submit(read_job(job("j", [primary(3)])))
    assert "capacity" == getattr(found.run_session()[0], "reason").value  # noqa: B009
    assert {} == found.books().hosts


def test_names_of_allocators_are_unique() -> None:
    allocators = Allocators(SequentialAllocator(), ParallelAllocator())
    assert ("seqjob", "parjob") == allocators.names()
    with pytest.raises(ValueError, match="parjob"):
        allocators.register(ParallelAllocator())


def test_both_iterators_are_closed_however_it_ends() -> None:
    closed: list[str] = []

    class Plans(SplitPlans):
        def close(self) -> None:
            closed.append("plans")
            super().close()

    class Hosts(CandidateHosts):
        def close(self) -> None:
            closed.append("hosts")
            super().close()

    ledger = ledger_of(cluster(host("A", 2), host("B", 1)))
    attempt = Attempt(ledger, HostOrder.LISTED, CancellationToken(), None)
    assert place_by_plans(attempt, demand_of(primary(4)), Plans, Hosts) is None
    assert ["hosts"] * 3 + ["plans"] == closed
    closed.clear()
    assert place_by_plans(attempt, demand_of(primary(3)), Plans, Hosts) is not None
    assert ["hosts"] * 3 + ["plans"] == closed


def test_the_mode_is_normal() -> None:
    attempt = Attempt(ledger_of(cluster()), HostOrder.LISTED, CancellationToken(), None)
    assert AllocationMode.NORMAL is attempt.mode
    assert [AllocationMode.NORMAL] == list(AllocationMode)
