"""The cache: primaries that are known to fail for the rest of the session (CACHE-1 … 9)."""

from enum import Enum
from typing import NamedTuple

from allotment_impl.demand import Alternatives, CacheKey


class Category(Enum):
    """Why a primary is not placed; the first that holds is the answer (WHY-1)."""

    SPAN = "span"
    SELECT = "select"
    SHARED = "shared"
    LIMIT = "limit"
    CAPACITY = "capacity"
    ERROR = "error"

    # There is one object for each, so its identity will do; that of Enum is a call in Python.
    __hash__ = object.__hash__


class Hopeless(NamedTuple):
    """What every job of a request is answered that hits alone fail (CACHE-4, WHY-2)."""

    category: Category
    never: bool


class ExhaustedPrimaries:
    """The keys of primaries that failed in this session, each with its category (CACHE-5).

    Where each alternative of a request begins with such a primary, the session has nothing but
    hits for it. Then ``requests`` may hold the answer, so that equal jobs need no attempt.
    """

    __slots__ = ("_categories", "requests")

    def __init__(self) -> None:
        self._categories: dict[CacheKey, Category] = {}
        self.requests: dict[Alternatives, Hopeless] = {}

    def __len__(self) -> int:
        """How many keys it holds."""
        return len(self._categories)

    def lookup(self, key: CacheKey) -> Category | None:
        """The category of a key that failed before, or nothing (CACHE-4)."""
        return self._categories.get(key)

    def fill(self, key: CacheKey, category: Category) -> None:
        """Remember a key that failed while its attempt held no debit (CACHE-3)."""
        assert category is not Category.ERROR
        self._categories[key] = category

    def note(self, alternatives: Alternatives, never: bool) -> None:
        """Keep the answer to a request that failed, if hits alone would fail it now (CACHE-4)."""
        found = [self._categories.get(parts[0].key) for parts in alternatives]
        if (last := found[-1]) is not None and None not in found:
            self.requests[alternatives] = Hopeless(last, never)

    def clear(self) -> None:
        """Forget everything, at the beginning of a session (CACHE-2)."""
        self._categories.clear()
        self.requests.clear()
