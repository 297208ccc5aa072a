"""An exhaustion: all cases of some slices of the small world, in size order, on all processors.

Shares come back in the order in which they were given out, so the first difference is the first
in size order whatever the number of processes: all cases of the slice that come from it by
deleting and lowering came before it, and agreed.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from time import monotonic
from typing import Protocol

from allotment_conformance.counterexample.asking import InProcess
from allotment_conformance.counterexample.find import Counterexample, Effort, counterexample
from allotment_conformance.engines.exhaustive.bounds import Bounds, Scope
from allotment_conformance.engines.exhaustive.recount import Count, recount
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.engines.exhaustive.smallest import below
from allotment_conformance.engines.exhaustive.worlds import Point
from allotment_conformance.verdict.exhaustion_work import (
    Share,
    ShareTally,
    Worker,
    do_share,
    shares,
    start_worker,
)
from allotment_conformance.verdict.pool import results_in_order
from allotment_conformance.verdict.tally import Failure
from allotment_conformance.verdict.verification import End
from allotment_conformance.wire.adapter import Adapter, load_adapter
from allotment_conformance.wire.messages import Profile, read_profile

FEW_CASES = 2_000
"""Work so small that starting processes would take longer than doing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which slices an allocator is to be asked."""

    adapter: str
    scope: Scope
    slices: tuple[Bounds, ...]
    processes: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class SliceTally:
    """What was done of a slice. The counts are those of `ShareTally`, up to a difference."""

    bounds: Bounds
    finished: bool = False
    cases: int = 0
    alike: int = 0
    unclaimed: int = 0
    run: int = 0
    sessions: int = 0
    decisions: int = 0
    skipped: int = 0

    def plus(self, share: ShareTally) -> "SliceTally":
        """With one more share of it."""
        names = ("cases", "alike", "unclaimed", "run", "sessions", "decisions", "skipped")
        counts = {name: getattr(self, name) + getattr(share, name) for name in names}
        return replace(self, finished=share.last, **counts)

    @property
    def recounted(self) -> Count:
        """How many cases there are by the bounds alone."""
        return recount(self.bounds)

    @property
    def is_as_recounted(self) -> bool:
        """Whether a finished slice has had all its cases, each once."""
        counted = Count(cases=self.cases, unlike=self.cases - self.alike)
        return not self.finished or counted == self.recounted


@dataclass(frozen=True, slots=True, kw_only=True)
class Smallest:
    """What is known of the cases that are smaller than the first difference of a slice.

    All `before` it in size order agree; `below` of them come from it by deleting and lowering.
    `not_asked` of those before it need what the profile does not declare.
    """

    slice: str
    before: int
    below: int
    not_asked: int


@dataclass(slots=True, kw_only=True)
class Exhaustion:
    """What was done of an order, and what it has shown."""

    order: Order
    profile: Profile
    slices: list[SliceTally]
    end: End = End.DONE
    seconds: float = 0.0
    smallest: Smallest | None = None
    counterexample: Counterexample | None = None

    @property
    def part(self) -> float:
        """The part of the cases that were dealt with."""
        all_cases = sum(one.recounted.unlike for one in self.slices)
        return sum(one.cases - one.alike for one in self.slices) / all_cases

    @property
    def miscounted(self) -> list[SliceTally]:
        """Finished slices with more or fewer cases than their bounds say."""
        return [one for one in self.slices if not one.is_as_recounted]


Watch = Callable[[Exhaustion, float], None]
"""Is told of the state of things and of the part of the work that is done, after each share."""


class Memory(Protocol):
    """Keeps what was done, so that a run that is cut short can be continued."""

    def recall(self, state: Exhaustion) -> None:
        """Put back what an earlier run has done of the same order."""

    def keep(self, state: Exhaustion, *, at_once: bool = False) -> None:
        """Keep what was done, now and then or at once."""

    def forget(self) -> None:
        """The run came to its end."""


class NoMemory:
    """Every run begins anew."""

    def recall(self, state: Exhaustion) -> None:
        """There is nothing."""

    def keep(self, state: Exhaustion, *, at_once: bool = False) -> None:
        """Nothing is kept."""

    def forget(self) -> None:
        """There is nothing."""


def exhaust(
    order: Order, watch: Watch = lambda state, part: None, memory: Memory | None = None
) -> Exhaustion:
    """Carry out an order, up to the first difference. A Ctrl-C ends it with what was done."""
    memory = memory or NoMemory()
    start = monotonic()
    adapter = load_adapter(order.adapter)
    profile = read_profile(adapter.start())
    slices = [SliceTally(bounds=bounds) for bounds in order.slices]
    state = Exhaustion(order=order, profile=profile, slices=slices)
    try:
        memory.recall(state)
        with _tallies(state) as tallies:
            found = _collect(state, tallies, watch, memory)
        if found is not None:
            state.end = End.WRONG
            state.counterexample = _shown(adapter, profile, found.failures)
        memory.forget()
    except KeyboardInterrupt:
        state.end = End.INTERRUPTED
        memory.keep(state, at_once=True)
    finally:
        adapter.close()
    state.seconds = monotonic() - start
    return state


def _shown(adapter: Adapter, profile: Profile, failures: list[Failure]) -> Counterexample:
    """The first difference as it is: it is the smallest of its slice already."""
    effort = Effort(most_tries=0, certify_seconds=0.0)
    return counterexample(InProcess(adapter, profile), failures[0], failures, effort)


def _collect(
    state: Exhaustion, tallies: Iterator[ShareTally], watch: Watch, memory: Memory
) -> ShareTally | None:
    """Add up the tallies; the first with a difference ends the work."""
    for tally in tallies:
        number = next(n for n, one in enumerate(state.slices) if not one.finished)
        state.slices[number] = state.slices[number].plus(tally)
        if tally.first is not None:
            state.smallest = _smallest(state.slices[number], tally.first)
            return tally
        memory.keep(state)
        watch(state, state.part)
    return None


def _smallest(so_far: SliceTally, point: Point) -> Smallest:
    """What is known of the cases smaller than the first difference, the last one so far."""
    of = slice_of(so_far.bounds)
    return Smallest(
        slice=of.name,
        before=so_far.cases - so_far.alike - 1,
        below=sum(1 for _smaller in below(of, point)),
        not_asked=so_far.unclaimed + so_far.skipped,
    )


@contextmanager
def _tallies(state: Exhaustion) -> Iterator[Iterator[ShareTally]]:
    """The tallies of all shares, in order, done by as many processes as are asked for."""
    order = state.order
    cases = sum(one.recounted.unlike for one in state.slices if not one.finished)
    work = _work([one for one in state.slices if not one.finished])
    if order.processes <= 1 or cases <= FEW_CASES:
        worker = Worker(order.adapter)
        try:
            yield map(worker.do, work)
        finally:
            worker.adapter.close()
        return
    with results_in_order(
        order.processes, start_worker, (order.adapter,), do_share, work
    ) as tallies:
        yield tallies


def _work(slices: list[SliceTally]) -> Iterator[Share]:
    """The shares of all slices, each from where it stands."""
    for one in slices:
        yield from shares(slice_of(one.bounds), one.cases)


def counts(tally: SliceTally) -> dict[str, int]:
    """The counts of a slice, by name."""
    kept = asdict(tally)
    return {name: n for name, n in kept.items() if name not in ("bounds", "finished")}
