"""A soak: very many events over one scheduler, then everything ends.

The scheduler is fed session by session; what ends and what is withdrawn is chosen from what it has
answered. At the end every job that it accepted must be accounted for (SESSION-6), every book must
be zero (SESSION-4), and its memory must not have grown by more than the names that SESSION-7 makes
it remember.
"""

import resource
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import monotonic

from allotment_conformance.engines.bulk.changes import change_of
from allotment_conformance.engines.bulk.draw import Draw
from allotment_conformance.engines.bulk.requests import Asker
from allotment_conformance.engines.bulk.world import World, world_of
from allotment_conformance.engines.notation import BEGIN, RUN, finish, withdraw
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.verdict.received import ask
from allotment_conformance.verdict.tally import Failure, failure_of
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, Profile

SIZE = 6
"""The bulk generator's largest size: about a dozen hosts."""

JOBS_PER_SESSION = 12
"""Most submissions of a session: more than fit, so that the queue is never empty for long."""

WAITING_MOST = 12
"""Pending jobs that are kept; older ones are withdrawn, so that most time goes to new ones."""

WARM_AFTER = 0.25
"""The part of the events after which memory is first measured: by then all code is loaded."""

MEMORY_FIXED = 16 * 2**20
"""Bytes by which the process may grow at all: buffers and the garbage of one session."""

MEMORY_PER_JOB = 1024
"""Bytes for each job that was accepted: its name, in the allocator, the model and this module."""


@dataclass(slots=True, kw_only=True)
class Soak:
    """What a soak has done and seen. Memory is the most that the process ever held, in bytes."""

    events: int = 0
    sessions: int = 0
    refused: int = 0
    decisions: int = 0
    waiting: dict[str, None] = field(default_factory=dict)
    live: dict[str, None] = field(default_factory=dict)
    finished: int = 0
    withdrawn: int = 0
    accepted: int = 0
    warm_memory: int = 0
    warm_accepted: int = 0
    memory: int = 0
    seconds: float = 0.0
    drained: bool = False
    interrupted: bool = False
    disagreement: Disagreement | None = None
    history: list[Json] | None = None

    @property
    def memory_bound(self) -> int:
        """How much the memory may have grown since it was warm."""
        return MEMORY_FIXED + MEMORY_PER_JOB * (self.accepted - self.warm_accepted)

    @property
    def memory_grown(self) -> int:
        """How much the memory has grown since it was warm."""
        return self.memory - self.warm_memory

    @property
    def is_accounted_for(self) -> bool:
        """SESSION-6: every job that was accepted is in exactly one place."""
        places = len(self.waiting) + len(self.live) + self.finished + self.withdrawn
        return places == self.accepted and not self.live.keys() & self.waiting.keys()

    @property
    def holds(self) -> bool:
        """Whether nothing was wrong, to the end."""
        flat = self.memory_grown <= self.memory_bound
        return self.disagreement is None and self.is_accounted_for and self.drained and flat


Watch = Callable[[Soak, float], None]
"""Is told of the state of things and of the part that is done, after each session."""


def soak(
    adapter: Adapter,
    profile: Profile,
    events: int,
    seed: int,
    *,
    watch: Watch = lambda state, part: None,
    with_history: bool = False,
) -> Soak:
    """At least so many events over one scheduler, then the drain; it ends at a disagreement.

    `with_history` keeps all events, so that they can be run again as one case.
    """
    state, start = Soak(history=[] if with_history else None), monotonic()
    try:
        _feed(state, adapter, profile, events, seed, watch)
    except KeyboardInterrupt:
        state.interrupted = True
    state.seconds = monotonic() - start
    return state


