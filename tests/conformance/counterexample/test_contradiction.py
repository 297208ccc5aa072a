"""The contradiction in one sentence, for each kind of disagreement."""

from dataclasses import replace

import msgspec
import pytest

from allotment_conformance.counterexample.asking import InProcess, asked_one
from allotment_conformance.counterexample.clause import clause_of
from allotment_conformance.counterexample.contradiction import contradiction
from allotment_conformance.counterexample.diagnosis import Diagnosis
from allotment_conformance.counterexample.picture import picture
from allotment_conformance.counterexample.signature import signature_of
from allotment_conformance.engines.notation import RUN, case, cluster, host, submit
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.verdict.received import NoAnswer
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.zoo.catalogue import MUTANTS, mutant
from allotment_conformance.zoo.smallest import smallest

SENTENCES = {
    "claimed-host-not-passed-over": "is claimed by bucket 1 and bucket 2 of job j; X-1",
    "no-rollback": "is pending: capacity, never placeable; it must be dispatched: ",
    "first-bucket-only": "is dispatched: ",
    "leak-at-finish": ("of host B: slots 1 is said to be in use, and 0 is; X-1"),
    "latest-submission-first": "the jobs are tried in the order ",
    "limit-blamed-before-pool": "is said to wait for limit, and waits for shared; X-1",
    "tasks-range-is-not-refused": "is accepted, and must be refused: tasks-range; X-1",
}
"""An end or a part of what is said of the smallest case of some of the zoo."""


FREE = msgspec.structs.replace(MODEL_PROFILE, host_order="unspecified")
"""Of hosts that may be others no protocol event can be expected."""


def found_of(name: str, case: Json | None = None) -> Disagreement:
    adapter = mutant(name).make()
    finding = asked_one(InProcess(adapter, MODEL_PROFILE), case or smallest()[name].case)
    assert finding.disagreement is not None
    return finding.disagreement


@pytest.mark.parametrize("name", SENTENCES)
def test_sentence_says_what_contradicts(name: str) -> None:
    assert SENTENCES[name] in contradiction(found_of(name), "X-1")


def test_nobody_is_told_to_be_tried() -> None:
    found = found_of("latest-submission-first")
    empty = replace(found, actual={**found.actual, "jobs": []})
    assert contradiction(empty, "").startswith("no job is tried, and it must be that the jobs ")
    one = replace(found, actual={**found.actual, "jobs": found.actual["jobs"][:1]})
    assert " alone is tried, and it must be that the jobs are" in contradiction(one, "")


def test_everybody_is_told_in_one_sentence() -> None:
    told = {contradiction(found_of(one.id), one.clauses[0]) for one in MUTANTS}
    assert all("\n" not in sentence for sentence in told)
    assert all(sentence.rpartition("; ")[2].partition("-")[0].isupper() for sentence in told)
    assert len(told) > len(MUTANTS) / 3


@pytest.mark.parametrize(
    ("parts", "told"),
    [([], "with no part"), ([[["A", 1]]], "with 1 part"), ([[["A", 1]]] * 3, "with 3 parts")],
)
def test_other_parts_than_those_of_the_request_are_counted(parts: Json, told: str) -> None:
    sent = case(cluster(host("A", 9)), submit("j", [1, 1]), submit("k", 2, [1, 1]), RUN)
    for job, of in ((0, "its request has 2"), (1, "alternative 1 of its request has 2")):
        answers = ModelAdapter().run(sent)
        answers[-1]["jobs"][job].update(alternative=job, parts=parts)
        found = Oracle(MODEL_PROFILE).judge(sent, answers).disagreement
        assert found is not None
        name = "jk"[job]
        assert f"job {name} is dispatched {told}, and {of}; X-1" == contradiction(found, "X-1")
        assert "the profile leaves open" not in picture(
            sent, found, Diagnosis(clauses=(), faults=())
        )


def test_protocol_events_are_told() -> None:
    name = "cache-filled-inside-a-compound"
    case = {**smallest()[name].case, "report": ["events"]}
    events = [case["events"][0], case["events"][-1]]
    found = found_of(name, {**case, "events": events})
    assert Kind.EVENTS is found.kind
    told = contradiction(found, "")
    assert 'stands where ["reversed", ' in told
    assert '["filled", "capacity"]' in told


@pytest.mark.parametrize("profile", [FREE, MODEL_PROFILE])
def test_lacking_list_of_protocol_events_is_told(profile: Profile) -> None:
    told = {
        **case(cluster(host("A", 0)), submit("j", 1), submit("k", 1), RUN),
        "report": ["events"],
    }
    answers = ModelAdapter(profile=profile).run(told)
    del answers[2]["jobs"][1]["events"]
    found = Oracle(profile).judge(told, answers).disagreement
    assert found is not None
    assert Kind.EVENTS is found.kind
    assert clause_of(found) is None
    assert contradiction(found, "").endswith("for job k are asked for, and not told")


def test_lacking_books_break_no_clause() -> None:
    told = {**case(cluster(host("A", 1)), submit("j", 1), RUN), "report": ["books"]}
    answers = ModelAdapter().run(told)
    del answers[1]["books"]
    found = Oracle(MODEL_PROFILE).judge(told, answers).disagreement
    assert found is not None
    assert clause_of(found) is None
    assert "the books are asked for, and not told" == contradiction(found, "")


def test_no_answer_is_told_in_its_words() -> None:
    class Raising:
        """Cannot answer."""

        def start(self) -> Json:
            raise NotImplementedError

        def run(self, case: Json) -> list[Json]:
            raise ZeroDivisionError("one\ntwo")

        def close(self) -> None:
            raise NotImplementedError

    case = smallest()["no-rollback"].case
    finding = asked_one(InProcess(Raising(), MODEL_PROFILE), case)
    assert isinstance(finding.answers, NoAnswer)
    assert finding.disagreement is not None
    assert "there is no answer: ZeroDivisionError: one" in contradiction(finding.disagreement, "")
    assert "crash" == str(signature_of(finding.disagreement))
