"""Markdown and JUnit XML of runs that went in every way that there is."""

import re
from io import BytesIO
from xml.etree import ElementTree

import msgspec
import pytest

from allotment_conformance.report.clauses import rows
from allotment_conformance.report.junit import junit
from allotment_conformance.report.markdown import MOST_CHARACTERS, markdown
from allotment_conformance.report.stream import ClauseVerdict, Failed, Found
from allotment_conformance.report.summary import Summary, read
from allotment_conformance.report.terminal import lines
from allotment_conformance.wire.profiles import MODEL_PROFILE
from conformance.report.streams import (
    COUNTED,
    FOUND,
    ODD_WORDS,
    STARTED,
    STREAMS,
    run,
    summary_of,
    text_of,
)

COUNTS = {"name", "tests", "failures", "errors", "time"}
ATTRIBUTES = {
    "testsuites": COUNTS,
    "testsuite": COUNTS | {"skipped", "timestamp"},
    "testcase": {"name", "classname", "time"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message"},
    "system-out": set[str](),
}
"""Those that the schemas of Ant, Jenkins and pytest have in common."""

INSIDE = {
    "testsuites": {"testsuite"},
    "testsuite": {"testcase"},
    "testcase": {"failure", "error", "skipped", "system-out"},
}


def check_shape(element: ElementTree.Element) -> None:
    """Fail if an element has another attribute or child than JUnit knows."""
    assert ATTRIBUTES[element.tag] == set(element.keys())
    for child in element:
        assert child.tag in INSIDE[element.tag]
        check_shape(child)
    if element.tag in ("testsuites", "testsuite"):
        assert re.fullmatch(r"\d+\.\d{3}", element.get("time", ""))
        assert len(element.findall(".//testcase")) == int(element.get("tests", ""))
        assert len(element.findall(".//failure")) == int(element.get("failures", ""))
        assert len(element.findall(".//error")) == int(element.get("errors", ""))
    if element.tag == "testsuite":
        assert len(element.findall("testcase/skipped")) == int(element.get("skipped", ""))
        assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", element.get("timestamp", ""))
    if element.tag == "testcase":
        assert 1 >= len(element)


@pytest.mark.parametrize("name", STREAMS)
def test_junit_has_the_common_shape_and_is_red_where_the_run_is(name: str) -> None:
    seen = summary_of(name)
    root = ElementTree.fromstring(junit(seen))
    check_shape(root)
    red = int(root.get("failures", "")) + int(root.get("errors", ""))
    assert (seen.exit_status != 0) is (red > 0)
    [verdict] = root.findall("testsuite[@name='run']/testcase[@name='verdict']")
    assert (seen.exit_status != 0) is (verdict.find("system-out") is None)


def became(root: ElementTree.Element, name: str) -> str:
    """What became of a clause's test."""
    [test] = [one for one in root.iter("testcase") if one.get("name", "").split()[0] == name]
    [child] = test
    return child.tag


def test_junit_has_a_test_for_each_clause_in_a_suite_for_its_family() -> None:
    root = ElementTree.fromstring(junit(summary_of("wrong")))
    suites = [suite.get("name") for suite in root]
    assert ["run", "PLAN", "HOST", "WANT"] == suites[:4]
    assert len(set(suites)) == len(suites)
    assert "failure" == became(root, "WANT-4")
    assert "system-out" == became(root, "PLAN-1")
    assert "skipped" == became(root, "PLAN-11")
    assert "error" == became(root, "program")


def test_clause_that_no_case_exercised_is_red_where_that_leaves_the_run_incomplete() -> None:
    assert "error" == became(ElementTree.fromstring(junit(summary_of("not exercised"))), "PLAN-9")
    assert "skipped" == became(ElementTree.fromstring(junit(summary_of("holds"))), "PLAN-9")


def test_junit_writes_what_xml_cannot_hold_as_an_escape() -> None:
    text = junit(summary_of("wrong"))
    assert r"\x00\x1b[31m\x07 \ufffe" in text
    assert "\x1b" not in text
    assert "&lt;e&gt; &amp;" in text


def test_odd_clause_of_another_kit_is_shown_as_it_is() -> None:
    seen = summary_of("wrong")
    row = msgspec.structs.replace(seen.table()[0], id=f"{ODD_WORDS}-1", title=ODD_WORDS)
    seen.rows[row.id] = row
    check_shape(ElementTree.fromstring(junit(seen)))
    [line] = [one for one in markdown(seen).splitlines() if one.startswith("| a")]
    assert 5 == len(re.findall(r"(?<!\\)\|", line)), line


@pytest.mark.parametrize("name", STREAMS)
def test_markdown_begins_with_the_verdict(name: str) -> None:
    seen = summary_of(name)
    heading, empty, verdict = markdown(seen).splitlines()[:3]
    assert re.match("## allotment (check|exhaust): `", heading)
    assert ("", seen.verdict) == (empty, verdict)


def test_markdown_of_a_run_without_an_allocator_names_none() -> None:
    seen = Summary()
    seen.add(msgspec.structs.replace(STARTED, command="zoo", adapter=""))
    assert "## allotment zoo" == markdown(seen).splitlines()[0]


def test_slices_are_rows_and_tests() -> None:
    seen = summary_of("world miscounted")
    assert ["splits", "pools"] == list(seen.slices)
    root = ElementTree.fromstring(junit(seen))
    suite = root.find("testsuite[@name='slices']")
    assert suite is not None
    assert ("2", "1") == (suite.get("tests"), suite.get("errors"))
    assert "| pools | 12 | 2 | 0 | 10 | 20 | 30 | 9 |" in markdown(seen)
    assert "| splits | 12 | 2 | 0 | 10 | 20 | 30 | equal |" in markdown(seen)
    told = lines(seen)
    assert any("20 cases run, 40 sessions, 60 decisions that agree" in line for line in told)
    assert any("2 cases not judged to their end" in line for line in told)


def test_killed_exhaustion_tells_what_was_done() -> None:
    assert "20 cases so far that agree" in summary_of("world killed").verdict


def test_reports_say_how_to_run_the_same_again() -> None:
    seen = summary_of("holds")
    asked = "directed cases and 10 bulk cases of seed 1; kit 0.1.0, protocol 1, Python 3.11.7"
    for told in ("\n".join(lines(seen)), markdown(seen), junit(seen)):
        assert f"asked: {asked}" in told


@pytest.mark.parametrize(("cancelled", "said"), [(0, True), (1, False)])
def test_reports_say_if_no_run_that_asked_was_cancelled(cancelled: int, said: bool) -> None:
    counted = msgspec.structs.replace(COUNTED, cancelled=cancelled, cancels_asked=7)
    records = [counted if one is COUNTED else one for one in run(status=0, verdict="HOLDS")]
    seen = read(BytesIO(text_of(records)), "cancels")
    for told in ("\n".join(lines(seen)), markdown(seen)):
        assert said == ("was cancelled in 0 of 7 runs that asked" in told)


def test_markdown_holds_odd_words_as_they_are() -> None:
    text = markdown(summary_of("wrong"))
    assert "## allotment check: ```` ./adapter 'a|b `c` ```d``` <e> &" in text
    assert "\x1b" not in text
    assert "````text\nDisagreement at event 1\n  a|b `c` ```d``` <e> &" in text
    for line in text.splitlines():
        if line.startswith("| "):
            assert 5 == len(re.findall(r"(?<!\\)\|", line)), line


def test_every_report_says_where_a_counterexample_is_kept() -> None:
    seen = summary_of("wrong")
    for told in (markdown(seen), junit(seen)):
        assert "It is in counterexamples/0f3a62b1c9d4." in told
    seen.found[0] = msgspec.structs.replace(FOUND, place="")
    for told in (markdown(seen), junit(seen)):
        assert "It was not kept." in told


def wrong(number: int, signature: str) -> Failed:
    """A case that was answered wrongly."""
    return Failed(
        origin=f"bulk case {number} of seed 1",
        outcome=signature,
        words=f"the answers differ in: {signature}",
        answered=True,
        signature=signature,
        clause="WHY-1" if signature == "reason" else "",
    )


def test_failures_that_were_not_made_small_are_named_once_each() -> None:
    found = msgspec.structs.replace(FOUND, signature="books")
    failed = [wrong(1, "books"), wrong(2, "reason"), wrong(3, "reason"), wrong(4, "queue")]
    records = run(*failed, found, status=1, verdict="FAILS")
    seen = read(BytesIO(text_of(records)), "here")
    expected = [
        "also wrong, and not made small: reason, perhaps WHY-1; bulk case 2 of seed 1",
        "also wrong, and not made small: queue; bulk case 4 of seed 1",
    ]
    assert expected == [line for line in lines(seen) if line.startswith("also wrong")]
    told = [line for line in markdown(seen).splitlines() if line.startswith("- also wrong")]
    assert [f"- {one}" for one in expected] == told
    many = [wrong(number, f"kind {number}") for number in range(15)]
    seen = read(BytesIO(text_of(run(*many, status=1, verdict="FAILS"))), "here")
    assert 10 == sum(line.startswith("also wrong") for line in lines(seen))


def test_markdown_is_cut_to_what_a_step_summary_takes() -> None:
    long = msgspec.structs.replace(FOUND, words="x" * 10 * MOST_CHARACTERS)
    seen = Summary()
    for record in run(*[long] * 30, status=1, verdict="FAILS"):
        seen.add(record)
    assert len(markdown(seen).encode()) < 2**20


def tells(*clauses: str, perhaps: tuple[str, ...] = (), surmised: bool = False) -> Found:
    """A counterexample that tells of these clauses."""
    return msgspec.structs.replace(
        FOUND, clauses=list(clauses), perhaps=list(perhaps), surmised=surmised
    )


@pytest.mark.parametrize(
    ("found", "broken", "perhaps"),
    [
        ([tells("WANT-4")], ["WANT-4"], []),
        ([tells("WANT-4", surmised=True)], [], ["WANT-4"]),
        ([tells("WANT-4", "PLAN-1")], [], ["PLAN-1", "WANT-4"]),
        ([tells("WANT-4", perhaps=("LIMIT-2", "PLAN-1"))], [], ["PLAN-1", "WANT-4", "LIMIT-2"]),
        ([tells("WANT-4", "PLAN-1"), tells("WANT-4")], ["WANT-4"], ["PLAN-1"]),
        ([tells()], [], []),
    ],
)
def test_clause_is_broken_only_if_a_counterexample_tells_of_it_alone(
    found: list[Found], broken: list[str], perhaps: list[str]
) -> None:
    for finished in (True, False):
        verdicts = {
            row.id: row.verdict
            for row in rows(MODEL_PROFILE, COUNTED, found=found, finished=finished)
        }
        assert broken == [one for one, is_it in verdicts.items() if is_it is ClauseVerdict.BROKEN]
        assert perhaps == [one for one, is_it in verdicts.items() if is_it is ClauseVerdict.PERHAPS]


def test_junit_fails_no_clause_of_which_a_counterexample_is_not_sure() -> None:
    unsure = tells("WANT-4", perhaps=("PLAN-1",))
    for found, failing in ((unsure, ["verdict"]), (FOUND, ["WANT-4", "verdict"])):
        recorded = Summary()
        for record in run(found, status=1, verdict="FAILS at level permitted"):
            recorded.add(record)
        suites = ElementTree.fromstring(junit(recorded))
        assert failing == sorted(
            str(case.get("name")).split()[0]
            for case in suites.iter("testcase")
            if case.find("failure") is not None
        )
