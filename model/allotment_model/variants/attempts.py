"""Wrong rules for compounds, alternatives and the cache (COMPOUND, ALTER, CACHE)."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from allotment_model.answers import Category
from allotment_model.cache import Cache, Key
from allotment_model.rules import Rules


def whole_with_any_part(parts_placed: int, parts: int) -> bool:
    """COMPOUND-1 broken: the parts that were placed are kept and reported."""
    return parts_placed > 0


def nested_unchecked(rules: Rules, nested: bool) -> Rules:
    """ALTER-3 broken: room is not checked for a primary in a compound or alter."""
    return replace(rules, fits=lambda wanted, left: True) if nested else rules


def last_alternative_first(alternatives: int) -> Iterable[int]:
    """ALTER-1 broken: the last alternative is preferred."""
    return reversed(range(alternatives))


def first_alternative_only(alternatives: int) -> Iterable[int]:
    """ALTER-1 broken: no other alternative is tried."""
    return range(min(1, alternatives))


def key_without(**fields: object) -> Callable[[Key], Key]:
    """CACHE-1 broken: the key forgets a field."""

    def forgetful(key: Key) -> Key:
        return replace(key, **fields)  # type: ignore[arg-type]

    return forgetful


def key_without_identity_part(kind: str) -> Callable[[Key], Key]:
    """CACHE-1 broken: the key forgets user, queue or project."""

    def forgetful(key: Key) -> Key:
        return replace(key, identity=replace(key.identity, **{kind: ""}))

    return forgetful


def fill_always(parts_before: int) -> bool:
    """CACHE-3 broken (E1): filled while the attempt holds debits."""
    return True


def fill_never(parts_before: int) -> bool:
    """CACHE-8 broken: the cache is never filled."""
    return False


def hit_pends_the_job() -> bool:
    """CACHE-4 broken (E10): a hit ends the whole attempt."""
    return True


def always_capacity(stored: Category) -> Category:
    """CACHE-5 broken: a hit has lost its category."""
    return Category.CAPACITY


def never_emptied(cache: Cache) -> Cache:
    """CACHE-2 broken: the cache outlives its session."""
    return cache
