"""What is free on each host while a workload runs, as an allocator's answers have it."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, Primary
from allotment_model.request import Expression
from allotment_model.select import passes

Wants = Mapping[str, int]
"""What one task asks of its host, by resource; `slots` is among it."""


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

    def candidates(self, select: Expression | None) -> list[str]:
        """SELECT-5: the hosts that pass a select."""
        return [name for name in self.attributes if self.is_candidate(name, select)]

    def is_candidate(self, host: str, select: Expression | None) -> bool:
        """SELECT-5: whether one host passes a select."""
        return passes(select, self.attributes[host])

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


def asked_by(primary: Primary) -> Asked:
    """WANT-1: what a primary of a workload asks, its amounts all per task."""
    assert primary.tasks, "a simulation submits counts"
    wants = {"slots": 1} | {entry.resource: entry.amount for entry in primary.rusage}
    select = to_model.expression(primary.select) if primary.select else None
    key = (primary.tasks.max, *sorted(wants.items()), select)
    return Asked(tasks=primary.tasks.max, wants=wants, select=select, key=key)
