"""``allotment resreq``: what it prints, and its exit status."""

import json
from pathlib import Path

import pytest

from allotment_impl.commands.resreq import command
from allotment_impl.wire import read_case

CLUSTER = """\
hosts = []
[resources]
host = ["mem"]
attributes = { os = "text", zone = "text" }
"""


def test_a_text_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    text = "{2*{os==linux rusage[mem=2G:duration=3]}+1*{-}}@4 || {span[stripe=2]order[ut]}"
    assert 0 == command(text)
    assert (
        """\
text: {2*{select[os == linux] rusage[mem=2048:duration=3]} + 1*{-}}@4 || {span[stripe=2] order[ut]}
tree:
  alternative 1, delayed by 4
    2 tasks
      select: os == linux
      rusage: mem=2048:duration=3
    1 task
  alternative 2
    the tasks of the job
      span: stripe=2
      order: ut
allocation uses:
  alternative 1: 2 tasks, on hosts with os == 'linux', 2048 of mem and 1 task
  alternative 2: the job's tasks, at most 2 on each host
kept, not used:
  @4
  duration=3 of mem
  order[ut]
warnings:
  a delay is not waited for: the alternative counts from the first session
  mem: held as long as the job runs, whatever duration and decay say
"""
        == capsys.readouterr().out
    )


def test_nothing_kept_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert 0 == command("{-}")
    assert capsys.readouterr().out.endswith("kept, not used: none\nwarnings: none\n")


def test_json_holds_a_request_that_a_case_takes(capsys: pytest.CaptureFixture[str]) -> None:
    text = "2*{!defined(os) || -1 < 'ä' rusage[mem=1/host] span[ptile=1]} + 1*{order[ut]}"
    assert 0 == command(text, json=True)
    told = json.loads(capsys.readouterr().out)
    assert {"text", "tree", "request", "used", "kept", "warnings"} == set(told)
    assert [["order[ut]"], []] == [told["kept"], told["warnings"]]
    job = {"name": "j", "user": "u", "queue": "q", "project": "p", "request": told["request"]}
    read_case({"events": [{"event": "submit", "job": job}]})
    assert {"tasks": {"min": 1, "max": 1}} == told["request"][0][1]
    assert {"ptile": 1} == told["request"][0][0]["span"]


def test_cluster_file_judges_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER)
    assert 0 == command("os == zone && gpu", cluster=path)
    out = capsys.readouterr().out
    assert "on hosts with os == zone && gpu" in out
    assert "gpu is not declared" in out


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("big &", "line 1, column 5: a single '&'; expected '&&' (write && for and)"),
        ("type==local", "line 1, column 1: type==local asks where the job comes from"),
        ("a\0", "control character U+0000"),
        ("a == '\udcff'", "half a character"),
        ("(" * 1000, "more than 100 brackets are open"),
    ],
)
def test_faulty_text_is_told(text: str, error: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == command(text)
    printed = capsys.readouterr()
    assert ("", True) == (printed.out, error in printed.err)
    assert printed.err.encode()


def test_the_place_is_marked(capsys: pytest.CaptureFixture[str]) -> None:
    command("big\n  order[]")
    assert capsys.readouterr().err.endswith("\n    order[]\n    ^\n")


def test_faulty_text_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == command("span[ptile=0]", json=True)
    error = json.loads(capsys.readouterr().out)["error"]
    assert ("SpanOfZero", "span-range", 1, 12) == (
        error["reason"],
        error["code"],
        error["line"],
        error["column"],
    )


def test_faulty_cluster_file_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == command("big", cluster=tmp_path / "none.toml", json=True)
    assert "none.toml: cannot be read" in capsys.readouterr().err
