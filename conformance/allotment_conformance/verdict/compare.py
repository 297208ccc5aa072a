"""Compares what an allocator answered with what the specification says, event by event.

The specification has one answer to each event, but for a run with `cancel_at`: there one job may
be cancelled, and which entries its attempt has left in the cache shows only later. So the oracle
follows the allocator with all the states that its answers so far allow. They differ in the cache
alone; each later answer leaves those that would have given it.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from allotment_conformance.verdict import normal
from allotment_conformance.verdict.allowed import (
    Allowed,
    canonical,
    follow_choices,
    forbidden_by_choices,
    with_cancelled,
)
from allotment_conformance.verdict.difference import first_difference
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.verdict.received import NoAnswer, received
from allotment_conformance.wire import from_model, to_model
from allotment_conformance.wire.messages import Case, Json, Profile, no_cluster, read_case
from allotment_conformance.wire.profiles import choices_of, leaves_choices, rules_for
from allotment_model.answers import Answer, Cancelled, Dispatched, Ran
from allotment_model.cluster import Cluster
from allotment_model.events import Event, RunSession
from allotment_model.rules import Rules
from allotment_model.state import State, initial


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What came of one case.

    `decisions` counts the answers to jobs that agreed, `attempts_inside` those of them whose
    protocol events were compared, too, `cancelled` those that were cut short; `cancels_asked` the
    runs that asked for a cancellation and tried a job. `skipped`: from some event on there were too
    many choices to follow, and the rest of the case was not judged.
    """

    disagreement: Disagreement | None
    decisions: int
    attempts_inside: int
    cancelled: int = 0
    cancels_asked: int = 0
    skipped: bool = False


