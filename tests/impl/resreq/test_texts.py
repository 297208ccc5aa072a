"""A job may carry its request as a text."""

from typing import Any

import pytest

from allotment_impl import Adapter, Job, Refused, Resources, Scheduler
from allotment_impl.resreq import ResreqError, texts
from allotment_impl.resreq.texts import RequestTexts
from impl.building import RUN, Raw, cluster, entry, host, job, primary, read_cluster, submit, tasks

ATTRIBUTE = {"attribute": "os"}
CLUSTER = cluster(
    host("A", 4, mem=3000, attributes={"os": "linux"}),
    host("B", 4, mem=9000, attributes={"os": "aix"}),
    licence=2000,
)


def text_job(text: str, **fields: Any) -> Raw:
    return {"event": "submit", "job": {**job("t", **fields), "request": text}}


def answers(*events: Raw) -> list[Raw]:
    return Adapter().run({"cluster": CLUSTER, "events": [*events, RUN], "report": ["books"]})


def test_text_answers_as_its_tree() -> None:
    text = "{2*{os==aix rusage[mem=2.5]} + 1*{rusage[licence=1||licence=2]}} || {3*{-}}"
    aix = {"op": "==", "args": [ATTRIBUTE, {"text": "aix"}]}
    first = primary(2, select=aix, rusage=[entry("mem", 2500)])
    alternatives = [
        [first, primary(1, rusage=[entry("licence", 1000)])],
        [first, primary(1, rusage=[entry("licence", 2000)])],
        [primary(3)],
    ]
    assert answers(submit("t", *alternatives)) == answers(text_job(text))


def test_bare_text_takes_the_counts_of_the_job() -> None:
    [_, ran] = answers(text_job("os==aix", tasks=tasks(2)))
    assert [[["B", 2]]] == ran["jobs"][0]["parts"]


@pytest.mark.parametrize(
    ("text", "fields", "code"),
    [
        ("os==", {}, "syntax"),
        ("", {}, "syntax"),
        ("span[ptile=0]", {"tasks": tasks(1)}, "span-range"),
        ("span[hosts=0]", {"tasks": tasks(1)}, "span-range"),
        ("span[stripe=0]", {}, "counts"),
        ("span[block=0]", {"tasks": tasks(1)}, "span-range"),
        ("span[hosts=2]", {"tasks": tasks(1)}, "syntax"),
        ("span[ptile=1.5]", {}, "syntax"),
        ("0*{-}", {}, "tasks-range"),
        ("0*{-} + 1*{span[ptile=0]}", {"tasks": tasks(2)}, "tasks-range"),
        ("1*{span[ptile=0]} + 1*{-}", {"tasks": tasks(3)}, "counts"),
        ("0*{moon}", {"user": ""}, "identity-missing"),
        ("os==", {"user": ""}, "identity-missing"),
        ("os==", {"tasks": tasks(0)}, "tasks-range"),
        ("os", {"tasks": tasks(1)}, "type"),
        ("moon", {"tasks": tasks(1)}, "unknown-resource"),
        ("mem > 1", {"tasks": tasks(1)}, "not-an-attribute"),
        ("rusage[mem=1/job]", {"tasks": tasks(1)}, "per-job-on-host"),
        ("rusage[mem=9E]", {"tasks": tasks(1)}, "amount-range"),
        ("2*{-}", {"tasks": tasks(1)}, "counts"),
        ("2*{-} + {-}", {"tasks": tasks(3)}, "counts"),
        ("-", {"tasks": tasks(1)}, "syntax"),
    ],
)
def test_text_is_refused_with_its_code(text: str, fields: Raw, code: str) -> None:
    [refused, ran] = answers(text_job(text, **fields))
    assert ("refused", code) == (refused["answer"], refused["code"])
    assert [] == ran["jobs"]


def test_taken_name_precedes_the_text() -> None:
    assert "duplicate-name" == answers(submit("t", [primary(1)]), text_job("&"))[1]["code"]


def test_refusal_says_what_is_wrong_with_the_text() -> None:
    faulty = Job(name="j", user="u", queue="q", project="p", request="os==a &")
    with pytest.raises(Refused, match="line 1, column 7: a single '&'") as caught:
        Scheduler(read_cluster(CLUSTER)).submit(faulty)
    assert "mend the text" in caught.value.hint


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "TEXTS_KEPT", 2)
    reader = RequestTexts(Resources())
    first = reader.read("1*{-}")
    assert first is reader.read("1*{-}")
    reader.read("2*{-}")
    reader.read("3*{-}")
    again = reader.read("1*{-}")
    assert first == again
    assert first is not again


def test_long_text_is_not_remembered() -> None:
    reader = RequestTexts(Resources())
    long = "1*{-}" + " " * texts.REMEMBERED_LONGEST
    assert reader.read(long) is not reader.read(long)


def test_faulty_text_is_faulty_each_time() -> None:
    reader = RequestTexts(Resources())
    for _ in range(2):
        with pytest.raises(ResreqError):
            reader.read("&")
