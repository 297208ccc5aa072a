"""The built-in allocator, by either engine, on recorded rounds."""

import gc
import signal
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from cProfile import Profile
from itertools import takewhile
from time import process_time
from typing import Any

from mixes import cluster
from recording import Answer, Recording, Step, Timed, answer_of, is_dispatched

from allotment_impl import Cancelled, Scheduler
from allotment_impl.accounts import Claim
from allotment_impl.attempt import Attempt
from allotment_impl.demand import Demand

CANCEL_AGAIN = 0.001
"""Seconds from one cancellation to the next: each ends one attempt."""


class Remembered:
    """An allocator that repeats what was recorded, to fill a cluster quickly for a slow one.

    It takes every primary while there is something to repeat, and none from then on.
    """

    name = "remembered"

    def __init__(self) -> None:
        self._parts: deque[list[list[object]]] = deque()

    def remember(self, answer: Answer) -> None:
        """Repeat this answer."""
        self._parts.extend(answer[1])

    def takes(self, demand: Demand) -> bool:
        """Everything, until all is repeated."""
        return bool(self._parts)

    def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
        """Claim the hosts of the next part."""
        hosts, claims = attempt.hosts_in_order(), []
        for name, slots in self._parts.popleft():
            assert isinstance(name, str)
            assert isinstance(slots, int)
            claim = attempt.claim_host(hosts[int(name[1:])], attempt.bucket(demand, slots))
            assert claim is not None, "what was recorded fits"
            claims.append(claim)
        return claims


def replay(
    recording: Recording, engine: str, budget: float, profiler: Profile | None = None
) -> Timed:
    """Measure an engine, for about so many seconds of processor time.

    What it does when they are over is cancelled, as by a scheduler (PLAN-7). Its answers must be
    the recorded ones. Objects of the benchmark itself are kept from the garbage collector. A
    profiler is told of the runs alone.
    """
    scheduler = Scheduler(cluster(recording.hosts), cache="none", engine=engine)
    remembered = Remembered()
    if engine == "iterative":
        scheduler.register_allocator(remembered)
    for step in recording.steps[: recording.unmeasured]:
        _prepare(scheduler, step, remembered if engine == "iterative" else None)
    gc.collect()
    gc.freeze()
    timed = Timed()
    for step in recording.measured:
        left = budget - sum(timed.seconds)
        if left <= 0:
            break
        with _cancelled_after(scheduler, left):
            _measure(scheduler, step, left, profiler or nullcontext(), timed)
        if timed.decisions[-1] < len(step.submit):
            break
    gc.unfreeze()
    timed.evictions = getattr(scheduler._engine, "evictions", 0)
    return timed


@contextmanager
def _cancelled_after(scheduler: Scheduler, seconds: float) -> Iterator[None]:
    """Every attempt that is under way when so much time has passed is cancelled.

    A timer of processor time would make the clock of the processor as coarse as the timer.
    """
    if seconds == float("inf"):
        yield
        return
    signal.signal(signal.SIGALRM, lambda number, frame: scheduler.cancel())
    signal.setitimer(signal.ITIMER_REAL, seconds, CANCEL_AGAIN)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def repeated(recording: Recording, repeats: int) -> list[Timed]:
    """The indexed engine, several times on all measured steps."""
    return [replay(recording, "indexed", float("inf")) for _ in range(repeats)]


def least(runs: Sequence[Timed]) -> Timed:
    """Each step with the least time that it took: what others take from the processor is out."""
    seconds = [min(alike) for alike in zip(*(run.seconds for run in runs), strict=True)]
    submit_s, books_s = min(run.submit_s for run in runs), min(run.books_s for run in runs)
    return Timed(seconds, runs[0].decisions, submit_s, books_s, runs[0].evictions)


def _prepare(scheduler: Scheduler, step: Step, remembered: Remembered | None) -> None:
    """A step that is not measured; who remembers is not asked what was not placed."""
    for name in step.finish:
        scheduler.finish(name)
    scheduler.begin_session()
    for one, answer in zip(step.submit, step.answers, strict=True):
        if is_dispatched(answer):
            scheduler.submit(one)
            if remembered is not None:
                remembered.remember(answer)
        elif remembered is None:
            scheduler.submit(one)
    scheduler.run_session()
    for name in scheduler.pending():
        scheduler.withdraw(name)


def _measure(
    scheduler: Scheduler,
    step: Step,
    most: float,
    watched: AbstractContextManager[Any],
    timed: Timed,
) -> None:
    began = process_time()
    for name in step.finish:
        scheduler.finish(name)
    scheduler.begin_session()
    booked = process_time()
    for one in step.submit:
        scheduler.submit(one)
    submitted = process_time()
    with watched:
        outcomes = scheduler.run_session()
    seconds = process_time() - submitted
    # What was decided between two cancellations is not counted, nor is the time it took.
    decided = list(takewhile(lambda outcome: not isinstance(outcome, Cancelled), outcomes))
    timed.add(seconds if len(decided) == len(outcomes) else min(seconds, most), len(decided))
    timed.books_s += booked - began
    timed.submit_s += submitted - booked
    answers = [answer_of(outcome) for outcome in decided]
    assert step.answers[: len(answers)] == answers, "equal answers"
    for name in scheduler.pending():
        scheduler.withdraw(name)
