"""The last line says why a run is incomplete."""

import msgspec

from allotment_conformance.report.verdict import of_verification
from allotment_conformance.runs.verification import End, Order, Verification
from allotment_conformance.wire.messages import Largest
from allotment_conformance.wire.profiles import MODEL_PROFILE

ONE_CASE = Order(adapter="nobody", cases=0, seed=1)


def verdict(**largest: int) -> str:
    """Of a run in which nothing was exercised."""
    sizes = {"tasks": 1_000_000, "hosts": 10_000, "amount": 10_000, **largest}
    profile = msgspec.structs.replace(MODEL_PROFILE, largest=Largest(**sizes))
    return of_verification(Verification(order=ONE_CASE, profile=profile))


def test_clauses_for_which_larger_cases_are_left_out_are_named() -> None:
    told, larger = verdict(hosts=2).split("; cases for ")
    assert "but not exercised: PLAN-1, " in told
    names, behind = larger.split(" are larger than ")
    assert "`largest` of the profile" == behind
    assert "PLAN-2" in names.split(", ")
    assert set(names.split(", ")) < set(told.partition("exercised: ")[2].split(", "))


def test_nothing_is_said_of_sizes_where_all_cases_fit() -> None:
    assert "larger" not in verdict(tasks=2**20, amount=2**53 - 1)


def test_one_case_is_no_cases() -> None:
    state = Verification(order=ONE_CASE, profile=MODEL_PROFILE, end=End.WRONG)
    for failed, words in (
        (1, "1 case answered otherwise"),
        (2000, "2,000 cases answered otherwise"),
    ):
        state.tally.failed = failed
        assert f"DISAGREEMENT: {words}" == of_verification(state)
