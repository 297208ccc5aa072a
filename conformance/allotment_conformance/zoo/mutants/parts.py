"""Faults between cases: what a case without `cluster` does not go on with (SPEC.md 2.1)."""

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench


class GoesOnWrongly(Workbench):
    """Not one of the zoo: those that are right as long as each case has its `cluster`."""

    def run(self, case: Json) -> list[Json]:
        """A case that goes on finds something else than the case before has left."""
        if "cluster" not in case:
            self.forget()
        return super().run(case)

    def forget(self) -> None:
        """What is wrong when a case goes on."""


class QueueLostBetweenCases(GoesOnWrongly):
    """A job that pends at the end of a case is not tried in the next one."""

    name = "queue-lost-between-cases"
    breaks = "SESSION-6"
    kind = "parts"

    def forget(self) -> None:
        """Jobs that pend count as withdrawn."""
        for job in self.jobs.values():
            if job.stage == "pending":
                job.stage = "withdrawn"


class ChangesLostBetweenCases(GoesOnWrongly):
    """A change that waits for a session to begin is dropped at the end of its case."""

    name = "changes-lost-between-cases"
    breaks = "SESSION-2"
    kind = "parts"

    def forget(self) -> None:
        """Nothing waits."""
        self.waiting = []


class SessionBegunByEachCase(GoesOnWrongly):
    """A case that goes on begins a session of its own."""

    name = "session-begun-by-each-case"
    breaks = "SESSION-1 SESSION-2"
    kind = "parts"

    def forget(self) -> None:
        """What waits takes effect, and what was tried may be tried again."""
        self.begin_session()


class CacheLostBetweenCases(GoesOnWrongly):
    """What a session has learnt is forgotten at the end of a case."""

    name = "cache-lost-between-cases"
    breaks = "CACHE-8"
    kind = "parts"

    def forget(self) -> None:
        """Nothing is known to fail."""
        self.cache.clear()


class CacheKeptInACaseThatGoesOn(Workbench):
    """The first session that begins in a case that goes on keeps what the one before has learnt."""

    name = "cache-kept-in-a-case-that-goes-on"
    breaks = "CACHE-2"
    kind = "parts"
    keeps = False

    def run(self, case: Json) -> list[Json]:
        """It is noted whether the case goes on."""
        self.keeps = "cluster" not in case
        return super().run(case)

    def reset(self) -> None:
        """Whatever else is forgotten, the cache is there once more."""
        known = dict(self.cache) if self.keeps else {}
        self.keeps = False
        super().reset()
        self.cache.update(known)
