"""Allocators that are wrong from the 33rd or the 65th host on are found, by answers alone."""

from collections.abc import Mapping
from typing import Any, ClassVar

import msgspec
import pytest

from allotment_conformance.engines.several import late_hosts
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE, rules_for
from allotment_conformance.zoo.workbench import Workbench
from allotment_conformance.zoo.workbench.things import (
    Account,
    Claim,
    Host,
    Job,
    Primary,
)

CASES = {one.name: one.case for one in late_hosts.CASES}
EDGES = (33, 65)
"""The first host that is treated wrongly, counted from one."""

ALIASED = 64
"""A mask of so many bits has one bit for the first host and the 65th."""


class Late(Workbench):
    """The workbench, which knows late hosts from others."""

    since: ClassVar[int] = 65

    def is_late(self, host: str | None) -> bool:
        """Whether it is the host of that number or one behind it."""
        return host is not None and [*self.now.hosts].index(host) >= self.since - 1


class NoRusage(Late):
    """Amounts are not looked at."""

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        if not self.is_late(host):
            return super().claim(host, slots, primary, job)
        bare = Primary(primary.tasks_min, primary.tasks, primary.select, {}, primary.span)
        return super().claim(host, slots, bare, job)


class NoPerHost(Late):
    """Amounts per host count nothing."""

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        if not self.is_late(host):
            return super().claim(host, slots, primary, job)
        needs = {name: (task, 0, whole) for name, (task, _host, whole) in primary.needs.items()}
        bare = Primary(primary.tasks_min, primary.tasks, primary.select, needs, primary.span)
        return super().claim(host, slots, bare, job)


class PerHostIsPerTask(Late):
    """Amounts per host count for every task."""

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        if not self.is_late(host):
            return super().claim(host, slots, primary, job)
        needs = {name: (task + each, 0, n) for name, (task, each, n) in primary.needs.items()}
        other = Primary(primary.tasks_min, primary.tasks, primary.select, needs, primary.span)
        return super().claim(host, slots, other, job)


class OneTask(Late):
    """The wants of a bucket are those of one task."""

    def want(self, per_task: int, per_host: int, slots: int) -> int:
        return per_task * (1 if self.at_late else slots) + per_host

    at_late = False

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        self.at_late = self.is_late(host)
        return super().claim(host, slots, primary, job)


class OneSlot(Late):
    """A bucket takes one slot, however many tasks it has."""

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        made = super().claim(host, slots, primary, job)
        if self.is_late(host):
            made.wants["slots", host, None, None] = 1
        return made


class Debitless(Late):
    """What a claim takes of amounts is not written down."""

    def debit(self, claim: Claim) -> None:
        if self.is_late(claim.host):
            claim.wants = {account: n for account, n in claim.wants.items() if account[0] != "mem"}
        super().debit(claim)


class Leaking(Late):
    """What a job held there is not given back."""

    def credit_job(self, job: Job) -> None:
        for claim in (claim for claims in job.claims for claim in claims):
            claim.held &= not self.is_late(claim.host)
        super().credit_job(job)


class PlanLeaking(Late):
    """A plan that fails keeps what it held there."""

    def undo_plan(self, claims: list[Claim]) -> None:
        for claim in claims[1:]:
            claim.held &= not self.is_late(claim.host)
        super().undo_plan(claims)


class Changeless(Late):
    """A change of the host comes to nothing."""

    fields: ClassVar[tuple[str, ...]] = ("capacity", "attributes", "open")

    def take_effect(self, event: Json) -> None:
        if event["event"] == "host_change" and self.is_late(event["host"]):
            event = {name: value for name, value in event.items() if name not in self.fields}
        super().take_effect(event)


class CapacityStays(Changeless):
    """A change of its capacity comes to nothing."""

    fields = ("capacity",)


class AttributesStay(Changeless):
    """A change of its attributes comes to nothing."""

    fields = ("attributes",)


class OpenStays(Changeless):
    """It neither closes nor opens."""

    fields = ("open",)


class AlwaysOpen(Late):
    """It is open, whatever is said."""

    def candidates(self, slots: int, primary: Primary, job: Job) -> Any:
        closed = [host for name, host in self.now.hosts.items() if self.is_late(name)]
        kept = [host.open for host in closed]
        for host in closed:
            host.open = True
        try:
            found = [*super().candidates(slots, primary, job)]
        finally:
            for host, was in zip(closed, kept, strict=True):
                host.open = was
        yield from found


