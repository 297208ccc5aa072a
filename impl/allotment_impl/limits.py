"""Limits: for each, what its holders use, on each host or over the cluster (LIMIT-1 … 3)."""

from typing import NamedTuple

from allotment_impl.accounts import Account
from allotment_impl.requests import Identity, LimitIdentity, LimitScope
from allotment_impl.vocabulary import Vocabulary

CLUSTER_WIDE = -1
"""Stands for a host's index where a limit counts over all hosts."""


class LimitBook:
    """One limit with its cap, and an account for each holder (and host) that ever used some."""

    __slots__ = ("accounts", "cap", "identity", "per_host", "resource", "shared")

    def __init__(self, identity: LimitIdentity, cap: int, vocabulary: Vocabulary) -> None:
        self.identity = identity
        self.cap = cap
        self.per_host = identity.scope is LimitScope.HOST
        self.shared = identity.resource in vocabulary.shared
        places = vocabulary.shared if self.shared else vocabulary.host
        self.resource = places[identity.resource]
        self.accounts: dict[str, dict[int, Account]] = {}

    def applies_to(self, identity: Identity) -> bool:
        """Whether the limit counts a job of this user, queue and project (LIMIT-1)."""
        name = self.identity.name
        return name is None or name == identity.holder(self.identity.kind)

    def account(self, holder: str, host_index: int) -> Account:
        """What the holder uses, on the host if the limit is one for each host (LIMIT-2)."""
        accounts = self.accounts.setdefault(holder, {})
        place = host_index if self.per_host else CLUSTER_WIDE
        account = accounts.get(place)
        if account is None:
            account = accounts[place] = Account(self.cap)
        return account

    def set_cap(self, cap: int) -> None:
        """Give the limit a new cap; what is in use stays in use (SESSION-5)."""
        self.cap = cap
        for accounts in self.accounts.values():
            for account in accounts.values():
                account.capacity = cap

    def forget_unused(self) -> None:
        """Drop the accounts on which nothing is in use: they say no more than the cap."""
        for holder, accounts in list(self.accounts.items()):
            used = {place: account for place, account in accounts.items() if account.used}
            if used:
                self.accounts[holder] = used
            else:
                del self.accounts[holder]


class LimitWant(NamedTuple):
    """What a bucket, or a primary's part of the pools, wants of one limit that applies to it."""

    limit: LimitBook
    holder: str
    amount: int

    def fits(self, host_index: int) -> bool:
        """Whether the want is at most what is left, computed afresh (LIMIT-3, WANT-5)."""
        limit = self.limit
        account = limit.accounts.get(self.holder, {}).get(
            host_index if limit.per_host else CLUSTER_WIDE
        )
        used = 0 if account is None else account.used
        return self.amount <= limit.cap - used
