"""A state machine that drives an allocator beside the model, event by event.

It goes on with one scheduler through as many sessions as Hypothesis likes, with every event, and
drains it at the end. After each event the answer and the books are compared, and the model's own
state is looked at. What fails is shrunk to the fewest events.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, TypeVar

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule
from hypothesis.strategies import SearchStrategy

from allotment_conformance.engines import strategies
from allotment_conformance.engines.features import reports_of
from allotment_conformance.engines.notation import BEGIN, finish
from allotment_conformance.engines.strategies import Declared
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.received import ask
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json, Profile
from allotment_model.oracle.invariants import check_invariants
from allotment_model.state import State

Made = TypeVar("Made")

NUMBERS = st.integers(0, 99)
"""Which of the things that a rule may take: the first for 0, and around again."""


class DisagreementFound(AssertionError):
    """The allocator's answer is not allowed; `case` holds the events so far as one case."""

    def __init__(self, message: str, case: Json) -> None:
        super().__init__(message)
        self.case = case


@dataclass(frozen=True, slots=True)
class AdapterFactory:
    """How to make an adapter; a class attribute of its own type is not taken for a method."""

    make: Callable[[], Adapter]


class Beside:
    """One allocator and the specification, side by side through one scheduler's life."""

    def __init__(self, adapter: Adapter, profile: Profile) -> None:
        self.adapter = adapter
        self.oracle = Oracle(profile)
        self.reports = reports_of(profile.features)
        self.case: Json = {"events": [], "report": self.reports}
        self.skipped = False
        # E1: what the seeds' own cache remembers need not fail when it is tried alone.
        self.may_remember_wrongly = profile.cache == "literal"

    @property
    def state(self) -> State | None:
        """A state of the scheduler that the answers allow; None after a disagreement."""
        return self.oracle.states[0] if self.oracle.states else None

    def begin(self, cluster: Json) -> None:
        """A new scheduler."""
        self.case = {"cluster": cluster, "events": [], "report": self.reports}
        self._judge({**self.case})

    def take(self, event: Json) -> None:
        """One more event. Raises `DisagreementFound`."""
        if not self.skipped:
            self.case["events"].append(event)
            self._judge({"events": [event], "report": self.reports})

    def _judge(self, case: Json) -> None:
        judgement = self.oracle.judge(case, ask(self.adapter, case))
        found = judgement.disagreement
        if found is not None:
            words = f"{found.kind.value}: to {found.event} the specification says {found.expected}"
            raise DisagreementFound(f"{words}, the allocator {found.actual}", self.case)
        self.skipped = judgement.skipped
        for state in self.oracle.states:
            broken = [
                words
                for words in check_invariants(state, self.oracle.rules)
                if not (self.may_remember_wrongly and words.startswith("CACHE-9"))
            ]
            assert not broken, f"the model itself is wrong: {broken}"

    def drain(self) -> None:
        """SESSION-4: everything that runs ends, and then nothing is in use."""
        if self.state is None:
            return
        for name in sorted(self.state.live.keys() - self.state.finishing):
            self.take(finish(name))
        self.take(BEGIN)
        for state in self.oracle.states:
            assert not state.books, f"SESSION-4: after the drain there is {state.books}"


def machine_for(make_adapter: Callable[[], Adapter]) -> type["AllocatorMachine"]:
    """The machine for an allocator, with the events that its profile has.

    `make_adapter` is called once for the profile and once for each example.
    """
    first = make_adapter()
    told = legal_profile(first.start())
    first.close()

    class Machine(AllocatorMachine):
        """The machine of this allocator."""

        profile = told
        declared = strategies.declared_by(told)
        adapter_factory = AdapterFactory(make_adapter)

    return Machine


def _drawn(make: Callable[[Declared], SearchStrategy[Made]]) -> SearchStrategy[Made]:
    """What a strategy makes within the profile of the machine that runs."""
    machines: SearchStrategy[AllocatorMachine] = st.runner()
    return machines.flatmap(lambda machine: make(machine.declared))


@cache
def _some_jobs(declared: Declared) -> SearchStrategy[list[Json]]:
    return st.lists(strategies.jobs(declared), min_size=1, max_size=3)


def _has(*features: str) -> Callable[["AllocatorMachine"], bool]:
    """Whether the allocator of a machine has these features."""
    return lambda machine: machine.declared.features.issuperset(features)


