"""A soak: very many events over one scheduler, then everything ends.

The scheduler is fed session by session; what ends and what is withdrawn is chosen from what it has
answered. At the end every job that it accepted must be accounted for (SESSION-6), every book must
be zero (SESSION-4), and in the second half of the events the memory of the process must not have
grown by more than the names that SESSION-7 makes it remember. A soak has a process of its own.
"""

import gc
import resource
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from allotment_conformance.counterexample.asking import InProcess
from allotment_conformance.counterexample.find import (
    Counterexample,
    Effort,
    FailingCase,
    counterexample,
    made_small,
)
from allotment_conformance.counterexample.signature import Signature
from allotment_conformance.engines.bulk.changes import changes_of
from allotment_conformance.engines.bulk.draw import Draw
from allotment_conformance.engines.bulk.refusals import spoiled_change, spoiled_job
from allotment_conformance.engines.bulk.requests import Asker
from allotment_conformance.engines.bulk.world import World, world_of
from allotment_conformance.engines.notation import BEGIN, RUN, finish, withdraw
from allotment_conformance.runs.adapter_worker import AdapterWorker
from allotment_conformance.runs.ended import Apart
from allotment_conformance.runs.fresh import in_fresh_process
from allotment_conformance.runs.pool import NOTHING_YET, AtWork, Crew, Lost
from allotment_conformance.runs.tally import Seen, failure_of
from allotment_conformance.runs.verification import SECONDS_TO_START, End, OutOfTime
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.verdict.received import ask, kept
from allotment_conformance.wire.failure import Ending
from allotment_conformance.wire.guarded import left_at_start
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import events_of
from allotment_conformance.wire.profiles import MODEL_PROFILE, leaves_choices

SIZE = 6
"""The bulk generator's largest size: about a dozen hosts."""

JOBS_PER_SESSION = 12
"""Most submissions of a session: more than fit, so that the queue is never empty for long."""

WAITING_MOST = 12
"""Pending jobs that are kept; older ones are withdrawn, so that most time goes to new ones."""

MEMORY_FIXED = 4 * 2**20
"""Bytes by which the process may grow at all in the second half: the garbage of a session, and
what an allocator may remember of requests as long as that is bounded."""

MEMORY_PER_JOB = 512
"""Bytes for each job that was accepted in the second half: its name, in the allocator and in the
model. About 250 were measured."""

STATM = Path("/proc/self/statm")
"""Where Linux tells the memory of this process, in pages; the second figure is what is resident."""

GRACE = 2.0
"""Seconds that a soak may go on after it was asked to stop: a session takes far less."""

TRIES_TO_SHRINK = 600
"""Smaller cases that are run of a soak: each takes as long as the soak itself, to begin with."""

MOST_SENT_AGAIN = 20_000
"""Events of a soak that are made up again when the allocator has ended its process: the model
answers them in some ten seconds."""

