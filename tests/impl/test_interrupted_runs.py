"""A run that an exception cuts off, wherever it comes: the attempt is undone, the rest stays."""

import sys
from collections import Counter
from types import FrameType
from typing import Any

import pytest

from allotment_impl import Dispatched, JobState, Scheduler
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
    """At each thirteenth of fourteen thousand: they are in no step with any loop."""
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
