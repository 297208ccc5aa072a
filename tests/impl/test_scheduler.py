"""Sessions, queue, live jobs: what an embedder sees of a scheduler."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from allotment_impl import (
    Adapter,
    Attempt,
    Dispatched,
    HostChange,
    InvalidClusterError,
    JobState,
    Pending,
    Refused,
    Scheduler,
)
from allotment_impl.accounts import Claim
from allotment_impl.cache import Category
from allotment_impl.demand import Demand
from impl.building import (
    BEGIN,
    RUN,
    Raw,
    cluster,
    entry,
    host,
    job,
    limit,
    outcomes,
    placed,
    primary,
    read_cluster,
    read_job,
    run,
    scheduler,
    submit,
    waits,
)
from impl.workloads import cases


def finish(name: str) -> Raw:
    return {"event": "finish", "job": name}


def test_a_scheduler_is_driven_by_methods() -> None:
    found = scheduler(cluster(host("A", 2)))
    found.submit(read_job(job("j", [primary(2)])))
    found.submit(read_job(job("k", [primary(3)])))
    assert ["j", "k"] == found.pending()
    assert [
        Dispatched(job="j", alternative=0, parts=((("A", 2),),)),
        Pending(job="k", reason=Category.CAPACITY, never=True, cached=False),
    ] == found.run_session()
    assert {"A": {"slots": 2}} == found.books().hosts
    found.finish("j")
    found.host_change(HostChange(host="A", capacity={"slots": 3}))
    assert JobState.FINISHING is found.state_of("j")
    found.begin_session()
    assert JobState.FINISHED is found.state_of("j")
    assert [Dispatched(job="k", alternative=0, parts=((("A", 3),),))] == found.run_session()


def test_higher_priority_goes_first_then_submission_order() -> None:
    jobs = [submit("a", [primary(1)]), submit("b", [primary(1)], priority=2)]
    jobs += [submit("c", [primary(1)], priority=-1), submit("d", [primary(1)], priority=2)]
    assert ["b", "d", "a", "c"] == [
        one["job"] for one in outcomes(cluster(host("A", 9)), *jobs, RUN)
    ]


def test_a_pending_job_blocks_nobody_and_is_tried_once_a_session() -> None:
    world = cluster(host("A", 1))
    events = [submit("big", [primary(2)]), submit("small", [primary(1)]), RUN]
    assert [waits("big", "capacity", never=True), placed("small", [("A", 1)])] == outcomes(
        world, *events
    )
    assert [] == outcomes(world, *events, RUN)
    assert [waits("big", "capacity", never=True)] == outcomes(world, *events, BEGIN, RUN)


def test_a_submission_is_tried_in_the_same_session() -> None:
    events = [submit("a", [primary(1)]), RUN, submit("b", [primary(1)]), RUN]
    assert [placed("b", [("A", 1)])] == outcomes(cluster(host("A", 2)), *events)


def test_a_finish_is_charged_until_the_next_session() -> None:
    world = cluster(host("A", 1))
    events = [submit("a", [primary(1)]), RUN, finish("a"), submit("b", [primary(1)]), RUN]
    assert [waits("b", "capacity")] == outcomes(world, *events)
    assert [placed("b", [("A", 1)])] == outcomes(world, *events, BEGIN, RUN)


def test_a_waiting_host_has_a_name_and_can_change() -> None:
    world = cluster(host("A", 1))
    add = {"event": "host_add", "host": host("B", 1)}
    change = {"event": "host_change", "host": "B", "capacity": {"slots": 2}}
    answers = run(world, add, add, change, submit("j", [primary(2)]), RUN, BEGIN, RUN)
    assert ["ok", "refused", "ok"] == [one["answer"] for one in answers[:3]]
    assert [waits("j", "capacity", never=True)] == answers[4]["jobs"]
    assert [placed("j", [("B", 2)])] == answers[6]["jobs"]


def test_a_limit_can_be_set_removed_and_set_while_it_waits() -> None:
    world = cluster(host("A", 3))
    bare = {key: value for key, value in limit(1).items() if key != "cap"}
    setting = {"event": "limit_set", "limit": limit(1)}
    remove = {"event": "limit_remove", "limit": bare}
    answers = run(world, setting, remove, remove, setting, BEGIN, submit("j", [primary(2)]), RUN)
    assert ["ok", "ok", "refused", "ok"] == [one["answer"] for one in answers[:4]]
    assert [waits("j", "limit", never=True)] == answers[-1]["jobs"]


def test_a_new_limit_counts_what_already_runs_and_credits_it() -> None:
    world = cluster(host("A", 3, 900), licence=900)
    first = submit("i", [primary(2, rusage=[entry("mem", 100), entry("licence", 300)])])
    caps = [
        limit(2),
        limit(2, scope="host", kind="queue", name="q"),
        limit(300, resource="licence"),
    ]
    setting = [{"event": "limit_set", "limit": one} for one in caps]
    events = [first, RUN, *setting, BEGIN, submit("j", [primary(1)]), RUN]
    found = run(world, *events, finish("i"), BEGIN, RUN, report=("books",))
    used = {(one["resource"], one["host"], one["used"]) for one in found[7]["books"]["limits"]}
    assert {("licence", None, 300), ("slots", "A", 2), ("slots", None, 2)} == used
    assert [waits("j", "limit")] == found[7]["jobs"]
    assert [placed("j", [("A", 1)])] == found[-1]["jobs"]


def test_a_limit_that_comes_and_goes_leaves_no_trace_on_jobs() -> None:
    bare = {key: value for key, value in limit(5).items() if key != "cap"}
    setting = {"event": "limit_set", "limit": limit(5)}
    cycle = [setting, BEGIN, {"event": "limit_remove", "limit": bare}, BEGIN]
    adapter = Adapter()
    first = [submit("i", [primary(2)]), RUN, *cycle * 20, setting, BEGIN]
    answer = adapter.run({"cluster": cluster(host("A", 3)), "events": first, "report": ["books"]})
    assert [2] == [one["used"] for one in answer[-1]["books"]["limits"]]
    assert adapter._scheduler is not None
    [claim] = adapter._scheduler._live["i"].claims
    assert 1 == len(claim.debits)
    adapter.run({"events": [finish("i"), BEGIN]})
    assert () == adapter._scheduler.books().limits


def test_what_runs_runs_on_when_capacity_is_cut() -> None:
    world = cluster(host("A", 3, 500))
    cut = {"event": "host_change", "host": "A", "capacity": {"mem": 0}}
    first = submit("i", [primary(1, rusage=[entry("mem", 300)])])
    events = [first, RUN, cut, BEGIN, submit("j", [primary(1)])]
    found = run(world, *events, submit("k", [primary(1, rusage=[entry("mem", 1)])]), RUN)
    assert [placed("j", [("A", 1)]), waits("k", "capacity", never=True)] == found[-1]["jobs"]


def test_an_attribute_given_as_nothing_is_taken_away() -> None:
    world = cluster(host("A", 3, attributes={"speed": 1, "os": "x"}))
    select = {"op": "==", "args": [{"attribute": "os"}, {"text": "x"}]}
    events = [submit("i", [primary(1, select={"defined": "speed"})]), RUN]
    change = {"event": "host_change", "host": "A", "attributes": {"speed": None}}
    after = [change, BEGIN, submit("j", [primary(1, select={"defined": "speed"})])]
    found = outcomes(world, *events, *after, submit("k", [primary(1, select=select)]), RUN)
    assert [waits("j", "select", never=True), placed("k", [("A", 1)])] == found


def test_withdrawn_jobs_are_not_tried() -> None:
    world = cluster(host("A", 3))
    withdraw = {"event": "withdraw", "job": "i"}
    events = [submit("i", [primary(1)]), withdraw, submit("j", [primary(1)]), RUN]
    assert [placed("j", [("A", 1)])] == outcomes(world, *events)


def test_most_free_goes_by_the_ledger_of_each_search() -> None:
    world = cluster(host("A", 3), host("B", 4), host("C", 4))
    parts = [primary(2), primary(2), primary(3)]
    found = outcomes(world, submit("j", parts), RUN, host_order="most_free")
    assert [placed("j", [("B", 2)], [("C", 2)], [("A", 3)])] == found
    found = outcomes(world, submit("j", parts), RUN)
    assert [placed("j", [("A", 2)], [("B", 2)], [("C", 3)])] == found


def test_rusage_default_is_an_option() -> None:
    world, raw = cluster(host("A", 2, 500)), primary(2, rusage=[entry("mem", 300)])
    assert [placed("j", [("A", 2)])] == outcomes(
        world, submit("j", [raw]), RUN, rusage_default="host"
    )
    assert "pending" == outcomes(world, submit("j", [raw]), RUN)[0]["answer"]


@pytest.mark.parametrize("option", ["host_order", "rusage_default", "cache"])
def test_an_option_says_what_it_can_be(option: str) -> None:
    with pytest.raises(ValueError, match=f"option '{option}' cannot be 'x'; it is one of"):
        scheduler(cluster(), **{option: "x"})


@pytest.mark.parametrize(
    "fields",
    [
        {"hosts": [host("A", 1), host("A", 1)]},
        {"hosts": [host("A", -1)]},
        {"hosts": [host("A", 1, attributes={"nothing": 1})]},
        {"pools": {"mem": 1}},
        {"pools": {"licence": -1}},
        {"limits": [limit(1), limit(2)]},
        {"limits": [limit(1, resource="nothing")]},
        {"resources": {"host": ["slots"]}},
        {"resources": {"host": ["mem", "x"], "shared": ["x"]}},
        {"resources": {"host": ["mem"], "shared": ["y"], "attributes": {"y": "text"}}},
    ],
)
def test_a_cluster_that_breaks_a_rule_is_none(fields: dict[str, Any]) -> None:
    with pytest.raises(InvalidClusterError):
        Scheduler(read_cluster({**cluster(), **fields}))


def test_a_failing_allocator_leaves_the_books_as_they_were() -> None:
    class Failing:
        name = "failing"

        def takes(self, demand: Any) -> bool:
            return bool(demand.tasks == 2)

        def place(self, attempt: Any, demand: Any) -> None:
            attempt.claim_host(attempt.ledger.hosts[0], attempt.bucket(demand, 1))
            raise ZeroDivisionError

    found = scheduler(cluster(host("A", 3)))
    found.register_allocator(Failing())
    found.submit(read_job(job("i", [primary(1), primary(2)])))
    with pytest.raises(ZeroDivisionError):
        found.run_session()
    assert {} == found.books().hosts
    assert ["i"] == found.pending()


@settings(max_examples=150, deadline=None)
@given(cases(), st.sampled_from(["listed", "most_free"]))
def test_the_cache_changes_no_placement(case: Raw, host_order: str) -> None:
    kept = [
        [
            (one["job"], one.get("parts"), one.get("alternative"), one.get("never"))
            for one in answer.get("jobs", [])
        ]
        for answer in Adapter(cache="transparent", host_order=host_order).run(case)
    ]
    assert kept == [
        [
            (one["job"], one.get("parts"), one.get("alternative"), one.get("never"))
            for one in answer.get("jobs", [])
        ]
        for answer in Adapter(cache="none", host_order=host_order).run(case)
    ]


@settings(max_examples=150, deadline=None)
@given(cases())
def test_books_are_the_sum_of_live_jobs_and_drain(case: Raw) -> None:
    adapter = Adapter()
    answers = adapter.run(case)
    found = adapter._scheduler
    assert found is not None
    jobs = [one["job"]["name"] for one in case["events"] if one["event"] == "submit"]
    states = {name: found.state_of(name) for name in jobs}
    slots: dict[str, int] = {}
    for one in (one for answer in answers for one in answer.get("jobs", [])):
        if states[one["job"]] in (JobState.LIVE, JobState.FINISHING):
            for taken in one.get("parts", []):
                for name, count in taken:
                    slots[name] = slots.get(name, 0) + count
    books = found.books().hosts
    assert slots == {name: used["slots"] for name, used in books.items()}
    for name, state in states.items():
        if state is JobState.LIVE:
            found.finish(name)
    found.begin_session()
    assert ({}, {}, ()) == (found.books().hosts, found.books().pools, found.books().limits)
    assert all(not limit.accounts for limit in found._ledger.limits.values())


@settings(max_examples=100, deadline=None)
@given(cases())
def test_a_decision_is_the_same_twice(case: Raw) -> None:
    assert Adapter().run(case) == Adapter().run(copy.deepcopy(case))


class Interrupted:
    """An allocator that places on the first host, and is interrupted at its second primary."""

    name = "interrupted"

    def __init__(self, error: BaseException) -> None:
        self._error = error
        self._calls = 0

    def takes(self, demand: Demand) -> bool:
        return True

    def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        self._calls += 1
        [host, *_] = attempt.hosts_in_order()
        claim = attempt.claim_host(host, attempt.bucket(demand, demand.tasks))
        if self._calls == 2:
            raise self._error
        return None if claim is None else [claim]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("a fault")])
def test_what_was_committed_is_told_after_an_exception(error: BaseException) -> None:
    found = scheduler(cluster(host("A", 8), host("B", 8)))
    found.register_allocator(Interrupted(error))
    for name in ("one", "two", "three"):
        found.submit(read_job(job(name, [primary(2)])))
    with pytest.raises(type(error)):
        found.run_session()
    assert ["one"] == found.live()
    one = Dispatched(job="one", alternative=0, parts=((("A", 2),),))
    assert one == found.placement_of("one")
    assert {"A": {"slots": 2}} == found.books().hosts
    assert ["two", "three"] == found.pending()
    assert [Dispatched(job="three", alternative=0, parts=((("A", 2),),))] == found.run_session()
    found.begin_session()
    assert [Dispatched(job="two", alternative=0, parts=((("A", 2),),))] == found.run_session()
    assert ["one", "three", "two"] == found.live()


def test_a_placement_is_told_until_the_job_has_finished() -> None:
    found = scheduler(cluster(host("A", 2), host("B", 2), licence=1))
    licence = [entry("licence", 1)]
    alone = primary(4, span={"hosts_max": 1})
    found.submit(read_job(job("j", [alone], [primary(3, rusage=licence), primary(1)])))
    found.submit(read_job(job("waits", [primary(9)])))
    answer = found.run_session()[0]
    assert answer == found.placement_of("j")
    found.finish("j")
    assert answer == found.placement_of("j")
    found.begin_session()
    assert [] == found.live()
    for name in ("j", "waits"):
        with pytest.raises(Refused, match="not-running"):
            found.placement_of(name)


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_scheduler_is_neither_copied_nor_pickled(engine: str, way: Callable[..., Any]) -> None:
    found = scheduler(cluster(host("A", 2)), engine=engine)
    found.submit(read_job(job("j", [primary(1)])))
    with pytest.raises(TypeError, match="neither copied nor pickled; make another"):
        way(found)
    assert [Dispatched(job="j", alternative=0, parts=((("A", 1),),))] == found.run_session()
