"""The result of `allotment gap`, as lines for a person and as figures."""

from collections.abc import Iterator

from allotment_conformance.wire.messages import Json
from allotment_conformance.workload.compounds import HOSTS_MOST, CompoundGap
from allotment_conformance.workload.gap import Gap
from allotment_conformance.workload.splits import SplitGap


def lines(gap: Gap) -> Iterator[str]:
    """The figures in words."""
    yield f"{gap.log} on {gap.hosts:,} hosts, {gap.allocator}"
    yield from _counted("Jobs skipped", gap.skipped)
    yield from _counted("Remarks on the log", gap.remarks)
    yield from _split_lines(gap.splits)
    if gap.compounds is None:
        yield "Interrupted: the figures are those up to there."
    else:
        yield from _compound_lines(gap.compounds)


def _counted(head: str, counts: dict[str, int]) -> Iterator[str]:
    if counts:
        yield head
    yield from (f"  {kind:<59}{count:>7,}" for kind, count in counts.items())


def _split_lines(gap: SplitGap) -> Iterator[str]:
    yield "Balanced splits (E6): requests that pended though some other split would have fitted"
    several = f"{gap.jobs_of_several_tasks:,} of several tasks"
    yield f"  jobs submitted             {gap.jobs:>10,}, {several}"
    yield f"  jobs that pended           {len(gap.pended):>10,}"
    yield _share("would have fitted once", len(gap.would_fit), len(gap.pended))
    yield _share("and never can, so split", len(gap.only_by_rule), len(gap.pended))
    yield f"  decisions to pend          {gap.pends:>10,}"
    yield _share("would have fitted", gap.pends_that_would_fit, gap.pends)


def _compound_lines(gap: CompoundGap) -> Iterator[str]:
    yield (
        f"Greedy compounds (E5): all of two or three parts, on all empty clusters of at most "
        f"{HOSTS_MOST} hosts and {gap.slots} slots that have enough"
    )
    yield f"  cases                      {gap.cases:>10,}"
    yield _share("placed", gap.placed, gap.cases)
    yield _share("lost to greed", gap.lost_to_greed, gap.cases)
    yield _share("lost to balanced splits", gap.lost_to_balance, gap.cases)
    if gap.example is not None:
        hosts, parts = gap.example
        compound = "+".join(f"{{{tasks}}}" for tasks in parts)
        yield f"  first lost to greed: {compound} on hosts of {', '.join(map(str, hosts))} slots"


def _share(label: str, part: int, whole: int) -> str:
    return f"    {label:<25}{part:>10,}" + (f"  {part / whole:.1%}" if whole else "")


def result_of(gap: Gap) -> Json:
    """The figures, by name."""
    splits, compounds = gap.splits, gap.compounds
    made: Json = {
        "log": gap.log,
        "allocator": gap.allocator,
        "hosts": gap.hosts,
        "jobs_skipped": gap.skipped,
        "remarks": gap.remarks,
        "splits": {
            "jobs": splits.jobs,
            "jobs_of_several_tasks": splits.jobs_of_several_tasks,
            "jobs_pended": len(splits.pended),
            "jobs_that_would_fit": len(splits.would_fit),
            "jobs_never_placeable_only_by_the_rule": len(splits.only_by_rule),
            "pends": splits.pends,
            "pends_that_would_fit": splits.pends_that_would_fit,
        },
        "compounds": None,
    }
    if compounds is not None:
        example = compounds.example and {
            "host_slots": list(compounds.example[0]),
            "part_tasks": list(compounds.example[1]),
        }
        made["compounds"] = {
            "slots_at_most": compounds.slots,
            "hosts_at_most": HOSTS_MOST,
            "cases": compounds.cases,
            "placed": compounds.placed,
            "lost_to_greed": compounds.lost_to_greed,
            "lost_to_balanced_splits": compounds.lost_to_balance,
            "first_lost_to_greed": example,
        }
    return made
