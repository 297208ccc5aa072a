"""What the comparison lets pass, and how it names what it does not."""

from copy import deepcopy
from typing import Any

import msgspec
import pytest

from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.verdict.disagreement import Disagreement, Kind
from allotment_conformance.verdict.received import NoAnswer, ask
from allotment_conformance.wire.messages import Profile
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE
from house.spec_examples import spec_examples

RUN = {"event": "run_session"}


def submit(name: str, *alternatives: list[int], user: str = "u") -> dict[str, Any]:
    request = [[{"tasks": {"min": n, "max": n}} for n in parts] for parts in alternatives]
    job = {"name": name, "user": user, "queue": "q", "project": "p", "request": request}
    return {"event": "submit", "job": job}


def case(slots: list[int], *events: dict[str, Any], **fields: Any) -> dict[str, Any]:
    hosts = [{"name": "ABC"[n], "capacity": {"slots": free}} for n, free in enumerate(slots)]
    return {"cluster": {"hosts": hosts}, "events": list(events), **fields}


def found(
    one: dict[str, Any], answers: object, profile: Profile = MODEL_PROFILE
) -> Disagreement | None:
    return Oracle(profile).judge(one, answers).disagreement


def kind_of(one: dict[str, Any], answers: object, profile: Profile = MODEL_PROFILE) -> Kind | None:
    disagreement = found(one, answers, profile)
    return disagreement.kind if disagreement is not None else None


TWO = case([1, 1], submit("j", [2]), submit("k", [1]), RUN, report=["books", "events"])


def changed(path: list[str | int], value: object) -> list[dict[str, Any]]:
    """The model's answers to TWO, with one place changed."""
    answers = deepcopy(ModelAdapter().run(TWO))
    place: Any = answers
    for word in path[:-1]:
        place = place[word]
    place[path[-1]] = value
    return answers


def test_case_without_events_has_nothing_that_could_be_wrong() -> None:
    for answers in ([], [{"answer": "ok"}], None, NoAnswer(kind=Kind.CRASH, words="ended")):
        assert found(case([1]), answers) is None


@pytest.mark.parametrize("example", spec_examples())
def test_model_agrees_with_itself(example: dict[str, Any]) -> None:
    one = {"cluster": example["cluster"], "events": example["events"]}
    for report in ([], ["books"], ["events"], ["books", "events"]):
        reported = one | {"report": report}
        assert kind_of(reported, ModelAdapter().run(reported)) is None


@pytest.mark.parametrize(
    ("path", "value", "kind"),
    [
        ([0, "answer"], "refused", Kind.MALFORMED),
        ([0], {"answer": "refused", "code": "counts"}, Kind.ACCEPTANCE),
        ([2], {"answer": "ok"}, Kind.ACCEPTANCE),
        ([2, "jobs"], [], Kind.QUEUE),
        ([2, "jobs", 0, "alternative"], 1, Kind.ALTERNATIVE),
        ([2, "jobs", 0, "alternative"], False, Kind.MALFORMED),
        ([2, "jobs", 0, "parts"], [[["B", 1], ["A", 1]]], Kind.PLACEMENT),
        ([2, "jobs", 0, "parts", 0, 0, 1], 1.0, Kind.MALFORMED),
        ([2, "jobs", 1, "reason"], "limit", Kind.REASON),
        ([2, "jobs", 1, "never"], True, Kind.NEVER),
        ([2, "jobs", 1, "cached"], True, Kind.CACHED),
        ([2, "jobs", 1], {"answer": "cancelled", "job": "k"}, Kind.CANCELLED),
        ([2, "jobs", 0, "answer"], "cancelled", Kind.MALFORMED),
        ([2, "jobs", 0, "events"], [], Kind.EVENTS),
        ([2, "jobs", 0, "events"], [["plan", 3]], Kind.MALFORMED),
        ([2, "jobs", 0, "events"], [[]], Kind.MALFORMED),
        ([2, "books", "hosts", "A", "slots"], 2, Kind.BOOKS),
        ([1, "books", "pools"], {"lic": 0}, Kind.BOOKS),
    ],
)
def test_difference_is_named(path: list[str | int], value: object, kind: Kind) -> None:
    assert kind == kind_of(TWO, changed(path, value))


