"""The ledger: what is in use on each account, debited in place and reversed exactly.

One attempt at a time debits it; what the attempt does not commit it reverses, claim by claim. So
between attempts the ledger *is* the books (UNDO-4). Everything is an integer: reversal is exact.
"""

from collections.abc import Iterable
from itertools import chain
from typing import NamedTuple, TypeAlias, assert_never

from allotment_impl.accounts import (
    Account,
    Claim,
    HostAmounts,
    HostBook,
    Wants,
)
from allotment_impl.books import Books, LimitUse
from allotment_impl.configuration import (
    ConfigurationChange,
    HostAdded,
    HostChanged,
    HostState,
    LimitRemoved,
    LimitSet,
    PoolChanged,
)
from allotment_impl.demand import Demand
from allotment_impl.limits import CLUSTER_WIDE, LimitBook, LimitWant
from allotment_impl.requests import Identity, LimitIdentity
from allotment_impl.selections import Selection, Selections
from allotment_impl.vocabulary import Vocabulary

Held: TypeAlias = tuple[Identity, Claim]
"""A claim of a live job, with whom limits know the job by."""


TOUCHED_LEAST = 4096
"""How many entries the list of touched hosts may always have. Twice as many as hosts are enough:
who is so far behind computes all hosts faster than those that were touched."""


class Bucket(NamedTuple):
    """What a bucket of ``slots`` tasks of a demand wants of any one host (WANT-1).

    ``selection`` is what its select says of hosts; nothing if all pass.
    """

    demand: Demand
    slots: int
    wants: Wants
    limit_wants: tuple[LimitWant, ...]
    selection: Selection | None


