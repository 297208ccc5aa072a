"""Faults within an attempt: what is given back, and what is seen meanwhile."""

from collections.abc import Iterator, Mapping

from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.things import Account, Claim, Host, Job, Primary


class RollbackMissesTheLast(Workbench):
    """A plan that fails reverses all claims but the last one."""

    name = "rollback-misses-the-last"
    breaks = "UNDO-1"
    kind = "rollback"

    def undo_plan(self, claims: list[Claim]) -> None:
        """The last claim stays in the ledger."""
        if len(claims) > 1:
            claims[-1].held = False
        super().undo_plan(claims)


class RollbackOfSlotsOnly(Workbench):
    """A plan that fails gives its slots back, and keeps its amounts."""

    name = "rollback-of-slots-only"
    breaks = "UNDO-1"
    kind = "rollback"

    def undo_plan(self, claims: list[Claim]) -> None:
        """Amounts and limits stay in the ledger."""
        for claim in claims[1:]:
            claim.wants = {a: n for a, n in claim.wants.items() if a[0] == "slots"}
        super().undo_plan(claims)


class RollbackWithoutLimits(Workbench):
    """A plan that fails gives back what hosts have, and not what limits count."""

    name = "rollback-without-limits"
    breaks = "UNDO-1"
    kind = "limits"

    def undo_plan(self, claims: list[Claim]) -> None:
        """The use of limits stays in the ledger."""
        for claim in claims[1:]:
            claim.wants = {a: n for a, n in claim.wants.items() if a[2] is None}
        super().undo_plan(claims)


class RollbackTwice(Workbench):
    """A failed plan is reversed by the search and again by its caller: *held* is not asked."""

    name = "rollback-twice"
    breaks = "UNDO-2"
    kind = "double-release"

    def undo_plan(self, claims: list[Claim]) -> None:
        """Credits what was credited."""
        again = claims[1:]
        super().undo_plan(claims)
        for claim in again:
            claim.held = True
            self.reverse(claim)


class PoolKeptByTheHopeless(Workbench):
    """A primary that finds no plan keeps what it took of pools."""

    name = "pool-kept-by-the-hopeless"
    breaks = "SHARED-1 PAR-2"
    kind = "leak"

    def place(self, primary: Primary, job: Job) -> bool:
        """The debit of the pools is not reversed, but in a question about nothing."""
        placed = super().place(primary, job)
        if not placed and not self.is_imagining:
            shared = self.shared_claim(primary, job)
            if self.fit(shared.wants):
                self.debit(shared)
        return placed


class FirstPartKept(Workbench):
    """A compound that fails gives back its parts from the second on."""

    name = "first-part-kept"
    breaks = "COMPOUND-3"
    kind = "atomicity"

    def reverse_parts(self, parts: list[list[Claim]]) -> None:
        """The first of several parts stays in the ledger."""
        if len(parts) > 1 and not self.is_imagining:
            for claim in parts[0]:
                claim.held = False
        super().reverse_parts(parts)


class PoolsOfPartsKept(Workbench):
    """A compound that fails gives back hosts, and not what its parts took of pools."""

    name = "pools-of-parts-kept"
    breaks = "COMPOUND-3 ALTER-2"
    kind = "shared"

    def reverse_parts(self, parts: list[list[Claim]]) -> None:
        """Claims without a host stay in the ledger."""
        if not self.is_imagining:
            for claims in parts:
                claims[0].held = False
        super().reverse_parts(parts)


class PerHostOnceInAnAlter(Workbench):
    """In a compound inside an alter, a host that two parts share is charged per-host amounts once.

    A bare compound, and an alter of bare primaries, are treated rightly.
    """

    name = "per-host-once-in-an-alter"
    breaks = "COMPOUND-2 ALTER-3"
    kind = "or-alt"

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        """Without per-host amounts where an earlier part is."""
        shares = len(job.request) > 1 and any(
            one.host == host for claims in job.claims[:-1] for one in claims
        )
        if shares:
            needs = {name: (n[0], 0, n[2]) for name, n in primary.needs.items()}
            primary = Primary(primary.tasks_min, primary.tasks, primary.select, needs, primary.span)
        return super().claim(host, slots, primary, job)


