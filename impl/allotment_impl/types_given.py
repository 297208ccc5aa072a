"""The door for values of Python: whether what an embedder hands over has the declared types.

A frozen value checks nothing when it is made, and a float in it would poison every session that
follows. So each event checks its types once, as deep as they go, before anything else is looked
at. The checks are compiled from the annotations of ``requests``; what they read nobody repeats.

The types are strict: a bool is no number, nor is a numpy integer. A list may stand for a tuple.
"""

import reprlib
from collections.abc import Callable, Mapping
from enum import Enum, EnumType
from functools import cache
from types import NoneType, UnionType
from typing import Any, TypeAlias, get_args, get_origin, get_type_hints

import msgspec

from allotment_impl.expressions import (
    UNARY,
    Attribute,
    Defined,
    Expression,
    Number,
    Operation,
    Operator,
    Text,
)
from allotment_impl.places import Place, path
from allotment_impl.refusals import AllotmentError

Check: TypeAlias = Callable[[Any], None]


class MistypedError(AllotmentError, TypeError):
    """A value of a type that its place does not take; nothing was changed (INGEST-2).

    ``place`` leads to it, as in ``job.request[0][0].tasks.max``; ``expected`` is what it takes.
    """

    def __init__(self, place: str, expected: str, value: object) -> None:
        found = f"{reprlib.repr(value)} ({type(value).__name__})"
        super().__init__(f"{place} takes {expected}, not {found}")
        self.place = place
        self.expected = expected


class _Mismatch(Exception):
    """What a check found; its place grows from the value outwards."""

    def __init__(self, expected: str, value: object) -> None:
        super().__init__(expected, value)
        self.expected = expected
        self.value = value
        self.place = ""


def check_types(value: object, kind: Any, place: str) -> None:
    """Raise ``MistypedError`` if a value, or something inside, is not of its declared type."""
    try:
        _compiled(kind)(value)
    except _Mismatch as found:
        raise MistypedError(place + found.place, found.expected, found.value) from None


@cache
def _compiled(kind: Any) -> Check:
    """The check of an annotation, of those that ``requests`` has."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return _sequence(_compiled(arguments[0]))
    if origin is dict:
        return _mapping(_compiled(arguments[0]), _compiled(arguments[1]))
    if isinstance(kind, UnionType):
        return _union([_compiled(one) for one in arguments if one is not NoneType], kind)
    if kind is object:
        return lambda _: None
    if kind is Expression:
        return _check_expression
    if issubclass(kind, msgspec.Struct):
        hints = get_type_hints(kind)
        return _fields(kind, {name: hints[name] for name in kind.__struct_fields__})
    if kind in (int, bool):
        return _exactly(kind)
    assert kind is str or issubclass(kind, Enum)
    return _instance(kind)


def _named(kind: type) -> str:
    return f"{'an' if kind.__name__[0] in 'aeiouAEIOU' else 'a'} {kind.__name__}"


def _exactly(kind: type) -> Check:
    expected = _named(kind)

    def check(value: object) -> None:
        if type(value) is not kind:
            raise _Mismatch(expected, value)

    return check


def _instance(kind: type) -> Check:
    expected = _named(kind)

    def check(value: object) -> None:
        if not isinstance(value, kind):
            raise _Mismatch(expected, value)

    return check


def _fields(kind: type, hints: Mapping[str, Any]) -> Check:
    is_kind = _instance(kind)
    fields = [(name, _outright(hint), _compiled(hint)) for name, hint in hints.items()]

    def check(value: object) -> None:
        is_kind(value)
        for name, right, check_field in fields:
            found = getattr(value, name)
            if type(found) in right:
                continue
            try:
                check_field(found)
            except _Mismatch as error:
                error.place = f".{name}{error.place}"
                raise

    return check


def _outright(kind: Any) -> frozenset[type]:
    """The types of which every value is right: most fields need no more than this look."""
    options = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    plain = (int, str, bool, NoneType)
    return frozenset(one for one in options if one in plain or isinstance(one, EnumType))


def _sequence(check_item: Check) -> Check:
    def check(value: object) -> None:
        if not isinstance(value, tuple | list):
            raise _Mismatch("a tuple", value)
        for place, item in enumerate(value):
            try:
                check_item(item)
            except _Mismatch as error:
                error.place = f"[{place}]{error.place}"
                raise

    return check


def _mapping(check_key: Check, check_value: Check) -> Check:
    def check(value: object) -> None:
        if not isinstance(value, Mapping):
            raise _Mismatch("a dict", value)
        for key, item in value.items():
            try:
                check_key(key)
                check_value(item)
            except _Mismatch as error:
                error.place = f"[{reprlib.repr(key)}]{error.place}"
                raise

    return check


def _union(checks: list[Check], kind: Any) -> Check:
    """Any of some checks; if all fail, the one that came furthest tells what is wrong."""
    takes_none = NoneType in get_args(kind)
    if len(checks) == 1:
        [only] = checks

        def check_optional(value: object) -> None:
            if value is not None:
                only(value)

        return check_optional

    def check(value: object) -> None:
        if value is None and takes_none:
            return
        errors: list[_Mismatch] = []
        for one in checks:
            try:
                one(value)
            except _Mismatch as error:
                errors.append(error)
            else:
                return
        deepest = max(errors, key=lambda error: len(error.place))
        if not deepest.place:
            deepest.expected = " or ".join([error.expected for error in errors])
        raise deepest

    return check


def _check_expression(root: object) -> None:
    """A tree of any depth, without recursion: whether it is too deep is asked later."""
    waiting: list[tuple[object, Place]] = [(root, None)]
    while waiting:
        item, place = waiting.pop()
        try:
            _check_node(item)
        except _Mismatch as error:
            error.place = path(place) + error.place
            raise
        if isinstance(item, Operation):
            arguments = enumerate(item.arguments)
            waiting += [(one, (place, f".arguments[{index}]")) for index, one in arguments]


def _check_node(item: object) -> None:
    """One node: its kind and its own fields, its arguments only in number (SELECT-1)."""
    leaf = _LEAVES.get(type(item))
    if leaf is not None:
        leaf(item)
        return
    if not isinstance(item, Operation):
        raise _Mismatch("a node of a select", item)
    _OPERATION(item)
    expected = 1 if item.operator in UNARY else 2
    if len(item.arguments) != expected:
        error = _Mismatch(f"{expected} of them for {item.operator.value!r}", item.arguments)
        error.place = ".arguments"
        raise error


_LEAVES: dict[type, Check] = {
    Number: _fields(Number, {"thousandths": int}),
    Text: _fields(Text, {"text": str}),
    Attribute: _fields(Attribute, {"name": str}),
    Defined: _fields(Defined, {"name": str}),
}
_OPERATION = _fields(Operation, {"operator": Operator, "arguments": tuple[object, ...]})
