"""Accounts and claims: exact, idempotent, order-free."""

from itertools import permutations

from hypothesis import given
from hypothesis import strategies as st

from allotment_impl.accounts import Account, Claim


def claimed(*debits: tuple[Account, int]) -> Claim:
    claim = Claim(None, 0, ())
    for account, amount in debits:
        claim.debit(account, amount)
    return claim


def test_free_is_never_negative() -> None:
    account = Account(5)
    claimed((account, 5))
    account.capacity = 3
    assert 0 == account.free


def test_a_debit_and_its_reversal_leave_nothing() -> None:
    account = Account(10)
    claim = claimed((account, 3), (account, 4))
    assert (7, 3) == (account.used, account.free)
    assert claim.reverse()
    assert 0 == account.used


def test_a_second_reversal_changes_nothing() -> None:
    account = Account(10)
    kept, gone = claimed((account, 2)), claimed((account, 3))
    assert [True, False, False] == [gone.reverse() for _ in range(3)]
    assert (2, True, False) == (account.used, kept.held, gone.held)


def test_the_order_of_reversals_does_not_matter() -> None:
    for order in permutations(range(3)):
        accounts = [Account(10), Account(10)]
        claims = [claimed((accounts[place % 2], place + 1), (accounts[0], 1)) for place in range(3)]
        for place in order:
            claims[place].reverse()
        assert [0, 0] == [account.used for account in accounts]


@given(st.integers(0, 2**53 - 1), st.integers(1, 2**53 - 1))
def test_reversal_is_exact_at_any_size(used: int, amount: int) -> None:
    account = Account(2**53 - 1)
    account.used = used
    claimed((account, amount)).reverse()
    assert used == account.used
