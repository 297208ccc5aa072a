"""A run that an exception cuts off, wherever it comes: the attempt is undone, the rest stays."""

import sys
from collections import Counter
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest

from allotment_impl import (
    Attempt,
    BusyError,
    CandidateHosts,
    Dispatched,
    HostChange,
    JobState,
    Limit,
    LimitIdentity,
    LimitKind,
    LimitScope,
    Scheduler,
    SplitPlans,
    place_by_plans,
)
from allotment_impl.accounts import Claim
from allotment_impl.demand import Demand
from allotment_impl.requests import Host
from impl.building import cluster, entry, host, job, limit, primary, read_job, scheduler

WORLD = cluster(
    host("A", 2, 500),
    host("B", 3, 300),
    licence=6,
    limits=(limit(5), limit(3, scope="host", kind="queue", name="q")),
)
WANTS = [entry("mem", 100), entry("licence", 1)]
JOBS = [
    job("one", [primary(1, rusage=WANTS)]),
    job("waits", [primary(9)]),
    job(
        "parts",
        [primary(2, rusage=WANTS), primary(2, rusage=[entry("mem", 400)])],
        [primary(1), primary(3, rusage=WANTS)],
    ),
]


PER_USER: dict[str, Any] = {
    "kind": LimitKind.USER,
    "each": True,
    "scope": LimitScope.HOST,
    "resource": "slots",
}
EVENTS: dict[str, Callable[[Scheduler], object]] = {
    "register_allocator": lambda one: one.register_allocator(Calling(print)),
    "begin_session": lambda one: one.begin_session(),
    "submit": lambda one: one.submit(read_job(job("late", [primary(1)]))),
    "run_session": lambda one: one.run_session(),
    "finish": lambda one: one.finish("live"),
    "withdraw": lambda one: one.withdraw("one"),
    "host_add": lambda one: one.host_add(Host(name="C", capacity={"slots": 1})),
    "host_change": lambda one: one.host_change(HostChange(host="A", open=False)),
    "pool_change": lambda one: one.pool_change("licence", 0),
    "limit_set": lambda one: one.limit_set(Limit(**PER_USER, cap=0)),
    "limit_remove": lambda one: one.limit_remove(LimitIdentity(**PER_USER)),
}
"""A call of every method that changes a scheduler, but for ``cancel``."""


class Calling:
    """An allocator that calls something, once, when it has claimed hosts."""

    name = "calling"

    def __init__(self, call: Callable[[], object]) -> None:
        self._calls = [call]

    def takes(self, demand: Demand) -> bool:
        """Every primary."""
        return True

    def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        """By the built-in walk."""
        claims = place_by_plans(attempt, demand, SplitPlans, CandidateHosts)
        if self._calls:
            self._calls.pop()()
        return claims


class CutOff(Exception):
    """What the handler of a signal raises."""


class AfterSteps:
    """Raises at one step of Python's within this package, and not again."""

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def __call__(self, frame: FrameType, event: str, _: Any) -> Any:
        """Follow the package's own frames, step by step; those of others not at all."""
        if "allotment_impl" not in frame.f_code.co_filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.steps -= 1
            if self.steps == 0:
                raise CutOff
        return self


def cut_off(found: Scheduler, steps: int) -> bool:
    """Run, and say whether the run was cut off after so many steps."""
    before = sys.gettrace()
    sys.settrace(AfterSteps(steps))
    try:
        found.run_session()
    except CutOff:
        return True
    finally:
        sys.settrace(before)
    return False


