"""Rounds of a busy cluster, recorded once, so that every allocator is asked the very same.

The built-in allocator decides while recording; whoever is measured then is sent the same finishes
and submissions, and where it follows SPEC.md its answers must be those that were recorded.
"""

import random
from dataclasses import dataclass, field
from typing import Any

from mixes import GAPS, SLOTS, Make, Mix, cluster, tasks_of

from allotment_impl import Dispatched, Job, Pending, Scheduler
from allotment_impl.decisions import Outcome

Answer = list[Any]
"""Dispatched: [alternative, [[[host, slots], …] for each part]]. Pending: [reason, never]."""

WARMING_ROUNDS = 3
"""Rounds before those that are measured: a cluster that was only filled has no gaps yet."""


@dataclass(frozen=True, slots=True)
class Step:
    """What happens before one run, and what the run answers, job by job."""

    finish: list[str]
    submit: list[Job]
    answers: list[Answer]


@dataclass(slots=True)
class Recording:
    """Steps, of which the first ``unmeasured`` only fill the cluster."""

    hosts: int
    steps: list[Step] = field(default_factory=list)
    unmeasured: int = 0

    @property
    def measured(self) -> list[Step]:
        """The steps that count."""
        return self.steps[self.unmeasured :]

    @property
    def decisions(self) -> int:
        """How many decisions the measured steps have."""
        return sum(len(step.submit) for step in self.measured)

    @property
    def dispatched_share(self) -> float:
        """The part of the measured decisions that placed a job."""
        placed = sum(is_dispatched(one) for step in self.measured for one in step.answers)
        return placed / self.decisions


@dataclass(slots=True)
class Timed:
    """Processor seconds of the runs of the measured steps, as many as there was time for.

    The last step may have been left in the middle, when its time was over.
    """

    seconds: list[float] = field(default_factory=list)
    decisions: list[int] = field(default_factory=list)
    submit_s: float = 0.0
    books_s: float = 0.0
    evictions: int = 0

    def add(self, seconds: float, decisions: int) -> None:
        """One more step."""
        self.seconds.append(seconds)
        self.decisions.append(decisions)

    def rate(self, steps: int | None = None) -> float:
        """Decisions a second, over all steps or the first few."""
        return sum(self.decisions[:steps]) / sum(self.seconds[:steps])

    def times_as_fast_as(self, other: "Timed") -> float | None:
        """The ratio of both rates over the steps that both have begun; None if one decided none."""
        steps = min(len(self.seconds), len(other.seconds))
        return self.rate(steps) / other.rate(steps) if other.rate(steps) else None


def is_dispatched(answer: Answer) -> bool:
    """Whether an answer places the job."""
    return isinstance(answer[0], int)


def answer_of(outcome: Outcome) -> Answer:
    """The answer in a decision of the built-in allocator."""
    if isinstance(outcome, Dispatched):
        parts = [[list(taken) for taken in part] for part in outcome.parts]
        return [outcome.alternative, parts]
    assert isinstance(outcome, Pending), "nothing is cancelled here"
    return [outcome.reason.value, outcome.never]


class _Recorder:
    """A cluster that is kept busy, with what was done to it."""

    def __init__(self, mix: Mix, hosts: int, seed: int) -> None:
        self.recording = Recording(hosts)
        self._mix = mix
        self._scheduler = Scheduler(cluster(hosts), cache="none")
        self._rng = random.Random(seed)
        self._live: list[tuple[str, int]] = []
        self._number = 0

    def fill(self) -> None:
        """Submit until nothing that is submitted fits."""
        free = self.recording.hosts * SLOTS
        while free > 0:
            jobs: list[Job] = []
            while sum(map(tasks_of, jobs)) < free:
                jobs += [self._job(self._mix.filling) for _ in range(100)]
            live = len(self._live)
            self._step([], jobs)
            if len(self._live) == live:
                break
            free -= sum(tasks for _, tasks in self._live[live:])

    def open_gaps(self) -> None:
        """Some jobs end, and none come."""
        self._rng.shuffle(self._live)
        self._live, ending = self._live[:-GAPS], self._live[-GAPS:]
        self._step([name for name, _ in ending], [])

    def round(self) -> None:
        """Some jobs end, and more come than fit."""
        mix = self._mix
        if not mix.ending:
            self._step([], [self._job(mix.make) for _ in range(mix.jobs)])
            return
        assert self._live, "the cluster is large enough for the jobs of its mix"
        self._rng.shuffle(self._live)
        count = max(1, min(mix.ending, len(self._live) // 10))
        self._live, ending = self._live[:-count], self._live[-count:]
        wanted = sum(tasks for _, tasks in ending) * mix.excess
        jobs: list[Job] = []
        while wanted > 0:
            jobs.append(self._job(mix.make))
            wanted -= tasks_of(jobs[-1])
        self._step([name for name, _ in ending], jobs)

    def _job(self, make: Make) -> Job:
        self._number += 1
        return make(self._rng, f"j{self._number}")

    def _step(self, finish: list[str], submit: list[Job]) -> None:
        scheduler = self._scheduler
        for name in finish:
            scheduler.finish(name)
        scheduler.begin_session()
        for one in submit:
            scheduler.submit(one)
        answers = [answer_of(outcome) for outcome in scheduler.run_session()]
        self.recording.steps.append(Step(finish, submit, answers))
        for one, answer in zip(submit, answers, strict=True):
            if is_dispatched(answer):
                self._live.append((one.name, tasks_of(one)))
            else:
                scheduler.withdraw(one.name)


def record(mix: Mix, hosts: int, decisions: int, *, seed: int = 1) -> Recording:
    """At least so many decisions of a mix, on a cluster that was filled before."""
    recorder = _Recorder(mix, hosts, seed)
    recorder.fill()
    if not mix.ending:
        recorder.open_gaps()
    for _ in range(WARMING_ROUNDS):
        recorder.round()
    recording = recorder.recording
    recording.unmeasured = len(recording.steps)
    while recording.decisions < decisions:
        recorder.round()
    return recording
