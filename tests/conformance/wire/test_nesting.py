"""The bound on how deeply messages are nested, at every door."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.cli import main
from allotment_conformance.engines.notation import RUN, case, cluster, host, primary, submit
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.verdict.received import NoAnswer, kept, received
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, Adapter, load_adapter
from allotment_conformance.wire.envelope import read_reply
from allotment_conformance.wire.failure import ProtocolBroken
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.nesting import DEEPEST, is_too_deep
from allotment_conformance.wire.serve import serve

AROUND_A_SELECT = 8
"""Levels from the case to the select of a primary: case, events, event, job, request and so on."""


def nested(levels: int) -> list[Any]:
    inner: list[Any] = []
    for _ in range(levels - 1):
        inner = [inner]
    return inner


def negated(times: int) -> dict[str, Any]:
    """A select of so many levels and one; each takes two levels of JSON."""
    select: dict[str, Any] = {"number": 1000}
    for _ in range(times):
        select = {"op": "!", "args": [select]}
    return select


def deep_case(times: int) -> dict[str, Any]:
    return case(cluster(host("A", 1)), submit("j", primary(1, select=negated(times))), RUN)


def test_bound_is_exact() -> None:
    assert not is_too_deep(nested(DEEPEST))
    assert is_too_deep(nested(DEEPEST + 1))
    assert not is_too_deep(1)


def test_what_holds_itself_is_too_deep() -> None:
    endless: list[Any] = []
    endless += [endless, endless]
    assert is_too_deep(endless)


MOST_NEGATIONS = (DEEPEST - AROUND_A_SELECT) // 2


def served(*cases: dict[str, Any]) -> list[dict[str, Any]]:
    """What the model replies when it is served; of a case that Python cannot write, too."""
    said: list[bytes] = []
    around = '{"cmd": "run", "id": "%s", "case": %s}'
    lines = ['{"cmd": "start", "version": 1}']
    lines += [around % (number, in_json(one)) for number, one in enumerate(cases)]
    serve(ModelAdapter(), (line.encode() for line in lines), said.append)
    return [json.loads(line) for line in said[1:]]


def in_json(deep: dict[str, Any]) -> str:
    """The text of a case, of any depth: its select is written without recursion."""
    [submission, *_rest] = deep["events"]
    [[asked]] = submission["job"]["request"]
    select, times = asked["select"], 0
    while "op" in select:
        select, times = select["args"][0], times + 1
    asked["select"] = "here"
    text = json.dumps(deep)
    written = '{"op": "!", "args": [' * times + json.dumps(select) + "]}" * times
    return text.replace('"here"', written)


@pytest.mark.parametrize("adapter", [ModelAdapter, partial(load_adapter, DEFAULT_ADAPTER)])
def test_deepest_case_is_treated_and_a_deeper_one_is_none(adapter: Callable[[], Adapter]) -> None:
    deepest, asked = deep_case(MOST_NEGATIONS), adapter()
    asked.start()
    assert not is_too_deep(deepest)
    assert is_too_deep(deep_case(MOST_NEGATIONS + 1))
    books = {**case(cluster(host("A", 1)), submit("j", primary(1)), RUN), "report": ["books"]}
    before = asked.run(books)[-1]["books"]
    for times in (MOST_NEGATIONS + 1, 400, 5000):
        deeper = {"events": [submit("k", primary(1)), *deep_case(times)["events"]]}
        with pytest.raises(Exception, match=r"^not a case: .*nested more than 500 levels deep"):
            asked.run(deeper)
    assert [before] == [asked.run({"events": [RUN], "report": ["books"]})[0]["books"]]
    assert {"answer": "refused", "code": "syntax"} == asked.run(deepest)[0]


def test_deepest_case_is_treated_over_pipes_too() -> None:
    told = served(*map(deep_case, (MOST_NEGATIONS, MOST_NEGATIONS + 1, 450, 5000, 100_000, 1)))
    assert {"answer": "refused", "code": "syntax"} == told[0]["answers"][0]
    assert ["the case is nested more than 500 levels deep"] * 4 == [
        one["error"] for one in told[1:5]
    ]
    assert ["0", "1", "2", "3", "4", "5"] == [one["id"] for one in told]
    assert 2 == len(told[5]["answers"])


def test_a_reply_of_as_many_levels_around_the_answers_is_read() -> None:
    reply = b'{"id": "1", "answers": ' + b"[" * DEEPEST + b"]" * DEEPEST + b"}"
    assert nested(DEEPEST) == read_reply(reply).answers
    with pytest.raises(ProtocolBroken, match="nested more than 500 levels deep"):
        read_reply(reply.replace(b"[]", b"[[]]"))


@pytest.mark.parametrize("times", [MOST_NEGATIONS + 1, 450])
@pytest.mark.parametrize(
    "words",
    [
        ["verify", "--case", "case.json"],
        ["check", "--case", "case.json", "--", "true"],
        ["explain", "case.json"],
    ],
    ids=lambda words: words[0],
)
def test_case_that_is_too_deep_exits_2(
    words: list[str],
    times: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("case.json").write_text(json.dumps(deep_case(times)), encoding="utf-8")
    assert 2 == main(words)
    assert "case.json is nested more than 500 levels deep" in capsys.readouterr().err


def test_text_that_python_cannot_read_exits_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("case.json").write_text("[" * 100_000 + "]" * 100_000, encoding="utf-8")
    assert 2 == main(["verify", "--case", "case.json"])
    assert "case.json is nested more than 500 levels deep" in capsys.readouterr().err


@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
def test_deep_answer_of_this_process_is_malformed(levels: int) -> None:
    for given in received([nested(levels), nested(levels)], 2):
        assert isinstance(given, NoAnswer)
        assert (Kind.MALFORMED, "nested more than 500 levels deep") == (given.kind, given.words)
    assert isinstance(kept(nested(levels)), NoAnswer)
