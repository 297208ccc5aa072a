"""What balanced splits cost (E6): pended requests that would fit if any split were allowed.

The books are kept by the allocator's own answers. Whenever it pends a request, what fits on
each host is summed: with N or more, N tasks could be split over these hosts in some way (PLAN-11).
Each decision is looked at by itself; what would come of it later is not followed.
"""

from dataclasses import dataclass, field

from allotment_conformance.wire.messages import Json, Pending
from allotment_conformance.workload.bookkeeping import Bookkeeper
from allotment_conformance.workload.books import Asked
from allotment_conformance.workload.conversation import Answers
from allotment_model.request import Expression


@dataclass(slots=True, kw_only=True)
class SplitGap:
    """Counts of jobs, and of single decisions to pend.

    A job `would_fit` if it pended once, at least, when another split would have fitted. Jobs
    `only_by_rule` are those of them that are answered `never`: waiting does not help them.
    """

    jobs: int = 0
    jobs_of_several_tasks: int = 0
    pended: set[str] = field(default_factory=set)
    would_fit: set[str] = field(default_factory=set)
    only_by_rule: set[str] = field(default_factory=set)
    pends: int = 0
    pends_that_would_fit: int = 0


class SplitWatch(Bookkeeper):
    """The allocator, with its pends looked at."""

    def __init__(self, allocator: Answers, cluster: Json) -> None:
        super().__init__(allocator, cluster)
        self.gap = SplitGap()
        self._hosts: dict[Expression | None, list[str]] = {}
        self._hopeless: set[tuple[object, ...]] = set()

    def submitted(self, asked: Asked) -> None:
        """Count a job."""
        self.gap.jobs += 1
        self.gap.jobs_of_several_tasks += asked.tasks > 1

    def run_begins(self) -> None:
        """Nothing is given back within a run, so what did not fit once does not fit again."""
        self._hopeless.clear()

    def pended(self, answer: Pending, asked: Asked) -> None:
        """Count a pend, and whether another split would have fitted."""
        gap = self.gap
        gap.pends += 1
        gap.pended.add(answer.job)
        if asked.key in self._hopeless:
            return
        if not self.books.holds(asked, self._candidates(asked.select)):
            self._hopeless.add(asked.key)
            return
        gap.pends_that_would_fit += 1
        gap.would_fit.add(answer.job)
        if answer.never:
            gap.only_by_rule.add(answer.job)

    def _candidates(self, select: Expression | None) -> list[str]:
        """The hosts that pass a select, looked for once."""
        if select not in self._hosts:
            self._hosts[select] = self.books.candidates(select)
        return self._hosts[select]
