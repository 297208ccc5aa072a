"""Whole cases: sessions of submissions, runs, ends and changes over one world."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from allotment_conformance.engines.bulk.changes import changes_of
from allotment_conformance.engines.bulk.draw import Draw
from allotment_conformance.engines.bulk.parts import perhaps_in_parts
from allotment_conformance.engines.bulk.refusals import spoiled_change, spoiled_job
from allotment_conformance.engines.bulk.requests import Asker
from allotment_conformance.engines.bulk.shapes import SMALL, shape_of
from allotment_conformance.engines.bulk.world import World, world_of
from allotment_conformance.engines.features import reports_of
from allotment_conformance.engines.notation import BEGIN, RUN, finish, run, withdraw
from allotment_conformance.wire.messages import Json, Profile

SIZE_MOST = 6
"""Sizes are drawn as squares: half of the cases have size 0 or 1, one in twelve the largest."""


def cases(seed: int, count: int, profile: Profile) -> Iterator[Json]:
    """The first `count` cases of a seed."""
    return (case_of(seed, index, profile) for index in range(count))


def case_of(seed: int, index: int, profile: Profile) -> Json:
    """One case, a function of the arguments alone, so that processes can share out the indices.

    It stays inside the profile. Objects in it may be shared: it must not be changed in place.
    """
    draw, shape = Draw(seed, index), shape_of(index, profile)
    size = draw.small(SIZE_MOST) if shape is SMALL else 0
    world, cluster = world_of(draw, profile, size, shape)
    script = _Script(world=world, asker=Asker(world=world))
    script.write(sessions=1 + draw.small(min(3, 1 + size)), submissions=2 + size)
    case: Json = {"cluster": cluster, "events": perhaps_in_parts(draw, script.events)}
    if report := reports_of(world.features):
        case["report"] = report
    return case


@dataclass(slots=True)
class _Script:
    """The events so far, and a guess at which jobs are waiting and which are live.

    The guess fills slots in the order of submission and looks at nothing else.
    """

    world: World
    asker: Asker
    events: list[Json] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    waiting: dict[str, int] = field(default_factory=dict)
    live: dict[str, int] = field(default_factory=dict)
    ending: list[str] = field(default_factory=list)

    def write(self, sessions: int, submissions: int) -> None:
        """Sessions, each with submissions, runs and what comes between; perhaps a drain."""
        draw = self.world.draw
        for session in range(sessions):
            if session:
                self._begin()
            for _ in range(1 + draw.small(submissions)):
                self._submit()
            self._between()
            self._run()
            if draw.chance(0.15):
                self._submit()
                self._run()
            if session < sessions - 1:
                self._ends()
            self._between()
        if draw.chance(0.25):
            self._drain()

    def _submit(self) -> None:
        draw = self.world.draw
        name = self.world.job_name(len(self.names))
        if self.names and draw.chance(0.01):
            name = draw.pick(self.names)
        job = self.asker.job(name)
        if draw.chance(0.06):
            job = spoiled_job(self.world, job)
        elif name not in self.names:
            self.names.append(name)
            self.waiting[name] = _tasks_of(job)
        self.events.append({"event": "submit", "job": job})

    def _run(self) -> None:
        draw = self.world.draw
        cancels = "cancel" in self.world.features and draw.chance(0.4)
        self.events.append(run(draw.small(20)) if cancels else RUN)
        free = sum(self.world.slots.values()) - sum(self.live.values())
        for name, tasks in list(self.waiting.items()):
            if tasks <= free:
                free -= tasks
                self.live[name] = self.waiting.pop(name)

    def _begin(self) -> None:
        self.events.append(BEGIN)
        for name in self.ending:
            self.live.pop(name, None)
            self.waiting.pop(name, None)
        self.ending = []

    def _ends(self) -> None:
        """About half of the live jobs end, so that the next session has room, but not all."""
        for name in list(self.live):
            if self.world.draw.chance(0.5):
                self.events.append(finish(name))
                self.ending.append(name)

    def _between(self) -> None:
        """Now and then a change, a withdrawal, or something that is refused."""
        draw = self.world.draw
        if draw.chance(0.4):
            self.events += changes_of(self.world)
        if draw.chance(0.05) and (change := spoiled_change(self.world)):
            self.events.append(change)
        if self.waiting and draw.chance(0.1):
            name = draw.pick(list(self.waiting))
            self.waiting.pop(name)
            self.events.append(withdraw(name))
        if draw.chance(0.03):
            self.events.append(draw.pick((finish, withdraw))(draw.pick(["nobody", *self.names])))

    def _drain(self) -> None:
        """Everything that may be live ends; then the books are zero, and all can be tried."""
        for name in [*self.live, *self.waiting]:
            if name not in self.ending:
                self.events.append(finish(name))
                self.ending.append(name)
        self._begin()
        if self.world.draw.chance(0.5):
            self._run()


def _tasks_of(job: Json) -> int:
    """The tasks of the first alternative; all have as many."""
    if "tasks" in job:
        most: int = job["tasks"]["max"]
        return most
    return sum(part["tasks"]["max"] for part in job["request"][0])
