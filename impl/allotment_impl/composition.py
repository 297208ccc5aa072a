"""Composition: alternatives of compounds of primaries (ALTER-1 … 3, COMPOUND-1 … 3).

Every primary, wherever it stands, goes through ``_place_primary``: it alone asks the cache, debits
the pools, calls an allocator and fills the cache (ALTER-3).
"""

from collections.abc import Callable
from typing import NamedTuple

from allotment_impl.accounts import Claim
from allotment_impl.allocators import Allocators
from allotment_impl.attempt import Attempt
from allotment_impl.cache import Category, ExhaustedPrimaries
from allotment_impl.demand import Alternatives, Demand


class Placed(NamedTuple):
    """An alternative of which every primary was placed, with the claims of each."""

    alternative: int
    parts: tuple[tuple[Claim, ...], ...]


class Failure(NamedTuple):
    """A primary that failed, why, and whether that came from the cache (WHY-1, WHY-3)."""

    category: Category
    cached: bool


_FRESH = {category: Failure(category, cached=False) for category in Category}
_HITS = {category: Failure(category, cached=True) for category in Category}


class Composition:
    """Tries whole requests by allocators that place single primaries.

    ``categorise`` says why a primary failed, when all that it took is given back (WHY-1).
    """

    __slots__ = ("_allocators", "_cache", "_categorise")

    def __init__(
        self,
        allocators: Allocators,
        categorise: Callable[[Demand], Category],
        cache: ExhaustedPrimaries | None,
    ) -> None:
        self._allocators = allocators
        self._categorise = categorise
        self._cache = cache

    def place(self, attempt: Attempt, alternatives: Alternatives) -> Placed | Failure:
        """The first alternative that is fully placed, or the failure of the last (ALTER-1)."""
        failure = None
        for alternative, parts in enumerate(alternatives):
            outcome = self._place_compound(attempt, alternative, parts)
            if isinstance(outcome, Placed):
                return outcome
            failure = outcome
        assert failure is not None
        return failure

    def _place_compound(
        self, attempt: Attempt, alternative: int, parts: tuple[Demand, ...]
    ) -> Placed | Failure:
        """All parts in order, each on top of those before, or nothing at all (COMPOUND-1, -2)."""
        before = attempt.mark()
        placed: list[tuple[Claim, ...]] = []
        for part, demand in enumerate(parts):
            if attempt.events is not None:
                attempt.events.append(("primary", alternative, part))
            outcome = self._place_primary(attempt, demand, holds_debit=part > 0)
            if isinstance(outcome, Failure):
                attempt.reverse_to(before)
                return outcome
            placed.append(outcome)
        return Placed(alternative, tuple(placed))

    def _place_primary(
        self, attempt: Attempt, demand: Demand, *, holds_debit: bool
    ) -> tuple[Claim, ...] | Failure:
        """One primary, by the cache or by its allocator (CACHE-3, CACHE-4, SHARED-1)."""
        cache, events = self._cache, attempt.events
        if cache is not None:
            known = cache.lookup(demand.key)
            if known is not None:
                if events is not None:
                    events.append(("hit", known.value))
                return _HITS[known]
        before = attempt.mark()
        if not demand.shared_wants or attempt.claim_pools(demand):
            claims = self._allocators.choose(demand).place(attempt, demand)
            if claims is not None:
                assert demand.tasks == sum([claim.slots for claim in claims])
                return tuple(claims)
        attempt.reverse_to(before)
        category = self._categorise(demand)
        if cache is not None and not holds_debit:
            cache.fill(demand.key, category)
            if events is not None:
                events.append(("filled", category.value))
        return _FRESH[category]
