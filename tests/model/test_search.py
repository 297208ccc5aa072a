"""The search for one primary, against all injective assignments; and what it leaves behind."""

import inspect
from dataclasses import replace
from itertools import permutations

import pytest

from allotment_model import accounts, search, why
from allotment_model.accounts import Ledger, open_ledger
from allotment_model.answers import Category, Dispatched, Note, Pending
from allotment_model.cache import Key
from allotment_model.cluster import SLOTS, IdentityKind, LimitId, Scope
from allotment_model.ingest import keys_of
from allotment_model.plans import Plan
from allotment_model.request import Job, Per
from allotment_model.rules import SPEC
from allotment_model.search import (
    Claim,
    candidates,
    give_back_all,
    is_placeable,
    most_free,
    outcome,
    part_of,
    place,
    place_plan,
)
from model.sceptic import Ask, Sceptic, counted, holder_of, plans_of
from model.states import searches
from model.worlds import RESOURCES, cluster, host, job, limit, primary, tried, use


def key_of(one: Job) -> Key:
    """The key of a job with one primary."""
    ((key,),) = keys_of(one, RESOURCES, SPEC)
    return key


def plan_found(key: Key, ledger: Ledger) -> Plan | None:
    """The buckets of the plan that holds."""
    (placement, _after), _notes = outcome(place(key, ledger, SPEC))
    return None if placement is None else tuple(claim.slots for claim in placement.claims)


def notes_of(one: Job, ledger: Ledger) -> tuple[Note, ...]:
    """What a search tells."""
    return outcome(place(key_of(one), ledger, SPEC))[1]


def test_first_plan_with_an_assignment_is_found() -> None:
    placed = failed = 0
    for key, ledger, ask, sceptic in searches(range(2000, 2120)):
        held = sceptic.held()
        expected = next(
            (
                plan
                for plan in plans_of(ask)
                if any(sceptic.assignments(ask, held, plan, sceptic.cluster.limits))
            ),
            None,
        )
        assert expected == plan_found(key, ledger)
        placed, failed = placed + (expected is not None), failed + (expected is None)
    assert min(placed, failed) > 100


def test_placement_is_an_assignment_that_fits() -> None:
    for key, ledger, ask, sceptic in searches(range(2120, 2180)):
        (placement, _after), _notes = outcome(place(key, ledger, SPEC))
        if placement is not None:
            assert part_of(placement) == sceptic.first_plan(ask, sceptic.held())[0]


def test_plan_and_verdict_survive_any_host_order() -> None:
    for key, ledger, _ask, _sceptic in searches(range(2200, 2240)):
        hosts = ledger.cluster.hosts
        found = {
            plan_found(key, replace(ledger, cluster=replace(ledger.cluster, hosts=dict(order))))
            for order in permutations(hosts.items())
        }
        assert 1 == len(found)


def test_counting_decides_whether_a_plan_holds() -> None:
    holding = 0
    for key, ledger, ask, sceptic in searches(range(2240, 2320)):
        shared = sceptic.shared_holding(ask)
        if not sceptic.fit(sceptic.held(), (shared,), sceptic.cluster.limits):
            continue
        limits = sceptic.cluster.limits
        of_hosts = {one: cap for one, cap in limits.items() if one.scope is Scope.HOST}
        over_all = {one: cap for one, cap in limits.items() if one.scope is Scope.CLUSTER}
        for plan in plans_of(ask):
            room = [
                len(list(sceptic.assignments(ask, sceptic.held(), (slots,), of_hosts)))
                for slots in plan
            ]
            totals = all(
                is_within(limit_id, cap, sceptic, ask, len(plan))
                for limit_id, cap in over_all.items()
            )
            expected = totals and all(index < count for index, count in enumerate(room))
            (found, _after), _notes = outcome(place_plan(plan, key, ledger, SPEC))
            assert expected == (found is not None), plan
            holding += expected
    assert holding > 100


