"""The canary: an allocator that is wrong on purpose, which every run has to find.

A comparison that has gone blind would call anything right. So each run also asks a planted
allocator some cases, in this process and under the profile of the run, and judges it by the same
code as the allocator under test. The specification itself is asked, too: a comparison that flags
everything is as broken as one that flags nothing.
"""

import json
from collections.abc import Callable
from urllib.parse import urlencode

import msgspec

from allotment_conformance.engines.exhaustive.bounds import SMALL
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.verdict import exhaustion_work, work
from allotment_conformance.verdict.check_work import CheckOrder, CheckTally, CheckWorker
from allotment_conformance.verdict.outcome import Outcome
from allotment_conformance.verdict.pool import Desk
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.messages import Profile, as_json, plain, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import rules_for
from allotment_model.variants import VARIANTS

FAULT = "exactly enough is not enough"
"""Shows under every profile: it needs no feature, and no choice that may be declared excuses it."""

CASES = work.Share(directed=False, start=0, stop=5, seed=1)
"""Some hundredths of a second of work; under every profile one of the first two shows the fault."""

Flags = Callable[[str, Profile], bool]
"""Whether an engine finds something wrong with the allocator of that name."""


class Planted(ModelAdapter):
    """The specification under any profile, given as JSON, with the fault or without."""

    def __init__(self, profile: str, fault: str) -> None:
        """Take what stands in its name."""
        declared = read_profile(json.loads(profile))
        rules = rules_for(declared)
        for variant in VARIANTS:
            if variant.name == fault:
                rules = variant.of(rules)
        super().__init__(rules, declared)


def what_is_broken(profile: Profile, flags: Flags) -> str | None:
    """What is wrong with the kit itself; None if its canary is alive.

    The planted ones read requests as trees only, so none is sent to them as a text.
    """
    trees = tuple(feature for feature in profile.features if feature != "text")
    profile = msgspec.structs.replace(profile, features=trees)
    if not flags(_planted(profile, FAULT), profile):
        return f"the planted allocator ('{FAULT}') was not found"
    if flags(_planted(profile, "none"), profile):
        return "the specification itself was flagged"
    return None


def _planted(profile: Profile, fault: str) -> str:
    """The name by which every engine can be given it."""
    options = urlencode({"profile": as_json(plain(profile)), "fault": fault})
    return f"{__name__}:{Planted.__name__}?{options}"


def words(broken: str | None) -> str:
    """For a person."""
    return broken or f"the planted allocator ('{FAULT}') was found, and the specification was not"


def kit_broken(told: str) -> str:
    """The last line of a run whose canary is dead."""
    return f"KIT BROKEN: {told}; nothing here counts"


def flags_of_verify(adapter: str, profile: Profile) -> bool:
    """As `allotment verify` judges."""
    return work.Worker(Desk(), adapter).do(CASES).failed > 0


def flags_of_check(adapter: str, profile: Profile) -> bool:
    """As `allotment check` judges at its level `permitted`: only the pipes are left out."""
    tally, planted = CheckTally(), load_adapter(adapter)
    order = CheckOrder(adapter=adapter, command=(adapter,), cases=0, seed=0)
    worker = CheckWorker(Desk(), order, plain(profile), None)
    for question in work.questions(CASES, profile):
        worker.take(question, planted.run(question.case), tally)
    allowed = (Outcome.EXACT, Outcome.PERMITTED, Outcome.SKIPPED)
    return any(tally.outcomes[one] for one in Outcome if one not in allowed)


def flags_of_exhaust(adapter: str, profile: Profile) -> bool:
    """As `allotment exhaust` judges: the first share of a slice that needs no feature."""
    share = next(exhaustion_work.shares(slice_of(SMALL[0]), 0))
    return exhaustion_work.Worker(Desk(), adapter).do(share).first is not None