class Ledger:
    """Hosts in cluster order, pools and limits, with what is in use on each."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.hosts: list[HostBook] = []
        self.amounts = HostAmounts(len(vocabulary.host))
        self._hosts_by_name: dict[str, HostBook] = {}
        self.pools = [Account(0) for _ in vocabulary.shared]
        self.limits: dict[LimitIdentity, LimitBook] = {}
        self.selections = Selections()

    def bucket(self, demand: Demand, slots: int) -> Bucket:
        """The wants of one bucket size, each resource asked for once (WANT-1, WANT-2)."""
        wants = demand.shape.wants_of(slots)
        limit_wants = self._limit_wants(demand.identity, wants, False) if self.limits else ()
        return Bucket(demand, slots, wants, limit_wants, self.selection(demand))

    def selection(self, demand: Demand) -> Selection | None:
        """What the select of a demand says of hosts; nothing if it has none."""
        selector = demand.shape.selector
        return None if selector is None else self.selections.of(selector)

    def _limit_wants(self, identity: Identity, wants: Wants, shared: bool) -> tuple[LimitWant, ...]:
        """The wants on every limit that applies to a job; zero wants are none (LIMIT-1, -3)."""
        amounts = dict(wants)
        return tuple(
            [
                LimitWant(limit, identity.holder(limit.identity.kind), amounts[limit.resource])
                for limit in self.limits.values()
                if limit.shared is shared
                and limit.resource in amounts
                and limit.applies_to(identity)
            ]
        )

    def claim_host(self, host: HostBook, bucket: Bucket) -> Claim | None:
        """Debit a host for a bucket, or nothing at all if the host is no candidate (HOST-1).

        This is the check that counts: whatever an iterator offered is looked at again here.
        """
        if not is_candidate(host, bucket):
            return None
        self.amounts.debit([host.index], bucket.wants)
        claim = Claim(host, bucket.slots, bucket.wants)
        self.debit_limits(claim, bucket.limit_wants)
        return claim

    def trim_touched(self) -> None:
        """Forget which hosts were touched, when it is more than anyone would read."""
        touched = self.amounts.touched
        if len(touched.places) > TOUCHED_LEAST + 2 * len(self.hosts):
            touched.forget()

    def claim_pools(self, demand: Demand) -> Claim | None:
        """Debit the shared wants of a primary with their limits, or nothing (SHARED-1)."""
        wants = demand.shared_wants
        limit_wants = self._limit_wants(demand.identity, wants, True)
        if not self.pools_suffice(demand):
            return None
        if not all(want.fits(CLUSTER_WIDE) for want in limit_wants):
            return None
        claim = Claim(None, 0, wants)
        for pool, want in wants:
            claim.debit(self.pools[pool], want)
        self.debit_limits(claim, limit_wants)
        return claim

    def pools_suffice(self, demand: Demand) -> bool:
        """Whether every pool has the shared want free, limits aside (SHARED-1, WHY-1)."""
        pools = self.pools
        return not demand.shared_wants or all(
            want <= pools[pool].free for pool, want in demand.shared_wants
        )

    def debit_limits(self, claim: Claim, limit_wants: Iterable[LimitWant]) -> None:
        """Debit the limits that count a claim, on its host or over the cluster (LIMIT-2)."""
        index = CLUSTER_WIDE if claim.host is None else claim.host.index
        for limit, holder, amount in limit_wants:
            claim.debit(limit.account(holder, index), amount)

    def recount(self, claims: Iterable[Claim]) -> None:
        """Make what is in use the sum of some claims, whatever it was (SESSION-3).

        The list of touched hosts does not tell of it.
        """
        self.amounts.credit_all()
        of_limits = [one for limit in self.limits.values() for one in limit.accounts.values()]
        for account in chain(self.pools, *[accounts.values() for accounts in of_limits]):
            account.used = 0
        for claim in claims:
            if claim.host is not None:
                self.amounts.charge(claim.host.index, claim.wants)
            for account, amount in claim.debits:
                account.used += amount

    def apply(self, change: ConfigurationChange, live: Iterable[Held]) -> None:
        """Let a checked change take effect; what is in use stays in use (SESSION-5)."""
        match change:
            case HostAdded(state):
                host = HostBook(state.name, len(self.hosts), self.amounts)
                self.amounts.add_host()
                self.hosts.append(host)
                self._hosts_by_name[state.name] = host
                self._set_host(host, state)
            case HostChanged(state):
                self._set_host(self._hosts_by_name[state.name], state)
            case PoolChanged(pool, capacity):
                self.pools[pool].capacity = capacity
            case LimitSet(limit, cap):
                self._set_limit(limit, cap, live)
            case LimitRemoved(limit):
                self._remove_limit(limit, live)
            case _:
                assert_never(change)

    def _set_host(self, host: HostBook, state: HostState) -> None:
        host.open = state.open
        for amount, capacity in enumerate(state.capacity):
            self.amounts.set_capacity(amount, host.index, capacity)
        host.attributes = state.attributes
        host.kind = self.selections.kind_of(state.attributes)
        if self.selections.is_stale(len(self.hosts)):
            self.selections = Selections()
            for other in self.hosts:
                other.kind = self.selections.kind_of(other.attributes)

    def _set_limit(self, identity: LimitIdentity, cap: int, live: Iterable[Held]) -> None:
        """Set a cap; a limit that is new counts what already runs (SESSION-3)."""
        limit = self.limits.get(identity)
        if limit is not None:
            limit.set_cap(cap)
            return
        limit = self.limits[identity] = LimitBook(identity, cap, self.vocabulary)
        for holder, claim in live:
            amount = dict(claim.wants).get(limit.resource)
            if amount and limit.shared is (claim.host is None) and limit.applies_to(holder):
                self.debit_limits(claim, [LimitWant(limit, holder.holder(identity.kind), amount)])

    def _remove_limit(self, identity: LimitIdentity, live: Iterable[Held]) -> None:
        """Drop a limit; no claim goes on referring to what it counted."""
        limit = self.limits.pop(identity)
        gone = {account for accounts in limit.accounts.values() for account in accounts.values()}
        for _, claim in live:
            claim.debits = tuple([debit for debit in claim.debits if debit[0] not in gone])

    def books(self) -> Books:
        """What is in use, accounts with nothing in use left out (SESSION-3)."""
        columns = [(name, self.amounts.used(at)) for name, at in self.vocabulary.host.items()]
        hosts: dict[str, dict[str, int]] = {}
        for host in self.hosts:
            in_use = {name: used[host.index] for name, used in columns if used[host.index]}
            if in_use:
                hosts[host.name] = in_use
        pools = {name: self.pools[place].used for name, place in self.vocabulary.shared.items()}
        return Books(
            hosts=hosts,
            pools={name: used for name, used in pools.items() if used},
            limits=tuple(self._limit_uses()),
        )

    def _limit_uses(self) -> Iterable[LimitUse]:
        """In the order of limits, holders and hosts, whatever came first in time."""
        for identity, limit in self.limits.items():
            for holder, accounts in sorted(limit.accounts.items()):
                for place, account in sorted(accounts.items()):
                    if account.used:
                        host = None if place == CLUSTER_WIDE else self.hosts[place].name
                        yield LimitUse(limit=identity, holder=holder, host=host, used=account.used)


def has_room(host: HostBook, bucket: Bucket) -> bool:
    """Whether every want of a bucket is at most what the host has free (HOST-1, WANT-4)."""
    place, left = host.index, host.amounts.left
    for resource, want in bucket.wants:
        if want > left[resource][place]:
            return False
    limit_wants = bucket.limit_wants
    return not limit_wants or all(want.fits(host.index) for want in limit_wants)


def passes_select(host: HostBook, selection: Selection | None) -> bool:
    """Whether a host passes the select; no select selects all (SELECT-5)."""
    return selection is None or selection.passes(host.kind)


def is_candidate(host: HostBook, bucket: Bucket) -> bool:
    """Whether a host is open, passes the select and has room for the bucket (HOST-1)."""
    # Room is asked first: it is what most hosts lack, and cheaper than a select.
    return has_room(host, bucket) and host.open and passes_select(host, bucket.selection)
