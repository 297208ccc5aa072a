"""The result of a simulation, as figures and as lines for a person."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import NamedTuple

from allotment_conformance.wire.messages import Json


class Ending(StrEnum):
    """Why a simulation ended."""

    COMPLETE = "complete"
    INTERRUPTED = "interrupted"
    DIFFERENCE = "difference"
    FAILURE = "failure"


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
    not run. `difference` also tells of a failure.
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


class Line(NamedTuple):
    """One line of a report; a section's title has no figure."""

    label: str
    figure: str | None = None


def lines_of(report: Report) -> Iterator[Line]:
    """The report in the order in which it is shown."""
    yield Line("Input")
    yield Line("log", report.log)
    for header in ("MaxJobs", "MaxNodes", "MaxProcs"):
        if header in report.headers:
            yield Line(f"header {header}", report.headers[header])
    yield Line("cluster", f"{report.hosts:,} hosts, {report.slots:,} slots")
    yield Line("allocator", report.allocator)
    yield from _job_lines(report)
    yield from _time_lines(report)
    yield from _decision_lines(report)


def _job_lines(report: Report) -> Iterator[Line]:
    yield Line("Jobs")
    yield Line("read", f"{report.jobs_read:,}")
    yield Line("placed", f"{report.jobs_placed:,}")
    yield Line("never placeable", f"{report.jobs_never_placeable:,}")
    if report.jobs_wider_than_the_cluster:
        yield Line("  wider than the cluster", f"{report.jobs_wider_than_the_cluster:,}")
    if report.jobs_left_pending:
        yield Line("left pending at the end", f"{report.jobs_left_pending:,}")
    if report.jobs_unsettled:
        yield Line(f"unsettled: {report.ending}", f"{report.jobs_unsettled:,}")
    yield Line("skipped", f"{sum(report.jobs_skipped.values()):,}")
    for kind, count in report.jobs_skipped.items():
        yield Line(f"  {kind}", f"{count:,}")
    if report.remarks:
        yield Line("Remarks on the log")
    for kind, count in report.remarks.items():
        yield Line(kind, f"{count:,}")


def _time_lines(report: Report) -> Iterator[Line]:
    yield Line("Simulated time")
    if report.waits is not None:
        yield Line("wait, mean", f"{report.waits.mean:,.1f} s")
        yield Line("wait, median", f"{report.waits.median:,.1f} s")
        yield Line("wait, 95th percentile", f"{report.waits.percentile_95:,} s")
        yield Line("wait, largest", f"{report.waits.largest:,} s")
    yield Line("makespan", f"{report.makespan:,} s")
    yield Line("utilisation", f"{report.utilisation:.1%}")
    for name, share in report.utilisation_of_amounts.items():
        yield Line(f"  of {name}", f"{share:.1%}")


def _decision_lines(report: Report) -> Iterator[Line]:
    yield Line("Decisions")
    yield Line("sessions", f"{report.sessions:,}")
    yield Line("decisions", f"{report.decisions:,}")
    yield Line("exhaustions", f"{report.exhaustions:,}")
    hits = report.cache_hits
    yield Line("cache hits", "not declared" if hits is None else f"{hits:,}")
    yield Line("uneven splits", f"{report.uneven_splits:,}")
    yield Line("dispatches to several hosts", f"{report.multi_host_dispatches:,}")
    yield Line("time in the allocator", f"{report.seconds.in_allocator:,.2f} s")
    if report.seconds.in_model is not None:
        yield Line("time in the model", f"{report.seconds.in_model:,.2f} s")
    yield Line("time overall", f"{report.seconds.overall:,.2f} s")
    for what, seconds in (
        ("in the allocator", report.seconds.in_allocator),
        ("overall", report.seconds.overall),
    ):
        rate = report.decisions / seconds if seconds else 0
        yield Line(f"decisions a second, {what}", f"{rate:,.0f}")
    if report.decisions_compared is not None:
        yield Line("decisions computed by the model", f"{report.decisions_compared:,}")
        outcome = "one, see below" if report.ending is Ending.DIFFERENCE else "none"
        yield Line("differences from the model", outcome)
