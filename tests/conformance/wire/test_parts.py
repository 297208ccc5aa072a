"""Cases in parts: sent as several cases, judged as one."""

import sys
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.engines.notation import BEGIN, RUN, case, cluster, host, submit
from allotment_conformance.engines.parts import PARTS
from allotment_conformance.runs.work import questions, shares
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.verdict.received import NoAnswer, ask
from allotment_conformance.wire.asked import Asked
from allotment_conformance.wire.failure import Ending, Failure
from allotment_conformance.wire.messages import NotACase, read_case
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.parts import (
    BEGINS,
    beginning_case,
    events_of,
    in_parts,
    joined,
    parts_of,
    starts_of,
    without_events,
)
from allotment_conformance.wire.process import ProcessAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import mutant
from allotment_conformance.zoo.mutants import mutants_of, parts

Json = dict[str, Any]

FAKE = Path(__file__).parent / "fakes" / "fake.py"
WORLD = cluster(host("A", 1))
J, K = submit("j", 1), submit("k", 1)
WHOLE = {**case(WORLD, J, K, RUN), "report": ["books"]}
IN_PARTS = {**WHOLE, "events": [J, beginning_case(K), beginning_case(RUN)]}
OK = {"answer": "ok"}
TWO = {**case(WORLD), "events": [BEGIN, beginning_case(BEGIN)]}
ONE = case(WORLD, BEGIN)
ERROR = Failure(ending=Ending.ERROR, words="no")
CRASH = Failure(ending=Ending.CRASH, words="gone")


class Listener(ModelAdapter):
    """Writes down what it is asked; answers one event too much to the case of that number."""

    def __init__(self, too_much_at: int = 0) -> None:
        super().__init__()
        self.asked: list[Json] = []
        self.too_much_at = too_much_at

    def run(self, case: Json) -> list[Json]:
        self.asked.append(case)
        more = [OK] if len(self.asked) == self.too_much_at else []
        return super().run(case) + more


def test_parts_but_the_first_have_no_cluster() -> None:
    sent = parts_of(IN_PARTS)
    assert [[J], [K], [RUN]] == [part["events"] for part in sent]
    assert [True, False, False] == ["cluster" in part for part in sent]
    assert [["books"]] * 3 == [part["report"] for part in sent]
    assert WHOLE == joined(IN_PARTS)
    assert [WHOLE] == parts_of(WHOLE)


def test_first_part_may_be_the_cluster_alone() -> None:
    first, second = parts_of({**WHOLE, "events": [beginning_case(J)]})
    assert [] == first["events"]
    assert [J] == second["events"]


def test_case_between_may_have_no_event() -> None:
    told = case(WORLD, *events_of([[J], [], [], [K], [RUN]]))
    sent = parts_of(told)
    assert [[J], [], [], [K], [RUN]] == [part["events"] for part in sent]
    assert [1, 1, 1, 2] == starts_of(told)
    assert told == in_parts(joined(told), starts_of(told))
    assert [[], [], [], [K]] == [
        part["events"]
        for part in parts_of(case(WORLD, *without_events(told["events"][:2], frozenset({0}))))
    ]
    read_case(told)
    with pytest.raises(NotACase):
        read_case(case(WORLD, beginning_case(J, 10)))


def test_note_that_says_no_is_not_sent() -> None:
    assert [case(WORLD, J)] == parts_of(case(WORLD, {**J, "begins_case": False}))


class Restarts(ModelAdapter):
    """A case without events, which goes on, begins a session."""

    def run(self, case: Json) -> list[Json]:
        if not case["events"] and "cluster" not in case:
            super().run({"events": [BEGIN]})
        return super().run(case)


def test_empty_case_that_does_something_is_found() -> None:
    wrong = [
        one.name
        for one in PARTS
        if Oracle(MODEL_PROFILE).judge(one.case, ask(Restarts(), one.case)).disagreement
    ]
    assert ["case-without-events-between"] == wrong


