"""Changes of the configuration: what is refused, and when and how they take effect."""

from random import Random

import pytest

from allotment_model.answers import Ok, Refusal, Refused
from allotment_model.cluster import SLOTS, Host, IdentityKind, LimitId, Scope
from allotment_model.events import (
    BeginSession,
    Change,
    HostAdd,
    HostChange,
    LimitRemove,
    LimitSet,
    PoolChange,
)
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import initial
from model.sceptic_ingest import code_of_change
from model.worlds import change, cluster, host, limit, random_cluster, replay

USER_SLOTS = limit(IdentityKind.USER, "ann")
START = cluster(host("A", 2, mem=1000, attributes={"cores": 1000}), limits={USER_SLOTS: 1})


@pytest.mark.parametrize(
    ("code", "wrong"),
    [
        ("duplicate-name", HostAdd(host=host("A", 1))),
        ("unknown-resource", HostAdd(host=host("B", 1, lic=1))),
        ("unknown-resource", HostAdd(host=host("B", 1, attributes={"os": "x"}))),
        ("type", HostAdd(host=host("B", 1, attributes={"cores": "x"}))),
        ("type", HostAdd(host=host("B", 1, attributes={"arch": 1}))),
        ("amount-range", HostAdd(host=host("B", -1))),
        ("amount-range", HostAdd(host=host("B", 1, attributes={"cores": -(2**53)}))),
        ("unknown-name", change("B", mem=1)),
        ("unknown-name", change("B", lic=-1)),
        ("unknown-resource", PoolChange(pool="mem", capacity=1)),
        ("amount-range", PoolChange(pool="lic", capacity=2**53)),
        ("identity-missing", LimitSet(limit=limit(IdentityKind.USER, ""), cap=1)),
        ("unknown-resource", LimitSet(limit=limit(IdentityKind.USER, "ann", "arch"), cap=1)),
        (
            "per-host-on-pool",
            LimitSet(limit=limit(IdentityKind.USER, None, "lic", Scope.HOST), cap=1),
        ),
        ("amount-range", LimitSet(limit=USER_SLOTS, cap=-1)),
        ("unknown-name", LimitRemove(limit=limit(IdentityKind.USER, None))),
    ],
)
def test_each_fault_has_its_code(code: str, wrong: Change) -> None:
    state = initial(START)
    assert (state, Refused(code=Refusal(code))) == step(state, wrong, SPEC)


def test_change_waits_for_the_next_session() -> None:
    state, _answers = replay(START, [change("A", slots=7)])
    assert (2, 7) == (
        state.cluster.hosts["A"].capacity[SLOTS],
        state.coming.hosts["A"].capacity[SLOTS],
    )
    state, _answer = step(state, BeginSession(), SPEC)
    assert 7 == state.cluster.hosts["A"].capacity[SLOTS]


def test_waiting_host_is_taken_and_may_change() -> None:
    add = HostAdd(host=host("B", 1))
    _state, answers = replay(START, [add, add, change("B", slots=3)])
    assert [Ok(), Refused(code=Refusal.DUPLICATE_NAME), Ok()] == answers


def test_waiting_removal_has_removed_the_limit() -> None:
    remove = LimitRemove(limit=USER_SLOTS)
    _state, answers = replay(START, [remove, remove])
    assert [Ok(), Refused(code=Refusal.UNKNOWN_NAME)] == answers


def test_changes_apply_in_order_of_arrival() -> None:
    state, _answers = replay(START, [change("A", slots=7), change("A", slots=3), BeginSession()])
    assert 3 == state.cluster.hosts["A"].capacity[SLOTS]


def test_new_host_goes_last() -> None:
    state, _answers = replay(START, [HostAdd(host=host("0", 1)), BeginSession()])
    assert ["A", "0"] == list(state.cluster.hosts)


def test_changed_host_keeps_its_place() -> None:
    start = cluster(host("B", 1), host("A", 1))
    state, _answers = replay(start, [change("B", slots=2), BeginSession()])
    assert ["B", "A"] == list(state.cluster.hosts)


def test_what_is_not_named_stays() -> None:
    state, _answers = replay(START, [change("A", is_open=False), BeginSession()])
    changed = state.cluster.hosts["A"]
    assert ({SLOTS: 2, "mem": 1000}, {"cores": 1000}) == (changed.capacity, changed.attributes)
    assert not changed.open


def test_null_takes_an_attribute_away() -> None:
    away = HostChange(host="A", capacity={}, attributes={"cores": None})
    state, _answers = replay(START, [away, BeginSession()])
    assert {} == state.cluster.hosts["A"].attributes


def random_fault(random: Random) -> Change:
    """A change of which anything may be wrong."""
    name = random.choice(["D", "C", "E"])
    capacity = {random.choice([SLOTS, "mem", "lic", "arch"]): random.choice([-1, 0, 1, 2**53])}
    wild: list[int | str] = ["x", 0, 2**53, -(2**53)]
    values = {random.choice(["cores", "arch", "os"]): random.choice(wild)}
    resource = random.choice([SLOTS, "mem", "lic", "arch"])
    holder = random.choice([None, "", "ann"])
    one = LimitId(IdentityKind.USER, holder, random.choice(list(Scope)), resource)
    changes: list[Change] = [
        HostAdd(host=Host(name=name, capacity=capacity, attributes=values)),
        HostChange(host=name, capacity=capacity, attributes=dict(values)),
        PoolChange(pool=resource, capacity=random.choice([-1, 0, 2**53 - 1, 2**53])),
        LimitSet(limit=one, cap=random.choice([-1, 0, 2**53])),
        LimitRemove(limit=one),
    ]
    return random.choice(changes)


def test_first_code_that_applies_is_the_answer() -> None:
    random, seen = Random(11), set[str | None]()
    for _ in range(40):
        state = initial(random_cluster(random))
        for _ in range(50):
            one = random_fault(random)
            expected = code_of_change(one, state.coming)
            seen.add(expected)
            state, answer = step(state, one, SPEC)
            assert (Ok() if expected is None else Refused(code=Refusal(expected))) == answer, one
    assert {
        None,
        "duplicate-name",
        "unknown-name",
        "identity-missing",
        "unknown-resource",
        "type",
        "per-host-on-pool",
        "amount-range",
    } == seen
