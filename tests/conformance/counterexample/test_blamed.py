"""Clauses of a wrong answer where no known fault explains all failures: from the case itself."""

from dataclasses import replace

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
            Untimely.LOST,
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


@pytest.mark.parametrize("slots", [(2, 1), (1, 1, 1)])
def test_host_that_is_taken_twice_is_told_first(slots: tuple[int, ...]) -> None:
    twice = {**ON_A, "parts": [[["B", one] for one in slots]]}
    _failing, found = answered(
        case(cluster(host("A", 1), host("B", 3)), submit("j", 3), RUN), twice
    )
    assert "HOST-7" == likeliest_clause(found)


def test_job_beyond_a_cap_belongs_to_what_is_left() -> None:
    _failing, found = answered(case(LIMITED, J, RUN), ON_A)
    assert "LIMIT-3" == likeliest_clause(found)


@pytest.mark.parametrize(
    ("named", "clause"), [(2, "LIMIT-1"), (None, "LIMIT-3")], ids=["beside a name", "alone"]
)
def test_limit_of_each_is_not_replaced(named: int | None, clause: str) -> None:
    limits = [limit("user", None, "cluster", "slots", 0)]
    if named is not None:
        limits.append(limit("user", "u", "cluster", "slots", named))
    _failing, found = answered(case(cluster(host("A", 1), limits=limits), J, RUN), ON_A)
    assert clause == likeliest_clause(found)


def test_pend_among_choices_is_told_by_the_choices_alone() -> None:
    made = cluster(host("A", 1), host("B", 2))
    told = two_failures(case(made, submit("j", 3), RUN), {**PEND, "reason": "capacity"}, ANY)
    assert (("PLAN-11",), ()) == (told.clauses, told.perhaps)
    assert ["Known faults are not compared: the profile leaves choices."] == told.verdict()


def test_one_clause_is_told_plainly() -> None:
    told = Diagnosis(clauses=("PAR-1",), faults=())
    assert "PAR-1" == told.headline()
    assert "" == Diagnosis(clauses=(), faults=()).headline()


def test_room_that_is_lacking_goes_before_the_hit() -> None:
    needs = primary(1, uses("mem", 1))
    made = cluster(host("A", 1), amounts=["mem"])
    told = case(made, submit("j", needs, needs, needs), RUN)
    failing, found = answered(told, {**ON_A, "alternative": 2})
    assert found.expected["jobs"][0]["cached"]
    diagnosis = diagnose([failing], found, MODEL_PROFILE)
    assert "WANT-4" == likeliest_clause(found)
    assert "perhaps WANT-4" == diagnosis.headline()
    assert "Perhaps:" == diagnosis.lines()[0]


def test_entries_of_one_resource_may_be_lost() -> None:
    made = cluster(host("A", 1, mem=2), amounts=["mem"])
    told = two_failures(
        case(made, submit("j", primary(1, *[uses("mem", 1, per="task")] * 3)), RUN), ON_A
    )
    assert {"WANT-2", "WANT-4"} <= {*told.clauses, *told.perhaps}


def test_who_answers_alike_must_do_so_before_the_case_was_made_small() -> None:
    made = cluster(host("A", 1), amounts=["mem"])
    small, found = answered(case(made, submit("j", primary(1, uses("mem", 1))), RUN), ON_A)
    wide = cluster(host("A", 1, mem=2000), amounts=["mem"])
    whole, _ = answered(case(wide, submit("j", primary(1, uses("mem", 3000))), RUN), ON_A)
    alone = diagnose([small], found, MODEL_PROFILE)
    assert "two-decimals" in alone.faults
    both = diagnose([small, replace(whole, alike=True)], found, MODEL_PROFILE)
    assert () == both.faults
    assert ("perhaps WANT-4", ("WANT-4",)) == (both.headline(), both.clauses)


def in_books(told: Json, hosts: Json) -> Disagreement:
    """The right answers, but that the last books say this of the hosts."""
    answers = ModelAdapter().run({**told, "report": ["books"]})
    answers[-1]["books"] = {"hosts": hosts, "pools": {}, "limits": []}
    found = Oracle(MODEL_PROFILE).judge({**told, "report": ["books"]}, answers).disagreement
    assert found is not None
    return found


FINISH: Json = {"event": "finish", "job": "j"}


@pytest.mark.parametrize(
    ("clause", "ends", "hosts"),
    [("SESSION-4", [FINISH, BEGIN], {"A": {"slots": 1}}), ("SESSION-3", [], {"A": {"slots": 2}})],
)
def test_what_is_in_use_of_nobody_is_a_leak(clause: str, ends: list[Json], hosts: Json) -> None:
    told = case(cluster(host("A", 2)), submit("j", 2 if ends else 1), RUN, *ends)
    assert clause == likeliest_clause(in_books(told, hosts))


def test_change_that_takes_effect_with_its_own_event_is_early() -> None:
    told = case(cluster(host("A", 1)), J, RUN, FINISH)
    found = in_books(told, {})
    reported = {**told, "report": ["books"]}
    answers = ModelAdapter().run(reported)
    answers[-1]["books"] = found.actual["books"]
    assert Untimely.EARLY is untimely(exchange_of(reported, answers), found, MODEL_PROFILE)


def test_several_faults_of_one_case_are_told_as_one_of_them() -> None:
    told = Diagnosis(clauses=("WHY-2", "INGEST-1"), faults=("a", "b"))
    assert "one of WHY-2, INGEST-1" == told.headline()
    assert "One of these:" == told.lines()[0]
