"""Seeded clusters and jobs for the benchmarks, and the loop that keeps a cluster busy.

A busy cluster is one in which jobs finish and come all the time. A *round* finishes a share of
what runs, begins a session, submits more than fits, runs, and withdraws what still waits; so the
share of dispatched jobs is set by how much more than fits is submitted.
"""

import gc
import random
from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time

from allotment_impl import (
    Cluster,
    Counts,
    Dispatched,
    Host,
    Job,
    Per,
    Primary,
    Resources,
    RusageEntry,
    Scheduler,
)

SLOTS = 16
"""Slots of a host."""

MEMORY = 64_000_000
"""Memory of a host, in thousandths of a megabyte."""

USERS = 8

Make = Callable[[random.Random, str], Job]


@dataclass(slots=True)
class Measured:
    """What a run cost: processor time by event, and how the jobs fared."""

    decisions: int = 0
    dispatched: int = 0
    hosts_taken: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    run_s: float = 0.0
    submit_s: float = 0.0
    other_s: float = 0.0

    def report(self) -> dict[str, object]:
        """The figures by name; rates are per second of processor time."""
        all_s = self.run_s + self.submit_s + self.other_s
        return {
            "decisions": self.decisions,
            "decisions_per_s": round(self.decisions / self.run_s),
            "with_submission_and_books_per_s": round(self.decisions / all_s),
            "submissions_per_s": round(self.decisions / self.submit_s),
            "dispatched_share": round(self.dispatched / self.decisions, 3),
            "hosts_per_dispatched": round(self.hosts_taken / max(1, self.dispatched), 1),
            "reasons": dict(sorted(self.reasons.items())),
        }


def cluster(hosts: int) -> Cluster:
    """Equal hosts with slots and memory."""
    capacity = {"slots": SLOTS, "mem": MEMORY}
    return Cluster(
        hosts=tuple(Host(name=f"h{number}", capacity=capacity) for number in range(hosts)),
        resources=Resources(host=("mem",)),
    )


def primary(tasks: int, memory: int = 0) -> Primary:
    """A primary with so much memory for each task, in thousandths."""
    rusage = (RusageEntry(resource="mem", amount=memory, per=Per.TASK),) if memory else ()
    return Primary(tasks=Counts(min=1, max=tasks), rusage=rusage)


def job(rng: random.Random, name: str, *alternatives: tuple[Primary, ...]) -> Job:
    """A job of one of a few users."""
    user = f"u{rng.randrange(USERS)}"
    return Job(name=name, user=user, queue="normal", project="p", request=alternatives)


def saturated(signatures: int = 4) -> Make:
    """Jobs of 1 to 64 tasks, with one of so many amounts of memory, the first of them none."""

    def make(rng: random.Random, name: str) -> Job:
        memory = rng.randrange(signatures) * 4_000_000 // max(1, signatures - 1)
        return job(rng, name, (primary(rng.randint(1, 64), memory),))

    return make


def trivial(rng: random.Random, name: str) -> Job:
    """Jobs of one task."""
    return job(rng, name, (primary(1, rng.choice([0, 1_000_000])),))


def wide(rng: random.Random, name: str) -> Job:
    """Jobs of 256 to 2,048 tasks."""
    return job(rng, name, (primary(rng.randint(256, 2048)),))


def compound(rng: random.Random, name: str) -> Job:
    """Compounds of two or three parts, half of them with an alternative."""
    parts = [rng.randint(1, 24) for _ in range(rng.choice([2, 2, 3]))]
    first = tuple(primary(tasks, rng.choice([0, 2_000_000, 4_000_000])) for tasks in parts)
    if rng.random() < 0.5:
        return job(rng, name, first)
    return job(rng, name, first, (Primary(tasks=Counts(min=len(parts), max=sum(parts))),))


