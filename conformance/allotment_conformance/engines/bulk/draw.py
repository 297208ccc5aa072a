"""Random choices, cheap and the same on every machine: only `random()` of a seeded source."""

from collections.abc import Sequence
from random import Random
from typing import TypeVar

Item = TypeVar("Item")


class Draw:
    """A source of choices. Equal seeds give equal choices, in any process and Python version."""

    __slots__ = ("random",)

    def __init__(self, seed: int, index: int) -> None:
        self.random = Random(f"{seed}:{index}").random

    def below(self, bound: int) -> int:
        """0 … bound − 1, all alike."""
        return int(self.random() * bound)

    def between(self, least: int, most: int) -> int:
        """One of least … most, all alike; `least` if there is none."""
        return least + int(self.random() * max(1, most - least + 1))

    def small(self, most: int) -> int:
        """0 … most, small ones more often: the square puts half of all draws in the first third."""
        return int(self.random() ** 2 * (most + 1))

    def chance(self, share: float) -> bool:
        """True in that share of draws."""
        return self.random() < share

    def pick(self, items: Sequence[Item]) -> Item:
        """One of the items, all alike; one that is listed twice comes twice as often."""
        return items[int(self.random() * len(items))]

    def shuffled(self, items: Sequence[Item]) -> list[Item]:
        """The items in a random order."""
        return sorted(items, key=lambda _item: self.random())
