"""The canary: an allocator that is wrong on purpose, which every run has to find.

A comparison that has gone blind would call anything right. So each run also asks a planted
allocator some cases, under the profile of the run, and judges it by the same code as the allocator
under test. The specification itself is asked, too: a comparison that flags everything is as broken
as one that flags nothing. Where a program is checked, the planted one is a program, too. Otherwise
it is asked in this process: that workers judge in processes of their own changes no judgement, and
what they count comes back with every share.
"""

from collections.abc import Callable

import msgspec

from allotment_conformance.engines.exhaustive.bounds import SMALL
from allotment_conformance.engines.exhaustive.slices import slice_of
from allotment_conformance.engines.notation import BEGIN, RUN, case, cluster, finish, host, submit
from allotment_conformance.runs import exhaustion_work, work
from allotment_conformance.runs.check_work import CheckOrder, CheckWorker
from allotment_conformance.runs.planted import FAULT, NO_FAULT, planted, program
from allotment_conformance.runs.pool import Desk
from allotment_conformance.runs.tally import KeptCase
from allotment_conformance.verdict.outcome import Outcome
from allotment_conformance.wire.messages import Profile, plain

NO_ROOM = case(cluster(host("a", 0)), BEGIN, submit("a", 1), RUN)
ROOM_FOR_ONE = case(
    cluster(host("a", 1)), BEGIN, submit("a", 1), submit("b", 1), RUN, finish("a"), BEGIN, RUN
)

CASES = work.Share(
    directed=True,
    start=0,
    stop=2,
    kept=(
        KeptCase(name="no room", case=NO_ROOM),
        KeptCase(name="room for one", case=ROOM_FOR_ONE),
    ),
)
"""Cases whose answers are the same under every profile: one host leaves no choice. The first is
within whatever may be declared as the largest, and shows the fault."""

Flags = Callable[[str, Profile], bool]
"""Whether an engine finds something wrong with the allocator of that name."""


def what_is_broken(profile: Profile, flags: Flags) -> str | None:
    """What is wrong with the kit itself; None if its canary is alive.

    The planted ones read requests as trees only, so none is sent to them as a text.
    """
    trees = tuple(feature for feature in profile.features if feature != "text")
    profile = msgspec.structs.replace(profile, features=trees)
    if not flags(planted(profile, FAULT), profile):
        return f"the planted allocator ('{FAULT}') was not found"
    if flags(planted(profile, NO_FAULT), profile):
        return "the specification itself was flagged"
    return None


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
    """As `allotment check` judges at its level `permitted`: a program is asked, over pipes.

    One that gives no answers is not found: it was not judged.
    """
    order = CheckOrder(adapter=adapter, command=program(adapter), cases=0, seed=0)
    worker = CheckWorker(Desk(), order, plain(profile), None)
    try:
        tally = worker.do(CASES)
    finally:
        worker.close()
    allowed = (Outcome.EXACT, Outcome.PERMITTED, Outcome.SKIPPED)
    return any(tally.outcomes[one] for one in Outcome if one not in allowed)


def flags_of_exhaust(adapter: str, profile: Profile) -> bool:
    """As `allotment exhaust` judges: the first share of a slice that needs no feature."""
    share = next(exhaustion_work.shares(slice_of(SMALL[0]), 0))
    return exhaustion_work.Worker(Desk(), adapter).do(share).first is not None
