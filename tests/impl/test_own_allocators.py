"""Allocators of embedders: what they answer is looked at before it is committed."""

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from inspect import getdoc
from textwrap import dedent
from typing import Any, get_type_hints

import pytest

import allotment_impl
from allotment_impl import (
    AllocatorError,
    Attempt,
    AttemptCancelledError,
    Cancelled,
    CandidateHosts,
    CannotStartError,
    Category,
    Claim,
    Demand,
    Dispatched,
    Scheduler,
    SplitPlans,
    place_by_plans,
)
from impl.building import cluster, entry, host, job, primary, read_job, scheduler

Place = Callable[[Attempt, Demand], Any]


class Own:
    """An allocator of an embedder for primaries of more than one task."""

    name = "own"

    def __init__(self, place: Place) -> None:
        self.place = place

    def takes(self, demand: Demand) -> bool:
        """Whatever has more than one task."""
        return demand.tasks > 1


def take(attempt: Attempt, demand: Demand, place: int, slots: int) -> Claim:
    """A claim on the host at a place."""
    claim = attempt.claim_host(attempt.ledger.hosts[place], attempt.bucket(demand, slots))
    assert claim is not None
    return claim


def walk(attempt: Attempt, demand: Demand) -> list[Claim]:
    """The claims of the built-in walk."""
    claims = place_by_plans(attempt, demand, SplitPlans, CandidateHosts)
    assert claims is not None
    return claims


def keeps_one(attempt: Attempt, demand: Demand) -> object:
    take(attempt, demand, 2, 1)
    return walk(attempt, demand)


def gives_back(attempt: Attempt, demand: Demand) -> object:
    claims = walk(attempt, demand)
    for claim in claims:
        claim.reverse()
    return claims


def debits_pools(attempt: Attempt, demand: Demand) -> object:
    assert attempt.claim_pools(demand)
    return walk(attempt, demand)


def gives_back_all(attempt: Attempt, demand: Demand) -> object:
    attempt.reverse_to(0)
    return walk(attempt, demand)


BREACHES: list[tuple[Place, str]] = [
    (keeps_one, "claimed host 'C', and did not answer with that claim"),
    (gives_back, "answered with a claim on host 'A' that is given back, or not of this primary"),
    (debits_pools, "claimed the pools, and did not answer with that claim"),
    (gives_back_all, "gave back what it had not claimed for this primary"),
    (lambda a, d: iter(walk(a, d)), "has to answer with a list of claims or None, not <list_iter"),
    (lambda _a, _d: 5, "has to answer with a list of claims or None, not 5"),
    (lambda a, d: [*walk(a, d), None], "has to answer with claims alone, not None"),
    (lambda _a, _d: [Claim(None, 3, ())], "answered with a claim on the pools, which are debited"),
    (
        lambda a, d: [take(a, d, 0, 1) for _ in range(3)],
        "took host 'A' twice for one primary",
    ),
    (lambda a, d: walk(a, d) * 2, "took host 'A' twice for one primary"),
    (
        lambda a, d: [take(a, d, 0, -1), take(a, d, 1, 4)],
        "took host 'A' for a bucket of -1 tasks; the least is 1",
    ),
    (
        lambda a, d: [take(a, d, 0, 3), take(a, d, 1, 0)],
        "took host 'B' for a bucket of 0 tasks; the least is 1",
    ),
    (
        lambda a, d: [a.claim_host(a.ledger.hosts[0], a.bucket(d, 2)._replace(slots=3))],
        "took host 'A' for what this primary does not want",
    ),
    (lambda _a, _d: [], "placed 0 tasks of a primary of 3"),
    (lambda a, d: [take(a, d, 0, 1), take(a, d, 1, 1)], "placed 2 tasks of a primary of 3"),
]