class ClosedLikeTheFirst(Late):
    """One bit says whether it and the host before it by 64 are open."""

    def hosts_in_order(self) -> list[Host]:
        hosts = super().hosts_in_order()
        if self.is_imagining:
            return hosts
        shut = {at % ALIASED for at, host in enumerate(hosts) if not host.open}
        return [host for at, host in enumerate(hosts) if at % ALIASED not in shut]


class NoLimits(Late):
    """No limit counts what is taken there."""

    scopes: ClassVar[tuple[str, ...]] = ("host", "cluster")
    named: ClassVar[tuple[bool, ...]] = (True, False)

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        wants = super().limit_wants(job, host, amounts)
        if not self.is_late(host):
            return wants
        return {account: want for account, want in wants.items() if self.counts(account)}

    def counts(self, account: Account) -> bool:
        """Whether this limit counts there."""
        assert account[2] is not None
        _kind, name, scope, _resource = account[2]
        return scope not in self.scopes or (name is not None) not in self.named


class NoLimitsPerHost(NoLimits):
    """No limit per host counts there."""

    scopes = ("host",)


class NoNamedLimitsPerHost(NoLimitsPerHost):
    """No limit per host of one name counts there."""

    named = (True,)


class NoLimitsPerHostOfEach(NoLimitsPerHost):
    """No limit per host of each counts there."""

    named = (False,)


class NoLimitsOverAll(NoLimits):
    """No limit over the cluster counts what is there."""

    scopes = ("cluster",)


class OneHolder(Late):
    """A limit of each counts all holders as one there."""

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        wants = super().limit_wants(job, host, amounts)
        if not self.is_late(host):
            return wants
        return {(one[0], one[1], one[2], "any"): want for one, want in wants.items()}


class UncountedAnew(Late):
    """A limit that is new does not count what runs there."""

    def count_anew(self, job: Job, limit: object) -> None:
        claims = job.claims
        job.claims = [[one for one in part if not self.is_late(one.host)] for part in claims]
        super().count_anew(job, limit)
        job.claims = claims


class AllSelected(Late):
    """Every select passes it."""

    def passes(self, primary: Primary, host: Host) -> bool:
        return self.is_late(host.name) or super().passes(primary, host)


class NoneSelected(Late):
    """No select passes it."""

    def passes(self, primary: Primary, host: Host) -> bool:
        return super().passes(primary, host) and not (primary.select and self.is_late(host.name))


class SelectedLikeTheFirst(Late):
    """One bit says whether it and the host before it by 64 pass a select."""

    def passes(self, primary: Primary, host: Host) -> bool:
        hosts = [*self.now.hosts.values()]
        return super().passes(primary, hosts[hosts.index(host) % ALIASED])


class Unsorted(Late):
    """It stands behind the others, in cluster order."""

    def __init__(self) -> None:
        super().__init__(host_order="most_free")

    def hosts_in_order(self) -> list[Host]:
        hosts = super().hosts_in_order()
        listed = [self.now.hosts[name] for name in self.index]
        late = [host for host in listed if self.is_late(host.name)]
        return [host for host in hosts if host not in late] + late


FAULTS: tuple[type[Late], ...] = (
    *(NoRusage, NoPerHost, PerHostIsPerTask, OneTask, OneSlot, Debitless, Leaking, PlanLeaking),
    *(CapacityStays, AttributesStay, OpenStays, AlwaysOpen, ClosedLikeTheFirst),
    *(NoNamedLimitsPerHost, NoLimitsPerHostOfEach, NoLimitsOverAll, OneHolder, UncountedAnew),
    *(AllSelected, NoneSelected, SelectedLikeTheFirst, Unsorted),
)


@pytest.mark.parametrize("since", EDGES)
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_who_is_wrong_on_late_hosts_is_found(fault: type[Late], since: int) -> None:
    wrong = type(fault.__name__, (fault,), {"since": since})()
    right = Workbench(**wrong.axes)
    assert any(wrong.run(one) != right.run(one) for one in CASES.values())


@pytest.mark.parametrize("order", ["listed", "most_free"])
def test_workbench_is_right_on_late_hosts(order: str) -> None:
    profile = msgspec.structs.replace(MODEL_PROFILE, host_order=order)
    for one in CASES.values():
        assert Workbench(host_order=order).run(one) == ModelAdapter(rules_for(profile)).run(one)
