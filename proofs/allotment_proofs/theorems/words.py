"""What counterexamples say: accounts in words, and which of many things is wrong."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

import z3

from allotment_model.accounts import Account
from allotment_model.answers import Cancelled, Dispatched, JobAnswer, Part, Pending
from allotment_model.attempt import Failed, Won
from allotment_model.search import Placement, part_of
from allotment_proofs.statement import Lifting, Term
from allotment_proofs.trusted.symbols import Symbol


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


Told = str | tuple[Any, ...]
"""A text, or parts that make one: texts, and what is a symbol when the model is run on such."""


def first_wrong(compared: Mapping[str, Callable[[], tuple[Any, Any]]]) -> Told:
    """The first of these pairs whose sides differ, and in what; empty if none does."""
    for name, sides in compared.items():
        found, right = sides()
        if found != right:
            return (name, *_difference(found, right))
    return ""


def _difference(found: Any, right: Any) -> tuple[Any, ...]:
    """Where the sides of a pair differ first, what is found there, and what should be."""
    one, other = _parts(found), _parts(right)
    for name in {**one, **other} if type(found) is type(right) else ():
        held, expected = one.get(name), other.get(name)
        if held is not expected and held != expected:
            where = words_of(name) if isinstance(name, Account) else _in_short(name)
            return (f", {where}", *_difference(held, expected))
    return (": ", _in_short(found), ", and it should be ", _in_short(right))


def _parts(value: Any) -> dict[Any, Any]:
    """What a value is made of, by name; empty if it is not looked into."""
    if is_dataclass(type(value)):
        return {one.name: getattr(value, one.name) for one in fields(type(value))}
    if type(value) is dict:
        return value
    return {} if type(value) is not tuple else dict(enumerate(value, start=1))


def _in_short(value: Any) -> Any:
    """A symbol, or a word for a value."""
    if value is None:
        return "nothing"
    if type(value) in (Symbol, str):
        return value
    if type(value) in (list, set, frozenset):
        return ", ".join(map(str, value)) or "nothing"
    return type(value).__name__ if _parts(value) else str(value)


def _text_of(told: Told) -> Term:
    """The parts of a text, of which some are terms, in one."""
    texts = [z3.StringVal("")]
    for one in (told,) if isinstance(told, str) else told:
        match one:
            case z3.BoolRef():
                texts.append(z3.If(one, z3.StringVal("True"), z3.StringVal("False")))
            case z3.ArithRef():
                digits = z3.IntToStr(z3.If(one < 0, -one, one))
                texts.append(z3.If(one < 0, z3.Concat(z3.StringVal("-"), digits), digits))
            case z3.SeqRef():
                texts.append(one)
            case _:
                texts.append(z3.StringVal(one))
    return z3.Concat(*texts)


def nothing_wrong(
    lifting: Lifting, wrong_in: Callable[..., Told], *given: Any
) -> tuple[Term, Callable[[], Mapping[str, Term]]]:
    """That a call tells of nothing wrong; and how to find what it tells, as `wrong`."""
    claim = lifting.of(lambda *symbols: not wrong_in(*symbols), *given)
    return claim, lambda: is_empty(lifting.paths(wrong_in, *given))[1]


def is_empty(found: list[tuple[Term, Told]]) -> tuple[Term, dict[str, Term]]:
    """That no path of a call tells of something wrong; and what is told, as `wrong`."""
    wrong = [(there, _text_of(told)) for there, told in found if told]
    return z3.Not(z3.Or(*(there for there, _told in wrong))), first_of(wrong, ("",), ("wrong",))
