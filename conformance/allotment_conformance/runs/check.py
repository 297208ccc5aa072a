"""A check: the cases of a verification, asked of a program, to one result.

A wrong answer or a failure does not end it; so many of them do, as do the budget and Ctrl-C.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from time import monotonic
from typing import Any

from allotment_conformance.counterexample.asking import Asking, OverWire
from allotment_conformance.counterexample.find import (
    Effort,
    Keep,
    Shown,
    counterexample,
    failing_case,
    keep_nothing,
)
from allotment_conformance.errors import KitError
from allotment_conformance.runs.check_work import (
    CheckOrder,
    CheckTally,
    CheckWorker,
)
from allotment_conformance.runs.pool import GRACE, Crew, Here, Lost
from allotment_conformance.runs.verification import FEW_SHARES, End, Verification, tell_chance
from allotment_conformance.runs.work import Share, shares
from allotment_conformance.verdict.outcome import Level, Outcome, breaks
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.process import ProcessAdapter

MOST_TIMEOUTS = 10
"""Timeouts that end a check: with the default of ten seconds each, more than a minute of them."""


class KitProcessLost(KitError):
    """A process that asks programs was ended from outside: what it asks cannot do that."""

    code = "kit-process-lost"


@dataclass(slots=True, kw_only=True)
class Check(Verification):
    """What was done of an order, and what it has shown of the program."""

    order: CheckOrder
    tally: CheckTally = field(default_factory=CheckTally)
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
    """Carry out an order; counterexamples are given to `keep` as they come.

    Raises `AdapterFailed` and other refusals if the program does not start.

    A Ctrl-C ends it with what was done until then.
    """
    start = monotonic()
    adapter = ProcessAdapter(order.command, limits=order.limits, validate=order.validate)
    declared = adapter.start()
    state = Check(order=order, profile=legal_profile(declared))
    work = shares(order.cases, order.seed, order.kept)
    try:
        with _crew(order, declared, work) as crew:
            for number, tally in enumerate(crew.in_order(CheckWorker.do, work), start=1):
                state.tally.merge(tally)
                state.seconds = monotonic() - start
                watch(state, number / len(work))
                state.end, state.stopped_early = _end(state, number < len(work), level)
                if state.end is not End.DONE:
                    break
            state.stop_failure = next(filter(None, crew.of_each(CheckWorker.ended)), None)
        _look_closer(state, OverWire(adapter, state.profile), keep)
    except Lost as lost:
        raise KitProcessLost(
            f"a process of the kit ended before its time: {lost.words}",
            remedy="See whether the system ran out of memory; fewer --processes take less.",
        ) from lost
    except KeyboardInterrupt:
        state.end = End.INTERRUPTED
    finally:
        adapter.close()
    tell_chance(state, keep)
    state.tally.settle_drift(state.profile)
    state.stop_failure = state.stop_failure or adapter.stop_failure
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


def _look_closer(state: Check, asking: Asking, keep: Keep) -> None:
    """Make cases small that are wrong, and at which the program failed, in different ways.

    The state has each as soon as there is something to show, so that a Ctrl-C leaves it.
    """
    order = state.order
    effort = Effort(certify_seconds=order.certify_seconds)
    for failure in state.tally.distinct[: order.failures]:
        noted = partial(_note, state.counterexamples, len(state.counterexamples), keep)
        counterexample(asking, failure, state.tally.seen, effort, noted)
    first = {one.failure.name: one for one in reversed(state.tally.unanswered)}
    for one in list(first.values())[: order.failures - len(state.counterexamples)]:
        noted = partial(_note, state.failing_cases, len(state.failing_cases), keep)
        failing_case(asking, one, effort, noted)


def _note(place: list[Any], number: int, keep: Keep, shown: Shown, profile: Profile) -> None:
    """Put what there is to show in its place, which it may have taken before."""
    place[number:] = [shown]
    keep(shown, profile)


def _crew(
    order: CheckOrder, profile: Json, work: Sequence[Share]
) -> Crew[CheckWorker] | Here[CheckWorker]:
    """Whoever does the shares: as many processes as are asked for."""
    told = (order, profile, None if order.budget is None else time.time() + order.budget)
    if order.processes <= 1 or len(work) <= FEW_SHARES:
        return Here(CheckWorker, told)
    grace = GRACE + order.limits.stop_seconds
    return Crew(order.processes, CheckWorker, told, grace=grace)
