"""Faults between events: what is credited, queued, changed, and when."""

from typing import Any

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.intake import change_checks, first, limit_id
from allotment_conformance.zoo.workbench.things import (
    Account,
    Configuration,
    Host,
    Job,
)


class LeakOfTheLastClaim(Workbench):
    """A job that ends gives back all its claims but the last one of each part."""

    name = "leak-of-the-last-claim"
    breaks = "SESSION-4"
    kind = "leak"

    def credit_job(self, job: Job) -> None:
        """The last of several claims stays in use."""
        for claims in job.claims:
            if len(claims) > 2:
                claims[-1].held = False
        super().credit_job(job)


class LeakOfPools(Workbench):
    """A job that ends gives back what it held on hosts, and no licence."""

    name = "leak-of-pools"
    breaks = "SESSION-4"
    kind = "leak"

    def credit_job(self, job: Job) -> None:
        """Claims without a host stay in use."""
        for claims in job.claims:
            claims[0].held = False
        super().credit_job(job)


class LeakOnClosedHosts(Workbench):
    """A job that ends gives nothing back on a host that is closed."""

    name = "leak-on-closed-hosts"
    breaks = "SESSION-4 SESSION-5"
    kind = "leak"

    def credit_job(self, job: Job) -> None:
        """Claims on closed hosts stay in use."""
        for claim in (claim for claims in job.claims for claim in claims):
            if claim.host is not None and not self.now.hosts[claim.host].open:
                claim.held = False
        super().credit_job(job)


class LimitCreditedToTheUserOnly(Workbench):
    """A job that ends is taken off the limits of its user, not of its queue and project."""

    name = "limit-credited-to-the-user-only"
    breaks = "SESSION-4 LIMIT-2"
    kind = "limits"

    def credit_job(self, job: Job) -> None:
        """What queue and project hold stays in use."""
        for claim in (claim for claims in job.claims for claim in claims):
            claim.wants = {
                a: n for a, n in claim.wants.items() if a[2] is None or a[2][0] == "user"
            }
        super().credit_job(job)


class CreditedTwice(Workbench):
    """A job that ends is credited, and once more in the session after."""

    name = "credited-twice"
    breaks = "SESSION-3"
    kind = "double-release"

    def begin_session(self) -> None:
        """Credits again who ended in the session before."""
        again = [job for job in self.jobs.values() if job.stage == "finished"]
        super().begin_session()
        for job in again:
            job.stage = "forgotten"
            for claim in (claim for claims in job.claims for claim in claims):
                claim.held = True
                self.reverse(claim)


class FinishAcceptedTwice(Workbench):
    """A second finish of a job is accepted, and what it held is credited again."""

    name = "finish-accepted-twice"
    breaks = "SESSION-3 INGEST-2"
    kind = "double-release"

    def finish(self, name: str) -> str | None:
        """Credits at once when the job is ending already."""
        if name in self.jobs and self.jobs[name].stage == "ending":
            for claim in (claim for claims in self.jobs[name].claims for claim in claims):
                self.reverse(claim)
                claim.held = True
            return None
        return super().finish(name)


class PoolCreditedTwice(Workbench):
    """A job that ends gives back twice what it held of pools."""

    name = "pool-credited-twice"
    breaks = "SESSION-3"
    kind = "double-release"

    def credit_job(self, job: Job) -> None:
        """What was taken of pools is given back twice."""
        super().credit_job(job)
        for claims in job.claims:
            claims[0].held = True
            self.reverse(claims[0])


class ClosedHostForgets(Workbench):
    """Closing a host drops what is in use there; what runs, runs on uncounted."""

    name = "closed-host-forgets"
    breaks = "SESSION-5 SESSION-3"
    kind = "overalloc"

    def take_effect(self, event: Json) -> None:
        """All uses on the host are dropped, and never credited."""
        super().take_effect(event)
        if event["event"] == "host_change" and event.get("open") is False:
            self.forget(event["host"])

    def forget(self, host: str) -> None:
        """Nothing is in use there any more."""
        for job in self.live_jobs():
            for claim in (claim for claims in job.claims for claim in claims):
                if claim.host == host and claim.held:
                    self.reverse(claim)


class NewLimitCountsOneClaim(Workbench):
    """A new limit counts one claim of each job that runs."""

    name = "new-limit-counts-one-claim"
    breaks = "SESSION-3"
    kind = "limits"

    def count_anew(self, job: Job, limit: object) -> None:
        """With the first claim of the first part alone."""
        claims = job.claims
        job.claims = [claims[0][:2]]
        super().count_anew(job, limit)
        job.claims = claims