def _feed(
    state: Soak, adapter: Adapter, profile: Profile, events: int, seed: int, watch: Watch
) -> None:
    """Session after session, to the drain or to a disagreement."""
    oracle = Oracle(profile)
    for case in _cases(state, profile, events, seed):
        answers = ask(adapter, case)
        judgement = oracle.judge(case, answers)
        if state.history is not None:
            state.history.append(case)
        state.decisions += judgement.decisions
        if judgement.disagreement is not None:
            state.disagreement = judgement.disagreement
            return
        assert isinstance(answers, list), "answers that agree are a list"
        for event, answer in zip(case["events"], answers, strict=True):
            _account(state, event, answer)
        _measure(state, events)
        watch(state, min(1.0, state.events / events))
        state.drained = not state.waiting and not state.live and _is_zero(answers[-1])


def failing_case(adapter: Adapter, profile: Profile, events: int, seed: int) -> Failure | None:
    """A soak that failed, run once more, as one case; None if it does not fail again."""
    state = soak(adapter, profile, events, seed, with_history=True)
    if state.disagreement is None or state.history is None:
        return None
    case = as_one_case(state.history)
    return failure_of(f"a soak of seed {seed}", case, ask(adapter, case), state.disagreement)


def as_one_case(history: list[Json]) -> Json:
    """The case that all of these make when each goes on from the one before."""
    return {**history[0], "events": [event for case in history for event in case["events"]]}


def _cases(state: Soak, profile: Profile, events: int, seed: int) -> Iterator[Json]:
    """One case a session; the first brings the cluster, the last ends all jobs."""
    draw = Draw(seed, 0)
    world, cluster = world_of(draw, profile, SIZE)
    report = {"report": ["books"]} if "books" in profile.features else {}
    yield {"cluster": cluster, "events": [RUN], **report}
    while state.events < events:
        yield {"events": _session(state, world), **report}
    ends = [*map(finish, state.live), *map(withdraw, state.waiting), BEGIN, RUN]
    yield {"events": ends, **report}


def _session(state: Soak, world: World) -> list[Json]:
    """Some jobs end, old ones are withdrawn, something changes, new ones come."""
    draw = world.draw
    events = [finish(name) for name in state.live if draw.chance(0.4)]
    surplus = max(0, len(state.waiting) - WAITING_MOST)
    events += [withdraw(name) for name in list(state.waiting)[:surplus]]
    change = change_of(world) if draw.chance(0.3) else None
    events += [change] if change is not None else []
    asker = Asker(world=world)
    names = range(state.accepted, state.accepted + 1 + draw.below(JOBS_PER_SESSION))
    submissions = [{"event": "submit", "job": asker.job(f"j{number}")} for number in names]
    return [*events, BEGIN, *submissions, RUN]


def _account(state: Soak, event: Json, answer: Json) -> None:
    """Where the jobs are after an answer that the specification allows."""
    state.events += 1
    state.refused += answer["answer"] == "refused"
    ok = answer["answer"] == "ok"
    match event:
        case {"event": "submit", "job": {"name": name}} if ok:
            state.waiting[name] = None
            state.accepted += 1
        case {"event": "finish", "job": name} if ok:
            del state.live[name]
            state.finished += 1
        case {"event": "withdraw", "job": name} if ok:
            del state.waiting[name]
            state.withdrawn += 1
        case {"event": "begin_session"}:
            state.sessions += 1
        case {"event": "run_session"}:
            for told in answer["jobs"]:
                if told["answer"] == "dispatched":
                    del state.waiting[told["job"]]
                    state.live[told["job"]] = None
        case _:
            assert event["event"] not in ("finish", "withdraw", "submit") or not ok


def _is_zero(answer: Json) -> bool:
    """SESSION-4: whether nothing is in use, as far as the books are told."""
    return all(not part for part in answer.get("books", {}).values())


def _measure(state: Soak, events: int) -> None:
    """Note the memory, and where it stood when the process was warm."""
    unit = 1 if sys.platform == "darwin" else 1024
    state.memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    if state.events < WARM_AFTER * events or not state.warm_memory:
        state.warm_memory, state.warm_accepted = state.memory, state.accepted
