"""One primary: its plans, their hosts, what it wants, and why it fails."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from allotment_conformance.zoo.workbench.intake import Declared
from allotment_conformance.zoo.workbench.selects import Select
from allotment_conformance.zoo.workbench.things import (
    Account,
    Claim,
    Configuration,
    Host,
    Job,
    Ledger,
    Primary,
    bounds,
)


class Cancelled(Exception):
    """CANCEL-1: the attempt was asked to stop."""


class Placer:
    """Places primaries in a ledger that it changes in place.

    `index` is the order of the hosts, `passing` what is known of selects in this session.
    """

    ledger_type: ClassVar[type[Ledger]] = Ledger
    axes: dict[str, str]
    declared: Declared
    now: Configuration
    ledger: Ledger
    select: Select
    index: list[str]
    passing: dict[tuple[int, str], bool]
    notes: list[list[Any]]
    polls_left: int | None
    is_imagining: bool

    # A primary

    def place(self, primary: Primary, job: Job) -> bool:
        """PAR-1: the first plan that holds; its claims are added to those of the job."""
        shared = self.shared_claim(primary, job)
        if not self.fit(shared.wants):
            return False
        self.debit(shared)
        claims = [shared]
        job.claims.append(claims)
        for plan in self.plans(primary):
            if not self.has_hosts_for(plan):
                break
            self.note("plan", list(plan))
            if self.place_plan(plan, primary, job, claims):
                return True
        self.reverse(shared)
        job.claims.pop()
        return False

    def plans(self, primary: Primary) -> Iterator[list[int]]:
        """PLAN-1 … PLAN-10, each a point where the attempt may be stopped (PLAN-7)."""
        hosts_min, hosts_max, per_host, ptile = bounds(primary.span)
        tasks = primary.tasks
        counts: Iterable[int]
        if ptile:
            counts = [-(-tasks // ptile)]
        else:
            counts = range(max(1, hosts_min, -(-tasks // per_host)), min(tasks, hosts_max) + 1)
        for hosts in counts:
            self.poll()
            plan = self.ptile_split(tasks, ptile) if ptile else self.split(tasks, hosts)
            if hosts_min <= hosts <= hosts_max and plan[0] <= per_host:
                yield plan

    def has_hosts_for(self, plan: list[int]) -> bool:
        """PAR-2: neither this plan nor a later one can hold with more buckets than hosts."""
        return len(plan) <= len(self.now.hosts)

    def split(self, tasks: int, hosts: int) -> list[int]:
        """PLAN-2, PLAN-3: balanced, the larger buckets first."""
        size, larger = divmod(tasks, hosts)
        return [size + 1] * larger + [size] * (hosts - larger)

    def ptile_split(self, tasks: int, ptile: int) -> list[int]:
        """PLAN-10."""
        full, rest = divmod(tasks, ptile)
        return [ptile] * full + [rest] * (rest > 0)

    def place_plan(self, plan: list[int], primary: Primary, job: Job, claims: list[Claim]) -> bool:
        """PAR-1: a host for each bucket, else nothing (UNDO-1)."""
        taken: set[str] = set()
        for slots in plan:
            for host in self.candidates(slots, primary, job):
                self.note("offered", host.name)
                if host.name not in taken:
                    break
                self.note("refused", host.name)
            else:
                self.undo_plan(claims)
                return False
            self.note("claimed", host.name, slots)
            taken.add(host.name)
            claims.append(self.claim(host.name, slots, primary, job))
            self.debit(claims[-1])
        return True

    def undo_plan(self, claims: list[Claim]) -> None:
        """UNDO-1: all claims on hosts are reversed, what the primary took of pools stays."""
        for claim in claims[1:]:
            self.note("reversed", claim.host, claim.slots)
            self.reverse(claim)
        del claims[1:]

    def candidates(self, slots: int, primary: Primary, job: Job) -> Iterator[Host]:
        """HOST-1: each step is a point where the attempt may be stopped (HOST-5)."""
        for host in self.hosts_in_order():
            self.poll()
            is_open = host.open or self.is_imagining
            if is_open and self.passes(primary, host) and self.room(host, slots, primary, job):
                yield host

    def hosts_in_order(self) -> list[Host]:
        """HOST-9."""
        hosts = [self.now.hosts[name] for name in self.index]
        if self.axes["host_order"] == "most_free":
            hosts.sort(key=lambda host: -self.slots_free(host))
        return hosts

    def slots_free(self, host: Host) -> int:
        """In the attempt's ledger."""
        return self.ledger.free(("slots", host.name, None, None), host.capacity.get("slots", 0))

    def passes(self, primary: Primary, host: Host) -> bool:
        """Whether a host passes the select, worked out once a session."""
        place = id(primary.select), host.name
        if primary.select is None:
            return True
        if place not in self.passing:
            self.passing[place] = self.select.passes(primary.select, host.attributes)
        return self.passing[place]

    def room(self, host: Host, slots: int, primary: Primary, job: Job) -> bool:
        """Whether all wants of the bucket fit there."""
        return self.fit(self.claim(host.name, slots, primary, job).wants)

    # Wants

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        """WANT-1, WANT-5: what a bucket asks of a host and of the limits that count it there."""
        amounts = {"slots": slots}
        for resource, (per_task, per_host, _per_job) in primary.needs.items():
            if resource in self.declared.host:
                amounts[resource] = self.want(per_task, per_host, slots)
        wants: dict[Account, int] = {(name, host, None, None): n for name, n in amounts.items()}
        return Claim(host, slots, wants | self.limit_wants(job, host, amounts), amounts)

    def want(self, per_task: int, per_host: int, slots: int) -> int:
        """WANT-1."""
        return slots * per_task + per_host

    def shared_claim(self, primary: Primary, job: Job) -> Claim:
        """SHARED-1: once for the primary, whatever the plan."""
        amounts = {
            resource: primary.tasks * per_task + per_job
            for resource, (per_task, _per_host, per_job) in primary.needs.items()
            if resource in self.declared.shared
        }
        wants: dict[Account, int] = {(name, None, None, None): n for name, n in amounts.items()}
        return Claim(None, 0, wants | self.limit_wants(job, None, amounts), amounts)

    def limit_wants(
        self, job: Job, host: str | None, amounts: Mapping[str, int]
    ) -> dict[Account, int]:
        """LIMIT-1, LIMIT-2: of each limit that applies to the job and counts such an amount."""
        wants: dict[Account, int] = {}
        for limit in self.now.limits:
            kind, name, scope, resource = limit
            holder = job.holders[kind]
            if name in (None, holder) and resource in amounts:
                where = host if scope == "host" else None
                wants[resource, where, limit, holder] = amounts[resource]
        return wants

    def capacity(self, account: Account) -> int:
        """RES-2: what is lacking is zero."""
        resource, host, limit, _holder = account
        if limit is not None:
            return self.now.limits[limit]
        if host is not None:
            return self.now.hosts[host].capacity.get(resource, 0)
        return self.now.pools.get(resource, 0)

    def fit(self, wants: Mapping[Account, int]) -> bool:
        """Whether each want is within what is left."""
        return all(
            self.ledger.fits(account, want, self.capacity(account))
            for account, want in wants.items()
        )

    def debit(self, claim: Claim) -> None:
        """What is claimed is in use."""
        for account, want in claim.wants.items():
            self.ledger.debit(account, want)

    def reverse(self, claim: Claim) -> None:
        """UNDO-2: a claim that is held is given back, once."""
        if claim.held:
            claim.held = False
            for account, want in claim.wants.items():
                self.ledger.credit(account, want)

    def reverse_parts(self, parts: list[list[Claim]]) -> None:
        """COMPOUND-3: all claims of an attempt are given back."""
        for claims in parts:
            for claim in claims:
                if claim.host is not None:
                    self.note("reversed", claim.host, claim.slots)
                self.reverse(claim)

    # Why a job waits

    def reason(self, primary: Primary, job: Job) -> str:
        """WHY-1: the first category that holds, in the ledger in which the primary failed."""
        with_pools = self.shared_claim(primary, job).wants.items()
        hosts = self.now.hosts.values()
        if not self.has_plan(primary):
            return "span"
        if not any(self.passes(primary, host) for host in hosts):
            return "select"
        if not self.fit({account: n for account, n in with_pools if account[2] is None}):
            return "shared"
        return "limit" if self.fits_without_limits(primary, job) else "capacity"

    def has_plan(self, primary: Primary) -> bool:
        """Whether there is any plan; nothing can be stopped here."""
        polls, self.polls_left = self.polls_left, None
        plan = next(self.plans(primary), None)
        self.polls_left = polls
        return plan is not None

    def fits_without_limits(self, primary: Primary, job: Job) -> bool:
        """Whether this primary alone would be placed in this ledger if all limits were lifted."""
        limits, self.now.limits = self.now.limits, {}
        placed = self.would_be_placed(primary, job, is_open=False)
        self.now.limits = limits
        return placed

    def would_be_placed(self, primary: Primary, job: Job, *, is_open: bool) -> bool:
        """Tries a primary and takes it back; nobody is told, and nobody can stop it."""
        kept = self.notes, self.polls_left, self.is_imagining, job.claims
        self.notes, self.polls_left, self.is_imagining, job.claims = [], None, is_open, []
        placed = self.place(primary, job)
        self.reverse_parts(job.claims)
        self.notes, self.polls_left, self.is_imagining, job.claims = kept
        return placed

    def is_never(self, job: Job) -> bool:
        """WHY-2: on the empty cluster, all hosts open, part by part."""
        ledger, self.ledger = self.ledger, self.ledger_type()
        never = all(
            any(not self.would_be_placed(part, job, is_open=True) for part in parts)
            for parts in job.request
        )
        self.ledger = ledger
        return never

    # What is told, and where it may be stopped

    def note(self, *words: Any) -> None:
        """A protocol event."""
        self.notes.append(list(words))

    def poll(self) -> None:
        """CANCEL-1: the poll that follows so many polls of this run stops the attempt, once."""
        if self.polls_left is None:
            return
        if self.polls_left == 0:
            self.polls_left = None
            raise Cancelled
        self.polls_left -= 1
