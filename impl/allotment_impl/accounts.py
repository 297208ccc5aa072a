"""Accounts, hosts, and claims on them: the arithmetic that everything is debited by."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

Wants: TypeAlias = tuple[tuple[int, int], ...]
"""What is asked for, as (place of the resource, amount); no zeros, no resource twice."""


class Account:
    """Whatever can be debited: its capacity (for a limit, its cap), and what is in use.

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


class HostBook:
    """A host in the ledger: its place in cluster order, and one account for each host amount.

    ``attributes`` is replaced, never edited, when an attribute changes. ``touched`` is where the
    host notes its place when it is debited or credited; all hosts of a ledger share it.
    """

    __slots__ = ("accounts", "attributes", "index", "name", "open", "touched")

    def __init__(self, name: str, index: int, touched: list[int]) -> None:
        self.name = name
        self.index = index
        self.touched = touched
        self.open = True
        self.attributes: Mapping[str, int | str] = {}
        self.accounts: list[Account] = []

    @property
    def slots_free(self) -> int:
        """Free slots (HOST-9)."""
        return self.accounts[0].free


class Claim:
    """A debit that can be taken back: a host taken by a bucket, or a primary's part of the pools.

    ``host`` is nothing for pools, and ``slots`` then zero. A new claim has its wants debited on
    the host; ``debits`` holds the other accounts, pools and limits, each with its amount.
    """

    __slots__ = ("debits", "held", "host", "slots", "wants")

    def __init__(self, host: HostBook | None, slots: int, wants: Wants) -> None:
        self.host = host
        self.slots = slots
        self.wants = wants
        self.debits: Sequence[tuple[Account, int]] = ()
        self.held = True
        if host is not None:
            accounts = host.accounts
            for resource, want in wants:
                account = accounts[resource]
                account.used += want
                assert account.used <= account.capacity
            host.touched.append(host.index)

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
            accounts = host.accounts
            for resource, want in self.wants:
                account = accounts[resource]
                account.used -= want
                assert account.used >= 0
            host.touched.append(host.index)
        for account, amount in self.debits:
            account.used -= amount
            assert account.used >= 0
        return True
