"""A run as JUnit XML, as CI servers read it: a suite for each family of clauses, one for the run.

The suite `run` has the test `verdict`, which passes exactly if the exit status is 0, so that the
file is red where the run is. A clause that is not claimed or not checked is skipped.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from allotment_conformance.exit_status import Exit
from allotment_conformance.report.stream import (
    WITHOUT_CANARY,
    ClauseRow,
    ClauseVerdict,
    Found,
    ItemRow,
    SliceRow,
)
from allotment_conformance.report.summary import Summary
from allotment_conformance.report.terminal import failure_lines, lines, where_kept
from allotment_conformance.report.visible import visible

Became = Literal["passed", "failure", "error", "skipped"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Test:
    """A test case: what became of it, in a line and in full; nothing if it passed."""

    suite: str
    name: str
    became: Became = "passed"
    message: str = ""
    told: str = ""


def junit(summary: Summary) -> str:
    """The XML document."""
    tests = [
        *_of_run(summary),
        *(_of_clause(row, summary) for row in summary.table()),
        *map(_of_slice, summary.slices.values()),
        *(_of_item(one, summary.asked.command) for one in summary.items.values()),
    ]
    last = summary.ended or summary.counted
    seconds = 0.0 if last is None else last.seconds
    root = Element("testsuites", name=f"allotment {summary.asked.command}")
    for place, (suite, members) in enumerate(groupby(tests, key=lambda one: one.suite)):
        child = _suite(suite, list(members), 0.0 if place else seconds)
        child.set("timestamp", visible(summary.asked.at.removesuffix("Z")))
        root.append(child)
    _count(root, tests, seconds)
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _of_run(summary: Summary) -> Iterator[Test]:
    """How the run went as a whole."""
    status, words = summary.exit_status, list(map(_found, summary.found))
    if status == Exit.HOLDS:
        yield Test(suite="run", name="verdict", told="\n".join(lines(summary)))
    else:
        yield Test(
            suite="run",
            name="verdict",
            became="failure" if status == Exit.DISAGREEMENT else "error",
            message=summary.verdict,
            told="\n\n".join([*words, "\n".join(lines(summary))]),
        )
    yield _of_program(summary)
    if summary.asked.command not in WITHOUT_CANARY:
        yield _of_canary(summary)


def _found(one: Found) -> str:
    """A counterexample in words, and where it is kept."""
    return f"{one.words}\n{where_kept(one)}"


def _of_program(summary: Summary) -> Test:
    """Whether the allocator answered whatever it was asked."""
    failed = summary.unanswered + summary.program_failures
    return Test(
        suite="run",
        name="program",
        became="error" if failed else "passed",
        message=f"{failed[0].outcome}: {failed[0].words}" if failed else "",
        told="\n".join(line for one in failed for line in failure_lines(one)),
    )


def _of_canary(summary: Summary) -> Test:
    """Whether the kit itself is in order."""
    canary = summary.canary
    if canary is None:
        message = "the run did not come so far"
        return Test(suite="run", name="canary", became="skipped", message=message)
    if not canary.alive:
        return Test(suite="run", name="canary", became="error", message=canary.words)
    return Test(suite="run", name="canary", told=canary.words)


def _of_clause(row: ClauseRow, summary: Summary) -> Test:
    """What is known of one clause."""
    suite, name = row.id.rpartition("-")[0], f"{row.id} {row.title}"
    message = f"{row.verdict}: {row.shown}"
    lacks = summary.ended is not None and row.id in summary.ended.not_exercised
    match row.verdict:
        case ClauseVerdict.HOLDS:
            return Test(suite=suite, name=name, told=message)
        case ClauseVerdict.BROKEN if summary.exit_status == Exit.HOLDS:
            message = f"{message}; the level that was asked for allows it"
            return Test(suite=suite, name=name, became="skipped", message=message)
        case ClauseVerdict.BROKEN:
            told = [_found(one) for one in summary.found if row.id in one.clauses]
            return Test(
                suite=suite, name=name, became="failure", message=message, told="\n\n".join(told)
            )
        case ClauseVerdict.NOT_EXERCISED if lacks and summary.exit_status != Exit.HOLDS:
            return Test(suite=suite, name=name, became="error", message=message)
        case _:
            return Test(suite=suite, name=name, became="skipped", message=message)


def _of_slice(row: SliceRow) -> Test:
    """What is known of one slice of the small world."""
    told = ", ".join(f"{count:,} {name}" for name, count in row.counts.items())
    if not row.finished:
        return Test(
            suite="slices", name=row.name, became="skipped", message=f"not finished: {told}"
        )
    if not row.as_recounted:
        message = f"not all cases of the bounds, which are {row.recounted:,}: {told}"
        return Test(suite="slices", name=row.name, became="error", message=message)
    return Test(suite="slices", name=row.name, told=told)


def _of_item(row: ItemRow, suite: str) -> Test:
    """What is known of a thing that was looked at by itself."""
    became: Became = "passed" if row.holds else "failure"
    return Test(suite=suite, name=row.name, became=became, message=row.words, told=row.words)


def _suite(name: str, tests: Sequence[Test], seconds: float) -> Element:
    suite = Element("testsuite", name=visible(name))
    _count(suite, tests, seconds)
    suite.set("skipped", str(sum(one.became == "skipped" for one in tests)))
    for one in tests:
        case = SubElement(suite, "testcase", classname=visible(f"allotment.{name}"))
        case.set("name", visible(one.name))
        case.set("time", "0.000")
        if one.became != "passed":
            told = SubElement(case, one.became, message=visible(one.message))
            if one.became != "skipped":
                told.set("type", one.became)
            told.text = visible(one.told) or None
        elif one.told:
            SubElement(case, "system-out").text = visible(one.told)
    return suite


def _count(element: Element, tests: Sequence[Test], seconds: float) -> None:
    became = [one.became for one in tests]
    element.set("tests", str(len(tests)))
    element.set("failures", str(became.count("failure")))
    element.set("errors", str(became.count("error")))
    element.set("time", f"{seconds:.3f}")
