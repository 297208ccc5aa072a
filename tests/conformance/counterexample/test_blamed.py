"""Clauses of a wrong answer where no known fault explains all failures: from the case itself."""

import msgspec
import pytest

from allotment_conformance.counterexample.asking import InProcess, asked_one
from allotment_conformance.counterexample.clause import likeliest_clause
from allotment_conformance.counterexample.contradiction import contradiction
from allotment_conformance.counterexample.diagnosis import Diagnosis, Failing, diagnose
from allotment_conformance.counterexample.untimely import Untimely, untimely
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    host,
    host_add,
    host_change,
    limit,
    limit_remove,
    primary,
    submit,
    uses,
)
from allotment_conformance.verdict.compare import Oracle, exchange_of
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import events_of
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import mutant
from allotment_conformance.zoo.smallest import smallest

ANY: Profile = msgspec.structs.replace(
    MODEL_PROFILE, split="any", host_order="unspecified", declares=()
)
ON_A: Json = {"answer": "dispatched", "alternative": 0, "parts": [[["A", 1]]]}
PEND: Json = {"answer": "pending", "reason": "limit", "never": False, "cached": False}


def answered(
    told: Json, *ran: Json, profile: Profile = MODEL_PROFILE
) -> tuple[Failing, Disagreement]:
    """The right answers but for those of the last run, which are given."""
    answers = ModelAdapter(profile=profile).run(told)
    for one, other in zip(answers[-1]["jobs"], ran, strict=True):
        name = one["job"]
        one.clear()
        one.update({"job": name, **other})
    found = Oracle(profile).judge(told, answers).disagreement
    assert found is not None
    return Failing(case=told, answers=answers), found


def moment_of(told: Json, *ran: Json) -> Untimely | None:
    failing, found = answered(told, *ran)
    return untimely(exchange_of(failing.case, failing.answers), found, MODEL_PROFILE)


LIMITED = cluster(host("A", 1), limits=[limit("user", "u", "cluster", "slots", 0)])
NO_LIMIT = limit_remove("user", "u", "cluster", "slots")
J = submit("j", 1)


@pytest.mark.parametrize(
    ("moment", "told", "ran"),
    [
        (Untimely.EARLY, case(cluster(), J, host_add(host("A", 1)), RUN), ON_A),
        (Untimely.EARLY, case(LIMITED, NO_LIMIT, J, RUN), ON_A),
        (Untimely.LOST, case(LIMITED, NO_LIMIT, BEGIN, J, RUN), {**PEND, "never": True}),
        (
            Untimely.LOST_BETWEEN_CASES,
            case(LIMITED, *events_of([[NO_LIMIT], [BEGIN, J, RUN]])),
            {**PEND, "never": True},
        ),
        (Untimely.LOST, case(LIMITED, *events_of([[NO_LIMIT, BEGIN], [J, RUN]])), None),
        (None, case(LIMITED, J, RUN), ON_A),
        (None, case(cluster(host("A", 1)), host_change("A", open=True), J, RUN), PEND),
    ],
)
def test_moment_of_an_answer(moment: Untimely | None, told: Json, ran: Json | None) -> None:
    assert moment is moment_of(told, ran or {**PEND, "never": True})


def test_finish_that_credits_too_early_is_early() -> None:
    told = case(cluster(host("A", 1)), J, RUN, {"event": "finish", "job": "j"}, submit("k", 1), RUN)
    assert Untimely.EARLY is moment_of(told, ON_A)


def test_lost_change_is_looked_for_through_the_choices_that_were_made() -> None:
    hosts = [host("A", 1), host("B", 1)]
    closes = host_change("B", open=False)
    told = case(cluster(*hosts), J, RUN, closes, BEGIN, submit("k", 1), submit("l", 1), RUN)
    answers = ModelAdapter(profile=ANY).run(told)
    answers[1]["jobs"][0]["parts"] = [[["B", 1]]]
    answers[-1]["jobs"][0] = {"job": "k", **ON_A}
    answers[-1]["jobs"][1] = {"job": "l", **ON_A, "parts": [[["B", 1]]]}
    found = Oracle(ANY).judge(told, answers).disagreement
    assert found is not None
    assert "l" == found.job
    assert untimely(exchange_of(told, answers), found, ANY) is None


def two_failures(told: Json, ran: Json, profile: Profile = MODEL_PROFILE) -> Diagnosis:
    """What is told of one that nobody else explains: the second is a fault of another kind."""
    failing, found = answered(told, ran, profile=profile)
    other = mutant("no-rollback")
    wrong = asked_one(InProcess(other.make(), MODEL_PROFILE), smallest()[other.id].case)
    second = Failing(case=wrong.case, answers=wrong.answers)
    return diagnose([failing, second], found, profile)


def test_early_change_is_told_whatever_else_answers_alike() -> None:
    told = two_failures(case(cluster(), J, host_add(host("A", 1)), RUN), ON_A)
    assert ("SESSION-2",) == told.clauses
    assert () == told.perhaps
    assert "change-takes-effect-at-once" in told.here


def test_lost_change_is_one_of_several() -> None:
    told = two_failures(
        case(cluster(host("A", 1)), host_change("A", open=False), BEGIN, J, RUN), ON_A
    )
    assert ("SESSION-2",) == told.clauses
    assert "SESSION-5" in told.perhaps
    assert told.headline().startswith("one of SESSION-2, ")
    assert "One of these:" == told.lines()[0]


FIX_ONCE = cluster(
    host("A", 1, mem=1),
    host("B", 1, mem=1),
    amounts=["mem"],
    limits=[limit("user", "u", "cluster", "mem", 1)],
)
TWICE = submit("j", primary(2, uses("mem", 1, per="host")))
ON_BOTH: Json = {"answer": "dispatched", "alternative": 0, "parts": [[["A", 1], ["B", 1]]]}
B_AND_A: Json = {**ON_BOTH, "parts": [[["B", 1], ["A", 1]]]}


@pytest.mark.parametrize(("profile", "placed"), [(MODEL_PROFILE, ON_BOTH), (ANY, B_AND_A)])
def test_limit_that_counts_too_little_is_told(profile: Profile, placed: Json) -> None:
    told = two_failures(case(FIX_ONCE, TWICE, RUN), placed, profile)
    assert ("LIMIT-2",) == told.clauses
    assert "LIMIT-1" in told.perhaps
    _failing, found = answered(case(FIX_ONCE, TWICE, RUN), placed, profile=profile)
    assert "; one of LIMIT-2, LIMIT-1" in contradiction(found, told.headline())


def test_job_beyond_a_cap_belongs_to_what_is_left() -> None:
    _failing, found = answered(case(LIMITED, J, RUN), ON_A)
    assert "LIMIT-3" == likeliest_clause(found)


def test_pend_among_choices_is_told_by_the_choices_alone() -> None:
    made = cluster(host("A", 1), host("B", 2))
    told = two_failures(case(made, submit("j", 3), RUN), {**PEND, "reason": "capacity"}, ANY)
    assert (("PLAN-11",), ()) == (told.clauses, told.perhaps)
    assert ["Known faults are not compared: the profile leaves choices."] == told.verdict()


def test_one_clause_is_told_plainly() -> None:
    told = Diagnosis(clauses=("PAR-1",), faults=())
    assert "PAR-1" == told.headline()
    assert "" == Diagnosis(clauses=(), faults=()).headline()