class LastHostInAnAlter(Workbench):
    """In a compound inside an alter, hosts are tried from the last one on."""

    name = "last-host-in-an-alter"
    breaks = "ALTER-3 HOST-9"
    kind = "or-alt"

    def place(self, primary: Primary, job: Job) -> bool:
        """The order of hosts turned round, for as long as this takes."""
        turned = len(job.request) > 1 and any(len(parts) > 1 for parts in job.request)
        index = self.index
        self.index = index[::-1] if turned else index
        placed = super().place(primary, job)
        self.index = index
        return placed


class FullHostStaysFull(Workbench):
    """A host that a claim has filled is marked full, and a reversal does not take the mark away."""

    name = "full-host-stays-full"
    breaks = "UNDO-1 HOST-3"
    kind = "false-infeasible"

    def restart(self, cluster: dict[str, object]) -> None:
        """No host is full."""
        super().restart(cluster)
        self.full: set[str] = set()

    def reset(self) -> None:
        """A session begins with fresh marks."""
        super().reset()
        self.full.clear()

    def debit(self, claim: Claim) -> None:
        """Marks a host that has no slot left."""
        super().debit(claim)
        if claim.host and not self.is_imagining and not self.slots_free(self.now.hosts[claim.host]):
            self.full.add(claim.host)

    def hosts_in_order(self) -> list[Host]:
        """Those without a mark."""
        hosts = super().hosts_in_order()
        return hosts if self.is_imagining else [one for one in hosts if one.name not in self.full]


class RejectedByALargerBucket(Workbench):
    """A host that was too small for one bucket is left out for the rest of the primary."""

    name = "rejected-by-a-larger-bucket"
    breaks = "HOST-6 HOST-3"
    kind = "false-infeasible"

    def place(self, primary: Primary, job: Job) -> bool:
        """Nothing is known at the start."""
        self.rejected: set[str] = set()
        return super().place(primary, job)

    def room(self, host: Host, slots: int, primary: Primary, job: Job) -> bool:
        """Remembers who had no room."""
        if host.name in self.rejected or not super().room(host, slots, primary, job):
            self.rejected.add(host.name)
            return False
        return True


class WantOfTheFirstBucket(Workbench):
    """What a bucket asks of amounts is worked out once a plan, for its first bucket."""

    name = "want-of-the-first-bucket"
    breaks = "WANT-1 WANT-5"
    kind = "overalloc"

    first: int = 0

    def place_plan(self, plan: list[int], primary: Primary, job: Job, claims: list[Claim]) -> bool:
        """Remembers the first bucket."""
        self.first = plan[0]
        return super().place_plan(plan, primary, job, claims)

    def claim(self, host: str, slots: int, primary: Primary, job: Job) -> Claim:
        """The slots of this bucket, the amounts of the first."""
        made = super().claim(host, self.first, primary, job)
        wants: dict[Account, int] = {
            account: slots if account[0] == "slots" else want
            for account, want in made.wants.items()
        }
        return Claim(host, slots, wants, {**made.amounts, "slots": slots})


class SpanForgottenInACompound(Workbench):
    """A span is looked at in a lone primary, and forgotten in a compound."""

    name = "span-forgotten-in-a-compound"
    breaks = "PLAN-9 ALTER-3"
    kind = "or-alt"

    def place(self, primary: Primary, job: Job) -> bool:
        """Without the span, where there are other parts."""
        if any(len(parts) > 1 for parts in job.request):
            primary = Primary(primary.tasks_min, primary.tasks, primary.select, primary.needs, {})
        return super().place(primary, job)


class ClaimedHostTakenAgain(Workbench):
    """Two buckets of a plan may take one host, if it has room for both."""

    name = "claimed-host-taken-again"
    breaks = "HOST-7"
    kind = "false-feasible"

    def place_plan(self, plan: list[int], primary: Primary, job: Job, claims: list[Claim]) -> bool:
        """Each bucket takes the first candidate, claimed or not."""
        for slots in plan:
            host = next(self.candidates(slots, primary, job), None)
            if host is None:
                self.undo_plan(claims)
                return False
            self.note("offered", host.name)
            self.note("claimed", host.name, slots)
            claims.append(self.claim(host.name, slots, primary, job))
            self.debit(claims[-1])
        return True


