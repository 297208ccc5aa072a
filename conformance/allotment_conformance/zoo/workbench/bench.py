"""The workbench allocator: one mutable scheduler, debited in place, reversed claim by claim."""

from typing import Any, ClassVar

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json, no_cluster
from allotment_conformance.zoo.workbench.intake import (
    MOST,
    MOST_TASKS,
    Declared,
    change_checks,
    first,
    job_checks,
    limit_id,
)
from allotment_conformance.zoo.workbench.placing import Cancelled, Placer
from allotment_conformance.zoo.workbench.selects import Select
from allotment_conformance.zoo.workbench.things import (
    Configuration,
    Job,
    Reader,
)

FEATURES = (
    "compound alter select rusage span ptile shared limits priorities host-changes cancel events"
    " books"
)


class UnknownAxis(KitError):
    """The workbench has no choice of that name."""

    code = "unknown-axis"


class Workbench(Placer):
    """An allocator that is exact. Each step is a method, so that a mutant can break just one.

    Options are axes of the profile: `host_order`, `cache`, `rusage_default`. A mutant says which
    clauses it `breaks`, and what `kind` of fault it has.
    """

    name: ClassVar[str] = "workbench"
    breaks: ClassVar[str] = ""
    kind: ClassVar[str] = "healthy"
    configuration_type: ClassVar[type[Configuration]] = Configuration
    reader_type: ClassVar[type[Reader]] = Reader
    select_type: ClassVar[type[Select]] = Select

    def __init__(self, **axes: str) -> None:
        self.axes = {"host_order": "listed", "cache": "transparent", "rusage_default": "task"}
        if unknown := set(axes) - set(self.axes):
            raise UnknownAxis(
                f"the workbench has no axis {', '.join(sorted(unknown))}",
                remedy=f"Its axes: {', '.join(self.axes)}",
            )
        self.axes |= axes
        self.is_started = False

    def start(self) -> Json:
        """What it declares (SPEC.md 2.4)."""
        return {
            "name": f"allotment-zoo, {self.name}",
            "version": "1",
            "features": FEATURES.split(),
            "split": "balanced",
            "declares": ["reason", "never", "cached"],
            "largest": {"tasks": MOST_TASKS, "hosts": 10_000, "amount": MOST},
            **self.axes,
        }

    def close(self) -> None:
        """Nothing is held."""

    def run(self, case: Json) -> list[Json]:
        """The answer to each event of a case."""
        if "cluster" in case:
            self.restart(case["cluster"])
        if not self.is_started:
            raise no_cluster()
        self.report = case.get("report", ())
        return [self.reported(self.answer(event)) for event in case["events"]]

    def restart(self, cluster: Json) -> None:
        """A new scheduler, inside its first session."""
        self.is_started = True
        self.declared = Declared.of(cluster.get("resources", {}))
        self.now = self.configuration_type.of(cluster)
        self.coming = self.configuration_type.of(cluster)
        self.waiting: list[Json] = []
        self.ledger = self.ledger_type()
        self.reader = self.reader_type(self.declared, self.axes["rusage_default"])
        self.select = self.select_type()
        self.jobs: dict[str, Job] = {}
        self.submitted = 0
        self.session = 1
        self.tried: set[str] = set()
        self.cache: dict[object, str] = {}
        self.passing: dict[tuple[int, str], bool] = {}
        self.index: list[str] = list(self.now.hosts)
        self.notes: list[list[Any]] = []
        self.polls_left: int | None = None
        self.is_imagining = False

    def reported(self, answer: Json) -> Json:
        """The answer with the books, if they are asked for."""
        return {**answer, "books": self.ledger.books()} if "books" in self.report else answer

    # Events

    def answer(self, event: Json) -> Json:
        """The answer to an event, which is treated."""
        match event["event"]:
            case "begin_session":
                self.begin_session()
            case "run_session":
                return self.run_session(event.get("cancel_at"))
            case "submit":
                return self.answered(self.submit(event["job"]))
            case "finish":
                return self.answered(self.finish(event["job"]))
            case "withdraw":
                return self.answered(self.withdraw(event["job"]))
            case _:
                return self.answered(self.change(event))
        return {"answer": "ok"}

    def answered(self, code: str | None) -> Json:
        """Accepted, or refused with a code."""
        return {"answer": "ok"} if code is None else {"answer": "refused", "code": code}

    def submit(self, sent: Json) -> str | None:
        """A job joins the queue, or is refused."""
        code = first(job_checks(sent, self.declared, self.jobs))
        if code is None:
            self.jobs[sent["name"]] = self.reader.job(sent, self.submitted)
            self.submitted += 1
        return code

    def finish(self, name: str) -> str | None:
        """A live job ends, and is charged until the next session."""
        if name not in self.jobs:
            return "unknown-name"
        if self.jobs[name].stage != "live":
            return "not-running"
        self.jobs[name].stage = "ending"
        return None

    def withdraw(self, name: str) -> str | None:
        """A pending job leaves the queue."""
        if name not in self.jobs:
            return "unknown-name"
        if self.jobs[name].stage != "pending":
            return "not-pending"
        self.jobs[name].stage = "withdrawn"
        return None

    def change(self, event: Json) -> str | None:
        """SESSION-2: a change waits for the next session, or is refused."""
        coming = self.coming
        code = first(change_checks(event, self.declared, coming.hosts, coming.limits))
        if code is None:
            self.waiting.append(event)
            coming.apply(event)
        return code

    def begin_session(self) -> None:
        """SESSION-2, CACHE-2: what waited takes effect; the cache is emptied."""
        for job in self.jobs.values():
            if job.stage == "ending":
                job.stage = "finished"
                self.credit_job(job)
        waiting, self.waiting = self.waiting, []
        for event in waiting:
            self.take_effect(event)
        self.reset()

    def reset(self) -> None:
        """Nothing of the last session is known in the next."""
        self.session += 1
        self.tried.clear()
        self.cache.clear()
        self.passing.clear()
        self.index = list(self.now.hosts)

    def credit_job(self, job: Job) -> None:
        """SESSION-4: what a job holds is given back."""
        for claims in job.claims:
            for claim in claims:
                self.reverse(claim)

    def take_effect(self, event: Json) -> None:
        """One change; a new limit counts what runs (SESSION-3)."""
        is_new = event["event"] == "limit_set" and limit_id(event["limit"]) not in self.now.limits
        self.now.apply(event)
        if event["event"] == "limit_remove":
            gone = limit_id(event["limit"])
            for account in [one for one in self.ledger.used if one[2] == gone]:
                del self.ledger.used[account]
        if is_new or event["event"] == "limit_remove":
            for job in self.live_jobs():
                self.count_anew(job, limit_id(event["limit"]))

    def live_jobs(self) -> list[Job]:
        """The jobs that run, those with a waiting finish among them."""
        return [job for job in self.jobs.values() if job.stage in ("live", "ending")]

    def count_anew(self, job: Job, limit: object) -> None:
        """What a job holds of a limit that is new, or that is gone."""
        for claim in (claim for claims in job.claims for claim in claims):
            claim.wants = {account: n for account, n in claim.wants.items() if account[2] != limit}
            for account, amount in self.limit_wants(job, claim.host, claim.amounts).items():
                if account[2] == limit:
                    claim.wants[account] = amount
                    self.ledger.debit(account, amount)

    # A run

    def run_session(self, cancel_at: int | None) -> Json:
        """SESSION-1: every pending job that was not yet tried is tried once."""
        self.polls_left = cancel_at
        told = [self.try_job(job) for job in self.queue()]
        self.polls_left = None
        return {"answer": "ran", "jobs": told}

    def queue(self) -> list[Job]:
        """Higher priority first, then the order of submission."""
        untried = (job for name, job in self.jobs.items() if name not in self.tried)
        return sorted((job for job in untried if job.stage == "pending"), key=self.rank)

    def rank(self, job: Job) -> tuple[int, int]:
        """The place of a job in the queue."""
        return -job.priority, job.number

    def try_job(self, job: Job) -> Json:
        """One attempt, and what is told of it."""
        self.tried.add(job.name)
        self.notes = []
        try:
            told = self.attempt(job)
        except Cancelled:
            self.cancelled(job)
            told = {"answer": "cancelled"}
        if "events" in self.report:
            told["events"] = self.notes
        return {"job": job.name, **told}

    def cancelled(self, job: Job) -> None:
        """UNDO-4: what the attempt held is given back."""
        self.reverse_parts(job.claims)
        job.claims = []

    def attempt(self, job: Job) -> Json:
        """ALTER-1: the first alternative that is fully placed, else the last failure."""
        reason, cached = "error", False
        for number in range(len(job.request)):
            failure = self.place_compound(job, number)
            if failure is None:
                self.note("committed")
                job.stage = "live"
                parts = [
                    [[c.host, c.slots] for c in part if c.host is not None] for part in job.claims
                ]
                return {"answer": "dispatched", "alternative": number, "parts": parts}
            reason, cached = failure
            if cached and self.axes["cache"] == "literal":
                break
        never = self.is_never(job)
        return {"answer": "pending", "reason": reason, "never": never, "cached": cached}

    def place_compound(self, job: Job, number: int) -> tuple[str, bool] | None:
        """COMPOUND-1, COMPOUND-2: all parts in order; else why not, and whether by a hit."""
        job.claims = []
        for part, primary in enumerate(job.request[number]):
            self.note("primary", number, part)
            key = job.keys[number][part]
            if key in self.cache and self.axes["cache"] != "none":
                self.note("hit", self.cache[key])
                failure = self.cache[key], True
            elif self.place(primary, job):
                continue
            else:
                failure = self.reason(primary, job), False
                if self.may_fill(job):
                    self.fill(key, failure[0])
            self.reverse_parts(job.claims)
            job.claims = []
            return failure
        return None

    def may_fill(self, job: Job) -> bool:
        """CACHE-3: only while the attempt holds no debit."""
        return self.axes["cache"] != "none" and (not job.claims or self.axes["cache"] == "literal")

    def fill(self, key: object, reason: str) -> None:
        """A primary is known to fail."""
        self.note("filled", reason)
        self.cache[key] = reason
