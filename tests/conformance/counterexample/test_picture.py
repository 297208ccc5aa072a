"""The page of a case at which a program fails: what was asked, and what came."""

import msgspec
import pytest

from allotment_conformance.counterexample.diagnosis import Diagnosis
from allotment_conformance.counterexample.picture import failing_case_picture, picture
from allotment_conformance.counterexample.signature import signature_of
from allotment_conformance.counterexample.waiting import waiting
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    finish,
    host,
    host_add,
    host_change,
    limit,
    limit_remove,
    limit_set,
    pool_change,
    submit,
)
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.messages import Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE

NO_SOLVER = Failure(ending=Ending.ERROR, words="no solver")
GONE = Failure(ending=Ending.CRASH, words="it ended with status 3")


@pytest.mark.parametrize(
    ("asked", "failure", "page"),
    [
        (
            case(cluster()),
            NO_SOLVER,
            """Fails: error: no solver
  The scheduler at the start
    no host
  What happens
    nothing: the case has no event
  The program answers
    an error: no solver""",
        ),
        (
            case(cluster(host("A", 1)), RUN),
            GONE,
            """Fails: crash: it ended with status 3
  The scheduler at the start
    host A: slots 1 free
  What happens
    1 run the session
  What comes of it
    crash: it ended with status 3""",
        ),
    ],
    ids=["only errs", "crashes"],
)
def test_page_says_what_was_asked_and_what_came(
    asked: dict[str, object], failure: Failure, page: str
) -> None:
    assert page == failing_case_picture(asked, failure)


WORLD = cluster(
    host("A", 2, attributes={"arch": "x"}),
    shared=["lic"],
    pools={"lic": 1},
    attributes={"arch": "text"},
    limits=[limit("user", "u", "cluster", "slots", 9), limit("queue", "q", "host", "slots", 9)],
)


def test_what_waits_is_told_before_the_event() -> None:
    events = [
        submit("j", 1),
        RUN,
        finish("j"),
        host_change("A", open=False, attributes={"arch": None}, capacity={"slots": 1}),
        host_change("A", open=True),
        host_add(host("B", 3, closed=True)),
        pool_change("lic", 2000),
        limit_set("user", "u", "cluster", "slots", 1),
        limit_remove("queue", "q", "host", "slots"),
    ]
    adapter = ModelAdapter()
    adapter.run(case(WORLD, *events))
    assert adapter.state is not None
    assert [
        "waits for a session: job j finishes",
        "waits for a session: host A changes: slots 1, no arch",
        "waits for a session: host B joins: slots 3, closed",
        "waits for a session: pool lic becomes 2",
        "waits for a session: limit set: user u holds at most 1 slots over all hosts",
        "waits for a session: limit removed: queue q: slots on each host",
    ] == waiting(adapter.state, events)
    other = [*events[2:-1], BEGIN, events[-1], *reversed(events[2:-1])]
    assert [
        "limit removed: queue q: slots on each host",
        "limit set: user u holds at most 1 slots over all hosts",
        "pool lic becomes 2",
        "host B joins: slots 3, closed",
        "host A changes: slots 1, no arch",
        "job j finishes",
    ] == [line.partition(": ")[2] for line in waiting(adapter.state, other)]
    adapter.run({"events": [BEGIN]})
    assert [] == waiting(adapter.state)


def test_page_tells_what_waits_and_nothing_that_is_not_declared() -> None:
    told = case(cluster(), submit("j", 1), host_add(host("A", 1)), RUN)
    profile: Profile = msgspec.structs.replace(MODEL_PROFILE, declares=())
    answers = ModelAdapter(profile=profile).run(told)
    answers[-1]["jobs"] = [
        {"job": "j", "answer": "dispatched", "alternative": 0, "parts": [[["A", 1]]]}
    ]
    found = Oracle(profile).judge(told, answers).disagreement
    assert found is not None
    page = picture(told, found, Diagnosis(clauses=(), faults=()))
    assert "    no host\n    waits for a session: host A joins: slots 1\n" in page
    assert "    job j is pending\n" in page


def test_signature_of_a_field_names_the_field_alone() -> None:
    told = case(cluster(host("A", 0)), submit("j", 1), RUN)
    answers = ModelAdapter().run(told)
    answers[-1]["jobs"][0]["reason"] = "limit"
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    assert "reason" == str(signature_of(found))


def test_use_of_a_limit_is_told_in_words() -> None:
    capped = cluster(host("A", 1), limits=[limit("user", "u", "cluster", "slots", 1)])
    told = {**case(capped, submit("j", 1), RUN), "report": ["books"]}
    answers = ModelAdapter().run(told)
    answers[-1]["books"]["hosts"] = {}
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    page = picture(told, found, Diagnosis(clauses=(), faults=()))
    assert "    limit of user u for u: slots 1\n" in page
    assert "{" not in page
