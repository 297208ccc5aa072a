"""The books: what live jobs hold, and what is credited when they finish."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from allotment_model import accounts
from allotment_model.accounts import Account, Wants
from allotment_model.cluster import LimitId
from allotment_model.state import Allocation, State

if TYPE_CHECKING:
    from allotment_model.rules import Rules


def end_jobs(state: State, rules: "Rules") -> State:
    """SESSION-3, SESSION-4: what the finishing jobs held is credited."""
    books = dict(state.books)
    for name in state.finishing:
        for account, amount in charges(state.live[name], state.cluster.limits, rules).items():
            books[account] = rules.credit(books.get(account, 0), amount)
    live = {name: held for name, held in state.live.items() if name not in state.finishing}
    return replace(
        state,
        books=without_zeros(books),
        live=live,
        finished=state.finished | state.finishing,
        finishing=frozenset(),
    )


def with_limits_recounted(state: State, rules: "Rules") -> Mapping[Account, int]:
    """SESSION-3: the books, with the use of each limit counted from the live jobs."""
    recounted = recount(state.live.values(), state.cluster.limits, rules)
    books = {account: used for account, used in state.books.items() if account.limit is None}
    for account in recounted.keys() | state.books.keys():
        if account.limit is not None and account.limit in state.cluster.limits:
            now, before = recounted.get(account, 0), state.books.get(account, 0)
            books[account] = rules.limit_use_at_begin(now, before)
    return without_zeros(books)


def recount(
    live: Iterable[Allocation], limits: Iterable[LimitId], rules: "Rules"
) -> Mapping[Account, int]:
    """SESSION-3: what is in use on each account: the sum over the live jobs."""
    sums: dict[Account, int] = {}
    for allocation in live:
        _add(charges(allocation, limits, rules), sums)
    return without_zeros(sums)


def charges(allocation: Allocation, limits: Iterable[LimitId], rules: "Rules") -> Wants:
    """SESSION-3, LIMIT-2: what one live job holds: on hosts, in pools, and of these limits."""
    sums: dict[Account, int] = {}
    for placement in allocation.placements:
        on_hosts = ((claim.host, claim.wants) for claim in placement.claims)
        for host, wants in ((None, placement.shared), *on_hosts):
            held = {account: n for account, n in wants.items() if account.limit is None}
            amounts = {account.resource: n for account, n in held.items()}
            counted = accounts.limit_wants(amounts, host, allocation.identity, limits, rules)
            _add(held | counted, sums)
    return sums


def _add(wants: Wants, sums: dict[Account, int]) -> None:
    for account, amount in wants.items():
        sums[account] = sums.get(account, 0) + amount


def without_zeros(books: Mapping[Account, int]) -> Mapping[Account, int]:
    """The same books; accounts with nothing in use are left out."""
    return {account: used for account, used in books.items() if used != 0}
