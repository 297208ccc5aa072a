"""What counterexamples say: accounts in words, and which of many things is wrong."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import z3

from allotment_model.accounts import Account
from allotment_model.answers import Cancelled, Dispatched, JobAnswer, Part, Pending
from allotment_model.attempt import Failed, Won
from allotment_model.search import Placement, part_of
from allotment_proofs.statement import Lifting, Term


def words_of(account: Account) -> str:
    """What an account counts, and where."""
    if account.limit is None:
        place = "in its pool" if account.host is None else f"on {account.host}"
        return f"{account.resource} {place}"
    kind, name = account.limit.kind, account.limit.name
    whom = f"each {kind}" if name is None else f"{kind} {name}"
    where = "over the cluster" if account.host is None else f"on {account.host}"
    return f"{account.resource} of {kind} {account.holder} {where}, by the limit on {whom}"


def parts_told(parts: Iterable[Part]) -> str:
    """Where the parts of a request are placed."""
    return " + ".join(", ".join(f"{slots} on {host}" for host, slots in part) for part in parts)


def result_told(result: Won | Failed) -> str:
    """How an attempt ends."""
    if isinstance(result, Failed):
        return f"pending, {result.reason}{', by a hit' if result.cached else ''}"
    placed: Iterable[Placement | None] = result.placements  # A wrong rule may leave None there.
    parts = parts_told(part_of(one) for one in placed if one is not None)
    return f"placed by alternative {result.alternative + 1}: {parts}"


def answer_told(answer: JobAnswer) -> str:
    """How a job is answered."""
    match answer:
        case Dispatched(alternative=alternative, parts=parts):
            return f"dispatched by alternative {alternative + 1}: {parts_told(parts)}"
        case Pending(reason=reason, never=never, cached=cached):
            marks = f"{', never' if never else ''}{', by a hit' if cached else ''}"
            return f"pending, {reason}{marks}"
        case Cancelled():
            return "cancelled"


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


def nothing_wrong(
    lifting: Lifting, wrong_in: Callable[..., str], *given: Any
) -> tuple[Term, Callable[[], Mapping[str, Term]]]:
    """That a call tells of nothing wrong; and how to find what it tells, as `wrong`."""
    claim = lifting.of(lambda *symbols: not wrong_in(*symbols), *given)
    return claim, lambda: is_empty(lifting.paths(wrong_in, *given))[1]


def is_empty(found: list[tuple[Term, str]]) -> tuple[Term, dict[str, Term]]:
    """That no path of a call tells of something wrong; and what is told, as `wrong`."""
    wrong = [(there, told) for there, told in found if told]
    return z3.Not(z3.Or(*(there for there, _told in wrong))), first_of(wrong, ("",), ("wrong",))
