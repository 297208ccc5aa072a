"""Each wrong allocator is found by `verify`, and shown on a case that a person can follow."""

from collections.abc import Iterable
from dataclasses import replace
from urllib.parse import quote

import pytest

from allotment_conformance.counterexample.certificate import Claim
from allotment_conformance.counterexample.find import Counterexample
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    finish,
    host,
    limit,
    primary,
    submit,
    uses,
)
from allotment_conformance.runs.verification import End, Order, Verification, verify
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_model.accounts import limits_that_apply
from allotment_model.cluster import Identity, LimitId, Scope
from allotment_model.rules import SPEC

pytestmark = pytest.mark.usefixtures("probing_once", "judging_once")

ONE_SLOT, NO_SLOT = host("A", 1), {"name": "B", "capacity": {}}
SPREAD = primary(1, hosts_min=2)
LICENSED = primary(1, uses("lic", 1))

WRONG = {
    "ascending buckets": case(cluster(host("B", 2), host("C", 1)), submit("j", 3), RUN),
    "shared host cursor": case(cluster(host("A", 1), host("B", 2)), submit("j", 3), RUN),
    "no rollback": case(cluster(host("A", 1), host("B", 1), host("C", 2)), submit("j", 4), RUN),
    "first bucket only": case(cluster(ONE_SLOT, NO_SLOT), submit("j", 2), RUN),
    "cache outlives the session": case(
        cluster(ONE_SLOT), submit("r", 1), submit("j", 1), RUN, finish("r"), BEGIN, RUN
    ),
    "cache filled inside a compound": case(
        cluster(ONE_SLOT), submit("j", [1, 1]), submit("k", 1), RUN
    ),
    "hit pends the job": case(cluster(ONE_SLOT), submit("j", SPREAD), submit("k", SPREAD, 1), RUN),
    "compound keeps parts": case(cluster(ONE_SLOT), submit("j", [1, 1]), RUN),
    "failed work keeps its debits": case(
        cluster(ONE_SLOT), submit("j", [1, 1]), submit("k", 1), RUN
    ),
    "per-host amount for each task": case(
        cluster(host("A", 2, mem=1), amounts=["mem"]),
        submit("j", primary(2, uses("mem", 1, "host"))),
        RUN,
    ),
    "pool debits of the attempt not seen": case(
        cluster(host("A", 2), shared=["lic"], pools={"lic": 1}),
        submit("j", [LICENSED, LICENSED]),
        RUN,
    ),
    "key without user": case(
        cluster(ONE_SLOT, limits=[limit("user", "u", "cluster", "slots", 0)]),
        submit("k", 1),
        submit("l", 1, user="v"),
        RUN,
    ),
    "key without span": case(cluster(ONE_SLOT), submit("j", SPREAD), submit("k", 1), RUN),
    "limit debits of the attempt not seen": case(
        cluster(host("A", 1), host("B", 1), limits=[limit("user", "u", "cluster", "slots", 1)]),
        submit("j", 2),
        RUN,
    ),
    "user limits ignored": case(
        cluster(host("B", 1), limits=[limit("user", "u", "cluster", "slots", 0)]),
        submit("j", 1),
        RUN,
    ),
    "queue limits ignored": case(
        cluster(ONE_SLOT, limits=[limit("queue", "q", "cluster", "slots", 0)]), submit("k", 1), RUN
    ),
    "project limits ignored": case(
        cluster(ONE_SLOT, limits=[limit("project", "p", "cluster", "slots", 0)]),
        submit("k", 1),
        RUN,
    ),
    "named limit hides each": case(
        cluster(
            ONE_SLOT,
            limits=[
                limit("user", None, "cluster", "slots", 0),
                limit("user", "u", "cluster", "slots", 1),
            ],
        ),
        submit("j", 1),
        RUN,
    ),
    "per-host limit over the cluster": case(
        cluster(host("A", 1), host("B", 1), limits=[limit("user", "u", "host", "slots", 1)]),
        submit("j", 1),
        submit("k", 1),
        RUN,
    ),
    "finish credits at once": case(cluster(host("B", 1)), submit("j", 1), RUN, finish("j")),
}
"""The faults that must be found, each with the case that shows it, smallest by its certificate."""


class ScopeIgnored(ModelAdapter):
    """The model without the limits of one scope: on each host, or over the cluster."""

    def __init__(self, scope: str) -> None:
        ignored = Scope(scope)

        def applying(limits: Iterable[LimitId], identity: Identity) -> list[LimitId]:
            others = [limit for limit in limits if limit.scope is not ignored]
            return limits_that_apply(others, identity)

        super().__init__(replace(SPEC, limits_that_apply=applying))


def verified(variant: str, cases: int = 20_000, **axes: str) -> Verification:
    options = "&".join(f"{axis}={value}" for axis, value in axes.items())
    adapter = f"allotment_conformance.zoo.variants:Served?variant={quote(variant)}&{options}"
    return verify(
        Order(
            adapter=adapter.rstrip("&"),
            cases=cases,
            seed=1,
            failures=1,
            certify_seconds=120.0,
        )
    )


def counterexample_of(variant: str) -> Counterexample:
    state = verified(variant)
    assert End.WRONG is state.end
    assert state.counterexample is not None
    return state.counterexample


@pytest.mark.parametrize("variant", WRONG)
def test_wrong_allocator_is_shown_by_the_smallest_case(variant: str) -> None:
    shown = counterexample_of(variant)
    told = {field: value for field, value in shown.case.items() if field != "report"}
    assert WRONG[variant] == told
    assert Claim.SMALLEST is shown.certificate.claim
    assert variant.replace(" ", "-") in shown.diagnosis.faults


@pytest.mark.parametrize("scope", ["host", "cluster"])
def test_limits_of_one_scope_are_missed(scope: str) -> None:
    adapter = f"conformance.zoo.test_wrong_allocators:ScopeIgnored?scope={scope}"
    state = verify(Order(adapter=adapter, cases=20_000, seed=1, failures=1))
    shown = state.counterexample
    assert shown is not None
    assert {scope} == {limit["scope"] for limit in shown.case["cluster"]["limits"]}
    assert len(shown.case["cluster"]["hosts"]) <= 3
    assert len(shown.case["events"]) <= 3
    assert shown.diagnosis.clauses


def test_smallest_cases_can_be_followed_by_a_person() -> None:
    for told in WRONG.values():
        names = [event["event"] for event in told["events"]]
        assert len(told["cluster"]["hosts"]) <= 3
        assert names.count("submit") <= 2
        # A job, its run, and three more where a second session is needed.
        assert len(names) <= 6


@pytest.mark.parametrize(
    "axes",
    [
        {},
        {"host_order": "most_free"},
        {"host_order": "unspecified"},
        {"cache": "none"},
        {"cache": "literal"},
        {"rusage_default": "host"},
    ],
    ids=str,
)
def test_right_allocator_is_not_blamed(axes: dict[str, str]) -> None:
    state = verified("", cases=200, **axes)
    assert End.DONE is state.end
    assert state.counterexample is None
