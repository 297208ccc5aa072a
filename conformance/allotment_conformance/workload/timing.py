"""How long an allocator, apart from everything around it, takes to answer."""

from time import perf_counter
from typing import Protocol

from allotment_conformance.wire.messages import Json


class RunsCases(Protocol):
    """The part of an adapter that a simulation uses once the profile is known."""

    def run(self, case: Json) -> list[Json]:
        """The answers to a case's events."""
        ...


class Timed:
    """The same allocator; `seconds` is the time spent inside its `run`."""

    def __init__(self, allocator: RunsCases) -> None:
        self._allocator = allocator
        self.seconds = 0.0

    def run(self, case: Json) -> list[Json]:
        """The allocator's answers."""
        started = perf_counter()
        try:
            return self._allocator.run(case)
        finally:
            self.seconds += perf_counter() - started
