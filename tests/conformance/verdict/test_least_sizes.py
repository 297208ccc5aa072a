"""How many hosts and tasks a clause needs to show: by all small cases of plain requests."""

from collections.abc import Iterator
from itertools import product

import msgspec
import pytest

from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.verdict.claims import LEAST_SIZES, PLAIN_FEATURES, why_not_claimed
from allotment_conformance.verdict.compare import exchange_of
from allotment_conformance.verdict.probe import probe, variants_of
from allotment_conformance.wire.messages import Feature, Json, Largest, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE, rules_for
from allotment_model.clauses import CLAUSES

CLAUSE_OF = {clause.id: clause for clause in CLAUSES}
MOST_TASKS = {1: 5, 2: 5, 3: 4, 4: 3}
"""By the number of hosts: past each least size into one direction or the other."""


def small_cases() -> Iterator[tuple[int, int, Json]]:
    """Each cluster of a few hosts with one job, or two on up to two hosts; its hosts, its tasks."""
    for hosts, most in MOST_TASKS.items():
        for slots in product(range(4), repeat=hosts):
            for counts in jobs(most, together=hosts < 3):
                submitted = (submit("jk"[n], count) for n, count in enumerate(counts))
                named = (host("ABCD"[n], count) for n, count in enumerate(slots))
                told = case(cluster(*named), *submitted, RUN, report=["books"])
                yield hosts, max(counts), told


def jobs(most: int, *, together: bool) -> Iterator[tuple[int, ...]]:
    """One job of so many tasks at most, or two."""
    counts = range(1, most + 1)
    yield from ((count,) for count in counts)
    yield from product(counts, repeat=2) if together else ()


@pytest.mark.parametrize("order", ["listed", "most_free"])
def test_no_smaller_case_shows_a_clause(order: str) -> None:
    """But TASKS-1: of one task at most there is no range."""
    profile = msgspec.structs.replace(MODEL_PROFILE, host_order=order)
    ordered = msgspec.structs.replace(PLAIN, host_order=order)
    claimed = set(LEAST_SIZES) - {"TASKS-1"}
    claimed = {name for name in claimed if why_not_claimed(CLAUSE_OF[name], ordered) is None}
    model = ModelAdapter(rules_for(profile), profile)
    reached = set[str]()
    for hosts, tasks, told in small_cases():
        below = {
            name for name in claimed if hosts < LEAST_SIZES[name][0] or tasks < LEAST_SIZES[name][1]
        }
        at = {name for name in claimed - reached if LEAST_SIZES[name] == (hosts, tasks)}
        found = probe(exchange_of(told, model.run(told)), variants_of(below | at), profile)
        assert not found.exercised & below, told
        reached |= found.exercised & at
    assert claimed == reached


def plain(features: tuple[Feature, ...] = (), **largest: int) -> Profile:
    """A profile of these features, of those sizes."""
    sizes = {"tasks": 9, "hosts": 9, "amount": 9, **largest}
    return msgspec.structs.replace(MODEL_PROFILE, features=features, largest=Largest(**sizes))


PLAIN = plain()
DECLARED_PLAIN = tuple(one for one in MODEL_PROFILE.features if one in PLAIN_FEATURES)


def unclaimed(profile: Profile) -> dict[str, str]:
    """Those of the table that the profile does not claim, and why."""
    whys = {name: why_not_claimed(CLAUSE_OF[name], profile) for name in LEAST_SIZES}
    return {name: why for name, why in whys.items() if why is not None}


def test_what_largest_leaves_out_is_not_claimed() -> None:
    assert {} == unclaimed(PLAIN) == unclaimed(plain(hosts=3, tasks=4))
    needs_three = dict.fromkeys(("PLAN-2", "HOST-7", "UNDO-1"), "largest: fewer than 3 hosts")
    assert needs_three == unclaimed(plain(hosts=2))
    assert "largest: fewer than 2 tasks" == unclaimed(plain(tasks=1))["TASKS-1"]


def test_what_other_features_may_show_is_claimed() -> None:
    assert unclaimed(plain(hosts=2)) == unclaimed(plain(DECLARED_PLAIN, hosts=2))
    for feature in {*MODEL_PROFILE.features} - PLAIN_FEATURES:
        assert {} == unclaimed(plain((feature,), hosts=2)), feature
