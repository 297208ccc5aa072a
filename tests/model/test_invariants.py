"""Invariants: each way in which a state can be broken is told, by its clause."""

from dataclasses import replace

from allotment_model.accounts import Account
from allotment_model.answers import Category
from allotment_model.oracle.invariants import check_invariants
from allotment_model.state import State
from model.worlds import cluster, host, job, primary, replay, submitted


def sound() -> State:
    """A state with a live job on two hosts and a pending one."""
    jobs = (job("live", (primary(2),)), job("waits", (primary(3),)))
    return replay(
        cluster(host("A", 1), host("B", 2, is_open=False), host("C", 1)), submitted(*jobs)
    )[0]


def clauses_of(state: State) -> set[str]:
    """The clauses that are told to be broken."""
    return {complaint.partition(":")[0] for complaint in check_invariants(state)}


def test_sound_state_has_no_complaint() -> None:
    assert [] == check_invariants(sound())


def test_leaked_and_negative_use_are_told() -> None:
    state = sound()
    for used in (-1, 2):
        books = {**state.books, Account("slots", "A"): used}
        assert {"SESSION-3"} == clauses_of(replace(state, books=books))


def test_lost_job_is_told() -> None:
    assert {"SESSION-6"} == clauses_of(replace(sound(), pending={}))


def test_job_in_two_places_is_told() -> None:
    assert {"SESSION-6"} == clauses_of(replace(sound(), finished=frozenset({"waits"})))


def test_end_of_a_job_that_is_not_live_is_told() -> None:
    assert {"SESSION-6"} == clauses_of(replace(sound(), finishing=frozenset({"waits"})))


def test_host_claimed_twice_is_told() -> None:
    state = sound()
    (placement,) = state.live["live"].placements
    twice = replace(placement, claims=(placement.claims[0],) * 2)
    live = {"live": replace(state.live["live"], placements=(twice,))}
    assert "HOST-7" in clauses_of(replace(state, live=live))


def test_cached_key_that_would_be_placed_is_told() -> None:
    state, _answers = replay(cluster(host("A", 1)), submitted(job("j", (primary(2),))))
    assert [] == check_invariants(state)
    roomy = cluster(host("A", 2))
    assert {"CACHE-9"} == clauses_of(replace(state, cluster=roomy))
    ((key, reason),) = state.caches[0].items()
    assert Category.CAPACITY is reason
    assert {"CACHE-9"} == clauses_of(replace(state, cluster=roomy, caches=({}, {key: reason})))
