"""``allotment resreq``: what it prints, and its exit status."""

import json
import re
import shlex
from pathlib import Path

import pytest

from allotment_impl import Counts, Job, Refused, Scheduler, load_cluster
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
    assert {"text", "tree", "request", "used", "kept", "warnings", "refusal"} == set(told)
    assert told["refusal"] is None
    assert [["order[ut]"], []] == [told["kept"], told["warnings"]]
    job = {"name": "j", "user": "u", "queue": "q", "project": "p", "request": told["request"]}
    read_case({"events": [{"event": "submit", "job": job}]})
    assert {"tasks": {"min": 1, "max": 1}} == told["request"][0][1]
    assert {"ptile": 1} == told["request"][0][0]["span"]


def test_cluster_file_judges_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER)
    assert 0 == command("os == zone", cluster=path)
    assert 2 == command("os == zone && gpu", cluster=path)
    out = capsys.readouterr().out
    assert "on hosts with os == zone && gpu" in out
    assert "gpu is not declared" in out


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("rusage[lic=1]", "unknown-resource"),
        ("rusage[slots=1]", "slots-in-rusage"),
        ("rusage[mem=1/job]", "per-job-on-host"),
        ("select[os==5]", "type"),
        ("select[os]", "type"),
        ("select['a']", "type"),
        ("select[mem>4]", "not-an-attribute"),
        ("select[gpu]", "unknown-resource"),
        ("2*{-} + {rusage[mem=1]}", "counts"),
        ("{2*{-} + 1*{-}} || {2*{-}}", "counts"),
        ("99999999999999999*{-}", "tasks-range"),
        ("span[ptile=3000000000]", "span-range"),
        ("1000000*{rusage[mem=9007199254740]}", "amount-range"),
    ],
)
def test_request_that_the_cluster_refuses(
    text: str, code: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER)
    assert 2 == command(text, cluster=path)
    printed = capsys.readouterr()
    assert f"cluster.toml: a scheduler refuses the request: {code}: " in printed.err
    assert printed.out.startswith("text: ")
    assert 2 == command(text, cluster=path, json=True)
    assert code == json.loads(capsys.readouterr().out)["refusal"]["code"]
    job = Job(name="j", user="u", queue="q", project="p", request=text, tasks=tasks_of(text))
    with pytest.raises(Refused) as refused:
        Scheduler(load_cluster(path)).submit(job)
    assert code == refused.value.code.value


def tasks_of(text: str) -> Counts | None:
    """The counts of a job whose text gives none."""
    return None if "*" in text else Counts(min=1, max=1)


@pytest.mark.parametrize("text", ["{2*{-} + 1*{-}} || {os==a}", "{-}", "{os==a} || {2*{-}}"])
def test_counts_are_taken_from_the_text(text: str, tmp_path: Path) -> None:
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER)
    assert 0 == command(text, cluster=path)


@pytest.mark.parametrize(
    ("text", "warning"),
    [
        ("select[mem>4] rusage[mem=4]", "select reads mem as an attribute and rusage asks for it"),
        ("1*{defined(mem)} + 1*{rusage[mem=4]}", "no cluster declares a name as both"),
        ("select[slots > 2]", "select reads slots"),
        ("rusage[slots=1]", "rusage asks for slots"),
    ],
)
def test_what_no_cluster_accepts_is_warned_of(
    text: str, warning: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert 0 == command(text)
    assert warning in capsys.readouterr().out


def test_example_of_the_help_is_accepted_somewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.__doc__ is not None
    [call] = re.findall(r"Example: allotment resreq (.*)", command.__doc__)
    [text] = shlex.split(call)
    assert 0 == command(text)
    assert capsys.readouterr().out.endswith("warnings: none\n")
    path = tmp_path / "cluster.toml"
    path.write_text(CLUSTER.replace('zone = "text"', 'speed = "number"'))
    assert 0 == command(text, cluster=path)


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
