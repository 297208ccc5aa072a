"""Each wrong allocator is found by `verify`, and shown on a case that a person can follow."""

from typing import Any
from urllib.parse import quote

import pytest

from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.verdict.verification import End, Order, Verification, verify

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
    "finish credits at once": 3,
}
"""The faults that must be found, and how many events a second session may add to the case."""


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
    assert variant.replace(" ", "-") in shown.diagnosis.faults


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