class Busy:
    """A cluster that is kept busy, round by round."""

    def __init__(self, hosts: int, make: Make, seed: int, engine: str, excess: float) -> None:
        self.scheduler = Scheduler(cluster(hosts), cache="none", engine=engine)
        self._make = make
        self._rng = random.Random(seed)
        self._live: list[tuple[str, int]] = []
        self._slots = hosts * SLOTS
        self._excess = excess
        self._number = 0

    def fill(self) -> None:
        """Submit until the cluster is full, unmeasured."""
        free = self._slots
        while free > 0:
            measured = Measured()
            taken = self._submit(free, measured, 1.0)
            self._run(measured)
            if not measured.dispatched:
                break
            free -= taken

    def round(self, share: float, measured: Measured) -> None:
        """Finish a share of what runs, and submit more than what becomes free."""
        self._rng.shuffle(self._live)
        keep = int(len(self._live) * (1 - share))
        ending, self._live = self._live[keep:], self._live[:keep]
        began = process_time()
        for name, _ in ending:
            self.scheduler.finish(name)
        self.scheduler.begin_session()
        measured.other_s += process_time() - began
        self._submit(sum(tasks for _, tasks in ending), measured, self._excess)
        self._run(measured)

    def _submit(self, slots: int, measured: Measured, excess: float) -> int:
        jobs: list[Job] = []
        asked = 0
        while asked < slots * excess or not jobs:
            self._number += 1
            found = self._make(self._rng, f"j{self._number}")
            jobs.append(found)
            assert not isinstance(found.request, str), "the mixes make trees"
            asked += sum(part.tasks.max for part in found.request[0] if part.tasks)
        began = process_time()
        for one in jobs:
            self.scheduler.submit(one)
        measured.submit_s += process_time() - began
        return asked

    def _run(self, measured: Measured) -> None:
        began = process_time()
        decisions = self.scheduler.run_session()
        measured.run_s += process_time() - began
        measured.decisions += len(decisions)
        waiting = []
        for one in decisions:
            if isinstance(one, Dispatched):
                measured.dispatched += 1
                measured.hosts_taken += sum(len(part) for part in one.parts)
                tasks = sum(slots for part in one.parts for _, slots in part)
                self._live.append((one.job, tasks))
            else:
                reason = getattr(one, "reason").value  # noqa: B009
                measured.reasons[reason] = measured.reasons.get(reason, 0) + 1
                waiting.append(one.job)
        began = process_time()
        for name in waiting:
            self.scheduler.withdraw(name)
        measured.other_s += process_time() - began


def busy(
    hosts: int,
    make: Make,
    *,
    seed: int,
    engine: str,
    share: float = 0.1,
    excess: float = 2.6,
    decisions: int = 10_000,
    seconds: float = 2.0,
    repeats: int = 5,
) -> Measured:
    """Measure a busy cluster, for so many decisions or seconds, whichever comes first.

    A seeded run does the same each time. So it is repeated, and each of its rounds counts with
    the least time that it took: what others on the machine take from it is left out.
    """
    runs: list[list[Measured]] = []
    for repeat in range(repeats):
        world = Busy(hosts, make, seed, engine, excess)
        world.fill()
        for _ in range(3):
            world.round(share, Measured())
        rounds: list[Measured] = []
        gc.collect()
        while _go_on(rounds, decisions, seconds) if not repeat else len(rounds) < len(runs[0]):
            rounds.append(Measured())
            world.round(share, rounds[-1])
        runs.append(rounds)
    return _least(runs)


def _go_on(rounds: list[Measured], decisions: int, seconds: float) -> bool:
    return (
        sum(one.decisions for one in rounds) < decisions
        and sum(one.run_s for one in rounds) < seconds
    )


def _least(runs: list[list[Measured]]) -> Measured:
    total = Measured()
    for one in runs[0]:
        total.decisions += one.decisions
        total.dispatched += one.dispatched
        total.hosts_taken += one.hosts_taken
        for reason, count in one.reasons.items():
            total.reasons[reason] = total.reasons.get(reason, 0) + count
    for alike in zip(*runs, strict=True):
        assert len({(one.decisions, one.dispatched) for one in alike}) == 1
        total.run_s += min(one.run_s for one in alike)
        total.submit_s += min(one.submit_s for one in alike)
        total.other_s += min(one.other_s for one in alike)
    return total
