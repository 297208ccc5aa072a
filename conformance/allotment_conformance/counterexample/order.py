"""What is smaller than a case: the product order on messages.

One case is at or below another if it comes from it by leaving things out and lowering numbers, each
independently of the others:

- an item of a list goes: an event, a host, a limit, a declared resource, an alternative, a part, an
  entry of a rusage; an operation of a select gives way to one of its operands;
- a field goes that may be left out, or an entry of a map; a field that is empty is left out; a case
  in parts is joined where the event goes that begins one, or the note on it that it does;
- a number comes nearer to zero: slots, amounts, caps, priorities, polls. Counts of tasks and bounds
  of a span end at one, since below it stands what is refused. Two equal counts are one number.

Names, texts, `per`, the counts of a primary and what is reported stay. Capacities of zero, of a
host that is there from the start or joins and of a pool, are the same as none. A number beyond
`STEPWISE` takes four values only: itself, the next, the half, and the last.

What is below a case is a set: two ways to one case count once. It need not be a case in turn, as
when a limit outlives its resource.
"""

from collections.abc import Hashable, Iterable, Iterator, Sequence, Sized
from itertools import product
from typing import Any, NamedTuple

from msgspec import UNSET, Struct
from msgspec.structs import fields

from allotment_conformance.counterexample.edits import leaves
from allotment_conformance.wire.messages import (
    Case,
    Cluster,
    Expression,
    Host,
    HostChange,
    Json,
    LimitName,
    Primary,
    RusageEntry,
    Span,
    Tasks,
    plain,
    read_case,
)

STEPWISE = 16
"""Numbers up to this one take all lower values; amounts of many digits would take for ever."""

MOST = 200_000
"""So many smaller cases are run in a minute or two; what has more is not listed."""

KEPT: frozenset[tuple[type[Struct], str]] = frozenset(
    {
        (Case, "cluster"),
        (Case, "report"),
        (LimitName, "name"),
        (LimitName, "each"),
        (Primary, "tasks"),
        (RusageEntry, "per"),
        (Expression, "number"),
        (Expression, "text"),
        (Expression, "attribute"),
        (Expression, "defined"),
    }
)
"""Fields that may be left out of a message, but are not when it is made smaller."""

ZERO_IS_NONE: frozenset[tuple[type[Struct], str]] = frozenset(
    {(Host, "capacity"), (Cluster, "pools")}
)
"""Maps in which zero and nothing mean the same."""

TOLD: frozenset[tuple[type[Struct], str]] = frozenset({(HostChange, "open")})
"""Fields without a default: left out, they say that something stays as it is."""

WHOLE: frozenset[tuple[type[Struct], str]] = frozenset({(Case, "report")})
"""Fields whose value stays as it is."""


SAYS_NOTHING = (("priority", 0), ("open", True), ("begins_case", False))
"""Values that hold where their field is left out."""


class TooMany(Exception):
    """More is below the case than is to be listed."""


class _Node(NamedTuple):
    """One value below another: how large it is, what tells it from others, its JSON."""

    size: int
    key: Hashable
    value: Any


_ABSENT = _Node(0, None, None)


def smaller(case: Json, most: int = MOST) -> list[Json]:
    """All that is strictly below a case, each once, the smallest first. Raises `TooMany`.

    Whatever is below a case has a lower size, so it comes before it.
    """
    found = sorted(_below(read_case(case), most + 1), key=lambda node: node.size)
    return [node.value for node in found[:-1]]


def steps(case: Json) -> list[Json]:
    """The cases that are one deletion or one decrement below, each once, in their order."""
    seen: dict[str, Json] = {}
    for one in _steps(read_case(case)):
        seen.setdefault(repr(one), one)
    return list(seen.values())


def canonical(case: Json) -> Json:
    """The case without fields that say what is so without them: the form in which it is ordered."""
    return plain(read_case(case))


def limited(case: Json) -> list[str]:
    """The places of the numbers that do not take all lower values."""
    return [
        ".".join(map(str, path))
        for path, value in leaves(case)
        if type(value) is int and abs(value) > STEPWISE
    ]


