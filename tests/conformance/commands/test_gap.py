"""`allotment gap` at the command line."""

import json
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.workload import gap
from conformance.workload.logs import line, write_log

MODEL = "allotment_conformance.wire.model_adapter:ModelAdapter"
WORDS = ["gap", "5x3", "sample", "--slots", "5"]


def test_both_measures_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == main(WORDS)
    printed = capsys.readouterr()
    assert "sample on 5 hosts, allotment-indexed" in printed.out
    assert "would have fitted once" in printed.out
    assert "first lost to greed: {1}+{4} on hosts of 2, 3 slots" in printed.out
    assert "" == printed.err


def test_model_and_allocator_give_the_same_figures(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "gap.json"
    figures = []
    for options in ([], ["--adapter", MODEL]):
        assert 0 == main([*WORDS, *options, "--json", str(file)])
        figures.append(json.loads(file.read_text()) | {"allocator": ""})
    assert figures[0] == figures[1]
    assert {"host_slots": [2, 3], "part_tasks": [1, 4]} == (
        figures[0]["compounds"]["first_lost_to_greed"]
    )
    assert 0 < figures[0]["splits"]["jobs_that_would_fit"] < figures[0]["splits"]["jobs_pended"]


def test_what_the_log_did_not_give_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    log, figures = write_log(tmp_path, [line(number=1), "no job"]), tmp_path / "gap.json"
    assert 0 == main(["gap", "3x2", log, "--slots", "2", "--json", str(figures)])
    reason = "line with a wrong number of fields"
    assert f"Jobs skipped\n  {reason}" in capsys.readouterr().out
    assert {reason: 1} == json.loads(figures.read_text())["jobs_skipped"]


def test_tables_are_taken(capsys: pytest.CaptureFixture[str]) -> None:
    examples = Path(__file__).parents[3] / "docs" / "examples"
    words = [str(examples / "nodes.csv"), str(examples / "pods.csv"), "--copies", "3"]
    assert 0 == main(["gap", *words, "--select-every", "2", "--slots", "2"])
    assert "120 of several tasks" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["gap", "five", "sample"], "'five'"),
        (["gap", "5x3", "absent.swf"], "absent.swf"),
        (["gap", "5x3"], "WORKLOAD"),
        ([*WORDS[:3], "--slots", "99"], "--slots"),
        ([*WORDS, "--json", "/proc/gap.json"], "/proc/gap.json"),
    ],
)
def test_bad_input_is_explained(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 2 == main(words)
    printed = capsys.readouterr()
    assert said in printed.err
    assert "" == printed.out


def test_failing_allocator_ends_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ModelAdapter, "run", lambda self, case: None)
    assert 1 == main([*WORDS, "--adapter", MODEL])
    assert "The allocator failed" in capsys.readouterr().out


def test_interrupt_leaves_what_there_is(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(slots: int, watch: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(gap, "compound_gap", interrupted)
    assert 130 == main(WORDS)
    assert "Interrupted" in capsys.readouterr().out
