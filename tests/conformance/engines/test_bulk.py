"""The bulk generator: a function of its numbers, within the profile, and able to find faults."""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import msgspec
import pytest

from allotment_conformance.engines.bulk import case_of, cases
from allotment_conformance.engines.bulk.shapes import LEAST_WIDE
from allotment_conformance.engines.features import features_of
from allotment_conformance.engines.statistics import Statistics
from allotment_conformance.wire.messages import Json, Largest, Profile, read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_model.variants import VARIANTS

SEED = 20
SAME_AS_THE_SPEC = {"free goes negative", "zero want blocked"}
"""Variants that answer as the spec does in every case: less than nothing is no less than nothing
to a want, and a want of zero is never asked, for a key drops it (CACHE-1)."""

ADDED = ("host_add", "ok")

DIGEST = """
import hashlib, json
from allotment_conformance.engines.bulk import cases
from allotment_conformance.wire.profiles import MODEL_PROFILE
made = json.dumps(list(cases(20, 100, MODEL_PROFILE)))
print(hashlib.sha256(made.encode()).hexdigest())
"""


def profile(**changes: Any) -> Profile:
    """The model's profile, with changes."""
    return msgspec.structs.replace(MODEL_PROFILE, **changes)


def integers(value: Any) -> Iterator[int]:
    """All integers in a case."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from integers(item)
    elif isinstance(value, int):
        yield int(value)


def test_case_depends_on_its_numbers_alone() -> None:
    made = list(cases(SEED, 100, MODEL_PROFILE))
    assert made[70] == case_of(SEED, 70, MODEL_PROFILE)
    assert made != list(cases(SEED + 1, 100, MODEL_PROFILE))
    digest = hashlib.sha256(json.dumps(made).encode()).hexdigest()
    path = os.pathsep.join(sys.path)
    other = subprocess.run(
        [sys.executable, "-c", DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert digest == other.stdout.strip()


def test_cases_are_cases() -> None:
    for case in cases(SEED, 300, MODEL_PROFILE):
        read_case(case)
        assert len(case["events"]) == len(ModelAdapter().run(case))


def test_small_cases_come_most() -> None:
    sizes = sorted(len(case["events"]) for case in cases(SEED, 500, MODEL_PROFILE))
    assert sizes[250] <= 10
    assert 25 <= sizes[-1] <= 80


def test_one_case_of_forty_has_many_hosts() -> None:
    hosts = [len(case["cluster"]["hosts"]) for case in cases(SEED, 2000, MODEL_PROFILE)]
    assert [39 + 40 * turn for turn in range(50)] == [
        number for number, many in enumerate(hosts) if many >= LEAST_WIDE
    ]
    assert 40 >= max(hosts) >= 25


def test_no_cluster_is_wide_where_few_hosts_are_declared() -> None:
    few = profile(largest=Largest(tasks=2**20, hosts=LEAST_WIDE - 1, amount=2**53 - 1))
    case = case_of(SEED, 39, few)
    assert len(case["cluster"]["hosts"]) < LEAST_WIDE
    # Who declares just enough has all of them.
    enough = profile(largest=Largest(tasks=2**20, hosts=LEAST_WIDE, amount=2**53 - 1))
    assert LEAST_WIDE == len(case_of(SEED, 39, enough)["cluster"]["hosts"])


@pytest.mark.parametrize("feature", MODEL_PROFILE.features)
def test_lacking_feature_is_not_asked_for(feature: str) -> None:
    features = tuple(one for one in MODEL_PROFILE.features if one != feature)
    for case in cases(SEED, 200, profile(features=features)):
        assert features_of(case) <= set(features)


def test_no_feature_is_needed() -> None:
    statistics = Statistics()
    for case in cases(SEED, 200, profile(features=())):
        assert frozenset() == features_of(case)
        statistics.add(case, ModelAdapter().run(case))
    assert statistics.dispatched > 100
    assert statistics.uneven > 10


def test_largest_is_kept() -> None:
    largest = Largest(tasks=4, hosts=2, amount=1500)
    for case in cases(SEED, 500, profile(largest=largest)):
        assert 2 >= hosts_in(case)
        for amount in amounts_in(case):
            assert 1500 >= amount
        for part in primaries_in(case):
            assert 4 >= part.get("tasks", {}).get("max", 1)


def hosts_in(case: Json) -> int:
    """The hosts of the cluster, and those that are added to it."""
    answers = zip(case["events"], ModelAdapter().run(case), strict=True)
    added = [event for event, told in answers if (event["event"], told["answer"]) == ADDED]
    return len(case["cluster"]["hosts"]) + len(added)


def amounts_in(case: Json) -> Iterator[int]:
    """All capacities and caps, and what is asked of them."""
    cluster = case["cluster"]
    yield from integers([host["capacity"] for host in cluster["hosts"]])
    yield from integers(
        [cluster.get("pools", {}), [one["cap"] for one in cluster.get("limits", [])]]
    )
    for event in case["events"]:
        yield from integers([event.get("capacity", 0), event.get("limit", {}).get("cap", 0)])
    yield from (entry["amount"] for part in primaries_in(case) for entry in part.get("rusage", []))


def primaries_in(case: Json) -> Iterator[Json]:
    """All primaries that are submitted."""
    for event in case["events"]:
        if event["event"] == "submit":
            yield from (part for compound in event["job"]["request"] for part in compound)


@cache
def answered(number: int) -> tuple[Json, list[Json]]:
    """A case and the right answers: most variants are found by the first few."""
    case = case_of(SEED, number, MODEL_PROFILE)
    return case, ModelAdapter().run(case)


def test_every_variant_is_found() -> None:
    unfound = {
        variant.name
        for variant in VARIANTS
        if variant.name not in SAME_AS_THE_SPEC
        and not any(
            differs(*answered(number), ModelAdapter(variant.of())) for number in range(2000)
        )
    }
    assert set() == unfound


def differs(case: Json, right: list[Json], adapter: ModelAdapter) -> bool:
    """Whether the answers are other ones, or an error."""
    try:
        return adapter.run(case) != right
    except Exception:
        return True
