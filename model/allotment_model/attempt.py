"""One attempt at a job: the cache, the parts of a compound, the alternatives.

for each alternative, in order
    for each part, in order: a hit in the cache fails it, else the search decides
    if all parts are placed: the job is dispatched there
    else the ledger is what it was before the alternative
"""

from collections.abc import Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from allotment_model.accounts import Ledger
from allotment_model.answers import Category, Note
from allotment_model.cache import Cache, Key
from allotment_model.search import Narration, Placement, SearchError, give_back_all, place
from allotment_model.why import Keys

if TYPE_CHECKING:
    from allotment_model.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Won:
    """An alternative whose parts are all placed."""

    alternative: int
    placements: tuple[Placement, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """Why an alternative, or the attempt, failed (WHY-1, WHY-3)."""

    reason: Category
    cached: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class After:
    """What an attempt leaves: its result, the ledger and the cache."""

    result: Won | Failed
    ledger: Ledger
    cache: Cache


def attempt(keys: Keys, ledger: Ledger, cache: Cache, rules: "Rules") -> Narration[After]:
    """ALTER-1, ALTER-2: the first alternative that is fully placed, else the last failure."""
    failed, at_start = Failed(reason=Category.ERROR), ledger
    for alternative in rules.alternatives_in_order(len(keys)):
        try:
            after = yield from place_compound(keys, alternative, ledger, cache, rules)
        except SearchError:
            return After(result=Failed(reason=Category.ERROR), ledger=at_start, cache=cache)
        if isinstance(after.result, Won):
            yield ("committed",)
            return after
        failed, cache = after.result, after.cache
        ledger = rules.settle(ledger, after.ledger, False)
        if failed.cached and rules.hit_ends_attempt():
            break
    return After(result=failed, ledger=ledger, cache=cache)


def place_compound(
    keys: Keys, alternative: int, ledger: Ledger, cache: Cache, rules: "Rules"
) -> Generator[Note, None, After]:
    """COMPOUND-1, COMPOUND-2: the parts in order, each seeing the debits of those before."""
    placements: list[Placement] = []
    failed: Failed | None = None
    nested = len(keys) > 1 or len(keys[alternative]) > 1
    for part, key in enumerate(keys[alternative]):
        yield ("primary", alternative, part)
        part_rules = rules.rules_for_part(rules, nested)
        result, ledger, cache = yield from place_part(key, part, ledger, cache, part_rules)
        if isinstance(result, Failed):
            failed = result
            break
        placements.append(result)
    if failed is None or rules.is_whole(len(placements), len(keys[alternative])):
        won = Won(alternative=alternative, placements=tuple(placements))
        return After(result=won, ledger=ledger, cache=cache)
    for placement in placements:
        yield from give_back_all(placement.claims, ledger, rules)  # told; `settle` undoes
    return After(result=failed, ledger=ledger, cache=cache)


def place_part(
    key: Key, part: int, ledger: Ledger, cache: Cache, rules: "Rules"
) -> Narration[tuple[Placement | Failed, Ledger, Cache]]:
    """CACHE-3, CACHE-4, CACHE-5, ALTER-3: a primary, bare or nested, through the cache."""
    stored = cache.get(rules.cache_key(key))
    if stored is not None:
        yield ("hit", stored)
        reason = rules.category_of_hit(stored)
        return Failed(reason=reason, cached=rules.is_cached(True)), ledger, cache
    placement, ledger_after = yield from place(key, ledger, rules)
    if placement is not None:
        return placement, ledger_after, cache
    reason = rules.category(key, ledger, rules)
    if rules.may_fill(part):
        yield ("filled", reason)
        cache = {**cache, rules.cache_key(key): reason}
    return Failed(reason=reason), ledger_after, cache


def rules_for_part(rules: "Rules", nested: bool) -> "Rules":
    """ALTER-3: a primary in a compound or an alter meets the same checks as a bare one."""
    return rules


def alternatives_in_order(alternatives: int) -> range:
    """ALTER-1: all alternatives, in the order of the request."""
    return range(alternatives)


def is_cached(hit: bool) -> bool:
    """WHY-3: whether the answer says that its category came from a hit."""
    return hit
