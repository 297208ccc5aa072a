"""The work of a check, in shares: cases asked of a program, judged while it works on the next.

Each process that does shares has a program of its own. A case without usable answers is counted
by how it failed, and the share goes on with the next.
"""

import time
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from time import process_time

from allotment_conformance.counterexample.predecessors import MOST_BEFORE
from allotment_conformance.engines.all_directed import ALL_DIRECTED, as_asked
from allotment_conformance.runs.pool import Desk
from allotment_conformance.runs.tally import (
    MOST_FAILING,
    Tally,
    Unanswered,
    failure_of,
    foremost,
    replay_of_failure,
)
from allotment_conformance.runs.verification import Order
from allotment_conformance.runs.work import Question, Share, count, questions
from allotment_conformance.verdict.compare import Exchange, Judgement, Oracle, exchange_of
from allotment_conformance.verdict.drift import drifts, explains_too
from allotment_conformance.verdict.outcome import Outcome
from allotment_conformance.verdict.probe import probe
from allotment_conformance.verdict.safety import what_is_unsafe
from allotment_conformance.wire import failure as wire
from allotment_conformance.wire.limits import Limits
from allotment_conformance.wire.messages import Json, Profile, read_profile
from allotment_conformance.wire.process import ProcessAdapter
from allotment_conformance.wire.profiles import leaves_choices, rules_for

PROBED_FIRST, PROBED_THEN = 2_000, 8
"""All of the first bulk cases are probed for the clauses that they exercise, then one in so many:
each clause has been met by then, and a probe takes as long as the comparison itself."""

SLOW_FAILURES_PER_SHARE = 8
"""Timeouts after which a share is given up: each takes the whole time that an answer may take."""

