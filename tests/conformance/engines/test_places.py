"""Who overlooks something at one place of exactly so many is found, by answers without books."""

from collections.abc import Callable
from functools import partial

import msgspec
import pytest

from allotment_conformance.engines.several import places
from allotment_conformance.engines.several.numbers import MANY
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.zoo.workbench import Workbench
from allotment_conformance.zoo.workbench.things import Job

CASES = {one.name: one.case for one in places.CASES}
FIELDS = ("select", "rusage", "span")
ENTRIES = 4
"""Of the rusage of each part: per task, per host, per job, and of a pool per task."""

Alternatives = list[list[Json]]


def parts_at(place: int, many: int, request: Alternatives) -> list[Json]:
    """The parts in that place of compounds of exactly so many parts."""
    return [parts[place] for parts in request if len(parts) == many]


def without_field(name: str, place: int, many: int, request: Alternatives) -> None:
    for part in parts_at(place, many, request):
        part.pop(name, None)


def without_entry(entry: int, place: int, many: int, request: Alternatives) -> None:
    for part in parts_at(place, many, request):
        del part.get("rusage", [])[entry : entry + 1]


def with_field_of_the_part_before(name: str, place: int, many: int, request: Alternatives) -> None:
    for part, before in zip(
        parts_at(place, many, request), parts_at(place - 1, many, request), strict=True
    ):
        part[name] = before[name]


def without_field_of_alternative(name: str, place: int, many: int, request: Alternatives) -> None:
    for part in request[place] if len(request) == many else []:
        part.pop(name, None)


def answers(case: Json, overlook: Callable[[Alternatives], None]) -> list[Json]:
    """Those of who does as the specification says with what is left of each request."""
    changed = msgspec.json.decode(msgspec.json.encode(case))
    for event in changed["events"]:
        if event["event"] == "submit":
            overlook(event["job"]["request"])
    return ModelAdapter().run(changed)


@pytest.mark.parametrize("many", MANY)
def test_everything_of_every_part_counts(many: int) -> None:
    case = CASES[f"each-of-{many}-parts"]
    right = ModelAdapter().run(case)
    for place in range(many):
        faults = [
            *(partial(without_field, name) for name in ("select", "span")),
            # One of the entries and one neighbour's field in each place: over all, each of them.
            partial(without_entry, (place + many) % ENTRIES),
            partial(with_field_of_the_part_before, ("select", "rusage")[(place + many) // 2 % 2]),
        ]
        for fault in faults if place else faults[:-1]:
            assert right != answers(case, partial(fault, place, many)), (place, fault)


@pytest.mark.parametrize("many", MANY)
def test_every_field_of_every_alternative_counts(many: int) -> None:
    case = CASES[f"each-of-{many}-alternatives"]
    right = ModelAdapter().run(case)
    for place in range(many):
        for name in FIELDS:
            fault = partial(without_field_of_alternative, name, place, many)
            assert right != answers(case, fault), (place, name)


class Leaking(Workbench):
    """Of a job with exactly so many claims on hosts, one in that place stays in use."""

    which = 0
    of = 0

    def credit_job(self, job: Job) -> None:
        claims = [claim for part in job.claims for claim in part if claim.host is not None]
        if len(claims) == self.of:
            claims[self.which].held = False
        super().credit_job(job)


@pytest.mark.parametrize("many", MANY)
def test_every_claim_of_so_many_comes_back(many: int) -> None:
    case = CASES[f"each-of-{many}-parts"]
    right = ModelAdapter().run(case)
    assert right == Workbench().run(case)
    for place in range(many):
        leaking = Leaking()
        leaking.which, leaking.of = place, many
        assert right != leaking.run(case), place
