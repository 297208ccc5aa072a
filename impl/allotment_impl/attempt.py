"""The attempt: what an allocator may do to the ledger while one job is being tried."""

from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

from allotment_impl.accounts import Claim, HostBook
from allotment_impl.cancellation import CancellationToken
from allotment_impl.demand import Demand
from allotment_impl.ledger import Bucket, Ledger
from allotment_impl.requests import HostOrder

ProtocolEvent: TypeAlias = tuple[object, ...]
"""A protocol event as in SPEC.md 2.2: its name, then its fields."""


class AllocationMode(Enum):
    """Which resources an attempt may draw on (MODE-1)."""

    NORMAL = "normal"


class Attempt:
    """The treatment of one job in one run: its claims, its token, and its protocol events.

    ``events`` is nothing when no events were asked for, and then none is made.
    """

    __slots__ = ("_claims", "_host_order", "events", "ledger", "mode", "token")

    def __init__(
        self,
        ledger: Ledger,
        host_order: HostOrder,
        token: CancellationToken,
        events: list[ProtocolEvent] | None,
    ) -> None:
        self.ledger = ledger
        self.token = token
        self.events = events
        self.mode = AllocationMode.NORMAL
        self._host_order = host_order
        self._claims: list[Claim] = []

    @property
    def host_count(self) -> int:
        """How many hosts the cluster has, open or closed (PAR-2)."""
        return len(self.ledger.hosts)

    def hosts_in_order(self) -> Sequence[HostBook]:
        """All hosts in the order of the profile, by the ledger of this moment (HOST-9)."""
        match self._host_order:
            case HostOrder.LISTED:
                return self.ledger.hosts
            case HostOrder.MOST_FREE:
                # The slots are the first of the amounts; a sort leaves ties as they are listed.
                slots = self.ledger.amounts.free(0)
                places = sorted(range(len(slots)), key=slots.__getitem__, reverse=True)
                return [self.ledger.hosts[place] for place in places]

    def bucket(self, demand: Demand, slots: int) -> Bucket:
        """What a bucket of so many tasks of a demand wants of a host (WANT-1)."""
        return self.ledger.bucket(demand, slots)

    def claim_host(self, host: HostBook, bucket: Bucket) -> Claim | None:
        """Claim a host for a bucket; nothing is debited if it does not fit (HOST-1)."""
        claim = self.ledger.claim_host(host, bucket)
        if claim is not None:
            self._claims.append(claim)
            if self.events is not None:
                self.events.append(("claimed", host.name, claim.slots))
        return claim

    def claim_places(self, places: Sequence[int], bucket: Bucket) -> list[Claim]:
        """Claim hosts, by their places, that are known to be candidates; a poll for each."""
        self.token.poll(len(places))
        hosts, (_, slots, wants, limit_wants, _) = self.ledger.hosts, bucket
        self.ledger.amounts.debit(places, wants)
        claims = [Claim(hosts[place], slots, wants) for place in places]
        self._claims += claims
        if limit_wants:
            for claim in claims:
                self.ledger.debit_limits(claim, limit_wants)
        if self.events is not None:
            self.events += [("claimed", hosts[place].name, slots) for place in places]
        return claims

    def claim_pools(self, demand: Demand) -> bool:
        """Debit the shared wants of a primary, once; says whether they fit (SHARED-1)."""
        if not demand.shared_wants:
            return True
        claim = self.ledger.claim_pools(demand)
        if claim is None:
            return False
        self._claims.append(claim)
        return True

    def mark(self) -> int:
        """A point to which ``reverse_to`` can go back."""
        return len(self._claims)

    def reverse_to(self, mark: int) -> None:
        """Give back every claim that was made since a mark, the last first (UNDO-1, UNDO-3)."""
        claims = self._claims
        while len(claims) > mark:
            claim = claims.pop()
            if claim.reverse() and self.events is not None and claim.host is not None:
                self.events.append(("reversed", claim.host.name, claim.slots))

    def held(self) -> list[Claim]:
        """The claims that a commit makes the books' own."""
        return [claim for claim in self._claims if claim.held]
