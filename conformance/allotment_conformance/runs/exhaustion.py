"""An exhaustion: all cases of some slices of the small world, in size order, on all processors.

Shares come back in the order in which they were given out, so the first difference is the first
in size order whatever the number of processes: all cases of the slice that come from it by
deleting and lowering came before it, and agreed.
"""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from time import monotonic
from typing import Protocol

from allotment_conformance.counterexample.find import Counterexample, FailingCase
from allotment_conformance.engines.exhaustive.bounds import Bounds, Scope
from allotment_conformance.engines.exhaustive.recount import Count, recount
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.engines.exhaustive.smallest import below
from allotment_conformance.engines.exhaustive.worlds import Point
from allotment_conformance.runs.ended import EndedProcess, as_it_ended, ended_again
from allotment_conformance.runs.exhaustion_work import (
    Share,
    ShareTally,
    Worker,
    asked,
    asked_before,
    shares,
)
from allotment_conformance.runs.fresh import in_fresh_process
from allotment_conformance.runs.pool import Crew, Here, Lost
from allotment_conformance.runs.verification import End
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.guarded import left_at_start
from allotment_conformance.wire.messages import Profile

FEW_CASES = 2_000
"""Work so small that starting more processes would take longer than doing it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """Which slices an allocator is to be asked. With 0 `processes` it is asked in this one."""

    adapter: str
    scope: Scope
    slices: tuple[Bounds, ...]
    processes: int = 0


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
    ended: EndedProcess | None = None
    failing_case: FailingCase | None = None
    stop_failure: Failure | None = None

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
    with _crew(order) as crew:
        state = _introduced(order, crew)
        try:
            memory.recall(state)
            work = _work([one for one in state.slices if not one.finished])
            found = _collect(state, crew.in_order(Worker.do, work), watch, memory)
            if found is not None:
                state.end = End.WRONG
                state.counterexample = crew.one(Worker.counterexample, found.failures)
            state.stop_failure = next(filter(None, crew.of_each(Worker.ended)), None)
            memory.forget()
        except Lost as lost:
            state.end, state.ended = End.CRASH, _ended(lost, state.profile)
            memory.keep(state, at_once=True)
            _look_at_end(state, state.ended, lost)
        except KeyboardInterrupt:
            state.end = End.INTERRUPTED
            memory.keep(state, at_once=True)
    state.seconds = monotonic() - start
    return state


def _crew(order: Order) -> Crew[Worker] | Here[Worker]:
    """Whoever does the shares: as many processes as are asked for."""
    if order.processes == 0:
        return Here(Worker, (order.adapter,))
    few = sum(recount(bounds).unlike for bounds in order.slices) <= FEW_CASES
    return Crew(1 if few else order.processes, Worker, (order.adapter,))


def _introduced(order: Order, crew: Crew[Worker] | Here[Worker]) -> Exhaustion:
    """The state of things before the first case. Raises `AdapterNotStarted` and other refusals."""
    try:
        profile = crew.one(Worker.declared, None)
    except Lost as lost:
        raise left_at_start(order.adapter, lost.words) from lost
    slices = [SliceTally(bounds=bounds) for bounds in order.slices]
    return Exhaustion(order=order, profile=profile, slices=slices)


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


def _ended(lost: Lost, profile: Profile) -> EndedProcess:
    """At which case of a share a process ended."""
    if not isinstance(lost.share, Share):
        return EndedProcess(origin="the first difference", case=None, words=lost.words)
    of = slice_of(lost.share.bounds)
    points = dict(lost.share.points)
    case = asked(of, points[lost.item], profile) if lost.item in points else None
    return EndedProcess(origin=f"slice '{of.name}'", case=case, words=lost.words)


def _look_at_end(state: Exhaustion, ended: EndedProcess, lost: Lost) -> None:
    """Whether it ends its process at the case again, alone or behind others."""
    shown = state.failing_case = as_it_ended(ended)
    if shown is None:
        return
    with suppress(KeyboardInterrupt):
        fresh = in_fresh_process(state.order.adapter, state.profile)
        before = asked_before(lost, state.profile)
        state.failing_case = ended_again(shown, before, fresh, state.profile)


def _smallest(so_far: SliceTally, point: Point) -> Smallest:
    """What is known of the cases smaller than the first difference, the last one so far."""
    of = slice_of(so_far.bounds)
    return Smallest(
        slice=of.name,
        before=so_far.cases - so_far.alike - 1,
        below=sum(1 for _smaller in below(of, point)),
        not_asked=so_far.unclaimed + so_far.skipped,
    )


def _work(slices: list[SliceTally]) -> Iterator[Share]:
    """The shares of all slices, each from where it stands."""
    for one in slices:
        yield from shares(slice_of(one.bounds), one.cases)


def counts(tally: SliceTally) -> dict[str, int]:
    """The counts of a slice, by name."""
    kept = asdict(tally)
    return {name: n for name, n in kept.items() if name not in ("bounds", "finished")}
