"""The random workloads have the shapes that the properties on them need."""

from collections import Counter

from hypothesis import given, seed, settings

from allotment_impl import Adapter
from impl.building import Raw
from impl.workloads import cases


def test_workloads_reach_every_kind_of_answer() -> None:
    seen: Counter[str] = Counter()

    @seed(1)
    @settings(max_examples=300, deadline=None, database=None)
    @given(cases())
    def count(case: Raw) -> None:
        for answer in Adapter().run(case):
            for one in answer.get("jobs", []):
                seen[one["answer"]] += 1
                seen[one.get("reason", "placed")] += 1
                seen["cached"] += one.get("cached", False)
                seen["never"] += one.get("never", False)
                seen["later alternative"] += one.get("alternative", 0) > 0
                parts = one.get("parts", [])
                seen["compound"] += len(parts) > 1
                seen["several hosts"] += any(len(part) > 1 for part in parts)
                seen["uneven"] += any(len({slots for _, slots in part}) > 1 for part in parts)

    count()
    kinds = ("span", "select", "shared", "limit", "capacity", "cached", "never")
    shapes = ("later alternative", "compound", "several hosts", "uneven")
    assert [] == [kind for kind in (*kinds, *shapes) if seen[kind] < 5]
    assert seen["dispatched"] > seen["pending"] / 5
