"""A check: the cases of a verification, asked of a program, to one result.

A wrong answer or a failure does not end it; so many of them do, as do the budget and Ctrl-C.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from time import monotonic

from allotment_conformance.counterexample.asking import OverWire
from allotment_conformance.counterexample.find import (
    Effort,
    FailingCase,
    Keep,
    Shown,
    failing_case,
    keep_nothing,
)
from allotment_conformance.verdict.check_work import (
    CheckOrder,
    CheckTally,
    CheckWorker,
    do_share,
    start_worker,
)
from allotment_conformance.verdict.outcome import Level, Outcome, breaks
from allotment_conformance.verdict.pool import results_in_order
from allotment_conformance.verdict.verification import (
    FEW_SHARES,
    End,
    Verification,
    look_closer,
)
from allotment_conformance.verdict.work import Share, shares
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.process import ProcessAdapter

MOST_TIMEOUTS = 10
"""Timeouts that end a check: with the default of ten seconds each, more than a minute of them."""


@dataclass(slots=True, kw_only=True)
class Check(Verification):
    """What was done of an order, and what it has shown of the program."""

    order: CheckOrder
    tally: CheckTally = field(default_factory=CheckTally)
    failing_cases: list[FailingCase] = field(default_factory=list)
    stop_failure: Failure | None = None
    stopped_early: bool = False

    def failing(self, level: Level) -> int:
        """How many cases break what the level asks for, those without usable answers included."""
        broken = (self.tally.outcomes[one] for one in Outcome if breaks(one, level))
        return sum(broken) + self.tally.no_answers


Watch = Callable[[Check, float], None]
"""Is told of the state of things and of the part of the work that is done, after each share."""


def check(
    order: CheckOrder,
    watch: Watch = lambda state, part: None,
    *,
    level: Level = Level.PERMITTED,
    keep: Keep = keep_nothing,
) -> Check:
    """Carry out an order. Raises `AdapterFailed` and other refusals if the program does not start.

    A Ctrl-C ends it with what was done until then.
    """
    start = monotonic()
    adapter = ProcessAdapter(order.command, limits=order.limits, validate=order.validate)
    declared = adapter.start()
    state = Check(order=order, profile=legal_profile(declared))
    work = shares(order.cases, order.seed, order.kept)
    try:
        with _tallies(order, declared, work) as tallies:
            for number, tally in enumerate(tallies, start=1):
                state.tally.merge(tally)
                state.seconds = monotonic() - start
                watch(state, number / len(work))
                state.end, state.stopped_early = _end(state, number < len(work), level)
                if state.end is not End.DONE:
                    break
        _look_closer(state, adapter, keep)
    except KeyboardInterrupt:
        state.end = End.INTERRUPTED
    finally:
        adapter.close()
    state.stop_failure = adapter.stop_failure
    return state


def _end(state: Check, goes_on: bool, level: Level) -> tuple[End, bool]:
    """Why the work ends here, DONE if it does not; and whether failures end it early."""
    failing, budget = state.failing(level), state.order.budget
    hopeless = state.tally.outcomes[Ending.TIMEOUT] >= MOST_TIMEOUTS or state.tally.given_up > 0
    if hopeless or (goes_on and failing >= state.order.most_failing):
        return End.WRONG, True
    spent = budget is not None and state.seconds >= budget
    if spent and (goes_on or state.tally.cut):
        return End.BUDGET, False
    return End.DONE, False


def _look_closer(state: Check, adapter: ProcessAdapter, keep: Keep) -> None:
    """Make wrong cases small, and cases at which the program failed, in different ways."""
    asking, order = OverWire(adapter, state.profile), state.order
    look_closer(asking, state, keep)
    first = {one.failure.name: one for one in reversed(state.tally.unanswered)}
    effort = Effort(certify_seconds=order.certify_seconds)
    for one in list(first.values())[: order.failures - len(state.counterexamples)]:
        number = len(state.failing_cases)

        def note(shown: Shown, profile: Profile, number: int = number) -> None:
            assert isinstance(shown, FailingCase), "what is not answered is no wrong answer"
            state.failing_cases[number:] = [shown]
            keep(shown, profile)

        failing_case(asking, one.origin, one.case, one.failure, effort, note)


@contextmanager
def _tallies(
    order: CheckOrder, profile: Json, work: Sequence[Share]
) -> Iterator[Iterator[CheckTally]]:
    """The tallies of all shares, in order, done by as many processes as are asked for."""
    until = None if order.budget is None else time.time() + order.budget
    if order.processes <= 1 or len(work) <= FEW_SHARES:
        worker = CheckWorker(order, profile, lambda: until is not None and time.time() >= until)
        try:
            yield map(worker.do, work)
        finally:
            worker.adapter.close()
        return
    stop = get_context("spawn").Event()
    told = (order, profile, stop, until)
    with results_in_order(order.processes, start_worker, told, do_share, work) as tallies:
        try:
            yield tallies
        finally:
            stop.set()
