"""Explain: the category is the answer's, the lacks are true, and the remedy is one."""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import replace
from random import Random

import pytest

from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.answers import Category, Dispatched, Pending
from allotment_model.arithmetic import fits
from allotment_model.cache import Key
from allotment_model.cluster import LARGEST_AMOUNT, Cluster, IdentityKind, Scope
from allotment_model.events import Event, RunSession, Submit
from allotment_model.oracle.explain import (
    Lack,
    Obstacle,
    PartTried,
    PlanTried,
    Remedy,
    explain,
    with_more,
)
from allotment_model.request import Per, Span
from allotment_model.rules import SPEC
from allotment_model.runs import try_job
from allotment_model.search import is_placeable, most_free, outcome, place
from allotment_model.state import State
from model.judged import one_untried
from model.sceptic import Ask, Freedom, Holdings, Sceptic, asks_of, counted, holder_of
from model.sceptic_select import passes
from model.worlds import cluster, host, job, limit, primary, random_session, replay, use


def explained(start: Cluster, one: object) -> tuple[PartTried, ...]:
    """Why a job waits on an empty cluster."""
    state, _answers = replay(start, [Submit(job=one)])  # type: ignore[arg-type]
    return explain(state, next(iter(state.pending)))


def parts_explained(seeds: range) -> Iterator[tuple[PartTried, Ask, Sceptic, Holdings]]:
    """Each part that is explained, with what is held when it fails."""
    for state, sceptic, name in one_untried(random_session(seed) for seed in seeds):
        asks = asks_of(sceptic.jobs[name], sceptic.cluster, Per.TASK)
        for tried in explain(state, name):
            held = sceptic.held()
            for ask in asks[tried.alternative][: tried.part]:
                held += sceptic.holdings_of(ask, sceptic.first_plan(ask, held)[0])
            yield tried, asks[tried.alternative][tried.part], sceptic, held


def test_category_is_that_of_the_answer() -> None:
    pended = 0
    for state, _sceptic, name in one_untried(random_session(seed) for seed in range(700, 780)):
        _after, tried = try_job(state, name, {}, SPEC)
        parts = explain(state, name)
        if isinstance(tried.answer, Dispatched):
            assert () == parts
        else:
            pended += 1
            assert len(state.pending[name].keys) == len(parts)
            assert isinstance(tried.answer, Pending)
            assert tried.answer.cached or tried.answer.reason == parts[-1].category
    assert pended > 100


def test_parts_that_are_blamed_cannot_be_placed() -> None:
    for tried, ask, sceptic, held in parts_explained(range(780, 820)):
        assert [] == sceptic.first_plan(ask, held)
        assert tried.category == sceptic.category(ask, held)


def lacks_of(ask: Ask, sceptic: Sceptic, held: Holdings, name: str | None, slots: int) -> set[Lack]:
    """What a bucket on a host, or with None the shared wants, ask beyond what is free."""
    new = sceptic.shared_holding(ask) if name is None else sceptic.claim_holding(ask, name, slots)
    lacks = set()
    for resource, wanted in new.amounts.items():
        in_use = sum(one.amounts.get(resource, 0) for one in held if one.host == name)
        free = max(0, sceptic.capacity(name, resource) - in_use)
        lacks.add(Lack(account=Account(resource, name), wanted=wanted, free=free))
        for one, cap in sceptic.cluster.limits.items():
            holder = holder_of(one, ask.identity)
            if one.resource == resource and one.name in (None, holder):
                where = name if one.scope is Scope.HOST else None
                free = max(0, cap - counted(held, one, holder, name))
                account = Account(resource, where, one, holder)
                lacks.add(Lack(account=account, wanted=wanted, free=free))
    return {lack for lack in lacks if lack.wanted > lack.free}


def assert_plan_is_true(plan: PlanTried, ask: Ask, sceptic: Sceptic, held: Holdings) -> None:
    """Each host's obstacle or lacks are what the second reading finds."""
    claimed = [one.host for one in plan.hosts if one.obstacle is Obstacle.CLAIMED]
    assert plan.failed_bucket >= len(claimed)
    for one in plan.hosts:
        on = sceptic.cluster.hosts[one.host]
        assert (one.obstacle is Obstacle.CLOSED) == (not on.open)
        if on.open:
            assert (one.obstacle is Obstacle.SELECT) == (not passes(ask.select, on))
        if one.obstacle is None:
            slots = plan.plan[plan.failed_bucket]
            assert set(one.lacks) == lacks_of(ask, sceptic, held, one.host, slots)
            assert one.lacks


