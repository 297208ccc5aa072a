"""Faults of bounds: what there is more of than somebody once thought is lost."""

from collections.abc import Iterator
from itertools import takewhile

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.intake import depth
from allotment_conformance.zoo.workbench.selects import Attributes, Select
from allotment_conformance.zoo.workbench.things import Configuration, Host, Job, Primary, Reader


class SixteenBuckets(Workbench):
    """A plan has sixteen buckets at most."""

    name = "sixteen-buckets"
    breaks = "PLAN-1"
    kind = "false-infeasible"

    def plans(self, primary: Primary) -> Iterator[list[int]]:
        """None from the first one on that has more."""
        return takewhile(lambda plan: len(plan) <= 16, super().plans(primary))


class ThirteenHostsPassedOver(Workbench):
    """No plan is made for thirteen hosts."""

    name = "thirteen-hosts-passed-over"
    breaks = "PLAN-1"
    kind = "split"

    def has_hosts_for(self, plan: list[int]) -> bool:
        """Not for thirteen."""
        return len(plan) != 13 and super().has_hosts_for(plan)


class EightChangesWait(Workbench):
    """There is room for eight changes that wait; later ones are accepted, and lost."""

    name = "eight-changes-wait"
    breaks = "SESSION-2"
    kind = "session"

    def begin_session(self) -> None:
        """Of what waits the beginning takes effect."""
        del self.waiting[8:]
        super().begin_session()


class TwoLimitsComeASession(Workbench):
    """Two limits at most are set in one session."""

    name = "two-limits-come-a-session"
    breaks = "SESSION-2"
    kind = "limits"

    def begin_session(self) -> None:
        """Limits from the third on are left out."""
        coming = [one for one in self.waiting if one["event"] == "limit_set"][:2]
        self.waiting = [one for one in self.waiting if one["event"] != "limit_set" or one in coming]
        super().begin_session()


class FourFinishesASession(Workbench):
    """Four jobs at most are credited when a session begins; what the others held is lost."""

    name = "four-finishes-a-session"
    breaks = "SESSION-4"
    kind = "leak"

    def begin_session(self) -> None:
        """The fifth one and those behind it have no claims to give back."""
        for job in [job for job in self.jobs.values() if job.stage == "ending"][4:]:
            job.claims = []
        super().begin_session()


class EightAlternatives(Workbench):
    """Alternatives from the ninth on are not tried."""

    name = "eight-alternatives"
    breaks = "ALTER-1"
    kind = "or-alt"

    def attempt(self, job: Job) -> Json:
        """With a shorter request, for as long as it takes."""
        whole, job.request = job.request, job.request[:8]
        told = super().attempt(job)
        job.request = whole
        return told


class EightParts(Workbench):
    """Parts of a compound from the ninth on are not placed."""

    name = "eight-parts"
    breaks = "COMPOUND-1"
    kind = "atomicity"

    def place_compound(self, job: Job, number: int) -> tuple[str, bool] | None:
        """With a shorter compound, for as long as it takes."""
        whole, job.request[number] = job.request[number], job.request[number][:8]
        failure = super().place_compound(job, number)
        job.request[number] = whole
        return failure


class _EightEntries(Reader):
    def needs(self, rusage: list[Json]) -> dict[str, tuple[int, int, int]]:
        return super().needs(rusage[:8])


class EightEntries(Workbench):
    """Entries of a rusage from the ninth on are not read."""

    name = "eight-entries"
    breaks = "WANT-2"
    kind = "overalloc"
    reader_type = _EightEntries


class CacheOfEight(Workbench):
    """The cache has room for eight keys; the oldest goes."""

    name = "cache-of-eight"
    breaks = "CACHE-8 CACHE-3"
    kind = "degenerate"

    def fill(self, key: object, reason: str) -> None:
        """One more, one less."""
        super().fill(key, reason)
        if len(self.cache) > 8:
            del self.cache[next(iter(self.cache))]


class SixteenAreSorted(Workbench):
    """The first sixteen jobs of the queue are brought in order, others stay behind them."""

    name = "sixteen-are-sorted"
    breaks = "SESSION-1"
    kind = "order"

    def queue(self) -> list[Job]:
        """Those behind in the order of submission."""
        submitted = sorted(super().queue(), key=lambda job: job.number)
        return sorted(submitted[:16], key=self.rank) + submitted[16:]


class EightPendsEndTheRun(Workbench):
    """When eight jobs in a run had to wait, others are not tried."""

    name = "eight-pends-end-the-run"
    breaks = "SESSION-1"
    kind = "session"

    def run_session(self, cancel_at: int | None) -> Json:
        """What is told ends there, and the others are as good as tried."""
        told = super().run_session(cancel_at)["jobs"]
        waiting = [at for at, one in enumerate(told) if one["answer"] == "pending"]
        return {"answer": "ran", "jobs": told[: waiting[7] + 1] if len(waiting) > 7 else told}


class _ThreeAttributes(Configuration):
    def change_host(self, host: Host, event: Json) -> None:
        super().change_host(host, event)
        host.attributes = dict(list(host.attributes.items())[:3])

    def apply(self, event: Json) -> None:
        super().apply(event)
        if event["event"] == "host_add":
            self.change_host(self.hosts[event["host"]["name"]], {})


class ThreeAttributes(Workbench):
    """A host has three attributes at most."""

    name = "three-attributes"
    breaks = "SELECT-4"
    kind = "degenerate"
    configuration_type = _ThreeAttributes


class _ShallowSelect(Select):
    def passes(self, select: Json | None, attributes: Attributes) -> bool:
        if select is not None and depth(select) > 64:
            return False
        return super().passes(select, attributes)


class SelectsOf64Levels(Workbench):
    """A select with more than 64 levels is true of no host."""

    name = "selects-of-64-levels"
    breaks = "SELECT-5"
    kind = "select-expr"
    select_type = _ShallowSelect
