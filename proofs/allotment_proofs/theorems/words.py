"""What counterexamples say: accounts in words, and which of many things is wrong."""

from collections.abc import Callable, Mapping, Sequence

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


def first_of(
    rows: Sequence[tuple[Term, ...]], otherwise: tuple[Term, ...], names: tuple[str, ...]
) -> dict[str, Term]:
    """What the first row says whose condition, its first item, holds; by these names.

    An item is a number, a text or a term; `otherwise` is what is said if no condition holds.
    """
    told = dict(zip(names, otherwise, strict=True))
    for condition, *said in reversed(rows):
        for name, one in zip(names, said, strict=True):
            told[name] = z3.If(condition, one, told[name])
    return told


def first_wrong(right: Mapping[str, Callable[[], bool]]) -> str:
    """The first of these that is not as it should be; empty if all are."""
    return next((name for name, is_right in right.items() if not is_right()), "")


def is_empty(found: list[tuple[Term, str]]) -> tuple[Term, dict[str, Term]]:
    """That no path of a call tells of something wrong; and what is told, as `wrong`."""
    wrong = [(there, told) for there, told in found if told]
    return z3.Not(z3.Or(*(there for there, _told in wrong))), first_of(wrong, ("",), ("wrong",))
