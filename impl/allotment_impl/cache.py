"""The cache: primaries that are known to fail for the rest of the session (CACHE-1 … 9)."""

from enum import Enum

from allotment_impl.demand import CacheKey


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


class ExhaustedPrimaries:
    """The keys of primaries that failed in this session, each with its category (CACHE-5)."""

    __slots__ = ("_categories",)

    def __init__(self) -> None:
        self._categories: dict[CacheKey, Category] = {}

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

    def clear(self) -> None:
        """Forget everything, at the beginning of a session (CACHE-2)."""
        self._categories.clear()
