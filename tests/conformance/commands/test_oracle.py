"""`allotment oracle`: the specification answers over the protocol, and says why if it is asked."""

import io
import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from allotment_conformance.cli import main
from allotment_conformance.engines.notation import BEGIN, RUN, case, cluster, host, primary, submit
from allotment_conformance.wire.messages import Json

FIRST = case(cluster(host("A", 2)), submit("j", primary(3)), submit("k", primary(1)), RUN)
SHORT_OF = ("resource", "host", "more")
LATER = {"events": [BEGIN, submit("l", primary(1)), RUN]}


def replies(monkeypatch: pytest.MonkeyPatch, sent: list[Json], *words: str) -> list[Any]:
    """What the oracle says to these cases."""
    requests = [
        {"cmd": "start", "version": 1},
        *({"cmd": "run", "id": str(number), "case": one} for number, one in enumerate(sent)),
        {"cmd": "stop"},
    ]
    lines = "".join(json.dumps(one) + "\n" for one in requests).encode()
    said = io.BytesIO()
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(lines)))
    monkeypatch.setattr(sys, "stdout", SimpleNamespace(buffer=said, flush=said.flush))
    assert 0 == main(["oracle", *words])
    return [json.loads(line) for line in said.getvalue().splitlines()[1:]]


def test_answers_alone_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    [reply] = replies(monkeypatch, [FIRST])
    assert {"id", "answers"} == reply.keys()


def test_reasons_stand_beside_the_same_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = replies(monkeypatch, [FIRST, LATER])
    first, later = replies(monkeypatch, [FIRST, LATER], "--explain")
    assert [one["answers"] for one in plain] == [first["answers"], later["answers"]]
    j, k = first["jobs"]
    assert ("j", "pending", 3) == (j["job"], j["fate"], j["event"])
    remedy = j["parts"][0]["remedy"]
    assert ("slots", "A", 1) == tuple(remedy[key] for key in SHORT_OF)
    assert ("k", "dispatched", []) == (k["job"], k["fate"], k["parts"])


def test_case_without_cluster_is_explained_where_it_goes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _first, later = replies(monkeypatch, [FIRST, LATER], "--explain")
    assert [("l", "dispatched", 6), ("j", "pending", 6)] == [
        (one["job"], one["fate"], one["event"]) for one in later["jobs"]
    ]


def test_case_that_cannot_be_treated_is_not_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    [reply] = replies(monkeypatch, [{"cluster": 1}], "--explain")
    assert {"id", "error"} == reply.keys()


@pytest.mark.parametrize("features", ["rusage,rusage", "shared", "preemption"])
def test_features_that_are_no_legal_profile_are_refused(
    features: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(["oracle", "--features", features])
    assert "profile" in capsys.readouterr().err
