"""Who drops one bound of a span in one place is found, in compounds and in their alternatives."""

from collections.abc import Callable

import msgspec
import pytest

from allotment_conformance.engines.several import spans
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter

CASES = {one.name: one.case for one in spans.CASES}
BOUNDS = ("hosts_max", "hosts_min", "tasks_per_host")


def answers(case: Json, is_dropped: Callable[[int, int, int], bool], bound: str) -> list[Json]:
    """Those of who drops the bound in such an alternative, of so many parts, in such a place."""
    changed = msgspec.json.decode(msgspec.json.encode(case))
    for event in changed["events"]:
        for number, parts in enumerate(event.get("job", {}).get("request", [])):
            for at, part in enumerate(parts):
                if is_dropped(number, len(parts), at):
                    part.get("span", {}).pop(bound, None)
    return ModelAdapter().run(changed)


@pytest.mark.parametrize("bound", BOUNDS)
@pytest.mark.parametrize("name", CASES)
def test_every_bound_of_every_part_counts(name: str, bound: str) -> None:
    right = ModelAdapter().run(CASES[name])
    later = name.endswith("alternatives")
    for place in spans.places(1 if later else 2):
        wrong = answers(CASES[name], lambda n, *at, of=place: n >= later and at == of, bound)
        assert right != wrong, place


@pytest.mark.parametrize("bound", BOUNDS)
def test_every_bound_of_every_later_alternative_counts(bound: str) -> None:
    for name in (
        "each-bound-of-parts-of-alternatives",
        "each-bound-beside-ptile-of-parts-of-alternatives",
    ):
        right = ModelAdapter().run(CASES[name])
        for which in range(1, len(spans.places(1)) + 1):
            assert right != answers(CASES[name], lambda n, _many, _at, of=which: n == of, bound)
