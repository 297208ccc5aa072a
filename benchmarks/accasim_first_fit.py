"""FirstFit of accasim 1.1.3 on the jobs of recorded rounds.

It fills each host to the brim where SPEC.md splits evenly, so that only rates can be compared:
it is sent the same jobs, and ends as many of its own as were ended while recording. Measured is
what its simulator does to place jobs, ``allocate`` and ``allocate_event``: with one call for the
whole queue, or with a call for each job. It copies the free amounts of all hosts at each call.
"""

import collections
import collections.abc
import logging
import random
from dataclasses import dataclass
from time import process_time
from typing import Any

from mixes import MEMORY, SLOTS
from recording import Recording, Step, Timed

from allotment_impl import Job

# accasim 1.1.3 was written for a Python that had it there, and for a logger of its own.
collections.Mapping = collections.abc.Mapping  # type: ignore[attr-defined]
logging.getLogger("accasim").trace = lambda *words: None  # type: ignore[attr-defined]

from accasim.base.allocator_class import FirstFit  # noqa: E402
from accasim.base.resource_manager_class import Resources  # noqa: E402


@dataclass(frozen=True, slots=True)
class Event:
    """A job as accasim knows it: so many equal units, with what each of them takes."""

    id: str
    requested_nodes: int
    requested_resources: dict[str, int]


class _Cluster:
    def __init__(self, hosts: int) -> None:
        groups = {"group": {"core": SLOTS, "mem": MEMORY}}
        self.manager = Resources(groups, {"group": hosts}).resource_manager()
        self.allocator = FirstFit()
        self.allocator.set_resource_manager(self.manager)
        self.live: list[str] = []
        self._rng = random.Random(1)
        self.each = False

    def run(self, step: Step) -> tuple[float, int]:
        """One step; the seconds of its decisions, and how many jobs it placed."""
        self._rng.shuffle(self.live)
        for _ in range(min(len(step.finish), len(self.live))):
            self.manager.remove_event(self.live.pop())
        queue = [_event(one) for one in step.submit]
        began = process_time()
        placed = 0
        for calls in [[event] for event in queue] if self.each else [queue]:
            placed += self._place(calls)
        return process_time() - began, placed

    def _place(self, events: list[Event]) -> int:
        """Place what fits of some jobs by one call."""
        by_id = {event.id: event for event in events}
        plan: list[Any] = self.allocator.allocate(events, 0, skip=True)
        placed = [(name, nodes) for _, name, nodes in plan if nodes]
        for name, nodes in placed:
            done, words = self.manager.allocate_event(by_id[name], nodes)
            assert done, words
            self.live.append(name)
        return len(placed)


def replay(recording: Recording, budget: float, *, each: bool) -> tuple[Timed, float]:
    """Measure it, for so many seconds, at least one step; also the share that it placed.

    ``each``: with a call for each job.
    """
    world, timed, dispatched = _Cluster(recording.hosts), Timed(), 0
    for step in recording.steps[: recording.unmeasured]:
        world.run(step)
    world.each = each
    for step in recording.measured:
        if timed.seconds and sum(timed.seconds) > budget:
            break
        seconds, placed = world.run(step)
        timed.add(seconds, len(step.submit))
        dispatched += placed
    return timed, dispatched / sum(timed.decisions)


def _event(job: Job) -> Event:
    assert not isinstance(job.request, str), "the mixes make trees"
    [[part]] = job.request
    assert part.tasks is not None
    memory = sum(entry.amount for entry in part.rusage)
    return Event(job.name, part.tasks.max, {"core": 1, "mem": memory})