SECONDS_TO_SHRINK = 20.0
"""How long a case is made small at which the allocator ends its process: each try starts one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SoakOrder:
    """A soak of at least so many events, of a seed, with at most so many seconds."""

    adapter: str
    events: int
    seed: int
    budget: float | None = None


@dataclass(slots=True, kw_only=True)
class Soak:
    """What a soak has done and seen.

    `profile` is what the allocator declares, the model's as long as that is not known. Memory is
    what the process holds, in bytes: at `half` of the events and at the end. `seconds_at_hand` is
    how long it has been at the session behind these events. `words` say how the allocator ended
    its process, if it did.
    """

    order: SoakOrder
    profile: Profile = MODEL_PROFILE
    end: End = End.DONE
    events: int = 0
    sessions: int = 0
    refused: int = 0
    decisions: int = 0
    waiting: dict[str, None] = field(default_factory=dict)
    live: dict[str, None] = field(default_factory=dict)
    finished: int = 0
    withdrawn: int = 0
    accepted: int = 0
    half_memory: int = 0
    half_accepted: int = 0
    memory: int = 0
    seconds: float = 0.0
    seconds_at_hand: float = 0.0
    drained: bool = False
    disagreement: Disagreement | None = None
    counterexample: Counterexample | None = None
    failing_case: FailingCase | None = None
    words: str = ""
    history: list[Json] | None = None

    @property
    def memory_bound(self) -> int:
        """How much the memory may have grown in the second half."""
        return MEMORY_FIXED + MEMORY_PER_JOB * (self.accepted - self.half_accepted)

    @property
    def memory_grown(self) -> int:
        """How much the memory has grown in the second half."""
        return self.memory - self.half_memory

    @property
    def is_flat(self) -> bool:
        """Whether the memory has grown by no more than that."""
        return self.memory_grown <= self.memory_bound

    @property
    def is_accounted_for(self) -> bool:
        """SESSION-6: every job that was accepted is in exactly one place."""
        places = len(self.waiting) + len(self.live) + self.finished + self.withdrawn
        return places == self.accepted and not self.live.keys() & self.waiting.keys()

    @property
    def holds(self) -> bool:
        """Whether nothing was wrong, to the end."""
        return self.end is End.DONE and self.is_accounted_for and self.drained and self.is_flat


Watch = Callable[[Soak, float], None]
"""Is told of the state of things and of the part that is done, after each session."""


def soak(order: SoakOrder, watch: Watch = lambda state, part: None) -> Soak:
    """Carry out an order, in a process of its own. A Ctrl-C ends it with what was done until then.

    Raises `AdapterNotStarted` and other refusals if the allocator does not start.
    """
    state, start = Soak(order=order), monotonic()

    def pulse(at_work: Sequence[AtWork]) -> None:
        for one in at_work:
            if one.item == NOTHING_YET and one.seconds >= SECONDS_TO_START:
                raise left_at_start(order.adapter, f"not ready after {one.seconds:.0f} s")
            state.events, state.seconds_at_hand = max(0, one.item), one.seconds
        state.seconds = monotonic() - start
        watch(state, min(1.0, state.events / order.events))
        if order.budget is not None and state.seconds >= order.budget + GRACE:
            raise OutOfTime

    with Crew(1, Soaker, (order.adapter,), pulse=pulse, grace=GRACE) as crew:
        try:
            state.profile = crew.one(Soaker.declared, None)
            return crew.one(Soaker.do, order)
        except Lost as lost:
            if lost.item == NOTHING_YET:
                raise left_at_start(order.adapter, lost.words) from lost
            state.end, state.events, state.words = End.CRASH, lost.item, lost.words
        except OutOfTime:
            state.end = End.BUDGET
        except KeyboardInterrupt:
            left = crew.left_early()
            if isinstance(left, Soak):  # Else the soak had not begun, or does not stop.
                state = left
            state.end = End.INTERRUPTED
    state.seconds = monotonic() - start
    if state.end is End.CRASH:
        state.failing_case = crash_made_small(state)
    return state


def crash_made_small(state: Soak) -> FailingCase | None:
    """The case in parts at which the allocator ends its process, made small.

    None if it does not end again; and if what was sent is not known: what a soak sends follows from
    the answers, which are the model's as long as the allocator agrees and the profile leaves no
    choices.
    """
    order, profile = state.order, state.profile
    if state.events > MOST_SENT_AGAIN or leaves_choices(profile):
        return None
    asking = Apart(profile, in_fresh_process(order.adapter, profile), SECONDS_TO_SHRINK)
    case, crash = as_one_case(_sent_until(state)), Signature(kind=Ending.CRASH)
    small = made_small(asking, case, crash, Effort(most_tries=TRIES_TO_SHRINK))
    if small is None or small.failure is None:
        return None
    origin = f"a soak of seed {order.seed}"
    return FailingCase(origin=origin, case=small.case, failure=small.failure)


def _sent_until(state: Soak) -> list[Json]:
    """What a soak sends to the model up to as many events, and the case behind them."""
    model, again = ModelAdapter(profile=state.profile), Soak(order=state.order)
    history = []
    for case in _cases(again, state.profile):
        history.append(case)
        if again.events >= state.events:
            break
        _account(again, case, model.run(case))
    return history


class Soaker(AdapterWorker):
    """Carries out a soak with an adapter of its own, until its desk or the budget says to stop."""

    def do(self, order: SoakOrder) -> Soak:
        """The soak, and at a disagreement its counterexample."""
        state = self._soaked(Soak(order=order, profile=self.profile))
        if state.disagreement is not None:
            self._make_small(state)
        return state

    def _soaked(self, state: Soak) -> Soak:
        """Session after session, to the drain or to a reason to stop."""
        order, start = state.order, monotonic()
        oracle = Oracle(self.profile)
        for case in _cases(state, self.profile):
            self.desk.note(state.events)
            answers = ask(self.adapter, case)
            if state.history is not None:
                state.history.append(case)
            judgement = oracle.judge(case, answers)
            state.decisions += judgement.decisions
            state.seconds = monotonic() - start
            if judgement.disagreement is not None:
                state.end, state.disagreement = End.WRONG, judgement.disagreement
                return state
            _account(state, case, answers)
            spent = order.budget is not None and state.seconds >= order.budget
            if self.desk.is_stopped or spent:
                state.end = End.BUDGET
                return state
        return state

    def _make_small(self, state: Soak) -> None:
        """The soak once more, as one case in parts, made small; nothing if that does not fail."""
        again = self._soaked(Soak(order=state.order, history=[]))
        if again.disagreement is None or again.history is None:
            return
        case = as_one_case(again.history)
        answers = kept(ask(self.adapter, case))
        found = Oracle(self.profile).judge(case, answers).disagreement
        if found is None:
            return
        failure = failure_of(f"a soak of seed {state.order.seed}", case, answers, found)
        fresh = in_fresh_process(state.order.adapter, self.profile)
        asking = InProcess(self.adapter, self.profile, fresh)
        effort = Effort(most_tries=TRIES_TO_SHRINK)
        state.counterexample = counterexample(asking, failure, Seen(failures=(failure,)), effort)


def as_one_case(history: list[Json]) -> Json:
    """The case of which these are the parts: each goes on from the one before."""
    return {**history[0], "events": events_of(case["events"] for case in history)}


def _cases(state: Soak, profile: Profile) -> Iterator[Json]:
    """One case a session; the first brings the cluster, the last ends all jobs."""
    draw = Draw(state.order.seed, 0)
    world, cluster = world_of(draw, profile, SIZE)
    report = {"report": ["books"]} if "books" in profile.features else {}
    yield {"cluster": cluster, "events": [RUN], **report}
    while state.events < state.order.events:
        yield {"events": _session(state, world), **report}
    ends = [*map(finish, state.live), *map(withdraw, state.waiting), BEGIN, RUN]
    yield {"events": ends, **report}


def _session(state: Soak, world: World) -> list[Json]:
    """Some jobs end, old ones are withdrawn, something changes, new ones come, some are refused."""
    draw = world.draw
    events = _refused(state, world) if draw.chance(0.3) else []
    events += [finish(name) for name in state.live if draw.chance(0.4)]
    surplus = max(0, len(state.waiting) - WAITING_MOST)
    events += [withdraw(name) for name in list(state.waiting)[:surplus]]
    events += changes_of(world) if draw.chance(0.3) else []
    asker = Asker(world=world)
    names = range(state.accepted, state.accepted + 1 + draw.below(JOBS_PER_SESSION))
    jobs = [asker.job(f"j{number}") for number in names]
    if draw.chance(0.3):
        # SESSION-7: a name that was refused is free, and its job comes next.
        jobs.insert(0, spoiled_job(world, jobs[0]))
    submissions = [{"event": "submit", "job": job} for job in jobs]
    return [*events, BEGIN, *submissions, RUN]


def _refused(state: Soak, world: World) -> list[Json]:
    """Events that are refused: of jobs in another place, or in none, and a change that is none."""
    events = [withdraw(name) for name in [*state.live, "nobody"][:1]]
    events += [finish(name) for name in [*state.waiting, "nobody"][:1]]
    change = spoiled_change(world)
    return events if change is None else [*events, change]


def _account(state: Soak, case: Json, answers: list[Json]) -> None:
    """Where the jobs are after answers that the specification allows, and what is held."""
    for event, answer in zip(case["events"], answers, strict=True):
        _move(state, event, answer)
    state.drained = not state.waiting and not state.live and _is_zero(answers[-1])
    if not state.half_memory and state.events * 2 >= state.order.events:
        state.half_memory, state.half_accepted = held(), state.accepted
    elif state.events >= state.order.events:
        state.memory = held()


def _move(state: Soak, event: Json, answer: Json) -> None:
    """Where the jobs are after one answer."""
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


def held() -> int:
    """Bytes that this process holds resident; where that is not told, the most that it ever did."""
    gc.collect()
    if STATM.exists():
        return int(STATM.read_text().split()[1]) * resource.getpagesize()
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
