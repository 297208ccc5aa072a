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

from allotment_conformance.counterexample.find import Counterexample, counterexample
from allotment_conformance.verdict.pool import results_in_order
from allotment_conformance.verdict.tally import Tally
from allotment_conformance.verdict.work import Share, Worker, do_share, shares, start_worker
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.messages import Profile, read_profile

SHARES_AFTER_INSIDE = 20
"""When only protocol events differ, a wrong answer may show it better: so long it is looked for."""

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
    """What is to be verified: so many bulk cases of a seed, with at most so many seconds."""

    adapter: str
    cases: int
    seed: int
    budget: float | None = None
    processes: int = 1


@dataclass(slots=True, kw_only=True)
class Verification:
    """What was done of an order, and what it has shown."""

    order: Order
    profile: Profile
    end: End = End.DONE
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0
    counterexample: Counterexample | None = None


Watch = Callable[[Verification, float], None]
"""Is told of the state of things and of the part of the work that is done, after each share."""


def processors() -> int:
    """How many processes can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def verify(order: Order, watch: Watch = lambda state, part: None) -> Verification:
    """Carry out an order. A Ctrl-C ends it with what was done until then."""
    start = monotonic()
    adapter = load_adapter(order.adapter)
    profile = read_profile(adapter.start())
    state = Verification(order=order, profile=profile)
    work = shares(order.cases, order.seed)
    try:
        with _tallies(order, work) as tallies:
            _collect(state, tallies, work, start, watch)
        state.seconds = monotonic() - start
        if state.tally.failures:
            state.counterexample = counterexample(adapter, profile, state.tally.failures)
    except KeyboardInterrupt:
        state.end = End.INTERRUPTED
    finally:
        adapter.close()
    state.seconds = state.seconds or monotonic() - start
    return state


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
    failing = 0
    for number, tally in enumerate(tallies, start=1):
        state.tally.add(tally)
        state.seconds = monotonic() - start
        watch(state, number / len(work))
        failing += bool(state.tally.failures)
        rest = work[number:]
        state.end = _end(state, rest, failing)
        if state.end is not End.DONE:
            return


def _end(state: Verification, rest: Sequence[Share], failing: int) -> End:
    """Why the work ends here; DONE if it does not.

    `failing` shares came with or after the first failure.
    """
    budget = state.order.budget
    disagrees = bool(state.tally.failures)
    if not rest:
        return End.WRONG if disagrees else End.DONE
    if budget is not None and state.seconds >= budget:
        return End.WRONG if disagrees else End.BUDGET
    looked_for = state.tally.has_wrong_answer or failing > SHARES_AFTER_INSIDE
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