class CapStays(Workbench):
    """A limit that is there already keeps its cap."""

    name = "cap-stays"
    breaks = "SESSION-5 SESSION-2"
    kind = "limits"

    def take_effect(self, event: Json) -> None:
        """A new cap for a known limit is dropped."""
        known = event["event"] == "limit_set" and limit_id(event["limit"]) in self.now.limits
        if not known:
            super().take_effect(event)


class LimitSetAgainCountsFromZero(Workbench):
    """A limit that is removed and set again has forgotten what its holders use."""

    name = "limit-set-again-counts-from-zero"
    breaks = "SESSION-3"
    kind = "limits"

    def restart(self, cluster: Json) -> None:
        """No limit was ever removed."""
        super().restart(cluster)
        self.removed: set[object] = set()

    def take_effect(self, event: Json) -> None:
        """Remembers which limits were removed."""
        if event["event"] == "limit_remove":
            self.removed.add(limit_id(event["limit"]))
        super().take_effect(event)

    def count_anew(self, job: Job, limit: object) -> None:
        """Counts a limit that is really new."""
        if limit not in self.removed or limit not in self.now.limits:
            super().count_anew(job, limit)


class ChangesBackwards(Workbench):
    """Of changes that wait, the last takes effect first; hosts are added before that."""

    name = "changes-backwards"
    breaks = "SESSION-2"
    kind = "order"

    def begin_session(self) -> None:
        """Additions first, the rest from the last one on."""
        added = [event for event in self.waiting if event["event"] == "host_add"]
        rest = [event for event in self.waiting if event["event"] != "host_add"]
        settled = [event for event in rest if event["event"] != "limit_remove"]
        removed = [event for event in rest if event["event"] == "limit_remove"]
        self.waiting = added + settled[::-1] + removed
        super().begin_session()

    def take_effect(self, event: Json) -> None:
        """A limit that is not there any more need not be removed."""
        gone = event["event"] == "limit_remove" and (
            limit_id(event["limit"]) not in self.now.limits
        )
        if not gone:
            super().take_effect(event)


class JudgedByToday(Workbench):
    """A change is judged by the present configuration, and not by what is coming."""

    name = "judged-by-today"
    breaks = "SESSION-2 INGEST-2"
    kind = "order"

    def change(self, event: Json) -> str | None:
        """A host that waits to be added is not known."""
        code = first(change_checks(event, self.declared, self.now.hosts, self.now.limits))
        return code if code == "unknown-name" else super().change(event)


class _ReplacingConfiguration(Configuration):
    def change_host(self, host: Host, event: Json) -> None:
        super().change_host(host, event)
        host.capacity = dict(event.get("capacity", host.capacity))


class CapacityReplaced(Workbench):
    """A change of a host's capacity replaces all of it: what is not named is gone."""

    name = "capacity-replaced"
    breaks = "SESSION-2"
    kind = "degenerate"
    configuration_type = _ReplacingConfiguration


class _KeepingConfiguration(Configuration):
    def change_host(self, host: Host, event: Json) -> None:
        before = dict(host.attributes)
        super().change_host(host, event)
        host.attributes = {**before, **host.attributes}


class NullAttributeStays(Workbench):
    """An attribute that is taken away stays as it was."""

    name = "null-attribute-stays"
    breaks = "SESSION-2 SELECT-4"
    kind = "stale"
    configuration_type = _KeepingConfiguration


class _OpeningConfiguration(Configuration):
    def change_host(self, host: Host, event: Json) -> None:
        super().change_host(host, {**event, "open": event.get("open", True)})


class ChangeOpensTheHost(Workbench):
    """Whatever is changed of a host, it is open afterwards, unless it is said that it is not."""

    name = "change-opens-the-host"
    breaks = "SESSION-5"
    kind = "overalloc"
    configuration_type = _OpeningConfiguration


class PoolOfZeroIsEndless(Workbench):
    """A pool whose capacity is changed to zero has no bound."""

    name = "pool-of-zero-is-endless"
    breaks = "SHARED-1"
    kind = "arith-int"

    def capacity(self, account: Account) -> int:
        """Much, where a pool was given as nothing."""
        whole = super().capacity(account)
        is_pool = account[1] is None and account[2] is None
        return 2**60 if is_pool and whole == 0 and account[0] in self.now.pools else whole


class SecondSessionAscends(Workbench):
    """From the second session on, the smallest bucket is placed first."""

    name = "second-session-ascends"
    breaks = "PLAN-3"
    kind = "session"

    def split(self, tasks: int, hosts: int) -> list[int]:
        """Turned round, but in the first session."""
        plan = super().split(tasks, hosts)
        return plan[::-1] if self.session > 1 else plan


class ThirdSessionTurnsHostsRound(Workbench):
    """In the third session hosts are looked for from the last one on."""

    name = "third-session-turns-hosts-round"
    breaks = "HOST-9"
    kind = "session"

    def hosts_in_order(self) -> list[Host]:
        """Turned round, in the third session."""
        hosts = super().hosts_in_order()
        return hosts[::-1] if self.session == 3 else hosts