class SelectOfTheFirstBucket(Workbench):
    """The select is looked at for the first bucket of a plan only."""

    name = "select-of-the-first-bucket"
    breaks = "HOST-1"
    kind = "select-expr"

    def passes(self, primary: Primary, host: Host) -> bool:
        """Everything passes once something is claimed."""
        claims = self.claims_of_part
        return len(claims) > 1 or super().passes(primary, host)

    claims_of_part: list[Claim] = []  # noqa: RUF012

    def place_plan(self, plan: list[int], primary: Primary, job: Job, claims: list[Claim]) -> bool:
        """Remembers what is claimed."""
        self.claims_of_part = claims
        placed = super().place_plan(plan, primary, job, claims)
        self.claims_of_part = []
        return placed


class OnlyEvenSplits(Workbench):
    """A count is split over as many hosts as divide it, and no others."""

    name = "only-even-splits"
    breaks = "PLAN-2"
    kind = "split"

    def plans(self, primary: Primary) -> Iterator[list[int]]:
        """Those whose buckets are all alike."""
        for plan in super().plans(primary):
            if len(set(plan)) == 1:
                yield plan


class LimitsBeforeTheJob(Workbench):
    """Every bucket and part is held to the limits as they stood when the attempt began."""

    name = "limits-before-the-job"
    breaks = "PAR-1 LIMIT-2"
    kind = "limits"

    def fit(self, wants: Mapping[Account, int]) -> bool:
        """Limits against what was in use when the attempt began."""
        return all(
            self.ledger.fits(account, want, self.capacity(account))
            if account[2] is None
            else want <= max(0, self.capacity(account) - self.used_before.get(account, 0))
            for account, want in wants.items()
        )

    used_before: dict[Account, int] = {}  # noqa: RUF012

    def attempt(self, job: Job) -> dict[str, object]:
        """Remembers the books."""
        self.used_before = dict(self.ledger.used)
        return super().attempt(job)


class PendedJobShrinks(Workbench):
    """A job that pended in the first session is placed with its fewest tasks."""

    name = "pended-job-shrinks"
    breaks = "TASKS-1"
    kind = "split-elastic"

    def place(self, primary: Primary, job: Job) -> bool:
        """The minimum, in sessions after the first."""
        fewest = primary.tasks_min
        if self.session > 1 and not self.is_imagining:
            primary = Primary(fewest, fewest, primary.select, primary.needs, primary.span)
        return super().place(primary, job)


class WantOfTheLastTry(Workbench):
    """Hosts are also filtered by what the bucket tried before wanted, of whatever plan (E13)."""

    name = "want-of-the-last-try"
    breaks = "HOST-1 HOST-3"
    kind = "stale"
    slots_before = 0

    def place(self, primary: Primary, job: Job) -> bool:
        """A primary begins with nothing left behind."""
        self.slots_before = 0
        return super().place(primary, job)

    def candidates(self, slots: int, primary: Primary, job: Job) -> Iterator[Host]:
        """Hosts that have room for the bucket, and for the one before."""
        before, self.slots_before = self.slots_before, slots
        for host in super().candidates(slots, primary, job):
            if before == 0 or self.room(host, before, primary, job):
                yield host


class PartsTriedTheOtherWayRound(Workbench):
    """A compound that finds no room is tried once more with the hosts the other way round (E5)."""

    name = "parts-tried-the-other-way-round"
    breaks = "COMPOUND-2"
    kind = "false-feasible"

    def place_compound(self, job: Job, number: int) -> tuple[str, bool] | None:
        """The failure is that of the first try."""
        failure = super().place_compound(job, number)
        if failure is None or failure[1] or len(job.request[number]) == 1:
            return failure
        self.index.reverse()
        again = super().place_compound(job, number)
        self.index.reverse()
        return None if again is None else failure
