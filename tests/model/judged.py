"""Answers to be judged: all that the sceptic finds legal for a job, and many that it does not."""

from collections.abc import Iterator
from itertools import product

from allotment_model.answers import Category, Dispatched, JobAnswer, Part, Pending, Ran, Tried
from allotment_model.events import RunSession
from allotment_model.oracle.accepts import Outcome, Verdict, accepts
from allotment_model.oracle.profile import HostOrder, Profile, Split
from allotment_model.rules import SPEC
from allotment_model.runs import queue
from allotment_model.state import State
from model.sceptic import Ask, Freedom, Sceptic, asks_of, compositions
from model.states import sessions_followed
from model.worlds import Session

UNSPECIFIED = Profile(host_order=HostOrder.UNSPECIFIED)
ANY = Profile(host_order=HostOrder.UNSPECIFIED, split=Split.ANY)
FREEDOM = {UNSPECIFIED: Freedom.HOSTS, ANY: Freedom.SPLITS}


def judged(state: State, answer: JobAnswer, profile: Profile, job: str) -> Verdict:
    """The verdict on a run in which one job is answered."""
    return accepts(state, RunSession(), Ran(jobs=(Tried(job=job, answer=answer),)), profile)


def is_allowed(state: State, answer: JobAnswer, profile: Profile, job: str) -> bool:
    """Whether the answer is exact or permitted."""
    outcome = judged(state, answer, profile, job).outcome
    assert outcome is not Outcome.SKIPPED
    return outcome is not Outcome.FORBIDDEN


def one_untried(sessions: Iterator[Session]) -> Iterator[tuple[State, Sceptic, str]]:
    """Every state of these sessions in which exactly one job waits to be tried."""
    for state, sceptic in sessions_followed(sessions):
        names = queue(state, SPEC)
        if len(names) == 1:
            yield state, sceptic, names[0]


def all_pends() -> list[Pending]:
    """Every pending answer there is."""
    truths = (False, True)
    return [
        Pending(reason=reason, never=never, cached=cached)
        for reason, never, cached in product(Category, truths, truths)
    ]


def parts_to_try(ask: Ask, hosts: list[str]) -> list[Part]:
    """Every way to give the tasks of a primary to hosts, fitting or not; a host twice as well."""
    return [
        tuple(zip(chosen, buckets, strict=True))
        for count in range(1, min(ask.max, len(hosts)) + 1)
        for buckets in compositions(ask.max, count)
        for chosen in product(hosts, repeat=count)
    ]


def all_answers(sceptic: Sceptic, job: str, most: int) -> list[JobAnswer]:
    """Every answer that has the right counts; empty if there are more than `most`."""
    hosts = list(sceptic.cluster.hosts)
    answers: list[JobAnswer] = [*all_pends()]
    for index, asks in enumerate(asks_of(sceptic.jobs[job], sceptic.cluster, sceptic.default)):
        choices = [parts_to_try(ask, hosts) for ask in asks]
        for parts in product(*choices):
            if len(answers) == most:
                return []
            answers.append(Dispatched(alternative=index, parts=tuple(parts)))
    return answers


def legal_answers(sceptic: Sceptic, job: str, profile: Profile) -> set[JobAnswer]:
    """Every answer that some sequence of legal placements leads to."""
    return {answer for answer, _after in sceptic.attempts(job, FREEDOM[profile])}