def is_within(limit_id: LimitId, cap: int, sceptic: Sceptic, ask: Ask, hosts: int) -> bool:
    """Whether what a plan over so many hosts asks of a limit, in total, is left there."""
    holder, resource = holder_of(limit_id, ask.identity), limit_id.resource
    if limit_id.name not in (None, holder) or resource in RESOURCES.shared:
        return True
    each = ask.amount(resource, Per.TASK) + (resource == SLOTS)
    total = ask.max * each + hosts * ask.amount(resource, Per.HOST)
    return total == 0 or counted(sceptic.held(), limit_id, holder, None) + total <= cap


def test_failed_plan_leaves_the_ledger_equal() -> None:
    failures = 0
    for key, ledger, ask, _sceptic in searches(range(2320, 2380)):
        for plan in plans_of(ask):
            (claims, after), _notes = outcome(place_plan(plan, key, ledger, SPEC))
            if claims is None:
                failures += 1
                assert ledger == after
    assert failures > 100


def test_failed_primary_leaves_the_ledger_equal() -> None:
    for key, ledger, _ask, _sceptic in searches(range(2380, 2420)):
        (placement, after), _notes = outcome(place(key, ledger, SPEC))
        assert (placement is None) == (ledger == after)


def test_reversal_in_any_order_restores_the_ledger() -> None:
    several = 0
    for key, ledger, _ask, _sceptic in searches(range(2420, 2480)):
        (placement, after), _notes = outcome(place(key, ledger, SPEC))
        if placement is not None:
            several += len(placement.claims) > 1
            for order in permutations(placement.claims):
                given_back, _notes = outcome(give_back_all(order, after, SPEC))
                assert ledger == accounts.give_back(given_back, placement.shared, SPEC)
    assert several > 5


def test_equal_keys_have_equal_verdicts() -> None:
    hosts = cluster(host("A", 2), host("B", 1))
    one = key_of(job("one", (primary(3, use("mem", 0)),), priority=9))
    other = key_of(job("other", (primary(3),)))
    ledger = open_ledger(hosts, {})
    assert one == other
    assert outcome(place(one, ledger, SPEC)) == outcome(place(other, ledger, SPEC))


@pytest.mark.parametrize(
    "function",
    [
        search.place,
        search.place_plan,
        search.search_bucket,
        search.candidates,
        search.is_placeable,
        why.category,
    ],
)
def test_search_takes_no_job(function: object) -> None:
    assert callable(function)
    parameters = inspect.signature(function).parameters
    assert {"key", "ledger"} <= set(parameters)
    annotations = " ".join(str(one.annotation) for one in parameters.values())
    assert not {"Job", "Queued", "State", "Primary"} & set(annotations.replace("'", " ").split())


def test_seven_tasks_on_three_hosts() -> None:
    hosts = cluster(host("A", 2), host("B", 3), host("C", 2))
    (answer,) = tried(hosts, job("j", (primary(7),)))
    assert Dispatched(alternative=0, parts=((("B", 3), ("A", 2), ("C", 2)),)) == answer


def test_unbalanced_split_is_not_tried() -> None:
    (answer,) = tried(cluster(host("A", 3), host("B", 1)), job("j", (primary(4),)))
    assert Pending(reason=Category.CAPACITY, never=True, cached=False) == answer


def test_each_bucket_searches_from_the_first_host() -> None:
    (answer,) = tried(cluster(host("A", 1), host("B", 2)), job("j", (primary(3),)))
    assert Dispatched(alternative=0, parts=((("B", 2), ("A", 1)),)) == answer


def test_one_task_takes_the_first_candidate() -> None:
    (answer,) = tried(cluster(host("B", 0), host("A", 1), host("C", 5)), job("j", (primary(),)))
    assert Dispatched(alternative=0, parts=((("A", 1),),)) == answer


def test_exactly_enough_is_enough() -> None:
    hosts = cluster(host("A", 2, mem=3000))
    fits = job("a", (primary(2, use("mem", 1500)),))
    exceeds = job("b", (primary(2, use("mem", 1501)),))
    assert isinstance(tried(hosts, fits)[0], Dispatched)
    assert isinstance(tried(hosts, exceeds)[0], Pending)


def test_per_host_amount_counts_once_a_claim() -> None:
    hosts = cluster(host("A", 2, mem=1000), host("B", 1, mem=1000))
    (answer,) = tried(hosts, job("j", (primary(3, use("mem", 1000, Per.HOST)),)))
    assert Dispatched(alternative=0, parts=((("A", 2), ("B", 1)),)) == answer


