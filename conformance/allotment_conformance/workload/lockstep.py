"""The model beside an allocator on the same cases, up to the first difference.

The model's state follows the allocator. At every event is compared what costs little: whether it
is accepted, which jobs are tried in which order, what a hit in the cache answers, and that a job
that is dispatched has a plan, on hosts that exist, pass its select and have room. Of the decisions
each `every`-th is computed by the model and compared whole: plan, hosts, reason, `never`, `cached`;
and if it is a hit, the model sees whether the key still fails, so that an entry that a decision
between left wrongly is found. A decision that is not computed is taken as the allocator made it.

So with `every` = 1 everything is compared; with more, a job between that was wrongly pended, or put
on other hosts with room, stays unseen, and all later comparisons hold for the state that it left.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import takewhile, zip_longest
from time import perf_counter
from typing import ClassVar

from allotment_conformance.counterexample import words
from allotment_conformance.errors import KitError
from allotment_conformance.wire import from_model, to_model
from allotment_conformance.wire.messages import Answer, Json, Profile, read_case
from allotment_conformance.wire.profiles import choices_of, leaves_choices, rules_for
from allotment_conformance.workload.conversation import Answers
from allotment_model import why
from allotment_model.accounts import open_ledger
from allotment_model.answers import Dispatched, Pending, Ran, Tried
from allotment_model.attempt import After, Won
from allotment_model.cache import Key
from allotment_model.cluster import Cluster
from allotment_model.events import Event, RunSession
from allotment_model.oracle.choices import placed_as
from allotment_model.oracle.following import agree
from allotment_model.rules import Rules
from allotment_model.runs import as_tried, dispatch, queue, try_job
from allotment_model.scheduler import step
from allotment_model.state import State, initial
from allotment_model.why import Keys


class ModelCannotFollow(KitError):
    """The allocator declares a freedom that no single run of the model has."""

    code: ClassVar[str] = "model-cannot-follow"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """Where in a run a difference was met.

    `begun` is the state in which the run began, `before` that before the job; `jobs` were tried up
    to and with it, as they were submitted.
    """

    begun: State
    before: State
    jobs: list[Json]


class Parted(Exception):
    """The two answered differently to `event`. `situation` is None if it is no run."""

    def __init__(
        self, *, event: str, expected: str, actual: str, situation: Situation | None
    ) -> None:
        super().__init__(event)
        self.event = event
        self.expected = expected
        self.actual = actual
        self.situation = situation


class LockStep:
    """Runs each case through the allocator and compares; raises `Parted` at a difference.

    `seconds` is the time spent in the model, `compared` the decisions that it computed, `decisions`
    all of them; `state` is the scheduler's after the last event.
    """

    def __init__(self, allocator: Answers, profile: Profile, *, every: int = 1) -> None:
        if leaves_choices(profile):
            raise ModelCannotFollow(
                f"'{profile.name}' may choose among hosts or splits, so the model cannot tell "
                "its next step",
                remedy="Leave out --against-model.",
            )
        assert every >= 1, "some decisions are compared"
        self.seconds = 0.0
        self.decisions = self.compared = 0
        self._allocator = allocator
        self._rules = replace(rules_for(profile), is_never=_Never().of)
        self._choices = choices_of(profile)
        self._every = every
        self._state: State | None = None
        self._sent: dict[str, Json] = {}

    def run(self, case: Json) -> list[Answer]:
        """The allocator's answers, which are those of the model."""
        answers = self._allocator.run(case)
        started = perf_counter()
        try:
            self._compare(case, answers)
        finally:
            self.seconds += perf_counter() - started
        return answers

    def _compare(self, case: Json, answers: list[Answer]) -> None:
        read = read_case(case)
        if read.cluster:
            self._state = initial(to_model.cluster(read.cluster))
        for sent, event, answer in zip(case["events"], read.events, answers, strict=True):
            match sent:
                case {"event": "submit", "job": job}:
                    self._sent[job["name"]] = job
                case {"event": "withdraw", "job": name}:
                    self._sent.pop(name, None)
                case _:
                    pass
            self._event(sent, to_model.event(event), answer)

    def _event(self, sent: Json, event: Event, answer: Answer) -> None:
        """Take the state over an event, if both answer alike."""
        assert self._state is not None, "the first case has a cluster"
        given = to_model.answer(answer)
        if isinstance(event, RunSession) and isinstance(given, Ran):
            self._state = self._run(sent, self._state, given)
            return
        self._state, expected = step(self._state, event, self._rules)
        if expected != given:
            raise Parted(
                event=words.event(sent),
                expected="; ".join(words.answer(from_model.answer(expected))),
                actual="; ".join(words.answer(from_model.answer(given))),
                situation=None,
            )

    def _run(self, sent: Json, begun: State, ran: Ran) -> State:
        """SESSION-1: the right jobs in the right order, each answered rightly; the state after."""
        state, names = begun, queue(begun, self._rules)
        for position, (name, told) in enumerate(zip_longest(names, ran.jobs)):
            after = None
            if name is not None and told is not None and name == told.job:
                after = self._job(state, told)
            if after is None:
                jobs = [self._sent[one] for one in names[: position + 1]]
                situation = Situation(begun=begun, before=state, jobs=jobs)
                raise Parted(
                    event=words.event(sent),
                    expected=self._expected(state, name),
                    actual=_in_words(told),
                    situation=situation,
                )
            state = after
        for name in names:
            if name not in state.pending:
                del self._sent[name]
        return state

    def _expected(self, state: State, name: str | None) -> str:
        """What the model says of the job, in words."""
        if name is None:
            return "no more jobs are tried"
        return _in_words(try_job(state, name, state.caches[0], self._rules)[1])

    def _job(self, state: State, told: Tried) -> State | None:
        """The state after an attempt, None if the answer to it is wrong."""
        [[key]] = state.pending[told.job].keys
        is_hit = self._rules.cache_key(key) in state.caches[0]
        is_computed = self.decisions % self._every == 0
        self.decisions += 1
        self.compared += is_computed
        if not (is_computed or is_hit):
            return self._followed(state, key, told)
        after, expected = try_job(state, told.job, state.caches[0], self._rules)
        if not agree(expected.answer, told.answer, self._choices):
            return None
        if is_computed and is_hit and self._every > 1 and self._is_placeable(state, key):
            return None
        return after

    def _is_placeable(self, state: State, key: Key) -> bool:
        """CACHE-9: whether a key of the cache does not fail against the books."""
        return self._rules.is_placeable(key, open_ledger(state.cluster, state.books), self._rules)

    def _followed(self, state: State, key: Key, told: Tried) -> State | None:
        """The state after an answer that is taken as it is; None if it cannot be right."""
        answer = told.answer
        if isinstance(answer, Pending):
            if answer.cached and "cached" in self._choices.declares:
                return None
            cache = state.caches[0]
            if self._rules.may_fill(0):
                cache = {**cache, self._rules.cache_key(key): answer.reason}
            return as_tried(replace(state, caches=(cache,)), told.job)
        if isinstance(answer, Dispatched) and (answer.alternative, len(answer.parts)) == (0, 1):
            return self._dispatched(state, key, told.job, answer)
        return None

    def _dispatched(self, state: State, key: Key, name: str, answer: Dispatched) -> State | None:
        """PLAN-2, HOST-7, WANT-4: the state in which the hosts of the answer are charged."""
        [part] = answer.parts
        buckets = tuple(slots for _host, slots in part)
        if buckets not in _plans_of_at_most(len(buckets), key, self._rules):
            return None
        placed = placed_as(key, part, open_ledger(state.cluster, state.books), self._rules)
        if placed is None:
            return None
        placement, ledger = placed
        won = Won(alternative=0, placements=(placement,))
        after = After(result=won, ledger=ledger, cache=state.caches[0])
        return dispatch(state, name, after, won, self._rules)[0]


class _Never:
    """WHY-2 for keys that were asked before: `never` is the same as long as the cluster is."""

    def __init__(self) -> None:
        self._cluster: Cluster | None = None
        self._known: dict[Keys, bool] = {}

    def of(self, keys: Keys, cluster: Cluster, rules: Rules) -> bool:
        """Whether the request can never be placed on this cluster."""
        if cluster is not self._cluster:
            self._cluster, self._known = cluster, {}
        if keys not in self._known:
            self._known[keys] = why.is_never(keys, cluster, rules)
        return self._known[keys]


def _plans_of_at_most(hosts: int, key: Key, rules: Rules) -> Iterator[tuple[int, ...]]:
    """PLAN-1, PLAN-9: the plans of a primary on at most so many hosts."""
    return takewhile(lambda plan: len(plan) <= hosts, rules.plans(key.tasks_max, key.span))


def _in_words(tried: Tried | None) -> str:
    if tried is None:
        return "no answer"
    return words.job_answer(from_model.job_answer(tried, with_notes=False))
