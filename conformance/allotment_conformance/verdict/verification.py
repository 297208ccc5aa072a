"""A verification: all directed cases and so many bulk cases, on all processors, to one result.

Shares come back in the order in which they were given out, so the result is the same whatever the
number of processes. Work ends early at a wrong answer, when the budget is spent, or by Ctrl-C.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from time import monotonic

from allotment_conformance.counterexample.asking import Asking, InProcess
from allotment_conformance.counterexample.certificate import SECONDS
from allotment_conformance.counterexample.find import (
    Counterexample,
    Effort,
    Keep,
    Shown,
    counterexample,
    keep_nothing,
)
from allotment_conformance.verdict.pool import results_in_order
from allotment_conformance.verdict.tally import KeptCase, Tally
from allotment_conformance.verdict.work import Share, Worker, do_share, shares, start_worker
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.messages import Profile, read_profile

SHARES_AFTER_INSIDE = 20
"""When only protocol events differ, a wrong answer may show it better: so long it is looked for."""

SHARES_AFTER_NEW = 4
"""After a wrong answer other failures are looked for in so many shares without a new one: a
second or two."""

FEW_SHARES = 4
"""Work so small that starting processes would take longer than doing it."""


class End(StrEnum):
    """How the work ended."""

    DONE = "done"
    WRONG = "stopped at a disagreement"
    BUDGET = "the budget was spent"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be verified: so many bulk cases of a seed, with at most so many seconds.

    The cases that were `kept` come first. Of failures with different signatures so many are made
    small, each certified for at most `certify_seconds`.
    """

    adapter: str
    cases: int
    seed: int
    budget: float | None = None
    processes: int = 1
    failures: int = 3
    certify_seconds: float = SECONDS
    kept: tuple[KeptCase, ...] = ()


@dataclass(slots=True, kw_only=True)
class Verification:
    """What was done of an order, and what it has shown."""

    order: Order
    profile: Profile
    end: End = End.DONE
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0
    counterexamples: list[Counterexample] = field(default_factory=list)

    @property
    def counterexample(self) -> Counterexample | None:
        """The first one."""
        return self.counterexamples[0] if self.counterexamples else None


Watch = Callable[[Verification, float], None]
"""Is told of the state of things and of the part of the work that is done, after each share."""


def processors() -> int:
    """How many processes can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def verify(
    order: Order, watch: Watch = lambda state, part: None, keep: Keep = keep_nothing
) -> Verification:
    """Carry out an order. A Ctrl-C ends it with what was done until then."""
    start = monotonic()
    adapter = load_adapter(order.adapter)
    profile = read_profile(adapter.start())
    state = Verification(order=order, profile=profile)
    work = shares(order.cases, order.seed, order.kept)
    try:
        with _tallies(order, work) as tallies:
            _collect(state, tallies, work, start, watch)
        state.seconds = monotonic() - start
        look_closer(InProcess(adapter, profile), state, keep)
    except KeyboardInterrupt:
        state.end = End.INTERRUPTED
    finally:
        adapter.close()
    state.seconds = state.seconds or monotonic() - start
    return state


def look_closer(asking: Asking, state: Verification, keep: Keep) -> None:
    """One counterexample of each failure that is told apart, up to so many.

    The state has each as soon as there is something to show, so that a Ctrl-C leaves it.
    """
    order, all_failures = state.order, state.tally.failures
    effort = Effort(certify_seconds=order.certify_seconds)
    for number, failure in enumerate(state.tally.distinct[: order.failures]):

        def note(shown: Shown, profile: Profile, number: int = number) -> None:
            assert isinstance(shown, Counterexample), "a wrong answer makes a counterexample"
            state.counterexamples[number:] = [shown]
            keep(shown, profile)

        counterexample(asking, failure, all_failures, effort, note)


def _collect(
    state: Verification,
    tallies: Iterator[Tally],
    work: Sequence[Share],
    start: float,
    watch: Watch,
) -> None:
    """Add up the tallies until there is a reason to stop.

    All directed cases are done before a disagreement ends the work: they take a second, and tell
    faults apart.
    """
    failing = quiet = 0
    for number, tally in enumerate(tallies, start=1):
        known = len(state.tally.distinct)
        state.tally.add(tally)
        quiet = 0 if len(state.tally.distinct) > known else quiet + 1
        state.seconds = monotonic() - start
        watch(state, number / len(work))
        failing += bool(state.tally.failures)
        rest = work[number:]
        state.end = _end(state, rest, failing, quiet)
        if state.end is not End.DONE:
            return


def _end(state: Verification, rest: Sequence[Share], failing: int, quiet: int) -> End:
    """Why the work ends here; DONE if it does not.

    `failing` shares came with or after the first failure, `quiet` since the last new one.
    """
    budget = state.order.budget
    disagrees = bool(state.tally.failures)
    if not rest:
        return End.WRONG if disagrees else End.DONE
    if budget is not None and state.seconds >= budget:
        return End.WRONG if disagrees else End.BUDGET
    is_enough = (
        len(state.tally.distinct) >= state.order.failures or quiet >= SHARES_AFTER_NEW
    ) and state.tally.has_wrong_answer
    looked_for = is_enough or failing > SHARES_AFTER_INSIDE
    return End.WRONG if disagrees and looked_for and not rest[0].directed else End.DONE


@contextmanager
def _tallies(order: Order, work: Sequence[Share]) -> Iterator[Iterator[Tally]]:
    """The tallies of all shares, in order, done by as many processes as are asked for."""
    if order.processes <= 1 or len(work) <= FEW_SHARES:
        yield map(Worker(order.adapter).do, work)
        return
    with results_in_order(
        order.processes, start_worker, (order.adapter,), do_share, work
    ) as tallies:
        yield tallies
