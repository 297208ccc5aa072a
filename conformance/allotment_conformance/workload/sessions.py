"""Simulated time: the jobs of a log go through an allocator, session by session.

    at each instant at which a job arrives or ends
        the jobs that have ended finish, hopeless jobs are withdrawn, a session begins
        the jobs that have arrived are submitted, and every pending job is tried

Each instant is one case of SPEC.md 2.1. Only the first has a cluster; the others go on with the
scheduler that the first one started.
"""

import heapq
from collections.abc import Callable, Iterable, Iterator

from allotment_conformance.wire.messages import (
    Answer,
    Dispatched,
    Json,
    Pending,
    Profile,
    Ran,
    Refused,
)
from allotment_conformance.workload.arrivals import submitted
from allotment_conformance.workload.conversation import Answers
from allotment_conformance.workload.hosts import amounts_of, capacity_of
from allotment_conformance.workload.jobs import LATEST, LoggedJob, Skipped
from allotment_conformance.workload.tally import Tally

Running = tuple[int, int, LoggedJob, int]
"""When a job ends, a number that tells jobs of one end apart, the job, and its slots."""


class Simulation:
    """One run of a log through an allocator. `tally` may be read at any time, `instant` too.

    Its answers have been looked at: by `LockStep`, or by a `Bookkeeper`.
    """

    def __init__(
        self,
        jobs: Iterable[LoggedJob],
        cluster: Json,
        allocator: Answers,
        profile: Profile,
        *,
        cycle: int = 1,
    ) -> None:
        assert cycle >= 1, "a scheduling cycle takes time"
        self.tally = Tally()
        self.instant = 0
        self._jobs = self._acceptable(jobs)
        self._arriving: LoggedJob | None = None
        self._cluster: Json | None = cluster
        self._slots = capacity_of(cluster, "slots")
        self._amounts = amounts_of(cluster)
        self._allocator = allocator
        self._profile = profile
        self._cycle = cycle
        self._pending: dict[str, LoggedJob] = {}
        self._hopeless: list[str] = []
        self._running: list[Running] = []

    def run(self, after_each_session: Callable[[], None]) -> None:
        """Simulate until no job runs and none is to come, then withdraw what still waits."""
        self._arriving = next(self._jobs, None)
        while (instant := self._next_instant()) is not None:
            self.instant = instant
            self._session()
            after_each_session()
        self.tally.left_pending += len(self._pending)
        self._hopeless += self._pending
        self._pending.clear()
        if self._hopeless:
            self._ask(self._withdrawals())

    def stop(self) -> None:
        """Reckon what the running jobs have used up to now, when `run` was cut short."""
        for end, _, job, slots in self._running:
            self.tally.cut_off(self.instant, job, slots, end)
        self.tally.last_end_time = self.instant

    def _acceptable(self, jobs: Iterable[LoggedJob]) -> Iterator[LoggedJob]:
        """The jobs that stay inside what the allocator declares, and time; others are counted."""
        largest = self._profile.largest
        for job in jobs:
            most = max((job.amounts.get(name, 0) for name in self._amounts), default=0)
            if max(job.submit_time, job.run_time) > LATEST:
                self.tally.skipped[Skipped.TOO_LATE] += 1
            elif job.tasks > largest.tasks:
                self.tally.skipped[Skipped.TOO_MANY_TASKS] += 1
            elif job.tasks * most > largest.amount:
                self.tally.skipped[Skipped.TOO_LARGE_AMOUNT] += 1
            else:
                yield job

    def _next_instant(self) -> int | None:
        """When a job arrives or ends next, at a scheduling cycle and not before now."""
        times = [self._arriving.submit_time] if self._arriving else []
        times += [self._running[0][0]] if self._running else []
        if not times:
            return None
        return max(self.instant, -(-min(times) // self._cycle) * self._cycle)

    def _session(self) -> None:
        """One session: what has ended, what has arrived, and a run."""
        ended = []
        while self._running and self._running[0][0] <= self.instant:
            ended.append({"event": "finish", "job": heapq.heappop(self._running)[2].name})
        arrived = self._arrivals()
        submits = [{"event": "submit", "job": submitted(job, self._amounts)} for job in arrived]
        before = [*ended, *self._withdrawals(), {"event": "begin_session"}]
        *answers, ran = self._ask([*before, *submits, {"event": "run_session"}])
        self.tally.sessions += 1
        for job, answer in zip(arrived, answers[len(before) :], strict=True):
            if isinstance(answer, Refused):
                del self._pending[job.name]
                self.tally.skipped[Skipped.REFUSED] += 1
        self._note_run(ran)

    def _arrivals(self) -> list[LoggedJob]:
        """The jobs that have arrived by now; they are pending."""
        arrived = []
        while self._arriving and self._arriving.submit_time <= self.instant:
            job = self._arriving
            arrived.append(job)
            self._pending[job.name] = job
            if self.tally.first_submit_time is None:
                self.tally.first_submit_time = job.submit_time
            self._arriving = next(self._jobs, None)
        return arrived

    def _withdrawals(self) -> list[Json]:
        """Withdraws what can never run, so that a log's hopeless jobs are not tried for ever."""
        events: list[Json] = [{"event": "withdraw", "job": name} for name in self._hopeless]
        self._hopeless.clear()
        return events

    def _ask(self, events: list[Json]) -> list[Answer]:
        """The allocator's answers, one for each event."""
        case: Json = {"events": events}
        if self._cluster is not None:
            case["cluster"], self._cluster = self._cluster, None
        return self._allocator.run(case)

    def _note_run(self, ran: Answer) -> None:
        """Take up what a run decided."""
        assert isinstance(ran, Ran), "each event's answer was looked at"
        for answer in ran.jobs:
            job = self._pending[answer.job]
            if isinstance(answer, Dispatched):
                del self._pending[job.name]
                slots = self.tally.note_dispatch(job, self.instant, answer.parts)
                end = self.instant + job.run_time
                heapq.heappush(self._running, (end, self.tally.placed, job, slots))
            else:
                assert isinstance(answer, Pending), "nobody cancels the run"
                self._note_pending(job, answer)

    def _note_pending(self, job: LoggedJob, answer: Pending) -> None:
        """Take up that a job waits, perhaps for ever."""
        declares = self._profile.declares
        self.tally.note_pending(answer, declares_cached="cached" in declares)
        is_wide = job.tasks > self._slots
        if answer.never if "never" in declares else is_wide:
            del self._pending[job.name]
            self._hopeless.append(job.name)
            self.tally.never_placeable += 1
            self.tally.wider_than_the_cluster += is_wide
