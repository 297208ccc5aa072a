"""The odd allocators are never flagged; a kit that is too strict in one place flags one."""

from collections.abc import Iterator
from typing import Any

import pytest

from allotment_conformance.engines.bulk import world
from allotment_conformance.engines.directed import Directed
from allotment_conformance.engines.directed import case as directed_case
from allotment_conformance.verdict import compare, normal
from allotment_conformance.verdict.allowed import Allowed, canonical
from allotment_conformance.wire import envelope
from allotment_conformance.zoo import roll_call
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_model.answers import Ran
from allotment_model.events import RunSession
from allotment_model.rules import SPEC

BULK_CASES = 120
"""Of each odd allocator, besides all directed cases: together they take half a minute."""


def flags(name: str, cases: int = BULK_CASES) -> Iterator[str]:
    """The cases on which the kit flags an odd allocator."""
    return filter(None, roll_call.flags(name, cases))


@pytest.mark.usefixtures("judging_once")
@pytest.mark.parametrize("name", [one.id for one in CALIBRATION])
def test_odd_allocator_is_not_flagged(name: str) -> None:
    assert [] == list(flags(name))


def as_it_is(value: Any, *_others: Any, **_named: Any) -> Any:
    return value


def only_cancelled(state: Any, event: Any, rules: Any) -> Allowed:
    """A judge who insists on a cancellation wherever one was asked for."""
    found = canonical(state, event, rules)
    insists = isinstance(event, RunSession) and event.cancel_at is not None
    return Allowed(answer=Ran(jobs=()), state=found.state) if insists else found


STRICT: list[tuple[str, object, str, object]] = [
    ("reversals-backwards", normal, "sorted", lambda given, **_named: list(given)),
    ("every-plan", normal, "_without_wide_plans", as_it_is),
    ("fields-reordered", normal, "books", as_it_is),
    ("extra-fields", envelope, "_known_answer", as_it_is),
    ("no-reasons", normal, "PENDING_FIELDS", ()),
    ("only-never", normal, "PENDING_FIELDS", ()),
    ("rare-polls", compare, "_cancelled_job", lambda event, given: None),
    ("busy-polls", compare, "_cancelled_job", lambda event, given: None),
    ("deaf-to-cancel", compare, "canonical", only_cancelled),
    ("any-host-order", compare, "leaves_choices", lambda profile: False),
    ("any-split", compare, "leaves_choices", lambda profile: False),
    ("most-free", compare, "rules_for", lambda profile: SPEC),
    ("no-cache", compare, "rules_for", lambda profile: SPEC),
    ("literal-cache", compare, "rules_for", lambda profile: SPEC),
    ("per-host-by-default", compare, "rules_for", lambda profile: SPEC),
    ("small-sizes", directed_case, "is_within", lambda case, largest: True),
    ("few-features", Directed, "can_be_asked", lambda directed, profile: True),
    ("large-integers", world, "_within_the_spec", as_it_is),
]
"""An odd allocator, and the place at which the kit is made too strict for it."""


@pytest.mark.parametrize(
    ("name", "module", "place", "strict"), STRICT, ids=[f"{one[0]} {one[2]}" for one in STRICT]
)
def test_kit_that_is_too_strict_flags_it(
    name: str, module: object, place: str, strict: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, place, strict, raising=False)
    assert next(flags(name, cases=400), None) is not None