FAILED_STARTS_PER_SHARE = 2
"""Starts in vain after which a share is given up: a program that was fine once may fail once."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckOrder(Order):
    """What is to be checked: a command, how far it is trusted, and when to stop."""

    command: tuple[str, ...]
    limits: Limits = field(default_factory=Limits)
    validate: bool = False
    most_failing: int = 100


@dataclass(slots=True, kw_only=True)
class CheckTally(Tally):
    """Counts of a check.

    `outcomes` counts cases: by what the specification says, or by how the program failed. `steps`
    does the same for events. `drifts` and `unsafe` count what was seen, in words. `exact` are the
    numbers of directed cases that were answered as the specification does. `asked_again` are cases
    that were sent once more after the program failed at one before them. `cut` and `given_up` count
    shares that were not done to their end: for want of time, or as hopeless.
    """

    outcomes: Counter[str] = field(default_factory=Counter)
    steps: Counter[str] = field(default_factory=Counter)
    drifts: Counter[str] = field(default_factory=Counter)
    exact: list[int] = field(default_factory=list)
    unsafe: list[str] = field(default_factory=list)
    unanswered: list[Unanswered] = field(default_factory=list)
    asked_again: int = 0
    starts: int = 0
    cut: int = 0
    given_up: int = 0
    seconds_making: float = 0.0
    seconds_program: float = 0.0

    def merge(self, other: "CheckTally") -> None:
        """Count the other's cases, too."""
        Tally.add(self, other)
        self.outcomes.update(other.outcomes)
        self.steps.update(other.steps)
        self.drifts.update(other.drifts)
        self.exact += other.exact
        self.unsafe = (self.unsafe + other.unsafe)[:MOST_FAILING]
        self.unanswered = (self.unanswered + other.unanswered)[:MOST_FAILING]
        for name in ("asked_again", "starts", "cut", "given_up"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("seconds_making", "seconds_program"):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    def settle_drift(self, profile: Profile) -> None:
        """Keep the first profile that explains all failures, and the directed cases that pass.

        Without one, none has drifted.
        """
        exact = [as_asked(ALL_DIRECTED[number], profile) for number in sorted(self.exact)]
        explains = next(
            (
                one
                for one, count in self.drifts.items()
                if count == self.failed and explains_too(one, profile, exact)
            ),
            None,
        )
        self.drifts = Counter({} if explains is None else {explains: self.failed})
        if explains is None:
            for counts in (self.outcomes, self.steps):
                by_chance = counts.pop(Outcome.DRIFT, 0)
                if by_chance:
                    counts[Outcome.SAFE] += by_chance

    @property
    def no_answers(self) -> int:
        """How many cases have no usable answers."""
        return self.outcomes.total() - sum(self.outcomes[outcome] for outcome in Outcome)


class CheckWorker:
    """Does shares with one program of its own, until its desk or a time of day says to stop."""

    def __init__(self, desk: Desk, order: CheckOrder, profile: Json, until: float | None) -> None:
        self.adapter = ProcessAdapter(
            order.command, limits=order.limits, validate=order.validate, profile=profile
        )
        self.profile = read_profile(profile)
        self.oracle = Oracle(self.profile)
        self.canonical = self.oracle
        if leaves_choices(self.profile):
            self.canonical = Oracle(self.profile, rules_for(self.profile))
        self.desk, self.until = desk, until
        self.before = deque[Json](maxlen=MOST_BEFORE)

    def close(self) -> None:
        """End the program."""
        self.adapter.close()

    def ended(self, _nothing: None) -> wire.Failure | None:
        """End the program, and tell what was wrong with its end."""
        self.close()
        return self.adapter.stop_failure

    def stopped(self) -> bool:
        """Whether what is left of a share is to be left."""
        return self.desk.is_stopped or (self.until is not None and time.time() >= self.until)

    def do(self, share: Share) -> CheckTally:
        """What the share has shown."""
        tally, asked = CheckTally(cut=1), deque[Question]()
        before = (self.adapter.seconds_used, self.adapter.asked_again, self.adapter.starts)
        replies = self.adapter.replies(self._cases(share, asked, tally), self.stopped)
        while not _is_hopeless(tally):
            start, making = process_time(), tally.seconds_making
            came = next(replies, None)
            waited = process_time() - start
            tally.seconds_allocator += waited - (tally.seconds_making - making)
            if came is None:
                break
            question = asked.popleft()
            self.take(question, came, tally)
            self.before.append(question.case)
        else:
            tally.given_up += 1
        replies.close()
        tally.cut = max(tally.cut, bool(asked))
        tally.seconds_program = self.adapter.seconds_used - before[0]
        tally.asked_again = self.adapter.asked_again - before[1]
        tally.starts = self.adapter.starts - before[2]
        return tally

    def _cases(self, share: Share, asked: deque[Question], tally: CheckTally) -> Iterator[Json]:
        """The cases of a share, each noted as asked."""
        start = process_time()
        for question in questions(share, self.profile):
            number = question.number
            later = not share.directed and number >= PROBED_FIRST and number % PROBED_THEN
            asked.append(replace(question, variants=[]) if later else question)
            tally.seconds_making += process_time() - start
            yield question.case
            start = process_time()
        tally.cut = 0

    def take(self, question: Question, came: list[Json] | wire.Failure, tally: CheckTally) -> None:
        """Count one case."""
        tally.cases += 1
        if isinstance(came, wire.Failure):
            if question.kept is not None:
                tally.replayed[question.kept] = replay_of_failure(came)
            tally.outcomes[came.name] += 1
            tally.steps[came.name] += len(question.case["events"])
            if len(tally.unanswered) < MOST_FAILING:
                told = Unanswered(
                    origin=question.origin,
                    case=question.case,
                    failure=came,
                    before=tuple(self.before),
                )
                tally.unanswered.append(told)
            return
        start = process_time()
        asked = exchange_of(question.case, came)
        judgement, outcome = self._judge(question, asked, came, tally)
        tally.seconds_comparison += process_time() - start
        self._count(question, came, judgement, outcome, tally)
        if judgement.disagreement is None and not judgement.skipped and not judgement.cancelled:
            start = process_time()
            found = probe(asked, question.variants, self.profile)
            tally.probed.update(found.clauses)
            tally.exercised.update(found.exercised)
            tally.seconds_probes += process_time() - start

    def _judge(
        self, question: Question, asked: Exchange, came: list[Json], tally: CheckTally
    ) -> tuple[Judgement, Outcome]:
        """The strongest that holds of the answers.

        Canonical answers need not be followed through all choices, except where any split is
        legal: there the canonical pend may be forbidden (PLAN-11).
        """
        canonical = self.canonical.judge_exchange(asked)
        is_canonical = canonical.disagreement is None
        if is_canonical and self.profile.split != "any":
            return canonical, Outcome.EXACT
        choices = self.oracle is not self.canonical
        judgement = self.oracle.judge_exchange(asked) if choices else canonical
        if judgement.skipped:
            return judgement, Outcome.SKIPPED
        if judgement.disagreement is None:
            return judgement, Outcome.EXACT if is_canonical else Outcome.PERMITTED
        drifted = drifts(asked, self.profile)
        if drifted:
            tally.drifts.update(drifted)
            return judgement, Outcome.DRIFT
        unsafe = what_is_unsafe(question.case, came, self.profile)
        if unsafe is None:
            return judgement, Outcome.SAFE
        tally.unsafe.append(f"{question.origin}, {unsafe}")
        return judgement, Outcome.UNSAFE

    def _count(
        self,
        question: Question,
        came: list[Json],
        judgement: Judgement,
        outcome: Outcome,
        tally: CheckTally,
    ) -> None:
        tally.outcomes[outcome] += 1
        if question.is_directed and outcome is Outcome.EXACT and not judgement.cancelled:
            tally.exact.append(question.number)
        count(tally, question, judgement)
        found, events = judgement.disagreement, len(question.case["events"])
        if found is None:
            tally.steps[outcome] += events
            return
        tally.steps["agree, before one that does not"] += found.step
        tally.steps[outcome] += 1
        tally.steps["not judged, after one that does not agree"] += events - found.step - 1
        tally.failed += 1
        failure = failure_of(question.origin, question.case, came, found, self.before)
        tally.failures = foremost([*tally.failures, failure])


def _is_hopeless(tally: CheckTally) -> bool:
    """Whether a share takes too long for what it shows."""
    failed_starts = sum(one.failure.at_start for one in tally.unanswered)
    slow = tally.outcomes[wire.Ending.TIMEOUT]
    return failed_starts >= FAILED_STARTS_PER_SHARE or slow >= SLOW_FAILURES_PER_SHARE
