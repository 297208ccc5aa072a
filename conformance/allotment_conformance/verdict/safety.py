"""Safety: what must hold of any allocator, whatever it chooses.

Nothing is oversubscribed, the hosts of a primary are distinct, its tasks are placed exactly, and
every job is accounted for. The answers are followed: hosts that they name are charged. Where an
allocator accepts what the specification refuses, there is nothing to follow, and judging ends.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Json, Profile, read_answers, read_case
from allotment_conformance.wire.profiles import rules_for
from allotment_model.accounts import Ledger, open_ledger
from allotment_model.answers import Answer, Dispatched, Ok, Part, Ran, Refused, Tried
from allotment_model.attempt import After, Won
from allotment_model.cache import Key
from allotment_model.cluster import Host
from allotment_model.events import Event, Finish, Submit, Withdraw
from allotment_model.oracle.choices import Placed, placed_as
from allotment_model.request import Expression
from allotment_model.runs import dispatch
from allotment_model.scheduler import is_known, step
from allotment_model.state import State, initial


class _Unsafe(Exception):
    """Something that must never be."""


class _NothingToFollow(Exception):
    """The allocator has left the specification in a way that safety says nothing about."""


def what_is_unsafe(case: Json, answers: Sequence[Json], profile: Profile) -> str | None:
    """The first thing that is unsafe, in words; None if nothing is.

    The case starts a scheduler, and its answers are messages, one for each event.
    """
    sent = read_case(case)
    assert sent.cluster, "a case that is judged alone has a cluster"
    follower = _Follower(initial(to_model.cluster(sent.cluster)), profile)
    try:
        for number, told in enumerate(read_answers(list(answers))):
            follower.take(to_model.event(sent.events[number]), to_model.answer(told))
    except _Unsafe as found:
        return f"event {number + 1}: {found}"
    except _NothingToFollow:
        return None
    return None


def _any_host(_host: Host) -> bool:
    """Whether work on a closed host is right is no question of safety."""
    return True


def _any_attributes(_select: Expression | None, _attributes: Mapping[str, int | str]) -> bool:
    """Nor is whether a host passes the select."""
    return True


class _Follower:
    """The scheduler as an allocator says that it is."""

    def __init__(self, state: State, profile: Profile) -> None:
        self.state = state
        self.rules = replace(rules_for(profile), is_open=_any_host, passes=_any_attributes)

    def take(self, event: Event, answer: Answer) -> None:
        """One more event with its answer."""
        match answer:
            case Refused():
                return
            case Ran(jobs=jobs):
                for tried in jobs:
                    self._try(tried)
            case Ok():
                self._accept(event)

    def _accept(self, event: Event) -> None:
        """An event that the allocator has accepted."""
        match event:
            case Submit(job=job) if is_known(self.state, job.name):
                raise _Unsafe(f"a second job {job.name} is accepted")
            case Withdraw(job=name) if name not in self.state.pending:
                raise _Unsafe(f"job {name}, which is not pending, is withdrawn")
            case Finish(job=name) if name not in self.state.live or name in self.state.finishing:
                raise _Unsafe(f"job {name}, which is not running, finishes")
        self.state, expected = step(self.state, event, self.rules)
        if isinstance(expected, Refused):
            raise _NothingToFollow

    def _try(self, tried: Tried) -> None:
        """What the allocator says of one job."""
        if tried.job not in self.state.pending:
            raise _Unsafe(f"job {tried.job}, which is not pending, is tried")
        if isinstance(tried.answer, Dispatched):
            self._dispatch(tried.job, tried.answer)

    def _dispatch(self, name: str, answer: Dispatched) -> None:
        keys = self.state.pending[name].keys
        if not 0 <= answer.alternative < len(keys):
            raise _Unsafe(f"job {name} has no alternative {answer.alternative}")
        parts = keys[answer.alternative]
        if len(parts) != len(answer.parts):
            raise _Unsafe(f"job {name} has {len(parts)} parts, {len(answer.parts)} are placed")
        ledger = open_ledger(self.state.cluster, self.state.books)
        placements = []
        for key, part in zip(parts, answer.parts, strict=True):
            placement, ledger = self._placed(name, key, part, ledger)
            placements.append(placement)
        won = Won(alternative=answer.alternative, placements=tuple(placements))
        after = After(result=won, ledger=ledger, cache=self.state.caches[0])
        self.state, _answer = dispatch(self.state, name, after, won, self.rules)

    def _placed(self, name: str, key: Key, part: Part, ledger: Ledger) -> Placed:
        """One primary on the hosts that the allocator names."""
        hosts = [host for host, _slots in part]
        if len(set(hosts)) < len(hosts):
            raise _Unsafe(f"a primary of job {name} takes a host twice")
        if not set(hosts) <= ledger.cluster.hosts.keys():
            raise _Unsafe(f"job {name} is placed on a host that does not exist")
        for host, slots in part:
            if slots < 1:
                raise _Unsafe(f"job {name} takes {slots} slots on host {host}")
        placed = sum(slots for _host, slots in part)
        if placed != key.tasks_max:
            raise _Unsafe(f"tasks of job {name}: {key.tasks_max} are asked for, {placed} placed")
        charged = placed_as(key, part, ledger, self.rules)
        if charged is None:
            raise _Unsafe(f"job {name} takes more than is free")
        return charged
