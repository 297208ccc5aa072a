"""What balanced splits cost (E6): pended requests that would fit if any split were allowed.

Beside an allocator the books are kept by its own answers. Whenever it pends a request, what fits on
each host is summed: with N or more, N tasks could be split over these hosts in some way (PLAN-11).
Each decision is looked at by itself; what would come of it later is not followed.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import (
    Answer,
    Dispatched,
    Expression,
    Finish,
    Json,
    Ok,
    Pending,
    Primary,
    Ran,
    Submit,
    read_case,
)
from allotment_conformance.workload.conversation import Answers
from allotment_model.select import passes

Wants = Mapping[str, int]
"""What one task asks of its host, by resource; `slots` is among it."""


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


@dataclass(slots=True)
class Asked:
    """One primary: how many tasks, what each wants, and where."""

    tasks: int
    wants: Wants
    select: Expression | None
    key: tuple[object, ...]


class Books:
    """What is free on each host."""

    def __init__(self, cluster: Json) -> None:
        self.free: dict[str, dict[str, int]] = {}
        self.attributes: dict[str, dict[str, int | str]] = {}
        self.total: Counter[str] = Counter()
        for host in cluster["hosts"]:
            self.free[host["name"]] = dict(host["capacity"])
            self.attributes[host["name"]] = host.get("attributes", {})
            self.total.update(host["capacity"])

    def debit(self, host: str, wants: Wants, tasks: int) -> None:
        """Take for so many tasks; less than none gives back."""
        there = self.free[host]
        for resource, amount in wants.items():
            there[resource] = there.get(resource, 0) - amount * tasks
            self.total[resource] -= amount * tasks

    def fits(self, host: str, wants: Wants) -> int:
        """WANT-4: how many tasks fit on a host."""
        there = self.free[host]
        return max(0, min(there.get(name, 0) // amount for name, amount in wants.items()))

    def holds(self, asked: Asked, hosts: list[str]) -> bool:
        """PLAN-11: whether the tasks fit on these hosts, however they are split."""
        if any(self.total[name] < asked.tasks * amount for name, amount in asked.wants.items()):
            return False
        left = asked.tasks
        for host in hosts:
            left -= self.fits(host, asked.wants)
            if left <= 0:
                return True
        return False


class SplitWatch:
    """The allocator, with its answers looked at. Jobs are single primaries without span."""

    def __init__(self, allocator: Answers, cluster: Json) -> None:
        self.gap = SplitGap()
        self._allocator = allocator
        self._books = Books(cluster)
        self._asked: dict[str, Asked] = {}
        self._held: dict[str, list[tuple[str, int]]] = {}
        self._ending: list[str] = []
        self._hosts: dict[object, list[str]] = {}
        self._hopeless: set[tuple[object, ...]] = set()

    def run(self, case: Json) -> list[Answer]:
        """The allocator's answers."""
        answers = self._allocator.run(case)
        for event, answer in zip(read_case(case).events, answers, strict=True):
            match event, answer:
                case Submit(job=job), Ok():
                    [[primary]] = job.request
                    self._asked[job.name] = asked_by(primary)
                    self.gap.jobs += 1
                    self.gap.jobs_of_several_tasks += self._asked[job.name].tasks > 1
                case Finish(job=name), Ok():
                    self._ending.append(name)
                case _, Ran():
                    self._run(answer)
                case _:
                    pass
        return answers

    def _run(self, ran: Ran) -> None:
        """Finishes take effect before a session's run; nothing is given back within one."""
        for name in self._ending:
            for host, tasks in self._held.pop(name):
                self._books.debit(host, self._asked[name].wants, -tasks)
            del self._asked[name]
        self._ending.clear()
        self._hopeless.clear()
        for answer in ran.jobs:
            asked = self._asked[answer.job]
            if isinstance(answer, Dispatched):
                [part] = answer.parts
                self._held[answer.job] = list(part)
                for host, tasks in part:
                    self._books.debit(host, asked.wants, tasks)
            elif isinstance(answer, Pending):
                self._pended(answer, asked)

    def _pended(self, answer: Pending, asked: Asked) -> None:
        gap = self.gap
        gap.pends += 1
        gap.pended.add(answer.job)
        if asked.key in self._hopeless:
            return
        if not self._books.holds(asked, self._candidates(asked.select)):
            self._hopeless.add(asked.key)
            return
        gap.pends_that_would_fit += 1
        gap.would_fit.add(answer.job)
        if answer.never:
            gap.only_by_rule.add(answer.job)

    def _candidates(self, select: Expression | None) -> list[str]:
        """SELECT-5: the hosts that pass a select."""
        key = None if select is None else repr(select)
        if key not in self._hosts:
            tree = None if select is None else to_model.expression(select)
            attributes = self._books.attributes
            self._hosts[key] = [name for name, has in attributes.items() if passes(tree, has)]
        return self._hosts[key]


def asked_by(primary: Primary) -> Asked:
    """WANT-1: what a primary of a workload asks, its amounts all per task."""
    assert primary.tasks, "a simulation submits counts"
    wants = {"slots": 1} | {entry.resource: entry.amount for entry in primary.rusage}
    select = primary.select or None
    key = (primary.tasks.max, *sorted(wants.items()), repr(select))
    return Asked(tasks=primary.tasks.max, wants=wants, select=select, key=key)
