"""The canary: an allocator that is wrong on purpose, which every run has to find.

A comparison that has gone blind would call anything right. So each run also asks a planted
allocator a smallest case, in this process and under the profile of the run, and judges it by the
same code as the allocator under test. The specification itself is asked, too: a comparison that
flags everything is as broken as one that flags nothing.
"""

from collections.abc import Callable

from allotment_conformance.engines.exhaustive.bounds import SMALL
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.verdict import exhaustion_work, work
from allotment_conformance.verdict.check_work import CheckOrder, CheckTally, CheckWorker
from allotment_conformance.verdict.outcome import Outcome
from allotment_conformance.verdict.pool import Desk
from allotment_conformance.verdict.tally import Tally
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Profile, plain
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import rules_for
from allotment_model.variants import VARIANTS

FAULT = "exactly enough is not enough"
"""Shows under every profile: it needs no feature, and no choice that may be declared excuses it."""

[PLANTED] = [variant for variant in VARIANTS if variant.name == FAULT]

SMALLEST = case(cluster(host("A", 1)), submit("j", 1), RUN)
"""One slot, and a job of one task: whatever is declared, this can be asked."""

Flags = Callable[[Adapter, Profile], bool]
"""Whether an engine finds something wrong with an allocator."""


def what_is_broken(profile: Profile, flags: Flags) -> str | None:
    """What is wrong with the kit itself; None if its canary is alive."""
    rules = rules_for(profile)
    if not flags(ModelAdapter(PLANTED.of(rules), profile), profile):
        return f"the planted allocator ('{FAULT}') was not found"
    if flags(ModelAdapter(rules, profile), profile):
        return "the specification itself was flagged"
    return None


def words(broken: str | None) -> str:
    """For a person."""
    return broken or f"the planted allocator ('{FAULT}') was found, and the specification was not"


def kit_broken(told: str) -> str:
    """The last line of a run whose canary is dead."""
    return f"KIT BROKEN: {told}; nothing here counts"


def flags_of_verify(adapter: Adapter, profile: Profile) -> bool:
    """As `allotment verify` judges."""
    tally = Tally()
    work.Worker(Desk(), adapter).take(_question(), tally)
    return tally.failed > 0


def flags_of_check(adapter: Adapter, profile: Profile) -> bool:
    """As `allotment check` judges, at any level: only the pipes are left out."""
    tally = CheckTally()
    order = CheckOrder(adapter=FAULT, command=(FAULT,), cases=0, seed=0)
    worker = CheckWorker(Desk(), order, plain(profile), None)
    worker.take(_question(), adapter.run(SMALLEST), tally)
    return tally.outcomes[Outcome.EXACT] == 0


def flags_of_exhaust(adapter: Adapter, profile: Profile) -> bool:
    """As `allotment exhaust` judges: the first share of a slice that needs no feature."""
    share = next(exhaustion_work.shares(slice_of(SMALL[0]), 0))
    return exhaustion_work.Worker(Desk(), adapter).do(share).first is not None


def _question() -> work.Question:
    return work.Question(number=0, origin="the canary", case=SMALLEST, variants=[])