def check_what_is_left(found: Scheduler, submitted: int) -> None:
    """Books, queue and live jobs go together, and all that runs can end and make room again."""
    live = found.live()
    assert submitted == len(live) + len(found.pending())
    assert all(found.state_of(name) is JobState.LIVE for name in live)
    assert all(found.state_of(name) is JobState.PENDING for name in found.pending())
    used: Counter[str] = Counter()
    for name in live:
        for taken in found.placement_of(name).parts:
            used.update(dict(taken))
    assert used == {name: amounts["slots"] for name, amounts in found.books().hosts.items()}
    for name in live:
        found.finish(name)
    for name in found.pending():
        found.withdraw(name)
    found.begin_session()
    assert ({}, {}, ()) == (found.books().hosts, found.books().pools, found.books().limits)


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_a_run_may_be_cut_off_at_any_step(engine: str) -> None:
    """At every thirteenth, that is, of some fourteen thousand."""
    seen: Counter[int] = Counter()
    for steps in range(1, 50_000, 13):
        found = scheduler(WORLD, engine=engine)
        for raw in JOBS:
            found.submit(read_job(raw))
        if not cut_off(found, steps):
            break
        seen[len(found.live())] += 1
        check_what_is_left(found, len(JOBS))
        found.submit(read_job(job("all", [primary(5, rusage=WANTS[1:])])))
        whole = Dispatched(job="all", alternative=0, parts=((("B", 3), ("A", 2)),))
        assert [whole] == found.run_session()
    print(f"\n{engine}: live jobs after each step {dict(seen)}")
    assert {0, 1, 2} == set(seen)
    assert seen.total() > 1000


def scheduler_with_a_live_job(engine: str) -> Scheduler:
    found = scheduler(WORLD, engine=engine)
    found.submit(read_job(job("live", [primary(1)])))
    found.run_session()
    for name in ("one", "two"):
        found.submit(read_job(job(name, [primary(1)])))
    return found


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_what_is_in_use_above_a_cut_capacity_stays_so(engine: str) -> None:
    def cut() -> None:
        raise CutOff

    found = scheduler(WORLD, engine=engine)
    found.submit(read_job(job("wide", [primary(4, rusage=WANTS)])))
    found.run_session()
    found.host_change(HostChange(host="B", capacity={"slots": 1, "mem": 0}))
    found.pool_change("licence", 1)
    found.begin_session()
    before = found.books()
    assert {"A": {"slots": 2, "mem": 200}, "B": {"slots": 2, "mem": 200}} == before.hosts
    found.register_allocator(Calling(cut))
    found.submit(read_job(job("cut", [primary(1)])))
    with pytest.raises(CutOff):
        found.run_session()
    assert before == found.books()
    found.host_change(HostChange(host="B", capacity={"slots": 3}))
    found.begin_session()
    placed = Dispatched(job="cut", alternative=0, parts=((("B", 1),),))
    assert [placed] == found.run_session()
    check_what_is_left(found, 2)


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
@pytest.mark.parametrize("event", EVENTS)
def test_an_event_amid_a_run_is_refused(engine: str, event: str) -> None:
    found = scheduler_with_a_live_job(engine)
    refused: list[str] = []

    def send() -> None:
        before = (found.pending(), found.live(), found.books())
        with pytest.raises(BusyError, match="a run is under way") as caught:
            EVENTS[event](found)
        refused.append(str(caught.value))
        assert before == (found.pending(), found.live(), found.books())

    found.register_allocator(Calling(send))
    assert ["one", "two"] == [one.job for one in found.run_session()]
    assert 1 == len(refused)
    assert ["live", "one", "two"] == found.live()
    check_what_is_left(found, 3)


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_that_ends_a_run_leaves_a_scheduler_that_works(event: str) -> None:
    found = scheduler_with_a_live_job("indexed")
    found.register_allocator(Calling(lambda: EVENTS[event](found)))
    with pytest.raises(BusyError):
        found.run_session()
    assert (["live"], ["one", "two"]) == (found.live(), found.pending())
    assert ["two"] == [one.job for one in found.run_session()]
    check_what_is_left(found, 3)


def test_every_method_that_changes_a_scheduler_is_tried() -> None:
    told = {"books", "cancel", "live", "pending", "placement_of", "state_of"}
    public = {name for name in vars(Scheduler) if not name.startswith("_")}
    assert public == EVENTS.keys() | told


def test_after_an_undoing_that_was_cut_off_every_event_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def cut(*_: object) -> None:
        raise CutOff

    found = scheduler_with_a_live_job("indexed")
    found.register_allocator(Calling(cut))
    monkeypatch.setattr(found._ledger, "recount", cut)
    with pytest.raises(CutOff):
        found.run_session()
    for send in EVENTS.values():
        with pytest.raises(BusyError, match="make another Scheduler"):
            send(found)