def test_limit_per_host_is_counted_on_each() -> None:
    each = limit(IdentityKind.USER, None, SLOTS, Scope.HOST)
    hosts = cluster(host("A", 4), host("B", 4), limits={each: 1})
    (answer,) = tried(hosts, job("j", (primary(2),)))
    assert Dispatched(alternative=0, parts=((("A", 1), ("B", 1)),)) == answer


def test_named_and_each_limits_hold_at_once() -> None:
    each, named = limit(IdentityKind.USER, None), limit(IdentityKind.USER, "ann")
    for caps in ({each: 1, named: 2}, {each: 2, named: 1}):
        (answer,) = tried(cluster(host("A", 4), limits=caps), job("j", (primary(2),)))
        assert Pending(reason=Category.LIMIT, never=True, cached=False) == answer


def test_most_free_orders_by_what_is_left_now() -> None:
    hosts = cluster(host("A", 2), host("B", 3))
    rules = replace(SPEC, host_order=most_free)
    answers = tried(hosts, job("a", (primary(2),)), job("b", (primary(1),)), rules=rules)
    assert [((("B", 2),),), ((("A", 1),),)] == [
        one.parts for one in answers if isinstance(one, Dispatched)
    ]


def test_most_free_ties_go_in_cluster_order() -> None:
    hosts = cluster(host("B", 2), host("A", 2), host("C", 3))
    order = [one.name for one in most_free(open_ledger(hosts, {}), SPEC)]
    assert ["C", "B", "A"] == order


def test_claimed_host_is_offered_and_refused() -> None:
    ledger = open_ledger(cluster(host("A", 2), host("B", 1)), {})
    assert (
        ("plan", (3,)),
        ("plan", (2, 1)),
        ("offered", "A"),
        ("claimed", "A", 2),
        ("offered", "B"),
        ("claimed", "B", 1),
    ) == notes_of(job("j", (primary(3),)), ledger)
    roomy = open_ledger(cluster(host("A", 9), host("B", 1)), {})
    two_hosts = job("k", (primary(2, span=replace(primary().span, hosts_min=2)),))
    assert ("refused", "A") in notes_of(two_hosts, roomy)


def test_failed_plan_tells_its_reversals() -> None:
    ledger = open_ledger(cluster(host("A", 2), host("B", 0), host("C", 1)), {})
    notes = notes_of(job("j", (primary(4),)), ledger)
    claimed = [note[1:] for note in notes if note[0] == "claimed"]
    assert claimed == [note[1:] for note in notes if note[0] == "reversed"]
    assert [("A", 2), ("A", 2), ("C", 1)] == claimed


def test_search_stops_at_more_buckets_than_hosts() -> None:
    ledger = open_ledger(cluster(host("A", 1), host("B", 1)), {})
    plans = [note[1] for note in notes_of(job("j", (primary(5),)), ledger) if note[0] == "plan"]
    assert [(5,), (3, 2)] == plans


@pytest.mark.clause("HOST-2", broken_by="one search for all buckets")
def test_exhaustion_of_one_search_is_stable_and_its_own() -> None:
    ledger = open_ledger(cluster(host("A", 1)), {})
    key = key_of(job("j", (primary(),)))
    hosts = list(ledger.cluster.hosts.values())
    one = iter(candidates(1, hosts, key, ledger, [], SPEC))
    other = iter(candidates(1, hosts, key, ledger, [], SPEC))
    assert ["A", None, None] == [found[0] if found else None for found in map(_next, [one] * 3)]
    assert next(other)[0] == "A"


def _next(iterator: object) -> tuple[str, object] | None:
    return next(iterator, None)  # type: ignore[call-overload, no-any-return]


def test_claims_are_in_bucket_order() -> None:
    claims = tuple(Claim(host=name, slots=slots, wants={}) for name, slots in [("B", 2), ("A", 1)])
    placement = search.Placement(claims=claims, shared={})
    assert (("B", 2), ("A", 1)) == part_of(placement)


def test_no_hosts_place_nothing() -> None:
    assert not is_placeable(key_of(job("j", (primary(),))), open_ledger(cluster(), {}), SPEC)