class AllocatorMachine(RuleBasedStateMachine):
    """One scheduler, from its cluster to its drain. `machine_for` fills in whose."""

    profile: ClassVar[Profile]
    declared: ClassVar[Declared]
    adapter_factory: ClassVar[AdapterFactory]

    def __init__(self) -> None:
        super().__init__()
        adapter = self.adapter_factory.make()
        adapter.start()
        self.beside = Beside(adapter, self.profile)
        self.names: list[str] = []

    def take(self, kind: str, about: object) -> None:
        """One more step. Raises `DisagreementFound`."""
        self.beside.take(strategies.event_of((kind, about), self.names))

    @property
    def running(self) -> list[str]:
        """Live jobs whose end is not waiting yet."""
        state = self.beside.state
        return sorted(state.live.keys() - state.finishing) if state else []

    @property
    def known_hosts(self) -> list[str]:
        """The hosts of the cluster, and those that wait to be added."""
        return list(self.beside.state.coming.hosts) if self.beside.state else []

    @initialize(cluster=_drawn(strategies.clusters), jobs=_drawn(_some_jobs))
    def start(self, cluster: Json, jobs: list[Json]) -> None:
        """The scheduler starts, with something to do.

        Hypothesis leaves rules out of an example at random; if submission is one of them, these
        jobs are all that there will be.
        """
        self.beside.begin(cluster)
        self.submit(jobs)

    @rule(jobs=_drawn(_some_jobs))
    def submit(self, jobs: list[Json]) -> None:
        """Jobs join the queue."""
        for job in jobs:
            self.take("submit", job)

    @rule(jobs=_drawn(_some_jobs))
    def submit_and_run(self, jobs: list[Json]) -> None:
        """Jobs come and are tried."""
        self.submit(jobs)
        self.take("run", None)

    @precondition(lambda self: self.names)
    @rule(job=_drawn(strategies.jobs), number=NUMBERS)
    def submit_taken_name(self, job: Json, number: int) -> None:
        """SESSION-7: refused, whatever became of the first job."""
        name = self.names[number % len(self.names)]
        self.beside.take({"event": "submit", "job": {"name": name, **job}})

    @rule()
    def run_session(self) -> None:
        """Each job that waits is tried."""
        self.take("run", None)

    @rule(tried=st.booleans())
    def begin_session(self, tried: bool) -> None:
        """A new session, in which all that pends may be tried again."""
        self.take("begin", None)
        if tried:
            self.take("run", None)

    @precondition(lambda self: self.running)
    @rule(number=NUMBERS)
    def finish_running(self, number: int) -> None:
        """A live job ends."""
        self.beside.take(finish(self.running[number % len(self.running)]))

    @rule(number=NUMBERS)
    def finish_any(self, number: int) -> None:
        """Any job ends, or one that is not known: often refused."""
        self.take("finish", number)

    @rule(number=NUMBERS)
    def withdraw(self, number: int) -> None:
        """Any job is withdrawn, or one that is not known."""
        self.take("withdraw", number)

    @precondition(_has("cancel"))
    @rule(polls=st.integers(0, 40))
    def run_and_cancel(self, polls: int) -> None:
        """CANCEL-1: a run in which a cancellation is asked for."""
        self.take("cancel", polls)

    @precondition(_has("host-changes"))
    @precondition(lambda self: self.known_hosts)
    @rule(changes=_drawn(strategies.host_changes), number=NUMBERS)
    def change_host(self, changes: Json, number: int) -> None:
        """A host opens, closes, grows, shrinks, or has other attributes."""
        self.take("host_change", (self.known_hosts[number % len(self.known_hosts)], changes))

    @precondition(_has("host-changes"))
    @precondition(lambda self: len(self.known_hosts) < self.declared.largest.hosts)
    @rule(host=_drawn(strategies.hosts), name=st.sampled_from(strategies.HOSTS))
    def add_host(self, host: Json, name: str) -> None:
        """A host joins; its name may be taken."""
        self.take("host_add", {**host, "name": name})

    @precondition(_has("shared", "rusage"))
    @rule(capacity=_drawn(strategies.amounts), number=NUMBERS)
    def change_pool(self, number: int, capacity: int) -> None:
        """A pool grows or shrinks."""
        pools = self.declared.shared
        self.take("pool_change", (pools[number % len(pools)], capacity))

    @precondition(_has("limits"))
    @rule(limit=_drawn(strategies.limits))
    def set_limit(self, limit: Json) -> None:
        """A limit comes, or has another cap."""
        self.take("limit_set", limit)

    @precondition(_has("limits"))
    @rule(limit=_drawn(strategies.limits))
    def remove_limit(self, limit: Json) -> None:
        """A limit goes, if it is there."""
        self.take("limit_remove", limit)

    def teardown(self) -> None:
        """Everything ends."""
        self.beside.drain()
        self.beside.adapter.close()
