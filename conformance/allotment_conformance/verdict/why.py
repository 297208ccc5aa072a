"""What became of the jobs of a case by the specification, and why those that wait do so."""

from dataclasses import dataclass
from enum import StrEnum

from allotment_conformance.errors import KitError
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, no_cluster, read_case
from allotment_model.answers import Answer, Dispatched, Refused, Tried
from allotment_model.events import Event, RunSession, Submit
from allotment_model.oracle.explain import PartTried, explain
from allotment_model.rules import SPEC, Rules
from allotment_model.runs import queue, try_job
from allotment_model.scheduler import step
from allotment_model.state import State, initial


class UnknownJob(KitError):
    """The case does not submit a job of that name."""

    code = "unknown-job"


class Fate(StrEnum):
    """What became of a job by the end of a case."""

    REFUSED = "refused"
    UNTRIED = "pending, not tried"
    PENDING = "pending"
    DISPATCHED = "dispatched"
    GONE = "gone"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explained:
    """A job of a case: its request as it was sent, its last answer, and the parts that failed then.

    `event` counts from 1 and names the last run in which the job was tried, or its submission if it
    was refused. `code` is the refusal, or `withdrawn`.
    """

    job: str
    request: list[list[Json]]
    fate: Fate
    event: int | None = None
    answer: Tried | None = None
    code: str | None = None
    parts: tuple[PartTried, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Attempt:
    """One try of a job, with the scheduler just before it."""

    event: int
    before: State
    tried: Tried


def explain_case(case: Json, job: str | None = None, rules: Rules = SPEC) -> list[Explained]:
    """What became of each job, in the order of submission, or of one. Raises `NotACase`.

    A job is explained in the state in which it was last tried, not in that at the end: jobs behind
    it may have taken what it would have had.
    """
    explained = {one.job: one for one in Explainer(rules).take(case)}
    if job is None:
        return list(explained.values())
    if job not in explained:
        raise UnknownJob(
            f"the case submits no job '{job}'",
            remedy=f"It submits: {', '.join(explained) or 'none'}",
        )
    return [explained[job]]


class Explainer:
    """Explains case after case; one without `cluster` goes on with the scheduler before it.

    Events are counted from the case that brought the cluster.
    """

    def __init__(self, rules: Rules = SPEC) -> None:
        self._rules = rules
        self._history: _History | None = None

    def take(self, case: Json) -> list[Explained]:
        """What became of each job that this case submits or tries. Raises `NotACase`."""
        sent = read_case(case)
        if sent.cluster:
            self._history = _History(initial(to_model.cluster(sent.cluster)), self._rules)
        if self._history is None:
            raise no_cluster()
        self._history.concerned.clear()
        for event, told in zip(sent.events, case["events"], strict=True):
            self._history.take(to_model.event(event), told)
        return [self._history.explained(name) for name in self._history.concerned]


class _History:
    """The canonical run of cases, with the last attempt at each job.

    `concerned` are the jobs submitted or tried since it was last cleared, in that order.
    """

    def __init__(self, state: State, rules: Rules) -> None:
        self.state = state
        self.rules = rules
        self.attempts: dict[str, _Attempt] = {}
        self.refusals: dict[str, tuple[int, str]] = {}
        self.requests: dict[str, list[list[Json]]] = {}
        self.concerned: dict[str, None] = {}
        self.events = 0

    def take(self, event: Event, told: Json) -> None:
        """One more event; `told` is the same as it was sent."""
        self.events += 1
        if isinstance(event, RunSession):
            for name in queue(self.state, self.rules):
                before = self.state
                self.state, tried = try_job(before, name, before.caches[0], self.rules)
                self.concerned[name] = None
                self.attempts[name] = _Attempt(event=self.events, before=before, tried=tried)
            return
        self.state, answer = step(self.state, event, self.rules)
        if isinstance(event, Submit):
            self._submitted(event.job.name, told["job"]["request"], answer)

    def _submitted(self, name: str, request: list[list[Json]], answer: Answer) -> None:
        """Keep the request that was accepted under a name, or else the first that was refused."""
        self.concerned[name] = None
        if not isinstance(answer, Refused):
            self.requests[name] = request
        elif name not in self.requests:
            self.requests[name] = request
            self.refusals[name] = self.events, answer.code.value

    def explained(self, name: str) -> Explained:
        """What became of a job, and why."""
        request = self.requests[name]
        if name in self.state.withdrawn:
            return Explained(job=name, request=request, fate=Fate.GONE, code="withdrawn")
        if name in self.attempts:
            return self._tried(name, request, self.attempts[name])
        if name in self.state.pending:
            parts = explain(self.state, name, self.rules)
            return Explained(job=name, request=request, fate=Fate.UNTRIED, parts=parts)
        event, code = self.refusals[name]
        return Explained(job=name, request=request, fate=Fate.REFUSED, event=event, code=code)

    def _tried(self, name: str, request: list[list[Json]], last: _Attempt) -> Explained:
        dispatched = isinstance(last.tried.answer, Dispatched)
        return Explained(
            job=name,
            request=request,
            fate=Fate.DISPATCHED if dispatched else Fate.PENDING,
            event=last.event,
            answer=last.tried,
            parts=() if dispatched else explain(last.before, name, self.rules),
        )
