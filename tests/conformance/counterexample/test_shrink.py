"""Shrinking: how small, and that it comes to an end."""

from typing import Any

import pytest

from allotment_conformance.counterexample.edits import leaves
from allotment_conformance.counterexample.find import disagreement_on
from allotment_conformance.counterexample.shrink import PASSES, shrink
from allotment_conformance.counterexample.signature import signature_of
from allotment_conformance.engines.bulk import case_of
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire.messages import read_case
from allotment_conformance.wire.parts import beginning_case, parts_of
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import mutant
from allotment_conformance.zoo.variants import Served

BULK_CASES = 500
"""Among so many bulk cases each fault below shows."""


def shrunk(
    variant: str, seed: int = 1, kinds: frozenset[Kind] = frozenset(Kind) - {Kind.EVENTS}
) -> tuple[dict[str, Any], int]:
    """The first bulk case that shows the fault in this kind, made small; how many were run."""
    adapter, tries = Served(variant), 0

    def disagrees(case: dict[str, Any]) -> Disagreement | None:
        nonlocal tries
        tries += 1
        found = disagreement_on(adapter, MODEL_PROFILE, case)
        return None if found is None or found.kind not in kinds else found

    bulk = (case_of(seed, number, MODEL_PROFILE) for number in range(BULK_CASES))
    first = next(case for case in bulk if disagrees(case) is not None)
    tries = 0
    return shrink(first, disagrees), tries


def job(name: str, **fields: Any) -> dict[str, Any]:
    return {"event": "submit", "job": {"name": name, "user": "u", **fields}}


@pytest.mark.parametrize("seed", range(3))
def test_no_rollback_needs_one_job_and_three_hosts(seed: int) -> None:
    case, tries = shrunk("no rollback", seed, frozenset({Kind.DECISION}))
    assert (2, True) == (len(case["events"]), len(case["cluster"]["hosts"]) <= 3)
    assert tries < 1_000


@pytest.mark.parametrize("seed", range(3))
def test_least_free_first_needs_one_task_and_three_slots(seed: int) -> None:
    case, tries = shrunk("least free host first", seed)
    slots = [host["capacity"].get("slots", 0) for host in case["cluster"]["hosts"]]
    assert 2 == len(slots) == len(case["events"])
    assert sum(slots) <= 3
    assert [[{"tasks": {"min": 1, "max": 1}}]] == case["events"][0]["job"]["request"]
    assert tries < 200


@pytest.mark.parametrize("variant", ["rusage entry counted twice", "user limits ignored"])
def test_large_amounts_become_small(variant: str) -> None:
    case, tries = shrunk(variant)
    assert max(value for _path, value in leaves(case) if type(value) is int) <= 1000
    assert tries < 300


def test_shrinking_is_deterministic() -> None:
    assert shrunk("leak at finish") == shrunk("leak at finish")


@pytest.mark.parametrize("variant", ["cache filled inside a compound", "no rollback"])
def test_one_failure_is_not_traded_for_another(variant: str) -> None:
    adapter = Served(variant)
    before, after = [], []
    for number in range(200):
        case = case_of(1, number, MODEL_PROFILE)
        found = disagreement_on(adapter, MODEL_PROFILE, case)
        if found is not None:
            small = shrink(case, lambda one: disagreement_on(adapter, MODEL_PROFILE, one), 300)
            again = disagreement_on(adapter, MODEL_PROFILE, small)
            assert again is not None
            before.append(signature_of(found))
            after.append(signature_of(again))
    assert len(set(before)) > 1
    assert before == after


@pytest.mark.parametrize("candidates", PASSES)
def test_pass_leaves_the_case_as_it_is(candidates: Any) -> None:
    for number in range(20):
        case = case_of(3, number, MODEL_PROFILE)
        before = read_case(case)
        offered = list(candidates(case))
        assert before == read_case(case)
        assert case not in offered


def small_in_parts(name: str, *events: dict[str, Any]) -> dict[str, Any]:
    """A case of three hosts, with each event a part of its own, made small for a fault."""
    adapter = mutant(name).make()
    told = case(cluster(host("A", 3), host("B", 1), host("C", 1)), *map(beginning_case, events))
    return shrink(told, lambda one: disagreement_on(adapter, MODEL_PROFILE, one))


def test_room_goes_with_the_tasks_in_it() -> None:
    """Of seven tasks on three hosts neither a task nor a slot is too many, and yet it is large."""
    adapter = mutant("ascending-buckets").make()
    told = case(cluster(host("A", 2), host("B", 3), host("C", 2)), submit("j", 7), RUN)
    small = shrink(told, lambda one: disagreement_on(adapter, MODEL_PROFILE, one))
    [job, _run] = small["events"]
    assert 2 == len(small["cluster"]["hosts"])
    assert {"min": 3, "max": 3} == job["job"]["request"][0][0]["tasks"]


def test_parts_that_a_failure_does_not_need_are_joined() -> None:
    small = small_in_parts("claimed-host-not-passed-over", submit("j", 4), submit("k", 1), RUN)
    assert 1 == len(parts_of(small))


def test_part_goes_on_with_the_next_event_where_its_first_one_goes() -> None:
    small = small_in_parts("queue-lost-between-cases", submit("j", 1), submit("k", 1), RUN)
    assert ["submit", "run_session"] == [one["event"] for one in small["events"]]
    assert [1, 1] == [len(part["events"]) for part in parts_of(small)]
