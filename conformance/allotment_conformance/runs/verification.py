"""A verification: all directed cases and so many bulk cases, on all processors, to one result.

Shares come back in the order in which they were given out, so the result is the same whatever the
number of processes. Work ends early at a wrong answer, when an allocator ends the process that it
runs in, when the budget is spent, or by Ctrl-C. The allocator runs in other processes only, unless
the order says otherwise: so none of that depends on what it does.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from time import monotonic

from allotment_conformance.counterexample.certificate import SECONDS
from allotment_conformance.counterexample.find import (
    Counterexample,
    Effort,
    FailingCase,
    Keep,
    Shown,
    as_found,
    beside_chance,
    keep_nothing,
)
from allotment_conformance.runs.ended import EndedProcess, as_it_ended, ended_again
from allotment_conformance.runs.fresh import in_fresh_process
from allotment_conformance.runs.pool import NOTHING_YET, AtWork, Crew, Here, Lost
from allotment_conformance.runs.tally import Failure, KeptCase, Tally
from allotment_conformance.runs.work import (
    Share,
    ToMakeSmall,
    Worker,
    asked_in,
    question_of,
    shares,
)
from allotment_conformance.wire.guarded import left_at_start
from allotment_conformance.wire.messages import Json, Profile

SHARES_AFTER_INSIDE = 20
"""When only protocol events differ, a wrong answer may show it better: so long it is looked for."""

SHARES_AFTER_NEW = 4
"""After a wrong answer other failures are looked for in so many shares without a new one: a
second or two."""

FEW_SHARES = 4
"""Work so small that starting more processes would take longer than doing it."""

SECONDS_TO_START = 30.0
"""What the allocator may take to start: as long as a program."""

SECONDS_TO_LOOK_CLOSER = 5.0
"""What starting, or making a case small, may take when the budget is spent: mostly it takes less,
and without it there is nothing to show, or little that can be read."""

GRACE = 1.0
"""Seconds that a process may go on after the end: it has nothing to give up."""


class End(StrEnum):
    """How the work ended."""

    DONE = "done"
    WRONG = "stopped at a disagreement"
    CRASH = "the allocator ended its process"
    BUDGET = "the budget was spent"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is to be verified: so many bulk cases of a seed, with at most so many seconds.

    The cases that were `kept` come first. Of failures with different signatures so many are made
    small, each certified for at most `certify_seconds`. With 0 `processes` the work is done in this
    one: the budget is then looked at between shares only, and an allocator that ends its process
    ends this one.
    """

    adapter: str
    cases: int
    seed: int
    budget: float | None = None
    processes: int = 0
    failures: int = 3
    certify_seconds: float = SECONDS
    kept: tuple[KeptCase, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AtHand:
    """What is being done, in words, with its case if it is one, and for how many seconds."""

    origin: str
    case: Json | None
    seconds: float


@dataclass(slots=True, kw_only=True)
class Verification:
    """What was done of an order, and what it has shown.

    `failing_cases` are those without usable answers. `at_hand` is what takes longest of what is
    being done, or was when the time was up. `remarks` say what else has to be known of the result.
    """

    order: Order
    profile: Profile
    end: End = End.DONE
    tally: Tally = field(default_factory=Tally)
    seconds: float = 0.0
    counterexamples: list[Counterexample] = field(default_factory=list)
    failing_cases: list[FailingCase] = field(default_factory=list)
    at_hand: AtHand | None = None
    ended: EndedProcess | None = None
    remarks: list[str] = field(default_factory=list)

    @property
    def counterexample(self) -> Counterexample | None:
        """The first one."""
        return self.counterexamples[0] if self.counterexamples else None

    @property
    def not_made_small(self) -> list[Failure]:
        """The first failure of each signature of which no case was made small."""
        first = {one.signature: one for one in reversed(self.tally.failures)}
        for one in self.counterexamples:
            first.pop(one.signature, None)
        return [one for one in self.tally.failures if one is first.get(one.signature)]


Watch = Callable[[Verification, float], None]
"""Is told of the state of things and of the part of the work that is done, again and again."""


BY_CHANCE = (
    "A failure did not come again: the allocator errs by chance, or after other cases that were "
    "not found. So no case is called the smallest that fails in its way."
)


def tell_chance(state: Verification, keep: Keep) -> None:
    """Where one failure did not come again, say so of the run, and on the page of each other."""
    shown: list[Shown] = [*state.counterexamples, *state.failing_cases]
    if not any(one.is_by_chance for one in shown):
        return
    state.remarks.append(BY_CHANCE)
    state.counterexamples = [*map(beside_chance, state.counterexamples)]
    state.failing_cases = [*map(beside_chance, state.failing_cases)]
    shown = [*state.counterexamples, *state.failing_cases]
    for one in shown:
        keep(one, state.profile)


class OutOfTime(Exception):
    """The budget is spent."""


def processors() -> int:
    """How many processes can run at a time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def verify(
    order: Order, watch: Watch = lambda state, part: None, keep: Keep = keep_nothing
) -> Verification:
    """Carry out an order. A Ctrl-C ends it with what was done until then.

    Counterexamples are given to `keep` as they come. Raises `AdapterNotStarted` and other
    refusals if the allocator does not start.
    """
    return _Run(order, watch, keep).carried_out()


class _Run:
    """An order on its way."""

    def __init__(self, order: Order, watch: Watch, keep: Keep) -> None:
        self.order, self.watch, self.keep = order, watch, keep
        self.start = monotonic()
        self.until = None if order.budget is None else self.start + order.budget
        self.work = shares(order.cases, order.seed, order.kept)
        self.part = 0.0
        self.state: Verification | None = None
        self.before_end: list[Json] = []

    def carried_out(self) -> Verification:
        """All of it, or as much as there is reason to do."""
        with self._crew() as crew:
            state = self.state = self._introduced(crew)
            try:
                self._collect(state, crew.in_order(Worker.do, self.work))
                for failure in state.tally.distinct[: self.order.failures]:
                    self._make_small(failure, state, crew)
                if state.ended is not None:
                    self._look_at_end(state, state.ended)
            except OutOfTime:
                state.end = End.BUDGET
            except KeyboardInterrupt:
                state.end = End.INTERRUPTED
        tell_chance(state, self.keep)
        state.seconds = state.seconds or monotonic() - self.start
        return state

    def _crew(self) -> Crew[Worker] | Here[Worker]:
        """Whoever does the shares."""
        told = (self.order.adapter,)
        if self.order.processes == 0:
            return Here(Worker, told)
        processes = 1 if len(self.work) <= FEW_SHARES else self.order.processes
        return Crew(processes, Worker, told, pulse=self._pulse, grace=GRACE)

    def _introduced(self, crew: Crew[Worker] | Here[Worker]) -> Verification:
        """The state of things before the first case."""
        try:
            return Verification(order=self.order, profile=crew.one(Worker.declared, None))
        except Lost as lost:
            raise left_at_start(self.order.adapter, lost.words) from lost
        except OutOfTime:
            words = f"it is not ready after {monotonic() - self.start:.0f} s"
            raise left_at_start(self.order.adapter, words) from None

    def _pulse(self, at_work: Sequence[AtWork]) -> None:
        """Say what is being done, and see whether there is time left for it."""
        if self.state is not None:
            told = max(at_work, key=lambda one: one.seconds, default=None)
            self.state.at_hand = None if told is None else self._at_hand(told)
            self.state.seconds = monotonic() - self.start
            self.watch(self.state, self.part)
        if self._is_out_of_time():
            raise OutOfTime

    def _is_out_of_time(self) -> bool:
        """Whether the budget is spent, or the start takes too long."""
        if self.state is None:
            least = SECONDS_TO_START if self.until is None else SECONDS_TO_LOOK_CLOSER
            return monotonic() >= max(self.until or 0.0, self.start + least)
        return self.until is not None and monotonic() >= self.until

    def _at_hand(self, told: AtWork) -> AtHand:
        """What somebody is doing, in words."""
        assert self.state is not None, "shares are done after the introduction"
        if not isinstance(told.share, Share):
            return AtHand(origin="making the case small", case=None, seconds=told.seconds)
        if told.item == NOTHING_YET:
            return AtHand(origin="starting", case=None, seconds=told.seconds)
        question = question_of(told.share, told.item, self.state.profile)
        return AtHand(origin=question.origin, case=question.case, seconds=told.seconds)

    def _collect(self, state: Verification, tallies: Iterator[Tally]) -> None:
        """Add up the tallies until there is a reason to stop.

        All directed cases are done before a disagreement ends the work: they take a second, and
        tell faults apart.
        """
        failing = quiet = 0
        try:
            for number, tally in enumerate(tallies, start=1):
                known = len(state.tally.distinct)
                state.tally.add(tally)
                quiet = 0 if len(state.tally.distinct) > known else quiet + 1
                state.at_hand = None
                state.seconds = monotonic() - self.start
                self.part = number / len(self.work)
                self.watch(state, self.part)
                failing += bool(state.tally.failures)
                state.end = self._end(state, self.work[number:], failing, quiet)
                if state.end is not End.DONE:
                    return
        except Lost as lost:
            state.ended = self._ended(lost, state.profile)
            state.end = End.WRONG if state.tally.failures else End.CRASH

    def _end(self, state: Verification, rest: Sequence[Share], failing: int, quiet: int) -> End:
        """Why the work ends here; DONE if it does not.

        `failing` shares came with or after the first failure, `quiet` since the last new one.
        """
        disagrees = bool(state.tally.failures)
        if not rest:
            return End.WRONG if disagrees else End.DONE
        if self._is_out_of_time():
            return End.WRONG if disagrees else End.BUDGET
        is_enough = len(state.tally.distinct) >= self.order.failures or quiet >= SHARES_AFTER_NEW
        looked_for = (state.tally.has_wrong_answer and is_enough) or failing > SHARES_AFTER_INSIDE
        return End.WRONG if disagrees and looked_for and not rest[0].directed else End.DONE

    def _ended(self, lost: Lost, profile: Profile) -> EndedProcess:
        """At which case of a share a process ended; what it was asked before is remembered."""
        if lost.item == NOTHING_YET:
            return EndedProcess(origin="its start", case=None, words=lost.words)
        cut = replace(lost.share, stop=lost.item + 1)
        *before, question = asked_in([*lost.done, cut], profile)
        self.before_end = [one.case for one in before]
        return EndedProcess(
            origin=question.origin, case=question.case, words=lost.words, again=False
        )

    def _look_at_end(self, state: Verification, ended: EndedProcess) -> None:
        """Show the case at which the allocator ended its process, if it was one, and try it again.

        It is kept before it is tried, so that a Ctrl-C leaves it.
        """
        shown = as_it_ended(ended)
        if shown is None:
            return
        state.failing_cases.append(shown)
        self.keep(shown, state.profile)
        self._allow_seconds(SECONDS_TO_LOOK_CLOSER)
        fresh = in_fresh_process(self.order.adapter, state.profile, lambda: self._pulse([]))
        try:
            shown = ended_again(shown, self.before_end, fresh, state.profile)
        except OutOfTime:
            shown = replace(shown, remark=f"It was not asked again: {End.BUDGET}.")
        state.ended = replace(ended, again=shown.reproduced)
        state.failing_cases[-1] = shown
        self.keep(shown, state.profile)

    def _make_small(
        self, failure: Failure, state: Verification, crew: Crew[Worker] | Here[Worker]
    ) -> None:
        """A wrong case, made small; as it was found if the allocator does not let us."""
        number, seen = len(state.counterexamples), state.tally.seen
        try:
            for effort in self._efforts():
                self._allow_seconds(SECONDS_TO_LOOK_CLOSER)
                asked = ToMakeSmall(failure=failure, seen=seen, effort=effort)
                found = crew.one(Worker.counterexample, asked)
                state.counterexamples[number:] = [found]
                self.keep(found, state.profile)
                if found.before or not found.reproduced:
                    break
                failure = replace(failure, case=found.case, answers=found.answers)
            return
        except Lost as lost:
            why = f"the allocator ended its process: {lost.words}"
        except OutOfTime:
            why = str(End.BUDGET)
        if len(state.counterexamples) > number:
            state.remarks.append(f"The case in {failure.origin} is not certified: {why}.")
            return
        state.remarks.append(f"The case is as it was found, and not made small: {why}.")
        state.counterexamples.append(as_found(failure, seen, state.profile))
        self.keep(state.counterexamples[-1], state.profile)

    def _efforts(self) -> Iterator[Effort]:
        """First it is made small, so that there is something to show; then it is certified."""
        yield Effort(certify_seconds=0.0)
        if self.order.certify_seconds > 0:
            yield Effort(most_tries=0, certify_seconds=self.order.certify_seconds)

    def _allow_seconds(self, seconds: float) -> None:
        """What comes next may take so long, also when the budget is spent."""
        if self.until is not None:
            self.until = max(self.until, monotonic() + seconds)