def test_dispatched_instead_of_pending_is_a_decision() -> None:
    one = case([1], submit("j", [2]), RUN)
    answers = ModelAdapter().run(case([2], submit("j", [2]), RUN))
    disagreement = found(one, answers)
    assert disagreement is not None
    assert (1, Kind.DECISION, "j") == (disagreement.step, disagreement.kind, disagreement.job)


def test_other_refusal_code_is_named() -> None:
    one = case([1], submit("j", []))
    assert Kind.CODE == kind_of(one, [{"answer": "refused", "code": "counts"}])


@pytest.mark.parametrize("answers", [[], [{"answer": "ok"}] * 4])
def test_every_event_has_one_answer(answers: list[Any]) -> None:
    assert Kind.COUNT == kind_of(case([1], submit("j", [1]), submit("k", [1])), answers)


@pytest.mark.parametrize("answers", [None, {}, "ok"])
def test_no_list_is_malformed(answers: object) -> None:
    assert Kind.MALFORMED == kind_of(TWO, answers)


def test_crash_is_an_answer_to_the_last_event() -> None:
    class Broken(ModelAdapter):
        def run(self, case: dict[str, Any]) -> list[dict[str, Any]]:
            raise ZeroDivisionError("no hosts")

    disagreement = found(TWO, ask(Broken(), TWO))
    assert disagreement is not None
    assert (2, Kind.CRASH) == (disagreement.step, disagreement.kind)
    assert "ZeroDivisionError: no hosts" == disagreement.actual


def test_unasked_reports_are_ignored() -> None:
    asked = ModelAdapter().run(TWO)
    assert kind_of({**TWO, "report": []}, asked) is None


def test_undeclared_fields_are_ignored() -> None:
    profile = msgspec.structs.replace(MODEL_PROFILE, declares=("reason",))
    assert kind_of(TWO, changed([2, "jobs", 1, "cached"], True), profile) is None
    assert Kind.REASON == kind_of(TWO, changed([2, "jobs", 1, "reason"], "span"), profile)


def test_continued_case_is_judged_in_the_state_it_goes_on_from() -> None:
    oracle, adapter = Oracle(MODEL_PROFILE), ModelAdapter()
    for one in (case([1], submit("j", [1])), {"events": [RUN], "report": ["books"]}):
        assert oracle.judge(one, adapter.run(one)).disagreement is None


def test_answers_are_counted() -> None:
    judgement = Oracle(MODEL_PROFILE).judge(TWO, ModelAdapter().run(TWO))
    assert (2, 2) == (judgement.decisions, judgement.attempts_inside)


def test_no_answer_says_what_came() -> None:
    nothing = NoAnswer(kind=Kind.CRASH, words="gone")
    disagreement = found(case([1], RUN), nothing)
    assert disagreement is not None
    assert "gone" == disagreement.actual


def test_any_host_order_is_followed() -> None:
    profile = msgspec.structs.replace(MODEL_PROFILE, host_order="unspecified")
    one = case([1, 1], submit("j", [1]), submit("k", [1]), RUN, report=["books"])
    reverse = case([0, 1], submit("j", [1]), RUN, report=["books"])
    answers = ModelAdapter().run(one)
    assert kind_of(one, answers, profile) is None
    answers[2]["jobs"][0]["parts"], answers[2]["jobs"][1]["parts"] = [[["B", 1]]], [[["A", 1]]]
    assert kind_of(one, answers, profile) is None
    assert Kind.PLACEMENT == kind_of(one, answers)
    taken = ModelAdapter().run(reverse)
    taken[1]["jobs"][0]["parts"] = [[["A", 1]]]
    assert Kind.PLACEMENT == kind_of(reverse, taken, profile)