def test_answers_of_all_parts_are_judged_as_one() -> None:
    listener = Listener()
    told = ask(listener, IN_PARTS)
    assert ModelAdapter().run(WHOLE) == told
    assert parts_of(IN_PARTS) == listener.asked
    assert Oracle(MODEL_PROFILE).judge(IN_PARTS, told).disagreement is None


@pytest.mark.parametrize("part", [1, 2])
def test_part_with_too_many_answers_is_told(part: int) -> None:
    told = ask(Listener(too_much_at=part), IN_PARTS)
    assert NoAnswer(kind=Kind.COUNT, words=f"2 answers to the 1 events of part {part}") == told


@pytest.mark.parametrize("one", mutants_of(parts), ids=lambda one: one.name)
def test_fault_between_cases_is_one_in_parts_only(one: type[Any]) -> None:
    found = False
    for question in (q for share in shares(60, 1) for q in questions(share, MODEL_PROFILE)):
        if BEGINS in str(question.case):
            wrong = mutant(one.name).make()
            whole = joined(question.case)
            assert Oracle(MODEL_PROFILE).judge(whole, ask(wrong, whole)).disagreement is None
            told = Oracle(MODEL_PROFILE).judge(question.case, ask(wrong, question.case))
            found = found or told.disagreement is not None
    assert found


def test_every_case_of_a_run_starts_its_own_scheduler() -> None:
    asked = [q.case for share in shares(120, 1) for q in questions(share, MODEL_PROFILE)]
    assert all("cluster" in one for one in asked)
    several = [one for one in asked if len(parts_of(one)) > 1]
    assert 15 < len(several) < len(asked) / 8
    with pytest.raises(NotACase):
        Oracle(MODEL_PROFILE).judge(parts_of(IN_PARTS)[1], [OK])


@pytest.mark.parametrize(
    ("replies", "came"),
    [
        ({"7": [OK], "8": [OK]}, [OK, OK]),
        ({"8": [OK], "7": [OK]}, [OK, OK]),
        ({"7": ERROR, "8": CRASH}, ERROR),
        ({"8": CRASH, "7": [OK]}, CRASH),
        ({"7": ERROR}, None),
    ],
)
def test_first_part_that_fails_says_how(replies: dict[str, Any], came: Any) -> None:
    asked = Asked.of(TWO, 7)
    for name, reply in replies.items():
        asked.take(name, reply)
    assert came == asked.came


def test_failure_of_an_earlier_part_stands_when_the_program_is_gone() -> None:
    asked = Asked.of(TWO, 7)
    asked.take("7", ERROR)
    asked.fail(CRASH)
    assert ERROR == asked.came


@pytest.mark.parametrize(
    ("mode", "at", "asked", "came", "again"),
    [
        ("well", 1, [TWO, ONE, TWO], [[OK, OK], [OK], [OK, OK]], 0),
        ("reverse", 2, [TWO, ONE, ONE], [[OK, OK], [OK], [OK]], 0),
        ("error", 2, [TWO, ONE], ["error", [OK]], 0),
        ("count", 1, [TWO, ONE], ["protocol error: wrong number of answers", [OK]], 0),
        ("exit", 2, [TWO, TWO, ONE], ["crash", [OK, OK], [OK]], 2),
        ("exit", 1, [ONE, TWO], ["crash", [OK, OK]], 1),
    ],
)
def test_program_is_asked_the_parts_of_a_case(
    tmp_path: Path, mode: str, at: int, asked: list[Json], came: list[Any], again: int
) -> None:
    words = [sys.executable, "-I", "-S", str(FAKE), mode, str(at), str(tmp_path / "seen")]
    program = ProcessAdapter(words)
    try:
        told = [one.name if isinstance(one, Failure) else one for one in program.replies(asked)]
    finally:
        program.close()
    assert came == told
    assert again == program.asked_again


def test_bad_mark_of_a_part_names_the_page_that_tells_of_it() -> None:
    with pytest.raises(NotACase) as refused:
        read_case(case(WORLD, {**J, "begins_case": "perhaps"}))
    assert "docs/protocol.md lists the fields." == refused.value.remedy
