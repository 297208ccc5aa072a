"""What is counted while a simulation runs."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from allotment_conformance.wire.messages import Pending
from allotment_conformance.workload.jobs import LoggedJob, Skipped

Part = Sequence[tuple[str, int]]
"""Hosts with the slots of their buckets, as PAR-3 lists them."""


@dataclass(slots=True, kw_only=True)
class Tally:
    """The counters of one simulation. Times are seconds of the log.

    `waits` holds one number a job, eight bytes each: it is all that grows with the log.
    """

    sessions: int = 0
    exhaustions: int = 0
    cache_hits: int = 0
    never_placeable: int = 0
    wider_than_the_cluster: int = 0
    left_pending: int = 0
    uneven_splits: int = 0
    multi_host_dispatches: int = 0
    slot_seconds: int = 0
    amount_seconds: Counter[str] = field(default_factory=Counter)
    first_submit_time: int | None = None
    last_end_time: int = 0
    waits: "array[int]" = field(default_factory=lambda: array("q"))
    skipped: Counter[Skipped] = field(default_factory=Counter)

    @property
    def placed(self) -> int:
        """Jobs that were dispatched."""
        return len(self.waits)

    @property
    def decisions(self) -> int:
        """Answers that said whether a job runs."""
        return self.placed + self.exhaustions + self.cache_hits

    def note_dispatch(self, job: LoggedJob, start: int, parts: Iterable[Part]) -> int:
        """Count a job that starts; how many slots it holds."""
        buckets = [[slots for _, slots in part] for part in parts]
        slots = sum(map(sum, buckets))
        self.waits.append(start - job.submit_time)
        self.uneven_splits += sum(len(set(part)) > 1 for part in buckets)
        self.multi_host_dispatches += sum(map(len, buckets)) > 1
        self.slot_seconds += slots * job.run_time
        for resource, amount in job.amounts.items():
            self.amount_seconds[resource] += amount * slots * job.run_time
        self.last_end_time = max(self.last_end_time, start + job.run_time)
        return slots

    def note_pending(self, answer: Pending, *, declares_cached: bool) -> None:
        """Count a job that waits."""
        if declares_cached and answer.cached:
            self.cache_hits += 1
        else:
            self.exhaustions += 1

    def cut_off(self, instant: int, job: LoggedJob, slots: int, end: int) -> None:
        """Take back what a job that still runs has not used when the simulation stops."""
        unused = slots * max(0, end - instant)
        self.slot_seconds -= unused
        for resource, amount in job.amounts.items():
            self.amount_seconds[resource] -= amount * unused