def test_lacks_and_obstacles_are_true() -> None:
    plans = 0
    for tried, ask, sceptic, held in parts_explained(range(820, 900)):
        assert set(tried.pools) == lacks_of(ask, sceptic, held, None, 0)
        for plan in tried.plans:
            plans += 1
            if plan.failed_bucket == 0:
                assert_plan_is_true(plan, ask, sceptic, held)
    assert plans > 100


def test_lacks_see_the_buckets_before() -> None:
    each = limit(IdentityKind.USER, None)
    start = cluster(host("A", 2), host("B", 2), limits={each: 3})
    (part,) = explained(start, job("j", (primary(4),)))
    plan = part.plans[1]
    assert ((2, 2), 1) == (plan.plan, plan.failed_bucket)
    over_all = Lack(account=Account("slots", None, each, "ann"), wanted=2, free=1)
    assert [Obstacle.CLAIMED, None] == [one.obstacle for one in plan.hosts]
    assert (over_all,) == plan.hosts[1].lacks


def test_remedy_makes_the_primary_placeable() -> None:
    remedies = 0
    for tried, ask, sceptic, held in parts_explained(range(900, 1000)):
        if tried.remedy is None:
            continue
        remedies += 1
        before = sceptic.cluster
        sceptic.cluster = with_more(open_ledger(before, {}), tried.remedy, SPEC).cluster
        assert sceptic.legal(ask, held, Freedom.NONE), tried.remedy
        sceptic.cluster = before
    assert remedies > 50


MUCH = 2**20
"""More than any request of these sessions asks."""


def least_raise(key: Key, ledger: Ledger, account: Account) -> int | None:
    """How much more an account needs for the primary to be placed; None if that is not enough."""

    def is_enough(more: int) -> bool:
        return is_placeable(key, with_more(ledger, Remedy(account=account, more=more), SPEC), SPEC)

    return bisect_left(range(MUCH), True, key=is_enough) if is_enough(MUCH) else None


def accounts_asked(key: Key, on: Cluster) -> Iterator[Account]:
    """Every account that the primary might need more of."""
    resources = on.resources
    yield from (Account(name, where) for where in on.hosts for name in ("slots", *resources.host))
    yield from map(Account, resources.shared)
    for one in SPEC.limits_that_apply(on.limits, key.identity):
        yield Account(one.resource, None, one, key.identity.holder(one.kind))


def assert_least(state: State, name: str) -> Iterator[bool]:
    """That each part of a job has the least remedy; whether it has one."""
    for tried in explain(state, name):
        keys = state.pending[name].keys[tried.alternative]
        ledger = open_ledger(state.cluster, state.books)
        for before in keys[: tried.part]:
            (_placement, ledger), _notes = outcome(place(before, ledger, SPEC))
        key = keys[tried.part]
        raises = [least_raise(key, ledger, one) for one in accounts_asked(key, state.cluster)]
        least = min((one for one in raises if one is not None), default=None)
        assert least == (None if tried.remedy is None else tried.remedy.more), (name, tried)
        yield tried.remedy is not None


def test_remedy_is_the_least_that_one_account_needs() -> None:
    told = [
        has_one
        for state, _sceptic, name in one_untried(random_session(seed) for seed in range(925, 945))
        for has_one in assert_least(state, name)
    ]
    assert len(told) > 80
    assert 20 < sum(told) < len(told) - 20


def test_remedy_of_a_limit_is_the_least_cap() -> None:
    draw = Random(1)
    told: list[bool] = []
    for _ in range(100):
        scope = draw.choice([Scope.HOST, Scope.CLUSTER])
        each = limit(IdentityKind.USER, None, scope=scope)
        hosts = (host(f"h{number}", draw.randint(1, 5)) for number in range(draw.randint(2, 3)))
        start = cluster(*hosts, limits={each: draw.randint(0, 4)})
        held = [job(f"a{number}", (primary(draw.randint(1, 3)),)) for number in range(2)]
        span = Span(hosts_min=draw.randint(1, 2), ptile=draw.choice([None, None, 2]))
        waits = job("w", (primary(draw.randint(2, 7), span=span),))
        events: list[Event] = [*(Submit(job=one) for one in held), RunSession(), Submit(job=waits)]
        state, _answers = replay(start, events)
        told += assert_least(state, "w")
    assert len(told) > 40
    assert 20 < sum(told) < len(told) - 5


