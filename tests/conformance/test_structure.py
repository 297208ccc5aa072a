"""The *structure* clauses of SPEC.md, which no answer shows, on the model."""

import ast
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations
from typing import Any

import msgspec
import pytest

from allotment_conformance.engines.bulk import cases
from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_model.accounts import Account, Ledger, open_ledger
from allotment_model.arithmetic import reverse, want
from allotment_model.cluster import Cluster, Host, Resources
from allotment_model.events import BeginSession
from allotment_model.oracle.invariants import check_invariants
from allotment_model.rules import SPEC, Rules
from allotment_model.scheduler import step
from allotment_model.search import Claim, Placement, give_back_all, most_free, outcome, place
from allotment_model.state import State, initial
from house.sources import PACKAGES, python_files

CASES = 200
"""Enough for two thousand states with jobs of every shape, in a second."""

WITHOUT_CANCEL = msgspec.structs.replace(
    MODEL_PROFILE,
    features=tuple(name for name in MODEL_PROFILE.features if name not in ("cancel", "events")),
)


def states(seed: int) -> Iterator[State]:
    """The states that the model goes through in bulk cases."""
    for case in cases(seed, CASES, MODEL_PROFILE):
        sent = read_case(case)
        assert sent.cluster, "bulk cases bring their cluster"
        state = initial(to_model.cluster(sent.cluster))
        for event in sent.events:
            state, _answer = step(state, to_model.event(event), SPEC)
            yield state


@pytest.mark.clause("WANT-3", broken_by="a want that shrinks")
def test_wants_never_shrink() -> None:
    """WANT-3."""
    sizes = range(1, 8)
    assert all(
        want(per_task, per_host, slots) <= want(per_task, per_host, slots + 1)
        for per_task in (0, 1, 500, 2**53 - 1)
        for per_host in (0, 1, 2**53 - 1)
        for slots in sizes
    )


@pytest.mark.clause("PAR-5", broken_by="ascending buckets")
def test_verdict_does_not_depend_on_host_order() -> None:
    """PAR-5."""
    orders: list[Rules] = [
        replace(SPEC, host_order=lambda ledger, rules: list(ledger.cluster.hosts.values())[::-1]),
        replace(SPEC, host_order=most_free),
    ]
    several = 0
    for state in states(seed=5):
        ledger = open_ledger(state.cluster, state.books)
        for key in {key for job in state.pending.values() for parts in job.keys for key in parts}:
            expected = plan_that_holds(outcome(place(key, ledger, SPEC))[0][0])
            several += expected is not None and len(expected) > 1
            for rules in orders:
                assert expected == plan_that_holds(outcome(place(key, ledger, rules))[0][0])
    assert several > 100


def plan_that_holds(placement: Placement | None) -> list[int] | None:
    return None if placement is None else [claim.slots for claim in placement.claims]


@pytest.mark.clause("UNDO-2", broken_by="reversed again and again")
def test_reversal_is_idempotent() -> None:
    """UNDO-2."""
    used, held = reverse(7, 3, True)
    assert (4, False) == (used, held)
    assert (4, False) == reverse(used, 3, held)


@pytest.mark.clause("UNDO-3", broken_by="only the last claim is given back")
def test_order_of_reversals_does_not_matter() -> None:
    """UNDO-3."""
    hosts = {name: Host(name=name, capacity={"slots": 9}, attributes={}) for name in "AB"}
    cluster = Cluster(resources=Resources(attributes={}), hosts=hosts, pools={}, limits={})
    claims = [
        Claim(host=host, slots=slots, wants={Account("slots", host): slots})
        for host, slots in (("A", 3), ("B", 2), ("A", 1))
    ]
    used = {Account("slots", "A"): 5, Account("slots", "B"): 2}
    ledger = Ledger(cluster=cluster, used=used, at_start={})
    ends = [outcome(give_back_all(order, ledger, SPEC))[0] for order in permutations(claims)]
    assert [{Account("slots", "A"): 1}] * len(ends) == [end.used for end in ends]


@pytest.mark.clause("CACHE-6", broken_by="hit pends the job")
@pytest.mark.clause("CACHE-6", broken_by="cache filled inside a compound")
def test_cache_is_transparent() -> None:
    """CACHE-6: with and without it the same jobs go to the same hosts, and `never` is the same."""
    hits = 0
    without = msgspec.structs.replace(WITHOUT_CANCEL, cache="none")
    directed = [one.case for one in DIRECTED if one.needs <= {*WITHOUT_CANCEL.features}]
    for case in [*cases(6, CASES, WITHOUT_CANCEL), *directed]:
        cached = ModelAdapter(profile=WITHOUT_CANCEL).run(case)
        hits += sum(job.get("cached", False) for one in cached for job in one.get("jobs", []))
        assert blind(cached) == blind(ModelAdapter(profile=without).run(case))
    assert hits > 100


def blind(answers: list[Any]) -> list[Any]:
    """The answers without what a cache may change."""
    seen = ("reason", "cached")
    return [
        [{k: v for k, v in job.items() if k not in seen} for job in one.get("jobs", [])]
        or {k: v for k, v in one.items() if k != "jobs"}
        for one in answers
    ]


@pytest.mark.clause("CACHE-7", broken_by="cache outlives the session")
def test_cache_does_not_outlive_its_session() -> None:
    """CACHE-7: whatever is kept from one session to the next, no cache is in it."""
    filled = [state for state in states(seed=7) if any(state.caches)]
    assert len(filled) > 100
    assert all(({},) == step(state, BeginSession(), SPEC)[0].caches for state in filled)


@pytest.mark.clause("CACHE-9", broken_by="cache filled inside a compound")
def test_cached_keys_fail_against_the_books() -> None:
    """CACHE-9, with the other invariants of the model's states."""
    assert [] == [broken for state in states(seed=8) for broken in check_invariants(state)]


@pytest.mark.clause("MODE-1", broken_by="a source that compares the mode and makes a float")
def test_nothing_compares_the_mode() -> None:
    """MODE-1."""
    compared = [
        ast.unparse(node)
        for path in python_files(PACKAGES["allotment_model"])
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Compare | ast.Match) and "mode" in ast.unparse(node).casefold()
    ]
    assert [] == compared


@pytest.mark.parametrize("path", python_files(PACKAGES["allotment_model"]), ids=lambda p: p.stem)
def test_model_has_no_floats(path: Any) -> None:
    """AMOUNT-1: no float is written, made or divided into; selects divide exact fractions."""
    found = [
        ast.unparse(node)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.Constant) and isinstance(node.value, float))
        or (isinstance(node, ast.Name) and node.id in ("float", "round"))
        or isinstance(node, ast.Div)
    ]
    assert [] == found


@pytest.mark.clause("AMOUNT-1", broken_by="a ledger of floating numbers, reversed and not restored")
def test_amounts_stay_integers() -> None:
    """AMOUNT-1: also at the edge of the range, and in sums beyond it."""
    kinds = {type(used) for state in states(seed=9) for used in state.books.values()}
    assert {int} == kinds
