"""Each wrong allocator is found by `verify`, and shown on a case that a person can follow."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from urllib.parse import quote

import pytest

from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.verdict.verification import End, Order, Verification, verify
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.accounts import limits_that_apply
from allotment_model.cluster import Identity, LimitId, Scope
from allotment_model.rules import SPEC

WRONG = {
    "ascending buckets": 0,
    "shared host cursor": 0,
    "no rollback": 0,
    "first bucket only": 0,
    "cache outlives the session": 3,
    "cache filled inside a compound": 0,
    "hit pends the job": 0,
    "compound keeps parts": 0,
    "failed work keeps its debits": 0,
    "per-host amount for each task": 0,
    "pool debits of the attempt not seen": 0,
    "key without user": 0,
    "key without span": 0,
    "limit debits of the attempt not seen": 0,
    "user limits ignored": 0,
    "queue limits ignored": 0,
    "project limits ignored": 0,
    "named limit hides each": 0,
    "per-host limit over the cluster": 0,
    "finish credits at once": 3,
}
"""The faults that must be found, and how many events a second session may add to the case."""


class ScopeIgnored(ModelAdapter):
    """The model without the limits of one scope: on each host, or over the cluster."""

    def __init__(self, scope: str) -> None:
        ignored = Scope(scope)

        def applying(limits: Iterable[LimitId], identity: Identity) -> list[LimitId]:
            others = [limit for limit in limits if limit.scope is not ignored]
            return limits_that_apply(others, identity)

        super().__init__(replace(SPEC, limits_that_apply=applying))


def verified(variant: str, cases: int = 20_000, **axes: str) -> Verification:
    options = "&".join(f"{axis}={value}" for axis, value in axes.items())
    adapter = f"allotment_conformance.zoo.variants:Served?variant={quote(variant)}&{options}"
    return verify(Order(adapter=adapter.rstrip("&"), cases=cases, seed=1))


def counterexample_of(variant: str) -> Counterexample:
    state = verified(variant)
    assert End.WRONG is state.end
    assert state.counterexample is not None
    return state.counterexample


def jobs(case: dict[str, Any]) -> int:
    return sum(event["event"] == "submit" for event in case["events"])


@pytest.mark.parametrize("variant", WRONG)
def test_wrong_allocator_is_found_and_shown_small(variant: str) -> None:
    shown = counterexample_of(variant)
    assert len(shown.case["cluster"]["hosts"]) <= 3
    assert jobs(shown.case) <= 2
    assert len(shown.case["events"]) <= jobs(shown.case) + 1 + WRONG[variant]
    assert variant in shown.diagnosis.variants


@pytest.mark.parametrize("scope", ["host", "cluster"])
def test_limits_of_one_scope_are_missed(scope: str) -> None:
    state = verify(Order(adapter=f"{__name__}:ScopeIgnored?scope={scope}", cases=20_000, seed=1))
    shown = state.counterexample
    assert shown is not None
    assert {scope} == {limit["scope"] for limit in shown.case["cluster"]["limits"]}
    assert len(shown.case["cluster"]["hosts"]) <= 3
    assert jobs(shown.case) <= 2
    assert len(shown.case["events"]) <= jobs(shown.case) + 1
    assert shown.diagnosis.clauses[0].startswith("LIMIT-")


def test_cache_filled_inside_a_compound_is_shown_by_the_witness_of_e1() -> None:
    shown = counterexample_of("cache filled inside a compound")
    assert [{"name": "A", "capacity": {"slots": 1}}] == [
        {**host, "name": "A"} for host in shown.case["cluster"]["hosts"]
    ]
    assert 2 == jobs(shown.case)
    assert ("CACHE-3",) == shown.diagnosis.clauses


@pytest.mark.parametrize(
    "axes",
    [
        {},
        {"host_order": "most_free"},
        {"host_order": "unspecified"},
        {"cache": "none"},
        {"cache": "literal"},
        {"rusage_default": "host"},
    ],
    ids=str,
)
def test_right_allocator_is_not_blamed(axes: dict[str, str]) -> None:
    state = verified("", cases=200, **axes)
    assert End.DONE is state.end
    assert state.counterexample is None
