"""The library twin of `allotment simulate`: a log, a cluster, an allocator in; a report out."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from enum import StrEnum
from tempfile import TemporaryFile
from time import perf_counter
from typing import ClassVar, TypeVar

from allotment_conformance.errors import KitError
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, Profile, read_profile
from allotment_conformance.workload.arrivals import in_order_of_time
from allotment_conformance.workload.hosts import has_memory, slots_of
from allotment_conformance.workload.lockstep import LockStep, Parted
from allotment_conformance.workload.reproduction import reproduction
from allotment_conformance.workload.sessions import Simulation
from allotment_conformance.workload.summary import (
    Ending,
    FoundDifference,
    Report,
    Seconds,
    waits_of,
)
from allotment_conformance.workload.swf import (
    Findings,
    LoggedJob,
    Remark,
    Skipped,
    open_log,
    read_jobs,
)
from allotment_conformance.workload.tally import Tally
from allotment_conformance.workload.timing import Timed

Kind = TypeVar("Kind", bound=StrEnum)

Watch = Callable[[Findings, Tally], None]
"""Called after each session with the counters so far, to show progress."""


class BeyondTheProfile(KitError):
    """The cluster is more than the allocator declares that it can take."""

    code: ClassVar[str] = "beyond-the-profile"


def simulate(
    log: str,
    cluster: Json,
    adapter: Adapter,
    *,
    against_model: bool = False,
    every: int = 1,
    limit_jobs: int | None = None,
    watch: Watch = lambda findings, tally: None,
) -> Report:
    """Send the jobs of a log through an allocator, and report what became of each.

    `log` is a path or the word `sample`; `cluster` is one of SPEC.md 2.1 (`cluster_of` makes one),
    and with a host amount `mem` in it the jobs ask for their memory, one thousandth a KB. With
    `against_model` the model runs in lock-step, up to the first difference. Sessions fall on
    multiples of `every` seconds. The adapter is started and closed here.

    An interrupt ends the simulation, not the report. Raises `KitError`.
    """
    started, findings = perf_counter(), Findings()
    with ExitStack() as stack:
        stream = stack.enter_context(open_log(log))
        stack.callback(adapter.close)
        profile = read_profile(adapter.start())
        _refuse_what_is_beyond(cluster, profile)
        allocator = Timed(adapter)
        lockstep = None
        if against_model:
            sent = stack.enter_context(TemporaryFile("w+", encoding="utf-8"))
            lockstep = LockStep(allocator, profile, sent)
        logged = read_jobs(stream, findings, most=limit_jobs)
        jobs = in_order_of_time(_memory_remarked(logged, findings, cluster), findings)
        simulation = Simulation(jobs, cluster, lockstep or allocator, profile, every=every)
        ending, parted = _run(simulation, lambda: watch(findings, simulation.tally))
        seconds = Seconds(
            overall=perf_counter() - started,
            in_allocator=allocator.seconds,
            in_model=lockstep.model.seconds if lockstep is not None else None,
        )
        difference = None
        if parted is not None and lockstep is not None:
            difference = _found(parted, lockstep, cluster, profile, simulation.instant)
    figures = _figures(simulation.tally, findings, profile, cluster)
    report = Report(log=log, ending=ending, seconds=seconds, difference=difference, **figures)
    assert ending is not Ending.COMPLETE or report.jobs_unsettled == 0, "a job was lost"
    return report


def _refuse_what_is_beyond(cluster: Json, profile: Profile) -> None:
    """A case stays inside what the allocator declares (SPEC.md 2.4)."""
    hosts, largest = len(cluster["hosts"]), profile.largest
    if hosts > largest.hosts:
        raise BeyondTheProfile(
            f"{hosts:,} hosts are more than the {largest.hosts:,} that '{profile.name}' declares",
            remedy="Ask for fewer hosts.",
        )
    if has_memory(cluster) and "rusage" not in profile.features:
        raise BeyondTheProfile(
            f"'{profile.name}' does not declare that jobs may ask for amounts such as memory",
            remedy="Leave out --mem.",
        )
    if any(max(host["capacity"].values()) > largest.amount for host in cluster["hosts"]):
        raise BeyondTheProfile(
            f"a host has more than the amount of {largest.amount:,} that '{profile.name}' declares",
            remedy="Ask for hosts with less.",
        )


def _memory_remarked(
    jobs: Iterable[LoggedJob], findings: Findings, cluster: Json
) -> Iterator[LoggedJob]:
    """The same jobs; what becomes of their memory is remarked."""
    counts = has_memory(cluster)
    for job in jobs:
        findings.remark(Remark.MEMORY_UNKNOWN, counts and job.memory_kb is None)
        findings.remark(Remark.MEMORY_IGNORED, not counts and job.memory_kb is not None)
        yield job


def _run(simulation: Simulation, watch: Callable[[], None]) -> tuple[Ending, Parted | None]:
    """Simulate as far as it goes: why it ended, and what it met if that was a difference."""
    try:
        simulation.run(watch)
    except KeyboardInterrupt:
        simulation.stop()
        return Ending.INTERRUPTED, None
    except Parted as parted:
        simulation.stop()
        return Ending.DIFFERENCE, parted
    return Ending.COMPLETE, None


def _found(
    parted: Parted, lockstep: LockStep, cluster: Json, profile: Profile, second: int
) -> FoundDifference:
    """The difference, with a case that shows it: all that was run if the search is interrupted."""
    try:
        case = reproduction(parted, lockstep, cluster, profile)
    except KeyboardInterrupt:
        case = lockstep.whole_case()
    return FoundDifference(
        second=second,
        event=parted.event,
        expected=parted.difference.expected,
        actual=parted.difference.actual,
        case=case,
    )


def _figures(tally: Tally, findings: Findings, profile: Profile, cluster: Json) -> Json:
    """The figures of a report, by the names of its fields."""
    skipped = findings.skipped + tally.skipped
    slots = slots_of(cluster)
    begin = tally.last_end_time if tally.first_submit_time is None else tally.first_submit_time
    makespan = tally.last_end_time - begin
    settled = tally.placed + tally.never_placeable + tally.left_pending + skipped.total()
    return {
        "headers": findings.headers,
        "allocator": f"{profile.name} {profile.version}",
        "hosts": len(cluster["hosts"]),
        "slots": slots,
        "jobs_read": findings.jobs_read,
        "jobs_placed": tally.placed,
        "jobs_never_placeable": tally.never_placeable,
        "jobs_wider_than_the_cluster": tally.wider_than_the_cluster,
        "jobs_left_pending": tally.left_pending,
        "jobs_skipped": _in_words(skipped, Skipped),
        "jobs_unsettled": findings.jobs_read - settled,
        "remarks": _in_words(findings.remarks, Remark),
        "waits": waits_of(tally.waits),
        "makespan": makespan,
        "slot_seconds": tally.slot_seconds,
        "utilisation": tally.slot_seconds / (slots * makespan) if slots * makespan else 0.0,
        "sessions": tally.sessions,
        "decisions": tally.decisions,
        "exhaustions": tally.exhaustions,
        "cache_hits": tally.cache_hits if "cached" in profile.declares else None,
        "uneven_splits": tally.uneven_splits,
        "multi_host_dispatches": tally.multi_host_dispatches,
    }


def _in_words(counts: Mapping[Kind, int], kinds: type[Kind]) -> dict[str, int]:
    """The counts by what is counted, in the order in which the kinds are listed."""
    return {str(kind): counts[kind] for kind in kinds if counts.get(kind)}