def started(engine: str, place: Place) -> Scheduler:
    """A scheduler with an allocator, a job for it behind one that is not, and another one."""
    found = scheduler(cluster(*[host(name, 9) for name in "ABC"], licence=9), engine=engine)
    found.register_allocator(Own(place))
    wants = [entry("licence", 1)]
    found.submit(read_job(job("first", [primary(1)])))
    found.submit(read_job(job("own", [primary(1), primary(3, rusage=wants)])))
    found.submit(read_job(job("last", [primary(1)])))
    return found


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
@pytest.mark.parametrize(("place", "words"), BREACHES, ids=[words for _, words in BREACHES])
def test_a_breach_is_told_and_nothing_of_it_is_committed(
    engine: str, place: Place, words: str
) -> None:
    found = started(engine, place)
    with pytest.raises(AllocatorError) as caught:
        found.run_session()
    assert str(caught.value).startswith(f"allocator 'own' {words}")
    assert (["first"], ["own", "last"]) == (found.live(), found.pending())
    assert ({"A": {"slots": 1}}, {}) == (found.books().hosts, found.books().pools)
    assert [Dispatched(job="last", alternative=0, parts=((("A", 1),),))] == found.run_session()


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
@pytest.mark.parametrize("answer", [list, tuple])
def test_what_keeps_the_contract_is_committed(engine: str, answer: type) -> None:
    def place(attempt: Attempt, demand: Demand) -> Any:
        return answer([take(attempt, demand, 2, 1), take(attempt, demand, 1, 2)])

    found = started(engine, place)
    parts = ((("A", 1),), (("C", 1), ("B", 2)))
    assert Dispatched(job="own", alternative=0, parts=parts) == found.run_session()[1]
    assert {"A": {"slots": 3}, "B": {"slots": 2}, "C": {"slots": 1}} == found.books().hosts


def test_the_allocator_of_the_docstring_is_taken() -> None:
    words = getdoc(Scheduler.register_allocator)
    assert words is not None
    example = dedent(words.partition("::\n\n")[2].partition("``place``")[0])
    code = f"""from allotment_impl import *
{example}
scheduler = Scheduler(Cluster(hosts=(Host(name="A", capacity={{"slots": 4}}),)))
scheduler.register_allocator(Wide())
scheduler.submit(Job(name="j", user="u", queue="q", project="p", request="3*{{-}}"))
[decision] = scheduler.run_session()
print(decision.parts)
"""
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ("", "((('A', 3),),)\n") == (ran.stderr, ran.stdout)


def swallows(attempt: Attempt, demand: Demand) -> list[Claim] | None:
    try:
        return place_by_plans(attempt, demand, SplitPlans, CandidateHosts)
    except Exception:
        return None


def goes_on(attempt: Attempt, demand: Demand) -> list[Claim] | None:
    with suppress(AttemptCancelledError):
        attempt.token.poll()
    return walk(attempt, demand)


def cannot_start(attempt: Attempt, demand: Demand) -> list[Claim] | None:
    try:
        return place_by_plans(attempt, demand, SplitPlans, CandidateHosts)
    except AttemptCancelledError as error:
        raise CannotStartError from error


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
@pytest.mark.parametrize("place", [swallows, goes_on, cannot_start])
def test_a_cancellation_that_is_caught_gives_no_answer(engine: str, place: Place) -> None:
    found = scheduler(cluster(*[host(name, 9) for name in "ABC"]), engine=engine)
    found.register_allocator(Own(place))
    for name in ("own", "same"):
        found.submit(read_job(job(name, [primary(3)])))
    parts = ((("A", 3),),)
    decisions = [Cancelled(job="own"), Dispatched(job="same", alternative=0, parts=parts)]
    assert decisions == found.run_session(cancel_at=0)
    assert (["own"], {"A": {"slots": 3}}) == (found.pending(), found.books().hosts)
    found.begin_session()
    assert [Dispatched(job="own", alternative=0, parts=parts)] == found.run_session()


def test_an_attempt_begun_after_a_cancelled_one_is_not_cancelled() -> None:
    found = scheduler(cluster(host("A", 2)))
    found.register_allocator(
        Own(lambda attempt, demand: place_by_plans(attempt, demand, SplitPlans, CandidateHosts))
    )
    for name, tasks in (("first", 2), ("wide", 3)):
        found.submit(read_job(job(name, [primary(tasks)])))
    first, wide = found.run_session(cancel_at=0)
    assert (Cancelled(job="first"), Category.CAPACITY) == (first, getattr(wide, "reason", None))


@pytest.mark.parametrize(
    "contract",
    [
        allotment_impl.Allocator,
        allotment_impl.Attempt,
        allotment_impl.HostIterator,
        allotment_impl.PlanIterator,
    ],
)
def test_what_a_contract_names_is_exported(contract: type) -> None:
    methods = [
        vars(contract)[name]
        for name in ("takes", "place", "start", "next", "bucket", "claim_host")
        if hasattr(contract, name)
    ]
    named = {
        inner
        for method in methods
        for hint in get_type_hints(method).values()
        for inner in (hint, *getattr(hint, "__args__", ()))
        if getattr(inner, "__module__", "").startswith("allotment_impl")
    }
    assert named
    assert {kind.__name__ for kind in named} <= set(allotment_impl.__all__)
