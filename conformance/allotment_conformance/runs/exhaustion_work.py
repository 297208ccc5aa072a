"""The work of an exhaustion, in shares that any process can do.

A share is named by points of a slice, so its result does not depend on who does it, or when.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from allotment_conformance.counterexample.asking import InProcess
from allotment_conformance.counterexample.find import Counterexample, Effort, counterexample
from allotment_conformance.counterexample.predecessors import MOST_BEFORE
from allotment_conformance.counterexample.replay import lacks
from allotment_conformance.engines.exhaustive.bounds import Bounds
from allotment_conformance.engines.exhaustive.slices import Slice, slice_of
from allotment_conformance.engines.exhaustive.worlds import Point
from allotment_conformance.runs.adapter_worker import AdapterWorker
from allotment_conformance.runs.fresh import in_fresh_process
from allotment_conformance.runs.pool import Desk, Lost
from allotment_conformance.runs.tally import MOST_FAILING, Failure, Seen, failure_of
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.received import ask, kept
from allotment_conformance.wire.messages import Json, Profile

POINTS_PER_SHARE = 200
"""Some hundredths of a second of work: what is lost when a run is cut short is not missed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Share:
    """Points of a slice that follow each other, those left out that are like earlier ones.

    `cases` counts them all; each point comes with its number among them. `last`: none follow.
    """

    bounds: Bounds
    points: tuple[tuple[int, Point], ...]
    cases: int
    last: bool


@dataclass(slots=True, kw_only=True)
class ShareTally:
    """What a share has shown, counted up to its first difference, or to its end.

    `alike` were not run because an earlier one is like them, `unclaimed` because they need a
    feature or a size that the profile does not declare. `first` is the point of the first
    difference. The failures are that one and some behind it, which tell faults apart.
    """

    cases: int = 0
    alike: int = 0
    unclaimed: int = 0
    run: int = 0
    sessions: int = 0
    decisions: int = 0
    skipped: int = 0
    last: bool = False
    first: Point | None = None
    failures: list[Failure] = field(default_factory=list)


def shares(of: Slice, start: int) -> Iterator[Share]:
    """All work of a slice from its case of that number on."""
    rest = islice(of.world.points(), start, None)
    last = False
    while not last:
        points: list[tuple[int, Point]] = []
        cases = 0
        while len(points) < POINTS_PER_SHARE and not last:
            point = next(rest, None)
            last = point is None
            if point is not None and of.is_first(point):
                points.append((cases, point))
            cases += not last
        yield Share(bounds=of.bounds, points=tuple(points), cases=cases, last=last)


class Worker(AdapterWorker):
    """Does shares with one adapter of its own; the point at hand is noted on its desk."""

    def __init__(self, desk: Desk, adapter: str) -> None:
        """Load and start it."""
        super().__init__(desk, adapter)
        self.oracle = Oracle(self.profile)
        self.before = deque[Json](maxlen=MOST_BEFORE)

    def counterexample(self, failures: Sequence[Failure]) -> Counterexample:
        """The first failure as it is: it is the smallest of its slice already.

        If it fails only after others, these come with it.
        """
        fresh = in_fresh_process(self.name, self.profile)
        asking = InProcess(self.adapter, self.profile, fresh)
        effort = Effort(most_tries=0, certify_seconds=0.0)
        return counterexample(asking, failures[0], Seen(failures=tuple(failures)), effort)

    def do(self, share: Share) -> ShareTally:
        """What the share has shown."""
        of = slice_of(share.bounds)
        tally = ShareTally()
        for number, point in share.points:
            self.desk.note(number)
            found = self._failure(of, point, tally)
            if found is not None:
                if tally.first is None:
                    tally.first = point
                    tally.cases = number + 1
                tally.failures.append(found)
                if len(tally.failures) == MOST_FAILING:
                    break
        if tally.first is None:
            tally.cases, tally.last = share.cases, share.last
        tally.alike = tally.cases - tally.run - tally.unclaimed
        return tally

    def _failure(self, of: Slice, point: Point, tally: ShareTally) -> Failure | None:
        """What is wrong with the answers to one case; it is counted if none was wrong before."""
        case = asked(of, point, self.profile)
        counts = 0 if tally.failures else 1
        if lacks(case, self.profile):
            tally.unclaimed += counts
            return None
        answers = ask(self.adapter, case)
        judgement = self.oracle.judge(case, answers)
        tally.run += counts
        tally.sessions += counts * sessions_of(case)
        tally.decisions += counts * judgement.decisions
        tally.skipped += counts * judgement.skipped
        found, failure = judgement.disagreement, None
        if found is not None:
            origin = f"slice '{of.name}'"
            failure = failure_of(origin, case, kept(answers), found, self.before)
        self.before.append(case)
        return failure


def asked(of: Slice, point: Point, profile: Profile) -> Json:
    """The case of a point, with the books if the profile has them."""
    case = of.case(point)
    return {**case, "report": ["books"]} if "books" in profile.features else case


def asked_before(lost: Lost, profile: Profile) -> list[Json]:
    """The cases that a process was asked in the shares that it did, and before the one at hand."""
    done = [share for share in lost.done if isinstance(share, Share)]
    points = [(slice_of(share.bounds), point) for share in done for _n, point in share.points]
    of = slice_of(lost.share.bounds)
    points += [(of, point) for number, point in lost.share.points if number < lost.item]
    cases = (asked(of, point, profile) for of, point in points)
    return [case for case in cases if not lacks(case, profile)]


def sessions_of(case: Json) -> int:
    """How many sessions a case has: it begins inside one."""
    return 1 + [event["event"] for event in case["events"]].count("begin_session")
