"""Under a profile with choices: which job is blamed, for which clause, and what it is told of."""

from typing import Any

import msgspec
import pytest

from allotment_conformance.counterexample.contradiction import contradiction
from allotment_conformance.counterexample.diagnosis import Diagnosis
from allotment_conformance.counterexample.drawing import rows_of_text
from allotment_conformance.counterexample.picture import picture
from allotment_conformance.engines.notation import (
    RUN,
    Alternative,
    case,
    cluster,
    host,
    limit,
    primary,
    submit,
)
from allotment_conformance.verdict import instead
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.profiles import MODEL_PROFILE

ANY: Profile = msgspec.structs.replace(MODEL_PROFILE, split="any")
UNSPECIFIED: Profile = msgspec.structs.replace(MODEL_PROFILE, host_order="unspecified")
PEND: Json = {"answer": "pending", "reason": "capacity", "never": False, "cached": False}
ONE_AND_TWO = cluster(host("A", 1), host("B", 2))


def placed(*parts: list[Any], alternative: int = 0) -> Json:
    """A dispatch on these hosts."""
    return {"answer": "dispatched", "alternative": alternative, "parts": list(parts)}


def judged(
    made: Json, jobs: dict[str, tuple[Alternative, ...]], answers: list[Json], profile: Profile
) -> Disagreement:
    """What is wrong with these answers to the jobs of one run."""
    told = case(made, *(submit(name, *wanted) for name, wanted in jobs.items()), RUN)
    ran = [{"job": name, **answer} for name, answer in zip(jobs, answers, strict=True)]
    all_answers = [*({"answer": "ok"} for _job in jobs), {"answer": "ran", "jobs": ran}]
    found = Oracle(profile).judge(told, all_answers).disagreement
    assert found is not None
    return found


def test_blamed_is_the_first_job_that_nothing_allows_after_the_choices_before_it() -> None:
    legal = placed([["A", 1], ["B", 1]])
    found = judged(ONE_AND_TWO, {"j": (2,), "k": (1,)}, [legal, PEND], ANY)
    assert (Kind.DECISION, "k", "PLAN-11") == (found.kind, found.job, found.clause)
    expected = [{"job": "j", **legal}, {"job": "k", **placed([["B", 1]])}]
    assert expected == found.expected["jobs"]


def test_jobs_behind_the_blamed_one_are_answered_after_it() -> None:
    jobs: dict[str, tuple[Alternative, ...]] = {"j": (2,), "k": (1,), "l": (1,)}
    legal = placed([["A", 1], ["B", 1]])
    found = judged(ONE_AND_TWO, jobs, [legal, PEND, placed([["B", 1]])], ANY)
    assert ("k", "pending") == (found.job, found.expected["jobs"][2]["answer"])


def test_wrong_never_of_a_later_job_is_not_blamed_on_a_legal_host() -> None:
    never = {**PEND, "never": True}
    found = judged(ONE_AND_TWO, {"j": (1,), "k": (3,)}, [placed([["B", 1]]), never], UNSPECIFIED)
    assert (Kind.NEVER, "k", "WHY-2") == (found.kind, found.job, found.clause)
    assert {"job": "k", **PEND} == found.expected["jobs"][1]


def test_a_pend_is_put_beside_a_pend_where_one_is_allowed() -> None:
    made = cluster(host("A", 4), host("B", 1))
    cached = {**PEND, "cached": True}
    found = judged(made, {"j": ([1, 4],)}, [cached], UNSPECIFIED)
    assert (Kind.CACHED, "WHY-3") == (found.kind, found.clause)
    assert PEND["answer"] == found.expected["jobs"][0]["answer"]


def test_fields_that_are_not_declared_are_not_blamed() -> None:
    profile = msgspec.structs.replace(ANY, declares=["cached"])
    wrong = {**PEND, "reason": "limit", "never": False, "cached": True}
    found = judged(ONE_AND_TWO, {"j": (4,)}, [wrong], profile)
    assert (Kind.CACHED, "WHY-3") == (found.kind, found.clause)


def test_later_alternative_is_put_beside_the_earlier_one() -> None:
    made = cluster(host("A", 3), host("B", 1))
    found = judged(made, {"j": (4, [3, 1])}, [placed([["A", 3]], [["B", 1]], alternative=1)], ANY)
    assert (Kind.ALTERNATIVE, "ALTER-1") == (found.kind, found.clause)
    assert {"job": "j", **placed([["A", 3], ["B", 1]])} == found.expected["jobs"][0]


