"""The library twin of `allotment gap`: what two rules of version 1 cost."""

from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass

from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json
from allotment_conformance.workload.arrivals import in_order_of_time
from allotment_conformance.workload.compounds import CompoundGap, Watch, compound_gap
from allotment_conformance.workload.conversation import Conversation, room
from allotment_conformance.workload.jobs import Findings, Log, Remark, Skipped
from allotment_conformance.workload.sessions import Simulation
from allotment_conformance.workload.simulation import in_words, refuse_what_is_beyond
from allotment_conformance.workload.splits import SplitGap, SplitWatch
from allotment_conformance.workload.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class Gap:
    """Both measures, and what the log did not give; `compounds` is None after an interrupt."""

    log: str
    allocator: str
    hosts: int
    skipped: dict[str, int]
    remarks: dict[str, int]
    splits: SplitGap
    compounds: CompoundGap | None


def measure(
    log: Log,
    cluster: Json,
    adapter: Adapter,
    *,
    slots: int,
    cycle: int = 1,
    watch: Callable[[Findings, Tally], None] = lambda findings, tally: None,
    watch_compounds: Watch = lambda gap, part: None,
) -> Gap:
    """Measure both. The adapter is started and closed here.

    Raises `AllocatorFailed` and `KitError`. An interrupt ends the simulation, not the report.
    """
    findings = Findings()
    compounds = None
    with ExitStack() as stack:
        stack.callback(adapter.close)
        profile = legal_profile(adapter.start())
        refuse_what_is_beyond(cluster, profile)
        sent = stack.enter_context(room())
        splits = SplitWatch(Conversation(adapter, sent), cluster)
        jobs = in_order_of_time(log.jobs(findings), findings)
        simulation = Simulation(jobs, cluster, splits, profile, cycle=cycle)
        with suppress(KeyboardInterrupt):
            simulation.run(lambda: watch(findings, simulation.tally))
            compounds = compound_gap(slots, watch_compounds)
    return Gap(
        log=log.name,
        allocator=f"{profile.name} {profile.version}",
        hosts=len(cluster["hosts"]),
        skipped=in_words(findings.skipped + simulation.tally.skipped, Skipped),
        remarks=in_words(findings.remarks, Remark),
        splits=splits.gap,
        compounds=compounds,
    )