class _Counts:
    """What has agreed so far in one case."""

    def __init__(self, inside: bool) -> None:
        self.inside = inside
        self.decisions = self.cancelled = self.cancels_asked = 0

    def add(self, event: Event, answer: Answer) -> None:
        """An answer that agreed."""
        if isinstance(answer, Ran):
            asked = isinstance(event, RunSession) and event.cancel_at is not None
            self.cancels_asked += asked and len(answer.jobs) > 0
            self.decisions += len(answer.jobs)
            self.cancelled += sum(isinstance(one.answer, Cancelled) for one in answer.jobs)

    def judgement(self, found: Disagreement | None, *, skipped: bool = False) -> Judgement:
        """What came of the case."""
        return Judgement(
            disagreement=found,
            decisions=self.decisions,
            attempts_inside=self.decisions if self.inside else 0,
            cancelled=self.cancelled,
            cancels_asked=self.cancels_asked,
            skipped=skipped,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A case and what was answered to it, read once for all who judge it.

    `cluster` is None if the case goes on with the scheduler of the one before.
    """

    case: Json
    sent: Case
    cluster: Cluster | None
    events: tuple[Event, ...]
    given: list[Json | NoAnswer]


def exchange_of(case: Json, answers: object) -> Exchange:
    """The case and the answers as they are judged. Raises `NotACase`."""
    sent = read_case(case)
    return Exchange(
        case=case,
        sent=sent,
        cluster=to_model.cluster(sent.cluster) if sent.cluster else None,
        events=tuple(map(to_model.event, sent.events)),
        given=received(answers, len(sent.events)),
    )


class Oracle:
    """The specification beside one allocator, with the states that its answers so far allow.

    Other `rules` than those of the profile make it a judge who has missed a sentence of the
    specification: diagnosis asks such a one whether it would agree.
    """

    def __init__(self, profile: Profile, rules: Rules | None = None) -> None:
        self.declares = frozenset(profile.declares)
        self.choices = choices_of(profile) if leaves_choices(profile) and rules is None else None
        self.rules = rules or rules_for(profile)
        self.states: list[State] = []

    def judge(self, case: Json, answers: object) -> Judgement:
        """Whether these answers to a case are allowed. Raises `NotACase`.

        After a disagreement only a case with a `cluster` can follow.
        """
        return self.judge_exchange(exchange_of(case, answers))

    def judge_exchange(self, told: Exchange) -> Judgement:
        """The same of what was read before. Raises `NotACase` if there is no cluster."""
        if told.cluster is not None:
            self.states = [initial(told.cluster)]
        if not self.states:
            raise no_cluster()
        counts = _Counts(inside="events" in told.sent.report)
        for number, (event, given) in enumerate(zip(told.events, told.given, strict=True)):
            crashed_later = _is_crash(given) and number < len(told.events) - 1
            allowed = self._allowed(event, given)
            if allowed is None:
                self.states = []
                return counts.judgement(None, skipped=True)
            fitting = [
                one for one in allowed if crashed_later or self._agrees(one, given, told.sent)
            ]
            if not fitting:
                found = self._disagreement(told, number, allowed)
                self.states = []
                return counts.judgement(found)
            self.states = _distinct(one.state for one in fitting)
            counts.add(event, fitting[0].answer)
        return counts.judgement(None)

    def _allowed(self, event: Event, given: Json | NoAnswer) -> list[Allowed] | None:
        """What the states allow; None if there are too many choices to follow."""
        if self.choices is not None and not isinstance(given, NoAnswer):
            return follow_choices(self.states[0], event, given, self.choices)
        cancelled = _cancelled_job(event, given)
        runs = [
            run
            for state in self.states
            if cancelled is not None
            for run in with_cancelled(state, cancelled, self.rules)
        ]
        return runs or [canonical(state, event, self.rules) for state in self.states]

    def _agrees(self, allowed: Allowed, given: Json | NoAnswer, sent: Case) -> bool:
        """Whether what was given is this answer."""
        if isinstance(given, NoAnswer):
            return False
        expected = sent_answer(allowed, sent.report)
        return expected == given or first_difference(*self._normal(allowed, given, sent)) is None

    def _normal(self, allowed: Allowed, given: Json, sent: Case) -> tuple[Json, Json]:
        """The answer that is allowed and the one that was given, in normal form."""
        expected = sent_answer(allowed, sent.report)
        hosts = len(allowed.state.cluster.hosts)
        return normal.with_cuts_accepted(
            normal.answer(expected, self.declares, sent.report, hosts),
            normal.answer(given, self.declares, sent.report, hosts),
        )

    def _disagreement(self, told: Exchange, number: int, allowed: list[Allowed]) -> Disagreement:
        """What is wrong with an answer that nothing allows."""
        sent, event, given = told.sent, told.events[number], told.given[number]
        first, clause = allowed[0] if allowed else None, None
        if first is None and self.choices is not None and not isinstance(given, NoAnswer):
            first, clause = forbidden_by_choices(self.states[0], event, given, self.choices)
        first = first or canonical(self.states[0], event, self.rules)
        kind: Kind
        job: str | None = None
        if isinstance(given, NoAnswer):
            kind = given.kind
        else:
            found = first_difference(*self._normal(first, given, sent))
            assert found is not None, "an answer that agrees is no disagreement"
            kind, job = found
        return Disagreement(
            step=number,
            event=told.case["events"][number],
            kind=kind,
            expected=sent_answer(first, sent.report),
            actual=given.words if isinstance(given, NoAnswer) else given,
            job=job,
            before=self.states[0],
            clause=clause,
            one_of_several=self._leaves_choice(event, first, job),
            declares=self.declares,
        )

    def _leaves_choice(self, event: Event, first: Allowed, job: str | None) -> bool:
        """Whether the job, or some job of a run, could have been answered otherwise, too.

        CANCEL-1; and under a profile with choices the hosts of a job, and with those of one part
        whether the next is placed.
        """
        if not (isinstance(event, RunSession) and isinstance(first.answer, Ran)):
            return False
        tried = [one for one in first.answer.jobs if job in (None, one.job)]
        if event.cancel_at is not None:
            return bool(tried)
        return self.choices is not None and any(
            isinstance(one.answer, Dispatched) or self._parts_of(one.job) > 1 for one in tried
        )

    def _parts_of(self, job: str) -> int:
        """How many primaries a job has that waits, in all alternatives."""
        return sum(map(len, self.states[0].pending[job].keys))


def sent_answer(allowed: Allowed, report: Collection[str]) -> Json:
    """The answer with the reports that the case asks for, as it is sent."""
    answer = from_model.answer(allowed.answer, with_notes="events" in report)
    if "books" in report:
        answer["books"] = from_model.books(allowed.state.books)
    return answer


def _is_crash(given: Json | NoAnswer) -> bool:
    """A crash answers no event, and is told at the last one."""
    return isinstance(given, NoAnswer) and given.kind is Kind.CRASH


def _cancelled_job(event: Event, given: Json | NoAnswer) -> str | None:
    """CANCEL-1: the one job that was cancelled, if a cancellation was asked for."""
    if not isinstance(event, RunSession) or event.cancel_at is None or isinstance(given, NoAnswer):
        return None
    names = [one["job"] for one in given.get("jobs", []) if one["answer"] == "cancelled"]
    return names[0] if len(names) == 1 else None


def _distinct(states: Iterable[State]) -> list[State]:
    """The states without repetition."""
    kept: list[State] = []
    for state in states:
        if state not in kept:
            kept.append(state)
    return kept