@pytest.mark.parametrize(
    ("clause", "wanted", "part"),
    [
        ("PLAN-9", primary(2, hosts_max=1), [["A", 1], ["B", 1]]),
        ("PLAN-9", primary(2, hosts_min=2), [["B", 2]]),
        ("PLAN-9", primary(2, tasks_per_host=1), [["B", 2]]),
        ("PLAN-10", primary(2, ptile=1), [["B", 2]]),
        ("PLAN-11", 2, [["B", 1]]),
        ("HOST-7", 2, [["B", 1], ["B", 1]]),
        ("HOST-1", 2, [["nowhere", 2]]),
        ("WANT-4", 2, [["A", 2]]),
    ],
)
def test_clause_is_that_of_what_is_wrong_with_a_placement(
    clause: str, wanted: Alternative, part: list[Any]
) -> None:
    found = judged(ONE_AND_TWO, {"j": (wanted,)}, [placed(part)], ANY)
    assert clause == found.clause


def test_placement_of_an_alternative_is_judged_by_its_own_span() -> None:
    wanted = (primary(2, hosts_min=3), primary(2, hosts_max=1))
    answer = placed([["A", 1], ["B", 1]], alternative=1)
    found = judged(ONE_AND_TWO, {"j": wanted}, [answer], ANY)
    assert "PLAN-9" == found.clause


def test_placement_against_a_limit_breaks_that_of_limits() -> None:
    made = cluster(host("A", 2), limits=[limit("user", None, "cluster", "slots", 1)])
    found = judged(made, {"j": (2,)}, [placed([["A", 2]])], ANY)
    assert "LIMIT-3" == found.clause


def test_other_plan_than_the_first_breaks_the_order_of_plans() -> None:
    found = judged(ONE_AND_TWO, {"j": (2,)}, [placed([["A", 1], ["B", 1]])], UNSPECIFIED)
    assert ("PAR-1", "j") == (found.clause, found.job)


def test_hosts_are_left_open_where_there_are_too_many_choices(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(instead, "MOST_CHOICES", 2)
    made = cluster(host("A", 3), host("B", 1))
    found = judged(made, {"j": (4,)}, [PEND], ANY)
    assert ("j", "PLAN-11") == (found.job, found.clause)
    assert [] == found.expected["jobs"][0]["parts"]


@pytest.mark.parametrize(
    ("wanted", "answer", "profile", "is_one"),
    [
        ((2,), PEND, ANY, True),
        ((2,), PEND, MODEL_PROFILE, False),
        ((4,), placed([["A", 2], ["B", 2]]), ANY, False),
        (([1, 4],), placed([["A", 1]], [["B", 4]]), UNSPECIFIED, True),
    ],
    ids=["hosts are open", "nothing is open", "one primary must pend", "a part leaves a choice"],
)
def test_expected_answer_is_one_of_several_where_there_is_a_choice(
    wanted: tuple[Alternative, ...], answer: Json, profile: Profile, is_one: bool
) -> None:
    found = judged(ONE_AND_TWO, {"j": wanted}, [answer], profile)
    assert is_one == found.one_of_several
    shown = picture(
        case(ONE_AND_TWO, submit("j", *wanted), RUN), found, Diagnosis(clauses=(), faults=())
    )
    told = [shown, contradiction(found, ""), *rows_of_text(found)]
    assert (
        is_one == ("One of the permitted answers" in told[0]) != ("specification says" in told[0])
    )
    assert is_one == ("one of the permitted answers: " in told[1]) != ("it must be " in told[1])
    assert is_one == ("One of the permitted answers" in told) != ("The specification" in told)


def test_run_that_asks_for_a_cancellation_leaves_a_choice() -> None:
    told = case(ONE_AND_TWO, submit("j", 1), {**RUN, "cancel_at": 9})
    ran = {"answer": "ran", "jobs": [{"job": "j", **PEND}]}
    found = Oracle(MODEL_PROFILE).judge(told, [{"answer": "ok"}, ran]).disagreement
    assert found is not None
    assert found.one_of_several