def lowered(number: int, least: int = 0) -> list[int]:
    """The values that a number takes below itself and at it, ascending from the last."""
    size, sign = abs(number), (1 if number >= 0 else -1)
    if size < least or number < 0 < least:
        return [number]
    values = (
        range(least, size + 1) if size <= STEPWISE else sorted({least, size // 2, size - 1, size})
    )
    return [sign * value for value in values]


def _least(owner: type[Struct]) -> int:
    """Where the numbers of a message end."""
    return 1 if owner in (Tasks, Span) else 0


def _is_in(owner: type[Struct], name: str, table: frozenset[tuple[type[Struct], str]]) -> bool:
    return any((one, name) in table for one in owner.__mro__)


# All that is below.


def _below(value: Any, most: int, least: int = 0) -> list[_Node]:
    match value:
        case Tasks():
            return [_Node(1 + i + j, (i, j), {"min": i, "max": j}) for i, j in _counts(value)]
        case Expression(args=tuple()):
            return _below_operation(value, most)
        case Struct():
            return _below_message(value, most)
        case tuple():
            return _below_list(value, most)
        case int() if not isinstance(value, bool):
            return [_Node(1 + abs(n), n, n) for n in lowered(value, least)]
        case _:
            return [_Node(1, (type(value).__name__, value), value)]


def _counts(given: Tasks) -> Iterator[tuple[int, int]]:
    """Two equal counts go down together; others keep their order if they have it."""
    if given.min == given.max:
        return iter([(n, n) for n in lowered(given.max, 1)])
    pairs = product(lowered(given.min, 1), lowered(given.max, 1))
    return (pair for pair in pairs if pair[0] <= pair[1] or given.min > given.max)


def _below_operation(given: Expression, most: int) -> list[_Node]:
    operands: tuple[Expression, ...] = given.args or ()
    below = [_below(operand, most) for operand in operands]
    found = {node.key: node for nodes in below for node in nodes}
    for args in _products(below, most):
        key = (given.op, *(node.key for node in args))
        value = {"op": given.op, "args": [node.value for node in args]}
        found[key] = _Node(1 + sum(node.size for node in args), key, value)
    _refuse_many(found, most)
    return list(found.values())


def _below_message(given: Struct, most: int) -> list[_Node]:
    owner, config = type(given), given.__struct_config__
    tag = {config.tag_field: config.tag} if config.tag_field else {}
    names, choices = [], []
    for field in fields(owner):
        value = getattr(given, field.name)
        if value is not UNSET:
            names.append(field.name)
            choices.append(_below_field(owner, field.name, value, most, required=field.required))
    return [
        _object(tag, names, chosen, size=1 + sum(node.size for node in chosen))
        for chosen in _products(choices, most)
    ]


def _object(tag: Json, names: Iterable[str], chosen: Iterable[_Node], *, size: int) -> _Node:
    """The object with these fields, as far as they are there."""
    told = [(n, o) for n, o in zip(names, chosen, strict=True) if o is not _ABSENT]
    key = (*tag.values(), *((name, node.key) for name, node in told))
    return _Node(size, key, tag | {name: node.value for name, node in told})


def _below_field(
    owner: type[Struct], name: str, value: Any, most: int, *, required: bool
) -> list[_Node]:
    """What may stand in a field; a default is left out, so that it stands there once."""
    if _is_in(owner, name, WHOLE):
        told = list(value)
        return [_Node(1, name, told)] if told else [_ABSENT]
    if isinstance(value, dict):
        nodes = _below_map(value, most, zero_is_none=_is_in(owner, name, ZERO_IS_NONE))
    else:
        nodes = _below(value, most, _least(owner))
    if required or _is_in(owner, name, KEPT):
        return nodes
    if _is_in(owner, name, TOLD):
        return [*nodes, _ABSENT]
    given = [node for node in nodes if not _says_nothing(node.value, name)]
    return [*given, _ABSENT]


def _says_nothing(value: Any, name: str) -> bool:
    """Whether a field that may be left out says only what holds without it."""
    return value in ([], {}) or (name, value) in SAYS_NOTHING


def _below_map(given: dict[str, Any], most: int, *, zero_is_none: bool) -> list[_Node]:
    choices = []
    for value in given.values():
        nodes = _below(value, most)
        kept = [node for node in nodes if not (zero_is_none and node.value == 0 and value != 0)]
        choices.append([_ABSENT, *(_Node(node.size + 1, node.key, node.value) for node in kept)])
    return [
        _object({}, given, chosen, size=1 + sum(node.size for node in chosen))
        for chosen in _products(choices, most)
    ]


def _below_list(given: tuple[Any, ...], most: int) -> list[_Node]:
    """All sequences that go through the items in order, each taken in some form or left out."""
    found: dict[Hashable, _Node] = {(): _Node(1, (), [])}
    for item in given:
        below = _below(item, most)
        for before in list(found.values()):
            for node in below:
                assert isinstance(before.key, tuple), "a list is told by its items"
                key = (*before.key, node.key)
                if key not in found:
                    found[key] = _Node(before.size + node.size, key, [*before.value, node.value])
            _refuse_many(found, most)
    return list(found.values())


def _products(choices: Sequence[list[_Node]], most: int) -> Iterator[tuple[_Node, ...]]:
    count = 1
    for nodes in choices:
        count *= len(nodes)
    if count > most:
        raise TooMany
    return product(*choices)


def _refuse_many(found: Sized, most: int) -> None:
    if len(found) > most:
        raise TooMany


# One step below.


def _steps(value: Any, least: int = 0) -> Iterator[Any]:
    match value:
        case Tasks():
            yield from _steps_of_counts(value)
        case Expression(args=tuple()):
            operands = value.args or ()
            yield from map(plain, operands)
            for number, operand in enumerate(operands):
                for one in _steps(operand):
                    args = [
                        *map(plain, operands[:number]),
                        one,
                        *map(plain, operands[number + 1 :]),
                    ]
                    yield {"op": value.op, "args": args}
        case Struct():
            yield from _steps_of_message(value)
        case tuple():
            whole = list(map(_plain, value))
            for number, item in enumerate(value):
                yield whole[:number] + whole[number + 1 :]
                for one in _steps(item):
                    yield [*whole[:number], one, *whole[number + 1 :]]
        case int() if not isinstance(value, bool):
            values = lowered(value, least)
            yield from values[-2:-1] if abs(value) <= STEPWISE else values[:-1]
        case _:
            return


def _steps_of_counts(given: Tasks) -> Iterator[Json]:
    for fewer_min, fewer_max in _counts(given):
        steps_down = (fewer_min != given.min) + (fewer_max != given.max)
        if steps_down == 1 or (steps_down == 2 and given.min == given.max):
            yield {"min": fewer_min, "max": fewer_max}


def _steps_of_message(given: Struct) -> Iterator[Json]:
    owner, whole = type(given), plain(given)
    for field in fields(owner):
        value, name = getattr(given, field.name), field.name
        if name not in whole or _is_in(owner, name, WHOLE):
            continue
        rest = {other: kept for other, kept in whole.items() if other != name}
        if isinstance(value, dict):
            offered = _steps_of_map(value, zero_is_none=_is_in(owner, name, ZERO_IS_NONE))
        else:
            offered = _steps(value, _least(owner))
        may_go = not field.required and not _is_in(owner, name, KEPT)
        if may_go:
            yield rest
        for one in offered:
            yield rest if may_go and _says_nothing(one, name) else {**whole, name: one}


def _steps_of_map(given: dict[str, Any], *, zero_is_none: bool) -> Iterator[Json]:
    for name, value in given.items():
        rest = {other: kept for other, kept in given.items() if other != name}
        yield rest
        for one in _steps(value):
            if not (zero_is_none and one == 0):
                yield {**given, name: one}


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return plain(value)
    return list(map(_plain, value)) if isinstance(value, tuple) else value
