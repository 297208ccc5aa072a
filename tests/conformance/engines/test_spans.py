"""Who drops one bound of a span in one place is found, in compounds and in their alternatives."""

from collections.abc import Container

import msgspec
import pytest

from allotment_conformance.engines.several import spans
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter

CASES = {one.name: one.case for one in spans.CASES}
BOUNDS = ("hosts_max", "hosts_min", "tasks_per_host")


def answers(
    case: Json,
    bound: str,
    *,
    alternatives: Container[int],
    places: Container[spans.Place],
) -> list[Json]:
    """Those of who drops the bound in parts in such places of such alternatives."""
    changed = msgspec.json.decode(msgspec.json.encode(case))
    submitted = (event["job"] for event in changed["events"] if event["event"] == "submit")
    for job in submitted:
        for number, parts in enumerate(job["request"]):
            for at, part in enumerate(parts):
                if number in alternatives and (len(parts), at) in places:
                    part.get("span", {}).pop(bound, None)
    return ModelAdapter().run(changed)


ALL = spans.places(1)
LATER = range(1, 1 + len(ALL))


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("name", CASES)
def test_every_bound_of_every_part_counts(name: str, bound: str) -> None:
    right = ModelAdapter().run(CASES[name])
    alternatives, places = (LATER, ALL) if "alternatives" in name else ([0], spans.places(2))
    for place in places:
        wrong = answers(CASES[name], bound, alternatives=alternatives, places=[place])
        assert right != wrong, place


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("name", [name for name in CASES if "alternatives" in name])
def test_every_bound_of_every_later_alternative_counts(name: str, bound: str) -> None:
    right = ModelAdapter().run(CASES[name])
    for which in LATER:
        assert right != answers(CASES[name], bound, alternatives=[which], places=ALL), which
