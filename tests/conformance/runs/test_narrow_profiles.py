"""Profiles with few features: each clause that one claims is exercised by the directed cases."""

from collections.abc import Iterable
from functools import cache

import msgspec
import pytest

from allotment_conformance.engines.directed import DIRECTED
from allotment_conformance.report.records import not_exercised, table
from allotment_conformance.report.stream import ClauseVerdict
from allotment_conformance.runs.verification import End, Order, Verification, verify
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.wire.legality import NEEDED_BY
from allotment_conformance.wire.messages import Json, Profile, plain, read_profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE, rules_for
from allotment_conformance.zoo.calibration import AnySplit
from allotment_conformance.zoo.variants import Served
from allotment_model.clauses import Evidence

pytestmark = pytest.mark.usefixtures("judging_once")


def each_alone(features: Iterable[str]) -> list[str]:
    """Each feature with those that it needs."""
    return ["", *(f"{NEEDED_BY.get(one, '')} {one}".strip() for one in features)]


FEATURES = each_alone([*MODEL_PROFILE.features, "text"])
ANY_FEATURES = each_alone(AnySplit.declared_otherwise["features"])


class Narrow(ModelAdapter):
    """The model with the features that are named, and other axes."""

    def __init__(self, features: str = "", **axes: str) -> None:
        declared = {**plain(MODEL_PROFILE), **axes, "features": features.split()}
        profile = read_profile(declared)
        super().__init__(rules_for(profile), profile)


class NarrowAny(AnySplit):
    """An allocator that fills host after host, with the features that are named."""

    def __init__(self, features: str = "", **axes: str) -> None:
        super().__init__()
        self.narrowed = {**axes, "features": features.split()}

    def start(self) -> Json:
        return {**super().start(), **self.narrowed}


@cache
def verified(adapter: str, features: str, axes: str) -> Verification:
    """The directed cases, asked of an adapter."""
    name = f"{__name__}:{adapter}?features={features}&{axes}".rstrip("&")
    state = verify(Order(adapter=name, cases=0, seed=1))
    assert End.DONE is state.end
    return state


def silent(adapter: type[object], features: str, axes: str) -> list[str]:
    """The clauses that are claimed and not exercised."""
    return not_exercised(verified(adapter.__name__, features, axes))


def exercised_once(features: str) -> list[str]:
    """The clauses that are claimed and that a single directed case exercises."""
    rows = table(verified(Narrow.__name__, features, ""))
    claimed = [row for row in rows if row.verdict is ClauseVerdict.HOLDS]
    return [row.id for row in claimed if row.evidence is Evidence.ANSWER and row.exercised < 2]


@pytest.mark.parametrize(
    "axes",
    [
        "",
        "host_order=most_free",
        "host_order=unspecified",
        "cache=none",
        "cache=literal",
        "rusage_default=host",
    ],
)
def test_one_feature_is_enough_for_what_it_claims(axes: str) -> None:
    assert {} == {
        features: clauses for features in FEATURES if (clauses := silent(Narrow, features, axes))
    }


def test_no_claim_rests_on_one_case() -> None:
    assert {} == {
        features: clauses for features in FEATURES if (clauses := exercised_once(features))
    }


@pytest.mark.parametrize("axes", ["", "host_order=unspecified"])
def test_any_split_with_one_feature_is_enough_for_what_it_claims(axes: str) -> None:
    assert {} == {
        features: clauses
        for features in ANY_FEATURES
        if (clauses := silent(NarrowAny, features, axes))
    }


@pytest.mark.parametrize("reports", ["", "books", "books events"])
def test_reports_that_are_not_declared_leave_no_directed_case_out(reports: str) -> None:
    features = [name for name in MODEL_PROFILE.features if name not in ("books", "events")]
    profile = msgspec.structs.replace(MODEL_PROFILE, features=(*features, *reports.split()))
    assert all(one.can_be_asked(profile) for one in DIRECTED)


def test_wrong_counts_are_found_without_compounds() -> None:
    profile = msgspec.structs.replace(MODEL_PROFILE, features=("alter",))
    wrong = Served(variant="counts is not refused")
    asked = [one for one in DIRECTED if one.can_be_asked(profile)]
    failed = [one.name for one in asked if wrong.run(one.case) != ModelAdapter().run(one.case)]
    assert {"lone-alternatives-disagree", "lone-alternatives-disagree-in-minima"} <= set(failed)


ANY_PROFILE: Profile = msgspec.structs.replace(MODEL_PROFILE, split="any")


def test_pending_for_want_of_a_balanced_split_is_forbidden_where_any_is_allowed() -> None:
    [case] = [one.case for one in DIRECTED if one.name == "any-split"]
    found = Oracle(ANY_PROFILE).judge(case, ModelAdapter().run(case)).disagreement
    assert found is not None
    assert (Kind.DECISION, "j", "PLAN-11") == (found.kind, found.job, found.clause)
    [expected] = found.expected["jobs"]
    assert ("dispatched", [[["A", 3], ["B", 1]]]) == (expected["answer"], expected["parts"])
