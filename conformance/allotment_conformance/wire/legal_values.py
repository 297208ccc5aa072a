"""What would have been legal where a message has another value than one of a few."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.inspect import (
    DictType,
    ListType,
    LiteralType,
    StructType,
    Type,
    UnionType,
    VarTupleType,
    type_info,
)

PLACE = re.compile(r"^Invalid (?:enum )?value .* - at `\$(.*)`$", re.DOTALL)
"""What is said of such a value, and where it stands: fields, and items in brackets."""

STEP = re.compile(r"\.(\w+)|\[[^]]*\]")


def legal_values(wrong: msgspec.ValidationError, expected: Any) -> str:
    """`; legal are …`, for a value that should be one of a few; nothing for other errors."""
    place = PLACE.match(str(wrong))
    if place is None:
        return ""
    steps = [step.group(1) for step in STEP.finditer(place.group(1))]
    values = dict.fromkeys(_at(type_info(expected), steps))
    return f"; legal are {', '.join(map(repr, values))}" if values else ""


def _at(here: Type, steps: list[str | None]) -> Iterator[Any]:
    """The values at that place of a type; a step is a field, or None for an item."""
    match here:
        case UnionType(types=types):
            for one in types:
                yield from _at(one, steps)
        case LiteralType(values=values) if not steps:
            yield from values
        case StructType(tag_field=str(name), tag=tag) if steps == [name]:
            yield tag
        case StructType(fields=fields) if steps:
            for field in fields:
                if field.encode_name == steps[0]:
                    yield from _at(field.type, steps[1:])
        case ListType(item_type=item) | VarTupleType(item_type=item) if steps:
            yield from _at(item, steps[1:])
        case DictType(value_type=item) if steps:
            yield from _at(item, steps[1:])
