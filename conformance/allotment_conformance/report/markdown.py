"""A run as Markdown, for the step summary of GitHub Actions and for merge requests."""

import re
from collections.abc import Iterator

from allotment_conformance.report.stream import ClauseRow, ClauseVerdict, SliceRow
from allotment_conformance.report.summary import Summary
from allotment_conformance.report.terminal import (
    SLICE_COLUMNS,
    failure_lines,
    figures,
    not_made_small,
    slice_cells,
    where_found,
    where_kept,
)
from allotment_conformance.report.visible import visible

MOST_CHARACTERS = 8_000
"""Of one counterexample or failure: GitHub shows a summary of at most 1 MiB, and each of the kept
ones fits into it."""

MARKS = {
    ClauseVerdict.HOLDS: "✅",
    ClauseVerdict.SO_FAR: "⏳",
    ClauseVerdict.PERHAPS: "❓",
    ClauseVerdict.BROKEN: "❌",
    ClauseVerdict.NOT_EXERCISED: "⚠️",
}
"""Verdicts that one looks for; the others stand without a mark."""


def markdown(summary: Summary) -> str:
    """The verdict, counterexamples, failures and figures, and the table folded away."""
    asked = summary.asked
    whom = f": {_inline(asked.adapter)}" if asked.adapter else ""
    lines = [f"## allotment {asked.command}{whom}", ""]
    lines += [_text(summary.verdict), ""]
    for found in summary.found:
        lines += [_text(where_found(found)), "", *_fenced(found.words), ""]
        lines += [_text(where_kept(found)), ""]
    lines += _failures(summary)
    told = [line for line in figures(summary) if line]
    lines += [f"- {_text(line)}" for line in told]
    if summary.canary is not None:
        lines.append(f"- canary: {_text(summary.canary.words)}")
    lines += _table(summary.table())
    lines += _slices(list(summary.slices.values()))
    return "\n".join(lines).rstrip() + "\n"


def _failures(summary: Summary) -> Iterator[str]:
    """Where a program failed, and which cases were answered wrongly."""
    failed = summary.unanswered + summary.program_failures
    told = [line for one in failed for line in failure_lines(one)]
    if told:
        yield from (*_fenced("\n".join(told)), "")
    wrong = [f"{one.origin}: {one.words}" for one in summary.failures if one.answered]
    wrong += not_made_small(summary)
    yield from (f"- {_text(told)}" for told in wrong)
    if wrong:
        yield ""


def _table(rows: list[ClauseRow]) -> Iterator[str]:
    if not rows:
        return
    yield from ("", "<details><summary>Clause by clause</summary>", "")
    yield "| clause | | shown | verdict |"
    yield "|---|---|---|---|"
    for row in rows:
        verdict = f"{MARKS.get(row.verdict, '')} {row.verdict}".strip()
        yield f"| {_text(row.id)} | {_text(row.title)} | {_text(row.shown)} | {verdict} |"
    yield from ("", "</details>")


def _slices(slices: list[SliceRow]) -> Iterator[str]:
    if not slices:
        return
    yield from ("", "<details><summary>Slice by slice</summary>", "")
    yield f"| slice | {' | '.join(SLICE_COLUMNS)} | recounted |"
    yield f"|---|{'---:|' * (len(SLICE_COLUMNS) + 1)}"
    yield from (f"| {' | '.join(map(_text, slice_cells(one)))} |" for one in slices)
    yield from ("", "</details>")


def _text(words: str) -> str:
    """Words as themselves on one line, whatever signs of Markdown or HTML are among them."""
    one_line = visible(" ".join(words.split())[:MOST_CHARACTERS])
    escaped = re.sub(r"([\\`*_\[\]|#~])", r"\\\1", one_line)
    return escaped.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _inline(words: str) -> str:
    """Words as code inside a line; a fence of more ticks than the words have holds them."""
    one_line = visible(" ".join(words.split())[:MOST_CHARACTERS])
    ticks = "`" * (_longest_run(one_line) + 1)
    return f"{ticks} {one_line} {ticks}" if "`" in one_line else f"{ticks}{one_line}{ticks}"


def _fenced(words: str) -> list[str]:
    """Words in a block of their own."""
    cut = words if len(words) <= MOST_CHARACTERS else f"{words[:MOST_CHARACTERS]}\n…"
    cut = visible(cut)
    fence = "`" * max(3, _longest_run(cut) + 1)
    return [f"{fence}text", cut, fence]


def _longest_run(words: str) -> int:
    return max(map(len, re.findall("`+", words)), default=0)
