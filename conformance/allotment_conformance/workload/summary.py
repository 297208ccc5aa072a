"""The result of a simulation."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median

from allotment_conformance.wire.messages import Json


class Ending(StrEnum):
    """Why a simulation ended."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    DIFFERENCE = "difference"
    FAILURE = "failure"
    NO_ROOM = "no room"


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Seconds from submission to start, over the jobs that were placed."""

    mean: float
    median: float
    percentile_95: int
    largest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Seconds:
    """Real time spent: in all, inside the allocator's `run`, inside the model beside it."""

    overall: float
    in_allocator: float
    in_model: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundDifference:
    """Where the allocator left the model, or failed, in words, and a case that shows it."""

    second: int
    event: str
    expected: str
    actual: str
    case: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What became of the jobs of a log.

    Each of the `jobs_read` is placed, never placeable, left pending, skipped, or unsettled; the
    last only if the simulation was cut short. Times of the log, the makespan among them, are whole
    seconds. What a profile does not declare is None, and so is what is said of the model if it did
    not run. `difference` also tells of a failure, `no_room` why what is sent could not be kept.
    """

    log: str
    headers: dict[str, str]
    allocator: str
    hosts: int
    slots: int
    ending: Ending
    jobs_read: int
    jobs_placed: int
    jobs_never_placeable: int
    jobs_wider_than_the_cluster: int
    jobs_left_pending: int
    jobs_skipped: dict[str, int]
    jobs_unsettled: int
    remarks: dict[str, int]
    waits: Waits | None
    makespan: int
    slot_seconds: int
    utilisation: float
    utilisation_of_amounts: dict[str, float]
    sessions: int
    decisions: int
    exhaustions: int
    cache_hits: int | None
    uneven_splits: int
    multi_host_dispatches: int
    decisions_compared: int | None
    seconds: Seconds
    difference: FoundDifference | None
    no_room: str | None = None


def waits_of(seconds: Sequence[int]) -> Waits | None:
    """The figures of these waits; None if there is none. Percentiles are by nearest rank."""
    if not seconds:
        return None
    ordered = sorted(seconds)
    return Waits(
        mean=sum(ordered) / len(ordered),
        median=median(ordered),
        percentile_95=ordered[-(-len(ordered) * 95 // 100) - 1],
        largest=ordered[-1],
    )
