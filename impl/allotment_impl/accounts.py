"""Accounts, hosts, and claims on them: the arithmetic that everything is debited by."""

from array import array
from collections.abc import Mapping, Sequence
from typing import TypeAlias

Wants: TypeAlias = tuple[tuple[int, int], ...]
"""What is asked for, as (place of the resource, amount); no zeros, no resource twice."""


class Account:
    """A pool, or what a holder has of a limit: its capacity or cap, and what is in use.

    ``used`` may exceed ``capacity`` after a cut; then nothing is free (SESSION-5).
    """

    __slots__ = ("capacity", "used")

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self.used = 0

    @property
    def free(self) -> int:
        """What a want may take: max(0, capacity − in use)."""
        return max(0, self.capacity - self.used)


class TouchedHosts:
    """The places of the hosts on which something was debited or given back, in that order.

    Whoever keeps a figure for each host remembers how far it has read, counted from the first
    entry ever. What is older than ``base`` is forgotten: then all hosts may have changed.
    """

    __slots__ = ("base", "places")

    def __init__(self) -> None:
        self.base = 0
        self.places: list[int] = []

    def forget(self) -> None:
        """Forget every entry; positions go on from here."""
        self.base += len(self.places)
        self.places.clear()


class HostAmounts:
    """Capacities, and what is left of them, by place of the amount and then of the host.

    What is left is the capacity less what is in use: below zero after a cut, and then nothing is
    free (SESSION-5). It is plain memory, which is replaced when hosts are added and has at least
    one cell more than hosts: numpy computes on it, and sees no memory in an empty cluster.
    """

    __slots__ = ("capacities", "left", "touched")

    def __init__(self, amounts: int) -> None:
        self.touched = TouchedHosts()
        self.capacities: list[list[int]] = [[] for _ in range(amounts)]
        self.left = [array("q", [0]) for _ in range(amounts)]

    def add_host(self) -> None:
        """One more host, without capacities."""
        for amount, capacities in enumerate(self.capacities):
            capacities.append(0)
            left = self.left[amount]
            if len(left) == len(capacities):
                self.left[amount] = left + array("q", [0]) * len(left)

    def set_capacity(self, amount: int, host: int, capacity: int) -> None:
        """Give a host a new capacity; what is in use stays in use (SESSION-5)."""
        self.left[amount][host] += capacity - self.capacities[amount][host]
        self.capacities[amount][host] = capacity

    def debit(self, hosts: Sequence[int], wants: Wants) -> None:
        """Take what each of some hosts has free."""
        for amount, want in wants:
            left = self.left[amount]
            for host in hosts:
                rest = left[host] - want
                assert rest >= 0
                left[host] = rest
        self.touched.places += hosts

    def credit(self, host: int, wants: Wants) -> None:
        """Give back what was taken of a host."""
        for amount, want in wants:
            rest = self.left[amount][host] + want
            assert rest <= self.capacities[amount][host]
            self.left[amount][host] = rest
        self.touched.places.append(host)

    def credit_all(self) -> None:
        """Let nothing be in use on any host."""
        for left, capacities in zip(self.left, self.capacities, strict=True):
            for host, capacity in enumerate(capacities):
                left[host] = capacity

    def charge(self, host: int, wants: Wants) -> None:
        """Count what a host has in use already, be it more than its capacity (SESSION-5)."""
        for amount, want in wants:
            self.left[amount][host] -= want

    def free(self, amount: int) -> list[int]:
        """What a want may take on each host: max(0, capacity − in use)."""
        left = self.left[amount][: len(self.capacities[amount])]
        return [rest if rest > 0 else 0 for rest in left]

    def used(self, amount: int) -> list[int]:
        """What is in use on each host; it may exceed the capacity after a cut (SESSION-5)."""
        pairs = zip(self.capacities[amount], self.left[amount], strict=False)
        return [capacity - left for capacity, left in pairs]


class HostBook:
    """A host in the ledger: its place in cluster order, by which its amounts are found.

    ``attributes`` is replaced, never edited, when an attribute changes; ``kind`` is the number of
    all hosts that have the same. All hosts of a ledger share ``amounts``.
    """

    __slots__ = ("amounts", "attributes", "index", "kind", "name", "open")

    def __init__(self, name: str, index: int, amounts: HostAmounts) -> None:
        self.name = name
        self.index = index
        self.amounts = amounts
        self.open = True
        self.attributes: Mapping[str, int | str] = {}
        self.kind = 0


class Claim:
    """A debit that can be taken back: a host taken by a bucket, or a primary's part of the pools.

    ``host`` is nothing for pools, and ``slots`` then zero. Who makes a claim has debited its wants
    on the host; ``debits`` holds the other accounts, pools and limits, each with its amount.
    """

    __slots__ = ("debits", "held", "host", "slots", "wants")

    def __init__(self, host: HostBook | None, slots: int, wants: Wants) -> None:
        self.host = host
        self.slots = slots
        self.wants = wants
        self.debits: Sequence[tuple[Account, int]] = ()
        self.held = True

    def debit(self, account: Account, amount: int) -> None:
        """Take an amount from an account, to be given back by ``reverse``."""
        assert self.held
        assert amount > 0
        account.used += amount
        self.debits = (*self.debits, (account, amount))

    def reverse(self) -> bool:
        """Give back what is held; says whether anything was. A second call is idle (UNDO-2)."""
        if not self.held:
            return False
        self.held = False
        host = self.host
        if host is not None:
            host.amounts.credit(host.index, self.wants)
        for account, amount in self.debits:
            account.used -= amount
            assert account.used >= 0
        return True
