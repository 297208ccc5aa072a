"""Faults of changes: what else goes, stays or is forgotten when the configuration changes."""

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.intake import LimitId, limit_id
from allotment_conformance.zoo.workbench.things import Account, Host, Job


class _LimitsTakenAway(Workbench):
    """When one limit changes others go, and with them what they have counted."""

    event = ""

    def goes(self, other: LimitId, changed: LimitId) -> bool:
        """Whether another limit goes."""
        raise NotImplementedError

    def take_effect(self, event: Json) -> None:
        """One change; a limit that is gone cannot go."""
        if event["event"] == "limit_remove" and limit_id(event["limit"]) not in self.now.limits:
            return
        super().take_effect(event)
        if event["event"] == self.event:
            changed = limit_id(event["limit"])
            for other in [one for one in self.now.limits if one != changed]:
                if self.goes(other, changed):
                    self.take_away(other)

    def take_away(self, limit: LimitId) -> None:
        """A limit, its accounts and what jobs hold of it."""
        del self.now.limits[limit]
        for account in [one for one in self.ledger.used if one[2] == limit]:
            del self.ledger.used[account]
        for claim in (claim for job in self.jobs.values() for part in job.claims for claim in part):
            claim.wants = {one: n for one, n in claim.wants.items() if one[2] != limit}


class LimitGoesWithItsResources(_LimitsTakenAway):
    """Who removes a limit on one resource removes those on the others, too."""

    name = "limit-goes-with-its-resources"
    breaks = "SESSION-2 LIMIT-1"
    kind = "limits"
    event = "limit_remove"

    def goes(self, other: LimitId, changed: LimitId) -> bool:
        """Of the same holder and scope."""
        return other[:3] == changed[:3]


class LimitGoesInBothScopes(_LimitsTakenAway):
    """Who removes a limit over the cluster removes the one on each host, too, and the reverse."""

    name = "limit-goes-in-both-scopes"
    breaks = "SESSION-2 LIMIT-1"
    kind = "limits"
    event = "limit_remove"

    def goes(self, other: LimitId, changed: LimitId) -> bool:
        """Of the same holder and resource."""
        return (other[:2], other[3]) == (changed[:2], changed[3])


class LimitOfEachTakesNamedAway(_LimitsTakenAway):
    """A limit of each user, set anew, takes the place of those of single users."""

    name = "limit-of-each-takes-named-away"
    breaks = "SESSION-2 LIMIT-1"
    kind = "limits"
    event = "limit_set"

    def goes(self, other: LimitId, changed: LimitId) -> bool:
        """Of the same kind, if it has a name."""
        return changed[1] is None and other[1] is not None and other[0] == changed[0]


class LargestOfWaitingPools(Workbench):
    """Of several capacities that wait for a pool the largest one stands."""

    name = "largest-of-waiting-pools"
    breaks = "SESSION-2"
    kind = "session"

    def begin_session(self) -> None:
        """Each change of a pool brings the largest."""
        largest: dict[str, int] = {}
        for event in self.waiting:
            if event["event"] == "pool_change":
                largest[event["pool"]] = max(largest.get(event["pool"], 0), event["capacity"])
        self.waiting = [
            {**event, "capacity": largest[event["pool"]]} if "pool" in event else event
            for event in self.waiting
        ]
        super().begin_session()


class LastChangeOfAHostAlone(Workbench):
    """Of several changes that wait for a host the last one takes effect, and no other."""

    name = "last-change-of-a-host-alone"
    breaks = "SESSION-2"
    kind = "session"

    def begin_session(self) -> None:
        """The others are left out."""
        last = {one["host"]: one for one in self.waiting if one["event"] == "host_change"}
        self.waiting = [
            one for one in self.waiting if one["event"] != "host_change" or one is last[one["host"]]
        ]
        super().begin_session()


