"""How long an allocator, apart from everything around it, takes to answer."""

from time import perf_counter

from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json


class Timed:
    """The same allocator; `seconds` is the time spent inside its `run`."""

    def __init__(self, adapter: Adapter) -> None:
        self._adapter = adapter
        self.seconds = 0.0

    def start(self) -> Json:
        """The allocator's profile."""
        return self._adapter.start()

    def run(self, case: Json) -> list[Json]:
        """The allocator's answers."""
        started = perf_counter()
        try:
            return self._adapter.run(case)
        finally:
            self.seconds += perf_counter() - started

    def close(self) -> None:
        """Close the allocator."""
        self._adapter.close()