def test_one_slot_more_is_the_remedy() -> None:
    (part,) = explained(cluster(host("A", 3), host("B", 1)), job("j", (primary(4),)))
    assert Remedy(account=Account("slots", "A"), more=1) == part.remedy


def test_limit_reached_within_the_plan_has_a_remedy() -> None:
    named = limit(IdentityKind.USER, "ann")
    start = cluster(host("A", 1), host("B", 1), limits={named: 1})
    (part,) = explained(start, job("j", (primary(2),)))
    assert Category.LIMIT is part.category
    assert part.remedy is not None
    assert Account("slots", None, named, "ann") == part.remedy.account


def test_limit_lacks_for_all_buckets_that_are_left() -> None:
    named = limit(IdentityKind.USER, "ann")
    start = cluster(host("A", 1), host("B", 1), host("C", 1), limits={named: 1})
    (part,) = explained(start, job("j", (primary(3),)))
    assert Remedy(account=Account("slots", None, named, "ann"), more=2) == part.remedy


def test_remedy_of_a_wide_job_is_found_without_trying_every_host_in_every_plan() -> None:
    asked = 0

    def counted_fits(wanted: int, free: int) -> bool:
        nonlocal asked
        asked += 1
        return fits(wanted, free)

    hosts = 60
    start = cluster(*(host(f"h{number}", 1) for number in range(hosts)))
    state, _answers = replay(start, [Submit(job=job("j", (primary(hosts + 2),)))])
    (part,) = explain(state, "j", replace(SPEC, fits=counted_fits))
    assert Remedy(account=Account("slots", "h0"), more=hosts + 1) == part.remedy
    assert asked < 4 * hosts**2


def test_pool_that_is_short_is_named() -> None:
    start = cluster(host("A", 1), pools={"lic": 500})
    (part,) = explained(start, job("j", (primary(1, use("lic", 1000, Per.JOB)),)))
    lack = Lack(account=Account("lic"), wanted=1000, free=500)
    assert ((lack,), ()) == (part.pools, part.plans)
    assert Remedy(account=Account("lic"), more=500) == part.remedy


def test_two_things_lacking_have_no_remedy() -> None:
    start = cluster(host("A", 0, mem=0))
    (part,) = explained(start, job("j", (primary(1, use("mem", 1000)),)))
    assert part.remedy is None


@pytest.mark.parametrize("capacity", [LARGEST_AMOUNT, LARGEST_AMOUNT - 1])
@pytest.mark.parametrize("resource", ["mem", "lic"])
def test_remedy_that_no_change_can_give_is_none(resource: str, capacity: int) -> None:
    start = cluster(host("A", 2, mem=capacity), pools={"lic": capacity})
    all_of_it, more = (
        job(name, (primary(1, use(resource, amount)),))
        for name, amount in (("all", capacity), ("more", 1))
    )
    state, _answers = replay(start, [Submit(job=all_of_it), RunSession(), Submit(job=more)])
    (part,) = explain(state, "more")
    given = None if capacity == LARGEST_AMOUNT else 1
    assert given == (None if part.remedy is None else part.remedy.more)


def test_dispatchable_job_has_nothing_to_explain() -> None:
    start = cluster(host("A", 1), host("B", 1))
    assert () == explained(start, job("j", (primary(2),)))


def test_unknown_job_is_a_key_error() -> None:
    state, _answers = replay(cluster(host("A", 1)), [])
    with pytest.raises(KeyError):
        explain(state, "nobody")


def test_profile_of_the_rules_is_explained() -> None:
    start = cluster(host("A", 1), host("B", 2))
    one = job("j", (primary(1), primary(2, span=Span(hosts_max=1))))
    state, _answers = replay(start, [Submit(job=one)])
    assert () == explain(state, "j")
    (part,) = explain(state, "j", replace(SPEC, host_order=most_free))
    assert (1, Category.CAPACITY) == (part.part, part.category)