class HostsJoinBackwards(Workbench):
    """Of hosts that join in one session the last one stands first."""

    name = "hosts-join-backwards"
    breaks = "HOST-9 SESSION-2"
    kind = "order"

    def reset(self) -> None:
        """Those that were known keep their places."""
        known = self.index
        super().reset()
        self.index = known + [name for name in reversed(self.index) if name not in known]


class _UseForgotten(Workbench):
    """A change makes the scheduler forget what is in use on some accounts."""

    def is_forgotten(self, account: Account, event: Json) -> bool:
        """Whether nothing is in use there after the change."""
        raise NotImplementedError

    def take_effect(self, event: Json) -> None:
        """The change, and the loss."""
        super().take_effect(event)
        for account in [one for one in self.ledger.used if self.is_forgotten(one, event)]:
            self.ledger.used[account] = 0


class LimitsForgottenWithAHost(_UseForgotten):
    """When a host changes, limits on each host count nothing there."""

    name = "limits-forgotten-with-a-host"
    breaks = "LIMIT-2 SESSION-3"
    kind = "limits"

    def is_forgotten(self, account: Account, event: Json) -> bool:
        """Of that host, if its capacity changes."""
        is_change = event["event"] == "host_change" and "capacity" in event
        return is_change and account[2] is not None and account[1] == event["host"]


class LimitsForgottenWithAPool(_UseForgotten):
    """When a pool changes, limits on it count nothing."""

    name = "limits-forgotten-with-a-pool"
    breaks = "LIMIT-2 SESSION-3"
    kind = "limits"

    def is_forgotten(self, account: Account, event: Json) -> bool:
        """Of that pool."""
        is_change = event["event"] == "pool_change"
        return is_change and account[2] is not None and account[0] == event["pool"]


class EndedOnAClosedHost(Workbench):
    """What a job gives back on a host that is closed is lost."""

    name = "ended-on-a-closed-host"
    breaks = "SESSION-4 SESSION-5"
    kind = "leak"

    def credit_job(self, job: Job) -> None:
        """Open hosts and pools alone."""
        for claim in (claim for part in job.claims for claim in part):
            if claim.host is None or self.now.hosts[claim.host].open:
                self.reverse(claim)


class NamesFreeAfterASession(Workbench):
    """The names of jobs that have ended are free again from the session after next on."""

    name = "names-free-after-a-session"
    breaks = "SESSION-7"
    kind = "identity"

    def begin_session(self) -> None:
        """Who had ended before is forgotten."""
        for name in [name for name, job in self.jobs.items() if job.stage == "finished"]:
            del self.jobs[name]
        super().begin_session()


class WaitingRaisesPriority(Workbench):
    """A job that has waited for three sessions has a higher priority."""

    name = "waiting-raises-priority"
    breaks = "SESSION-1"
    kind = "order"

    def restart(self, cluster: Json) -> None:
        """Nobody has waited."""
        super().restart(cluster)
        self.since: dict[str, int] = {}

    def rank(self, job: Job) -> tuple[int, int]:
        """The place of a job in the queue."""
        waited = self.session - self.since.setdefault(job.name, self.session)
        return -job.priority - (waited > 2), job.number


class UsedHostsFirst(Workbench):
    """Hosts that are in use stand before those that are empty."""

    name = "used-hosts-first"
    breaks = "HOST-9 SEQ-1"
    kind = "order"

    def hosts_in_order(self) -> list[Host]:
        """Else in the order that is declared."""
        return sorted(
            super().hosts_in_order(),
            key=lambda host: self.ledger.in_use(("slots", host.name, None, None)) == 0,
        )


class NeverByTheFirstPools(Workbench):
    """`never` is worked out with the pools as they were at the beginning."""

    name = "never-by-the-first-pools"
    breaks = "WHY-2"
    kind = "stale"

    def restart(self, cluster: Json) -> None:
        """The pools are remembered."""
        super().restart(cluster)
        self.first_pools = dict(self.now.pools)

    def is_never(self, job: Job) -> bool:
        """With those pools."""
        pools, self.now.pools = self.now.pools, self.first_pools
        never = super().is_never(job)
        self.now.pools = pools
        return never
