"""Allocators that are right and odd: whatever SPEC.md leaves open, one of them does otherwise.

A kit that flags one of these is too strict.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from inspect import getdoc
from time import sleep
from typing import Any, ClassVar

from allotment_conformance.engines.features import features_of
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.catalogue import UnknownMutant
from allotment_conformance.zoo.workbench import Workbench
from allotment_conformance.zoo.workbench.things import Claim, Host, Job, Primary


class OtherProfile(Workbench):
    """Declares something else than the workbench does."""

    declared_otherwise: ClassVar[Mapping[str, Any]] = {}

    def start(self) -> Json:
        """The profile, with what is declared otherwise."""
        return {**super().start(), **self.declared_otherwise}


class AnyOrder(OtherProfile):
    """Every search goes through the hosts in another order, and the profile says so."""

    name = "any-host-order"
    declared_otherwise: ClassVar[Mapping[str, Any]] = {"host_order": "unspecified"}
    searches = 0

    def hosts_in_order(self) -> list[Host]:
        """Turned by one more host each time."""
        hosts = super().hosts_in_order()
        self.searches += 1
        start = self.searches % max(1, len(hosts))
        return hosts[start:] + hosts[:start]


class AnySplit(OtherProfile):
    """Fills host after host, and declares that any split is legal; it knows no span and limit."""

    name = "any-split"
    declared_otherwise: ClassVar[Mapping[str, Any]] = {
        "split": "any",
        "features": [
            name
            for name in Workbench().start()["features"]
            if name not in ("span", "ptile", "limits", "cancel", "events")
        ],
    }

    def place(self, primary: Primary, job: Job) -> bool:
        """As many tasks as fit on each host, until none is left."""
        shared = self.shared_claim(primary, job)
        if not self.fit(shared.wants):
            return False
        self.debit(shared)
        claims = [shared]
        job.claims.append(claims)
        left = primary.tasks
        for host in self.hosts_in_order():
            slots = self.most_that_fit(host, left, primary, job)
            if slots:
                claims.append(self.claim(host.name, slots, primary, job))
                self.debit(claims[-1])
                left -= slots
        if left:
            self.undo_plan(claims)
            self.reverse(shared)
            job.claims.pop()
        return not left

    def most_that_fit(self, host: Host, most: int, primary: Primary, job: Job) -> int:
        """WANT-3: if a bucket fits, a smaller one does, so the largest is found by halving."""
        if not (host.open or self.is_imagining) or not self.passes(primary, host):
            return 0
        least = 0
        while least < most:
            middle = (least + most + 1) // 2
            if self.room(host, middle, primary, job):
                least = middle
            else:
                most = middle - 1
        return least


class NoReasons(OtherProfile):
    """Pends without saying why, and declares none of the three fields."""

    name = "no-reasons"
    declared_otherwise: ClassVar[Mapping[str, Any]] = {"declares": []}

    def reason(self, primary: Primary, job: Job) -> str:
        """Always the same."""
        return "capacity"

    def is_never(self, job: Job) -> bool:
        """Never."""
        return False


class OnlyNever(OtherProfile):
    """Declares `never`, and neither a reason nor what came from the cache."""

    name = "only-never"
    declared_otherwise: ClassVar[Mapping[str, Any]] = {"declares": ["never"]}

    def attempt(self, job: Job) -> dict[str, Any]:
        """A reason that means nothing."""
        told = super().attempt(job)
        return {**told, "reason": "error", "cached": True} if "reason" in told else told


class FieldsReordered(Workbench):
    """The fields of every message, and the items of the books, come in another order."""

    name = "fields-reordered"

    def run(self, case: Json) -> list[Json]:
        """All objects backwards, and the uses of limits, too."""
        answers = super().run(case)
        for answer in answers:
            answer.get("books", {}).get("limits", []).reverse()
        return [_backwards(answer) for answer in answers]


def _backwards(value: Any) -> Any:
    if isinstance(value, dict):
        return {field: _backwards(item) for field, item in reversed(value.items())}
    return [_backwards(item) for item in value] if isinstance(value, list) else value


class ExtraFields(Workbench):
    """Says more than it is asked: every message has a field that nobody knows.

    docs/protocol.md allows this to programs; the reader of the protocol drops such fields.
    """

    name = "extra-fields"

    def run(self, case: Json) -> list[Json]:
        """With a remark in each answer, and in what each job is answered."""
        answers = super().run(case)
        for answer in answers:
            answer["remark"] = "none"
            for told in answer.get("jobs", []):
                told["seconds"] = 1
        return answers


class ReversedBackwards(Workbench):
    """Gives claims back in the other order, the last one first."""

    name = "reversals-backwards"

    def undo_plan(self, claims: list[Claim]) -> None:
        """UNDO-3: the order does not matter."""
        for claim in reversed(claims[1:]):
            self.note("reversed", claim.host, claim.slots)
            self.reverse(claim)
        del claims[1:]

    def reverse_parts(self, parts: list[list[Claim]]) -> None:
        """The last part first."""
        super().reverse_parts([claims[:1] + claims[:0:-1] for claims in reversed(parts)])


class EveryPlan(Workbench):
    """Takes also plans with more buckets than there are hosts, and tells what becomes of them."""

    name = "every-plan"

    def has_hosts_for(self, plan: list[int]) -> bool:
        """PAR-2: an allocator may stop there, and need not."""
        return len(plan) <= max(64, len(self.now.hosts))


class BySnapshot(Workbench):
    """Takes a failed plan back by a copy of the ledger, not claim by claim."""

    name = "undo-by-snapshot"

    def place_plan(self, plan: list[int], primary: Primary, job: Job, claims: list[Claim]) -> bool:
        """The ledger as it was, if the plan fails."""
        before = dict(self.ledger.used)
        placed = super().place_plan(plan, primary, job, claims)
        if not placed:
            self.ledger.used = before
        return placed


class DeafToCancel(Workbench):
    """Has no point at which it can be cancelled before it is done."""

    name = "deaf-to-cancel"

    def poll(self) -> None:
        """Nothing is asked."""


class RarePolls(Workbench):
    """Asks at every third point whether it is cancelled."""

    name = "rare-polls"
    points = 0

    def poll(self) -> None:
        """CANCEL-1: where polls fall is not normative."""
        self.points += 1
        if self.points % 3 == 0:
            super().poll()


class BusyPolls(Workbench):
    """Asks twice at every point, and once more before each primary."""

    name = "busy-polls"

    def poll(self) -> None:
        """Two polls for one."""
        super().poll()
        super().poll()

    def place(self, primary: Primary, job: Job) -> bool:
        """A point of its own."""
        self.poll()
        return super().place(primary, job)


class LargeIntegers(OtherProfile):
    """Reads integers of any size, and says so."""

    name = "large-integers"
    declared_otherwise: ClassVar[Mapping[str, Any]] = {
        "largest": {"tasks": 2**20, "hosts": 10_000, "amount": 2**100}
    }


class FewFeatures(OtherProfile):
    """Places bare primaries by slots, and knows nothing else."""

    name = "few-features"
    declared_otherwise: ClassVar[Mapping[str, Any]] = {"features": []}

    def run(self, case: Json) -> list[Json]:
        """Fails on whatever needs a feature."""
        assert not features_of(case), "nothing else is known"
        return super().run(case)


class SmallSizes(OtherProfile):
    """Takes eight tasks, four hosts and amounts of a million at most, and fails beyond."""

    name = "small-sizes"
    declared_otherwise: ClassVar[Mapping[str, Any]] = {
        "largest": {"tasks": 8, "hosts": 4, "amount": 1_000_000}
    }

    def restart(self, cluster: Json) -> None:
        """At most four hosts."""
        super().restart(cluster)
        assert len(cluster["hosts"]) <= 4, "there is no room for more hosts"

    def split(self, tasks: int, hosts: int) -> list[int]:
        """At most eight tasks."""
        assert tasks <= 8, "there is no room for more tasks"
        return super().split(tasks, hosts)


class Slow(Workbench):
    """Takes its time for each case."""

    name = "slow"

    def run(self, case: Json) -> list[Json]:
        """After a pause that a person would not notice."""
        sleep(0.002)
        return super().run(case)


@dataclass(frozen=True, slots=True, kw_only=True)
class Oddity:
    """An allocator that is right: what is odd about it, and how to make it."""

    id: str
    what: str
    make: Callable[[], Adapter]

    @property
    def adapter(self) -> str:
        """The name by which every command of the kit can be given this allocator."""
        return f"allotment_conformance.zoo.served:Odd?name={self.id}"


def _with_axis(name: str, what: str, **axes: str) -> Oddity:
    return Oddity(id=name, what=what, make=partial(Workbench, **axes))


def _oddities() -> Iterator[Oddity]:
    yield _with_axis("most-free", "Declares `host_order: most_free`.", host_order="most_free")
    yield _with_axis("no-cache", "Declares that it has no cache.", cache="none")
    yield _with_axis("literal-cache", "Declares the seeds' own cache (E1, E10).", cache="literal")
    yield _with_axis(
        "per-host-by-default", "Declares `rusage_default: host`.", rusage_default="host"
    )
    for made in _classes():
        yield Oddity(id=made.name, what=" ".join((getdoc(made) or "").split()), make=made)


def _classes() -> tuple[type[Workbench], ...]:
    return (
        AnyOrder,
        AnySplit,
        NoReasons,
        OnlyNever,
        FieldsReordered,
        ExtraFields,
        ReversedBackwards,
        EveryPlan,
        BySnapshot,
        DeafToCancel,
        RarePolls,
        BusyPolls,
        LargeIntegers,
        FewFeatures,
        SmallSizes,
        Slow,
    )


CALIBRATION: tuple[Oddity, ...] = tuple(_oddities())
"""All of them."""


def odd(name: str) -> Oddity:
    """The odd allocator of that name."""
    found = [one for one in CALIBRATION if one.id == name]
    if not found:
        raise UnknownMutant(
            f"the zoo has no '{name}'",
            remedy="Known: " + ", ".join(one.id for one in CALIBRATION),
        )
    return found[0]
