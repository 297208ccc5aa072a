"""Whole sessions: the model answers as a second reading of SPEC.md by enumeration does."""

from collections import Counter
from dataclasses import replace

import pytest

from allotment_model.accounts import Account
from allotment_model.answers import Answer, Category, Dispatched, Pending, Ran, Tried
from allotment_model.request import Per
from allotment_model.rules import SPEC, Rules
from allotment_model.search import most_free
from allotment_model.variants.attempts import fill_never
from model.sceptic import Sceptic, counted, holder_of
from model.worlds import Session, moments, random_session


def without_notes(answer: Answer) -> Answer:
    """The answer alone."""
    if not isinstance(answer, Ran):
        return answer
    return Ran(jobs=tuple(Tried(job=one.job, answer=one.answer) for one in answer.jobs))


def books_of(sceptic: Sceptic) -> dict[Account, int]:
    """What is in use, summed account by account from what is held."""
    held, books = sceptic.held(), dict[Account, int]()
    for one in held:
        for resource, amount in one.amounts.items():
            account = Account(resource, one.host)
            books[account] = books.get(account, 0) + amount
        for limit in sceptic.cluster.limits:
            holder = holder_of(limit, one.identity)
            if limit.name in (None, holder) and limit.resource in one.amounts:
                where = one.host if limit.scope == "host" else None
                counts = counted(held, limit, holder, where)
                books[Account(limit.resource, where, limit, holder)] = counts
    return {account: used for account, used in books.items() if used}


def assert_agrees(session: Session, sceptic: Sceptic, rules: Rules) -> None:
    """Event by event, answers and books agree."""
    for moment in moments(session, rules):
        assert sceptic.step(moment.event) == without_notes(moment.answer), moment.event
        assert books_of(sceptic) == moment.after.books


@pytest.mark.parametrize("seed", range(300))
def test_sessions_agree_with_second_reading(seed: int) -> None:
    session = random_session(seed)
    assert_agrees(session, Sceptic(cluster=session[0]), SPEC)


@pytest.mark.parametrize("seed", range(300, 400))
def test_most_free_sessions_agree(seed: int) -> None:
    session = random_session(seed)
    rules = replace(SPEC, host_order=most_free)
    assert_agrees(session, Sceptic(cluster=session[0], most_free=True), rules)


@pytest.mark.parametrize("seed", range(400, 460))
def test_per_host_default_sessions_agree(seed: int) -> None:
    session = random_session(seed)
    rules = replace(SPEC, rusage_default=Per.HOST)
    assert_agrees(session, Sceptic(cluster=session[0], default=Per.HOST), rules)


@pytest.mark.parametrize("seed", range(460, 520))
def test_cacheless_sessions_agree(seed: int) -> None:
    session = random_session(seed)
    rules = replace(SPEC, may_fill=fill_never)
    assert_agrees(session, Sceptic(cluster=session[0], fills=False), rules)


def test_random_sessions_reach_what_they_should() -> None:
    seen: Counter[object] = Counter()
    for seed in range(300):
        for moment in moments(random_session(seed)):
            jobs = moment.answer.jobs if isinstance(moment.answer, Ran) else ()
            for answer in (one.answer for one in jobs):
                if isinstance(answer, Dispatched):
                    seen["alternative", answer.alternative] += 1
                    seen["parts", len(answer.parts)] += 1
                    seen.update(("buckets", len(part)) for part in answer.parts)
                elif isinstance(answer, Pending):
                    seen["pending", answer.reason, answer.never] += 1
                    seen["cached", answer.reason, answer.cached] += 1
    expected: set[object] = {("alternative", n) for n in range(3)} | {
        ("parts", n) for n in (1, 2, 3)
    }
    expected |= {("buckets", n) for n in (1, 2, 3)}
    reasons = set(Category) - {Category.ERROR}
    expected |= {(kind, r, b) for kind in ("pending", "cached") for r in reasons for b in (0, 1)}
    assert set() == {one for one in expected if seen[one] < 3}
