"""`allotment explain`: why a job waits, in words and in JSON."""

import io
import json
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.engines.notation import (
    BEGIN,
    RUN,
    case,
    cluster,
    finish,
    host,
    limit,
    primary,
    submit,
    uses,
    withdraw,
)
from allotment_conformance.report.explanation import lines
from allotment_conformance.verdict.why import UnknownJob, explain_case
from allotment_conformance.wire.messages import Json

SHORT = case(
    cluster(host("A", 2, mem=1000), host("B", 1), host("C", 9, closed=True), amounts=["mem"]),
    submit("j", primary(2, uses("mem", 1000, "task"))),
    RUN,
)


def told(given: Json, job: str | None = None) -> list[str]:
    """All that is said."""
    return [line for one in explain_case(given, job) for line in lines(one)]


def test_plans_hosts_and_remedy_are_told() -> None:
    assert [
        "job j is pending: capacity, never placeable (event 2)",
        "  alternative 1 of 1, 2 tasks, mem 1 per task: fails by capacity",
        "    plan [2]: bucket 1 (2 tasks) finds no host",
        "      host A: mem: 2 asked, 1 free",
        "      host B: slots: 2 asked, 1 free; mem: 2 asked, 0 free",
        "      host C: closed",
        "    plan [1, 1]: bucket 2 (1 task) finds no host",
        "      host A: holds an earlier bucket of this plan",
        "      host B: mem: 1 asked, 0 free",
        "      host C: closed",
        "    It would be placed with 1 more of mem on host A.",
    ] == told(SHORT)


def test_pools_and_limits_are_told() -> None:
    given = case(
        cluster(
            host("A", 3),
            shared=["lic"],
            pools={"lic": 1000},
            limits=[limit("user", None, "cluster", "slots", 1)],
        ),
        submit("j", 2, primary(2, uses("lic", 2000))),
        submit("k", primary(1, uses("lic", 2000))),
        RUN,
    )
    printed = "\n".join(told(given))
    assert "alternative 2 of 2, 2 tasks, lic 2: fails by shared\n    " in printed
    assert "pool lic: 2 asked, 1 free" in printed
    assert "It would be placed with 1 more of lic in the pool." in printed
    holder = "limit of each user: slots over all hosts, held by u"
    assert f"host A: {holder}: 2 asked, 1 free" in printed
    assert f"It would be placed with 1 more under the {holder}." in printed


def test_remedy_of_a_part_is_told_of_the_part() -> None:
    given = case(cluster(host("A", 2)), submit("j", [1, 2]), RUN)
    beside = "With the parts before it where they are, this part"
    assert "fails by capacity, beside the parts before it" in told(given)[1]
    assert f"    {beside} would be placed with 1 more of slots on host A." == told(given)[-1]
    first = case(cluster(host("A", 1)), submit("j", [2, 1]), RUN)
    assert "    This part would be placed with 1 more of slots on host A." == told(first)[-1]


def test_job_is_explained_at_its_last_try() -> None:
    given = case(cluster(host("A", 2)), submit("j", 1), submit("k", 2), submit("l", 1), RUN)
    assert "host A: slots: 2 asked, 1 free" in "\n".join(told(given, "k"))
    later = {**given, "events": [*given["events"], finish("j"), finish("l"), BEGIN, RUN]}
    assert ["job k is dispatched: 2 slots on A (event 8)"] == told(later, "k")


@pytest.mark.parametrize(
    ("events", "line"),
    [
        ([submit("j", 1)], "job j is pending and was not tried; if it were tried now:"),
        ([submit("j", 1), withdraw("j")], "job j is withdrawn"),
        ([submit("j", 0)], "job j was refused at event 1: tasks-range"),
        ([submit("j", 0), submit("j", 1), RUN], "job j is dispatched: 1 slot on A (event 3)"),
    ],
)
def test_every_fate_is_told(events: list[Json], line: str) -> None:
    assert line == told(case(cluster(host("A", 1)), *events))[0]


def test_job_that_the_literal_cache_turns_away_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "case.json"
    given = case(cluster(host("A", 1)), submit("j", [1, 1]), submit("k", 1), RUN)
    file.write_text(json.dumps(given))
    assert 0 == main(["explain", str(file), "--job", "k", "--cache", "literal"])
    assert "only the cache turns it away (E10)" in capsys.readouterr().out


def test_json_tells_the_same(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(SHORT)))
    assert 0 == main(["explain", "-", "--json"])
    [job] = json.loads(capsys.readouterr().out)["jobs"]
    assert ("j", "pending", 2) == (job["job"], job["fate"], job["event"])
    [part] = job["parts"]
    assert [[2], [1, 1]] == [plan["plan"] for plan in part["plans"]]
    assert {
        "resource": "mem",
        "host": "A",
        "limit": None,
        "holder": None,
        "more": 1000,
    } == part["remedy"]


def test_long_searches_are_cut_short() -> None:
    hosts = [host(f"h{number}", 1) for number in range(12)]
    printed = "\n".join(told(case(cluster(*hosts), submit("j", 13), RUN)))
    assert "and 6 more plans, which fail likewise" in printed
    assert "and 4 more hosts" in printed


def test_order_that_leaves_the_answer_open_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(SHORT)))
    assert 2 == main(["explain", "-", "--host-order", "unspecified"])
    assert "any host that fits is right" in capsys.readouterr().err


def test_hit_is_explained_as_what_it_repeats() -> None:
    given = case(cluster(host("A", 1)), submit("j", 2), submit("k", 2), RUN)
    assert (
        "job k is pending: capacity, never placeable, known from the cache (event 3)"
        == (told(given, "k")[0])
    )
    assert (
        "  The reason is that of an equal part that failed before. Searched again now:"
        == (told(given, "k")[1])
    )


def test_case_without_jobs_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(json.dumps(case(cluster(host("A", 1)), RUN))))
    assert 0 == main(["explain", "-"])
    assert "The case submits no job.\n" == capsys.readouterr().out


def test_unknown_job_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UnknownJob):
        explain_case(SHORT, "k")
    assert 2 == main(["explain", str(tmp_path / "nothing.json")])


def test_half_of_a_character_is_written_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps(case(cluster(), submit("\ud800", 1), RUN)), encoding="utf-8")
    assert 0 == main(["explain", str(path)])
    assert "job \\ud800 is pending: select" in capsys.readouterr().out
    assert 0 == main(["explain", str(path), "--json"])
    [told] = json.loads(capsys.readouterr().out)["jobs"]
    assert "\ud800" == told["job"]


@pytest.mark.parametrize("text", ["2*{-}", "{2*{-}} || {2*{rusage[mem=1/host]}}"])
def test_text_is_explained_by_the_tree_that_resreq_prints(
    tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "case.json"
    shown = cluster(host("A", 1, mem=1000), amounts=["mem"])
    asked = case(shown, submit("j", 1), RUN)
    asked["events"][0]["job"] |= {"request": text, "tasks": {"min": 2, "max": 2}}
    file.write_text(json.dumps(asked), encoding="utf-8")
    assert 2 == main(["explain", str(file)])
    assert "give `request` of what `allotment resreq --json` prints" in capsys.readouterr().err
    assert 0 == main(["resreq", "--json", text])
    asked["events"][0]["job"]["request"] = json.loads(capsys.readouterr().out)["request"]
    file.write_text(json.dumps(asked), encoding="utf-8")
    assert 0 == main(["explain", str(file)])
    assert "job j is pending: capacity" in capsys.readouterr().out