class RefusedNameIsTaken(Workbench):
    """The name of a refused job is taken."""

    name = "refused-name-is-taken"
    breaks = "SESSION-7 INGEST-2"
    kind = "identity"

    def restart(self, cluster: Json) -> None:
        """No name is taken."""
        super().restart(cluster)
        self.refused: set[str] = set()

    def submit(self, sent: Json) -> str | None:
        """Remembers the names of refused jobs."""
        if sent["name"] in self.refused:
            return "duplicate-name"
        code = super().submit(sent)
        if code is not None:
            self.refused.add(sent["name"])
        return code


class WithdrawnNameIsFree(Workbench):
    """The name of a withdrawn job can be used again."""

    name = "withdrawn-name-is-free"
    breaks = "SESSION-7"
    kind = "identity"

    def submit(self, sent: Json) -> str | None:
        """Forgets a withdrawn job of that name."""
        known = self.jobs.get(sent["name"])
        if known is not None and known.stage == "withdrawn":
            del self.jobs[sent["name"]]
        return super().submit(sent)


class SubmissionNumberUsedAgain(Workbench):
    """The place in the queue is the number of jobs that wait, so it comes twice."""

    name = "submission-number-used-again"
    breaks = "SESSION-1"
    kind = "order"

    def submit(self, sent: Json) -> str | None:
        """Numbers by the length of the queue, later ones before equal ones."""
        self.submitted = sum(job.stage == "pending" for job in self.jobs.values())
        return super().submit(sent)

    def rank(self, job: Job) -> tuple[int, int]:
        """By the number that was given."""
        return -job.priority, job.number


class TriedAgainAfterASubmission(Workbench):
    """A second run of a session tries what pended in the first, once something was submitted."""

    name = "tried-again-after-a-submission"
    breaks = "SESSION-1"
    kind = "order"

    def submit(self, sent: Json) -> str | None:
        """All may be tried again."""
        code = super().submit(sent)
        if code is None:
            self.tried.clear()
        return code


class CancelEndsTheRun(Workbench):
    """A cancelled attempt ends the run: the jobs behind it are not tried."""

    name = "cancel-ends-the-run"
    breaks = "CANCEL-1"
    kind = "cancel"

    def run_session(self, cancel_at: int | None) -> dict[str, Any]:
        """Only the jobs up to the cancelled one are told, and were tried."""
        self.stopped = False
        told = super().run_session(cancel_at)
        told["jobs"] = [one for one in told["jobs"] if one.get("answer") != "skipped"]
        return told

    def try_job(self, job: Job) -> Json:
        """Nothing, once an attempt was cancelled."""
        if self.stopped:
            return {"job": job.name, "answer": "skipped"}
        told = super().try_job(job)
        self.stopped = told["answer"] == "cancelled"
        return told


class CancelKeepsDebits(Workbench):
    """A cancelled attempt keeps what it held."""

    name = "cancel-keeps-debits"
    breaks = "CANCEL-1 UNDO-4"
    kind = "cancel"

    def cancelled(self, job: Job) -> None:
        """Nothing is given back."""
        job.claims = []


class CancelLosesTheJob(Workbench):
    """A job whose attempt was cancelled leaves the queue."""

    name = "cancel-loses-the-job"
    breaks = "CANCEL-1 SESSION-6"
    kind = "cancel"

    def cancelled(self, job: Job) -> None:
        """It will not be tried again."""
        super().cancelled(job)
        job.stage = "withdrawn"


class CancelledTriedAgain(Workbench):
    """A cancelled attempt is made again in the same session."""

    name = "cancelled-tried-again"
    breaks = "CANCEL-1 SESSION-1"
    kind = "cancel"

    def cancelled(self, job: Job) -> None:
        """It counts as not tried."""
        super().cancelled(job)
        self.tried.discard(job.name)


class CancelStaysArmed(Workbench):
    """The wish to cancel stays: every later attempt of the run is cancelled, too."""

    name = "cancel-stays-armed"
    breaks = "CANCEL-1"
    kind = "cancel"

    def cancelled(self, job: Job) -> None:
        """The next poll stops the next attempt."""
        super().cancelled(job)
        self.polls_left = 0


class LiveJobWithdrawn(Workbench):
    """A live job can be withdrawn; its claims stay for ever."""

    name = "live-job-withdrawn"
    breaks = "INGEST-2 SESSION-6"
    kind = "leak"

    def withdraw(self, name: str) -> str | None:
        """Accepted for pending and live jobs."""
        if name in self.jobs and self.jobs[name].stage == "live":
            self.jobs[name].stage = "withdrawn"
            return None
        return super().withdraw(name)
