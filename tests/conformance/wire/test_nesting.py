"""The bound on how deeply messages are nested, at every door."""

import json
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.cli import main
from allotment_conformance.engines.notation import RUN, case, cluster, host, primary, submit
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.verdict.received import NoAnswer, kept, received
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


DEEPEST_SELECT = (DEEPEST - AROUND_A_SELECT) // 2


def test_deepest_case_is_treated() -> None:
    deepest = deep_case(DEEPEST_SELECT)
    assert not is_too_deep(deepest)
    assert is_too_deep(deep_case(DEEPEST_SELECT + 1))
    assert {"answer": "refused", "code": "syntax"} == ModelAdapter().run(deepest)[0]


@pytest.mark.parametrize("times", [DEEPEST_SELECT + 1, 450])
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


def test_served_case_that_is_too_deep_is_an_error() -> None:
    said: list[bytes] = []
    requests = [
        {"cmd": "start", "version": 1},
        {"cmd": "run", "id": "1", "case": deep_case(450)},
        {"cmd": "run", "id": "2", "case": deep_case(1)},
    ]
    serve(ModelAdapter(), (json.dumps(one).encode() for one in requests), said.append)
    replies = [json.loads(line) for line in said]
    assert "the case is nested more than 500 levels deep" == replies[1]["error"]
    assert 2 == len(replies[2]["answers"])


@pytest.mark.parametrize("levels", [DEEPEST + 1, 100_000])
def test_deep_answer_of_this_process_is_malformed(levels: int) -> None:
    for given in received([nested(levels), nested(levels)], 2):
        assert isinstance(given, NoAnswer)
        assert (Kind.MALFORMED, "nested more than 500 levels deep") == (given.kind, given.words)
    assert isinstance(kept(nested(levels)), NoAnswer)
