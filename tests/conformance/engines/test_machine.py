"""The state machine agrees with the model, and finds an allocator that does not."""

from collections.abc import Callable

import msgspec
import pytest
from hypothesis import HealthCheck, seed, settings
from hypothesis.stateful import run_state_machine_as_test

from allotment_conformance.engines.machine import DisagreementFound, machine_for
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, Adapter, load_adapter
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.calibration import AnySplit
from allotment_model.variants import VARIANTS

FIXED = settings(
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=40,
    stateful_step_count=20,
    suppress_health_check=list(HealthCheck),
    print_blob=False,
)
PLAIN = msgspec.structs.replace(MODEL_PROFILE, features=("books",))
SHORT = settings(FIXED, stateful_step_count=8)
SEARCH = settings(SHORT, max_examples=100)
"""For faults that are to be found: the first example that shows one ends the search."""


def drive(make: Callable[[], Adapter], with_seed: int, drawn: settings = FIXED) -> None:
    """Run the machine of an allocator from one seed."""
    run_state_machine_as_test(seed(with_seed)(machine_for(make)), settings=drawn)


def shrunk(variant_name: str) -> Json:
    """The case to which the machine shrinks the fault of a variant."""
    [variant] = [one for one in VARIANTS if one.name == variant_name]
    with pytest.raises(DisagreementFound) as found:
        drive(lambda: ModelAdapter(variant.of(), PLAIN), 1, SEARCH)
    return found.value.case


@pytest.mark.parametrize("with_seed", [1, 2, 3])
def test_model_agrees_with_itself(with_seed: int) -> None:
    drive(ModelAdapter, with_seed)


@pytest.mark.parametrize("with_seed", [1, 2, 3])
def test_builtin_allocator_agrees(with_seed: int) -> None:
    drive(lambda: load_adapter(DEFAULT_ADAPTER), with_seed)


@pytest.mark.parametrize(
    "options",
    [
        "engine=iterative",
        "host_order=most_free",
        "engine=iterative&host_order=most_free",
    ],
)
def test_other_engines_and_orders_of_the_builtin_allocator_agree(options: str) -> None:
    drive(lambda: load_adapter(f"{DEFAULT_ADAPTER}?{options}"), 1)


@pytest.mark.parametrize(
    "choice", [{"cache": "literal"}, {"host_order": "unspecified"}, {"rusage_default": "host"}]
)
def test_other_profiles_are_driven(choice: dict[str, str]) -> None:
    other = msgspec.structs.replace(MODEL_PROFILE, **choice)
    drive(lambda: ModelAdapter(profile=other), 1, SHORT)


def test_allocator_that_splits_freely_is_driven() -> None:
    drive(AnySplit, 1, SHORT)


def test_allocator_without_features_is_driven() -> None:
    drive(lambda: ModelAdapter(profile=msgspec.structs.replace(MODEL_PROFILE, features=())), 1)


def test_ascending_buckets_are_found_and_shrunk() -> None:
    case = shrunk("ascending buckets")
    assert ["submit", "run_session"] == [event["event"] for event in case["events"]]
    assert 3 >= len(case["cluster"]["hosts"])


def test_leak_is_found_by_the_drain() -> None:
    case = shrunk("leak at finish")
    kinds = [event["event"] for event in case["events"]]
    assert ["submit", "run_session", "finish", "begin_session"] == kinds
    assert 3 >= len(case["cluster"]["hosts"])
