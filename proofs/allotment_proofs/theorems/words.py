"""What counterexamples say: accounts in words, and which of many things is wrong."""

from collections.abc import Iterable

import z3

from allotment_model.accounts import Account
from allotment_proofs.statement import Term


def words_of(account: Account) -> str:
    """What an account counts, and where."""
    if account.limit is None:
        place = "in its pool" if account.host is None else f"on {account.host}"
        return f"{account.resource} {place}"
    kind, name = account.limit.kind, account.limit.name
    whom = f"each {kind}" if name is None else f"{kind} {name}"
    where = "over the cluster" if account.host is None else f"on {account.host}"
    return f"{account.resource} of {kind} {account.holder} {where}, by the limit on {whom}"


def first_of(found: Iterable[tuple[Term, Term]], otherwise: Term) -> Term:
    """The value beside the first condition that holds; a number, a text or a term."""
    told = otherwise
    for condition, value in reversed([*found]):
        told = z3.If(condition, value, told)
    return told
