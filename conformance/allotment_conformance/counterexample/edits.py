"""Edits of a case that leave the original as it is."""

from collections.abc import Iterator
from typing import Any

from allotment_conformance.wire.messages import Json

Path = tuple[str | int, ...]
"""The names of fields and numbers of items that lead to a place in a case."""


def nodes(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every place in a value, in its order, with what stands there."""
    yield path, value
    if isinstance(value, dict):
        for field, item in value.items():
            yield from nodes(item, (*path, field))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from nodes(item, (*path, number))


def at(case: Any, path: Path) -> Any:
    """What stands in one place."""
    for word in path:
        case = case[word]
    return case


def leaves(value: Any) -> Iterator[tuple[Path, Any]]:
    """Every text, number and truth value."""
    return (node for node in nodes(value) if not isinstance(node[1], dict | list))


def replaced(case: Any, path: Path, value: Any) -> Any:
    """The case with another value in one place; a field that is not there is added."""
    if not path:
        return value
    first, rest = path[0], path[1:]
    copy = case.copy()
    inner = case.get(first, {}) if isinstance(case, dict) else case[first]
    copy[first] = replaced(inner, rest, value)
    return copy


def deleted(case: Any, path: Path) -> Any:
    """The case without the item or field in one place."""
    first, rest = path[0], path[1:]
    copy = case.copy()
    if rest:
        copy[first] = deleted(case[first], rest)
    else:
        del copy[first]
    return copy


def without_resource(case: Json, name: str) -> Json:
    """The case without a resource: its declaration, capacities, limits, uses and readers."""
    kept: Json = _pruned(case, name)
    return kept


def _pruned(value: Any, name: str) -> Any:
    if isinstance(value, dict):
        return {
            field: _pruned(item, name)
            for field, item in value.items()
            if field != name and not (field == "select" and _reads(item, name))
        }
    if isinstance(value, list):
        return [_pruned(item, name) for item in value if item != name and not _uses(item, name)]
    return value


def _uses(item: Any, name: str) -> bool:
    """Whether the item is a limit, a rusage entry or an event about the resource."""
    if not isinstance(item, dict):
        return False
    limit = item.get("limit")
    return name in (item.get("resource"), item.get("pool")) or (
        isinstance(limit, dict) and limit.get("resource") == name
    )


def _reads(select: Any, name: str) -> bool:
    """Whether a select names the attribute."""
    return any(
        path[-1] in ("attribute", "defined") and value == name for path, value in leaves(select)
    )
