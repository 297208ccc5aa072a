"""Metamorphic relations hold of everyone who is right, the model included, and find some wrong."""

from collections.abc import Iterator

import pytest

from allotment_conformance.engines.bulk import case_of
from allotment_conformance.wire.adapter import Adapter, load_adapter
from allotment_conformance.wire.messages import Json, Profile, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import joined
from allotment_conformance.zoo.served import Mutant
from allotment_conformance.zoo.variants import Served
from conformance.verdict.relations import (
    RELATIONS,
    Relation,
    applies,
    broken,
    undrained,
)

RIGHT = (
    "allotment_conformance.wire.model_adapter:ModelAdapter",
    "allotment_conformance.zoo.workbench:Workbench",
    "allotment_impl:Adapter",
    "allotment_impl:Adapter?engine=iterative",
    "allotment_impl:Adapter?host_order=most_free",
)
MUTANT = "allotment_conformance.zoo.served:Mutant?name="
by_name = pytest.mark.parametrize("relation", RELATIONS, ids=lambda one: one.name)


def cases(profile: Profile, many: int) -> Iterator[Json]:
    """Bulk cases for which the relations hold."""
    made = (joined(case_of(29, number, profile)) for number in range(many))
    return (one for one in made if applies(one))


def found(adapter: Adapter, relation: Relation, many: int) -> Iterator[str]:
    """What breaks the relation."""
    for one in cases(read_profile(adapter.start()), many):
        if complaint := broken(adapter, one, relation):
            yield complaint


class SortsHosts(ModelAdapter):
    """Goes through the hosts by name, and not in the order of the cluster."""

    def run(self, case: Json) -> list[Json]:
        cluster = case["cluster"]
        hosts = sorted(cluster["hosts"], key=lambda host: str(host["name"]))
        return super().run({**case, "cluster": {**cluster, "hosts": hosts}})


@by_name
@pytest.mark.parametrize("adapter", RIGHT)
def test_relation_holds_of_who_is_right(adapter: str, relation: Relation) -> None:
    assert [] == list(found(load_adapter(adapter), relation, 250))


@pytest.mark.parametrize("adapter", RIGHT)
def test_books_drain(adapter: str) -> None:
    asked = load_adapter(adapter)
    profile = read_profile(asked.start())
    assert [] == [left for one in cases(profile, 250) if (left := undrained(asked, one))]


@pytest.mark.parametrize("name", ["leak-of-pools", "leak-on-closed-hosts", "live-job-withdrawn"])
def test_leak_is_found_without_the_model(name: str) -> None:
    asked = load_adapter(MUTANT + name)
    profile = read_profile(asked.start())
    assert any(undrained(asked, one) for one in cases(profile, 400))


@pytest.mark.parametrize(
    ("adapter", "relation"),
    [
        (SortsHosts(), RELATIONS[0]),
        (Served(variant="select ignored"), RELATIONS[1]),
        (Mutant(name="select-of-the-first-bucket"), RELATIONS[1]),
    ],
    ids=["hosts sorted", "select ignored", "select of the first bucket"],
)
def test_wrong_allocator_breaks_a_relation(adapter: Adapter, relation: Relation) -> None:
    assert any(found(adapter, relation, 250))


def test_cancels_are_left_out() -> None:
    case = {"cluster": {"hosts": []}, "events": [{"event": "run_session", "cancel_at": 1}]}
    assert not applies(case)
    assert not applies({"events": []})
