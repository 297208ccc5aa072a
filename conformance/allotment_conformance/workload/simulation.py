"""The library twin of `allotment simulate`: a log, a cluster, an allocator in; a report out."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from enum import StrEnum
from time import perf_counter
from typing import ClassVar, TypeVar

from allotment_conformance.errors import KitError
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.workload.arrivals import in_order_of_time
from allotment_conformance.workload.bookkeeping import Bookkeeper
from allotment_conformance.workload.conversation import (
    AllocatorFailed,
    CannotKeep,
    Conversation,
    room,
)
from allotment_conformance.workload.hosts import MEMORY, amounts_of, capacity_of
from allotment_conformance.workload.jobs import Findings, Log, LoggedJob, Remark, Skipped
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
from allotment_conformance.workload.tally import Tally

Kind = TypeVar("Kind", bound=StrEnum)

Watch = Callable[[Findings, Tally], None]
"""Called after each session with the counters so far, to show progress."""


class BeyondTheProfile(KitError):
    """The cluster is more than the allocator declares that it can take."""

    code: ClassVar[str] = "beyond-the-profile"


def simulate(
    log: Log,
    cluster: Json,
    adapter: Adapter,
    *,
    against_model: bool = False,
    every: int = 1,
    cycle: int = 1,
    watch: Watch = lambda findings, tally: None,
) -> Report:
    """Send the jobs of a log through an allocator, and report what became of each.

    `cluster` is one of SPEC.md 2.1 (`cluster_of` makes one); the jobs ask for those of their
    amounts that it declares. With `against_model` the model runs in lock-step, up to the first
    difference, and computes each `every`-th decision. Sessions fall on multiples of `cycle`
    seconds. The adapter is started and closed here.

    An interrupt ends the simulation, not the report. Raises `KitError`.
    """
    started, findings = perf_counter(), Findings()
    with ExitStack() as stack:
        stack.callback(adapter.close)
        profile = legal_profile(adapter.start())
        refuse_what_is_beyond(cluster, profile)
        conversation = Conversation(adapter, stack.enter_context(room()))
        lockstep = LockStep(conversation, profile, every=every) if against_model else None
        jobs = in_order_of_time(_memory_remarked(log, findings, cluster), findings)
        checked = lockstep or Bookkeeper(conversation, cluster)
        simulation = Simulation(jobs, cluster, checked, profile, cycle=cycle)
        ending, fault = _run(simulation, lambda: watch(findings, simulation.tally))
        seconds = Seconds(
            overall=perf_counter() - started,
            in_allocator=conversation.seconds,
            in_model=None if lockstep is None else lockstep.seconds,
        )
        found = _found(fault, conversation, cluster, profile, simulation.instant)
    report = Report(
        log=log.name,
        ending=ending,
        seconds=seconds,
        difference=found,
        no_room=fault.words if isinstance(fault, CannotKeep) else None,
        decisions_compared=None if lockstep is None else lockstep.compared,
        **_figures(simulation.tally, findings, profile, cluster),
    )
    assert ending is not Ending.COMPLETE or report.jobs_unsettled == 0, "a job was lost"
    return report


def refuse_what_is_beyond(cluster: Json, profile: Profile) -> None:
    """A case stays inside what the allocator declares (SPEC.md 2.4)."""
    hosts, largest = len(cluster["hosts"]), profile.largest
    if hosts > largest.hosts:
        raise BeyondTheProfile(
            f"{hosts:,} hosts are more than the {largest.hosts:,} that '{profile.name}' declares",
            remedy="Ask for fewer hosts.",
        )
    if amounts_of(cluster) and "rusage" not in profile.features:
        raise BeyondTheProfile(
            f"'{profile.name}' does not declare that jobs may ask for amounts such as memory",
            remedy="Leave out --mem, or give hosts of slots alone.",
        )
    if cluster.get("resources", {}).get("attributes") and "select" not in profile.features:
        raise BeyondTheProfile(
            f"'{profile.name}' does not declare that jobs may select hosts by attributes",
            remedy="Give hosts of slots alone.",
        )
    if any(max(host["capacity"].values()) > largest.amount for host in cluster["hosts"]):
        raise BeyondTheProfile(
            f"a host has more than the amount of {largest.amount:,} that '{profile.name}' declares",
            remedy="Ask for hosts with less.",
        )


def _memory_remarked(log: Log, findings: Findings, cluster: Json) -> Iterator[LoggedJob]:
    """The jobs of a log; what becomes of their memory is remarked."""
    counts = MEMORY in amounts_of(cluster)
    for job in log.jobs(findings):
        findings.remark(Remark.MEMORY_UNKNOWN, counts and MEMORY not in job.amounts)
        findings.remark(Remark.MEMORY_IGNORED, not counts and MEMORY in job.amounts)
        yield job


Fault = Parted | AllocatorFailed
"""What ends a simulation before its time."""


def _run(
    simulation: Simulation, watch: Callable[[], None]
) -> tuple[Ending, Fault | CannotKeep | None]:
    """Simulate as far as it goes: why it ended, and what it met if that was a fault."""
    try:
        simulation.run(watch)
    except KeyboardInterrupt:
        simulation.stop()
        return Ending.INTERRUPTED, None
    except Parted as parted:
        simulation.stop()
        return Ending.DIFFERENCE, parted
    except AllocatorFailed as failed:
        simulation.stop()
        return Ending.FAILURE, failed
    except CannotKeep as full:
        simulation.stop()
        return Ending.NO_ROOM, full
    return Ending.COMPLETE, None


def _found(
    fault: Fault | CannotKeep | None,
    conversation: Conversation,
    cluster: Json,
    profile: Profile,
    second: int,
) -> FoundDifference | None:
    """The fault, with a case that shows it: all that was sent if the search is interrupted.

    None if there was none of the allocator's.
    """
    if fault is None or isinstance(fault, CannotKeep):
        return None
    situation = fault.situation if isinstance(fault, Parted) else None
    try:
        case = reproduction(situation, conversation, cluster, profile)
    except KeyboardInterrupt:
        case = conversation.whole_case()
    return FoundDifference(
        second=second,
        event=fault.event,
        expected=fault.expected,
        actual=fault.actual,
        case=case,
    )


def _figures(tally: Tally, findings: Findings, profile: Profile, cluster: Json) -> Json:
    """The figures of a report, by the names of its fields."""
    skipped = findings.skipped + tally.skipped
    begin = tally.last_end_time if tally.first_submit_time is None else tally.first_submit_time
    makespan = max(0, tally.last_end_time - begin)
    settled = tally.placed + tally.never_placeable + tally.left_pending + skipped.total()
    return {
        "headers": findings.headers,
        "allocator": f"{profile.name} {profile.version}",
        "hosts": len(cluster["hosts"]),
        "slots": capacity_of(cluster, "slots"),
        "jobs_read": findings.jobs_read,
        "jobs_placed": tally.placed,
        "jobs_never_placeable": tally.never_placeable,
        "jobs_wider_than_the_cluster": tally.wider_than_the_cluster,
        "jobs_left_pending": tally.left_pending,
        "jobs_skipped": in_words(skipped, Skipped),
        "jobs_unsettled": findings.jobs_read - settled,
        "remarks": in_words(findings.remarks, Remark),
        "waits": waits_of(tally.waits),
        "makespan": makespan,
        "slot_seconds": tally.slot_seconds,
        "utilisation": _used(tally.slot_seconds, cluster, "slots", makespan),
        "utilisation_of_amounts": {
            name: _used(tally.amount_seconds[name], cluster, name, makespan)
            for name in amounts_of(cluster)
        },
        "sessions": tally.sessions,
        "decisions": tally.decisions,
        "exhaustions": tally.exhaustions,
        "cache_hits": tally.cache_hits if "cached" in profile.declares else None,
        "uneven_splits": tally.uneven_splits,
        "multi_host_dispatches": tally.multi_host_dispatches,
    }


def _used(resource_seconds: int, cluster: Json, resource: str, seconds: int) -> float:
    """The share of a resource that was in use over that time."""
    there = capacity_of(cluster, resource) * seconds
    return resource_seconds / there if there else 0.0


def in_words(counts: Mapping[Kind, int], kinds: type[Kind]) -> dict[str, int]:
    """The counts by what is counted, in the order in which the kinds are listed."""
    return {str(kind): counts[kind] for kind in kinds if counts.get(kind)}
