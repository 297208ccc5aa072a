"""The verification's result for a person: a table, figures, and the counterexample."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from allotment_conformance.counterexample import words
from allotment_conformance.report.clauses import ClauseVerdict, not_exercised, rows
from allotment_conformance.report.progress import slow_words
from allotment_conformance.verdict.at_hand import Ended
from allotment_conformance.verdict.verification import End, Verification

STYLES = {
    ClauseVerdict.HOLDS: "green",
    ClauseVerdict.BROKEN: "bold red",
    ClauseVerdict.NOT_CLAIMED: "dim",
    ClauseVerdict.NOT_EXERCISED: "yellow",
    ClauseVerdict.ELSEWHERE: "dim",
}

WIDTH_PIPED = 120
"""Columns where there is no terminal to say how many: the longest row fits."""


def print_result(state: Verification, console: Console | None = None) -> None:
    """The clauses one by one, what was run, and what came of it."""
    console = console or terminal()
    console.print(clause_table(state))
    for line in figures(state):
        console.print(line, highlight=False, markup=False)


def terminal() -> Console:
    """Standard output; wide enough for the table where it is not a terminal."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(width=WIDTH_PIPED, highlight=False)


def clause_table(state: Verification) -> Table:
    """The clauses one by one."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in ("clause", "", "evidence", "shown", "verdict"):
        table.add_column(heading, no_wrap=heading in ("clause", "evidence", "verdict"))
    for row in rows(state):
        verdict = Text(row.verdict, style=STYLES[row.verdict])
        clause = row.clause
        table.add_row(clause.id, clause.title, str(clause.evidence), row.shown, verdict)
    return table


def figures(state: Verification) -> list[str]:
    """What was run, and how it ended."""
    tally, profile = state.tally, state.profile
    counts = [
        f"{tally.cases:,} cases",
        f"{tally.decisions:,} decisions that agree",
        f"{tally.attempts_inside:,} of them with protocol events",
        f"{tally.cancelled:,} cancelled",
    ]
    if tally.skipped:
        counts.append(f"{tally.skipped:,} cases not judged to their end: too many choices")
    rate = tally.decisions / state.seconds if state.seconds else 0.0
    seconds = (
        f"{state.seconds:.1f} s with {state.order.processes} processes, {rate:,.0f} decisions/s; "
        f"processor time: allocator {tally.seconds_allocator:.1f} s, "
        f"comparison {tally.seconds_comparison:.1f} s, probes {tally.seconds_probes:.1f} s"
    )
    who = f"{profile.name} {profile.version}: {', '.join(counts)}"
    return ["", who, seconds, *state.remarks, verdict(state)]


def _at_hand(state: Verification) -> str:
    """What was running when the time was up, if that may be why."""
    one = state.at_hand
    return "" if one is None else slow_words(one.origin, one.seconds)


def ended_lines(found: Ended) -> list[str]:
    """The case at which an allocator ended its process, in words."""
    events = [] if found.case is None else found.case["events"]
    alone = "Asked this case alone, it did so again." if found.again else ""
    told = [f"  {number} {words.event(one)}" for number, one in enumerate(events, start=1)]
    return [f"{found.origin} ends the allocator's process: {found.words}. {alone}".rstrip(), *told]


def verdict(state: Verification) -> str:
    """The last line: whether all holds."""
    table = list(rows(state))
    broken = sum(row.verdict is ClauseVerdict.BROKEN for row in table)
    silent = not_exercised(state)
    holds = sum(row.verdict is ClauseVerdict.HOLDS for row in table)
    match state.end:
        case End.WRONG:
            named = f", {broken} clauses broken" if broken else ""
            return f"DISAGREEMENT: {state.tally.failed} cases answered otherwise{named}"
        case End.CRASH:
            assert state.ended is not None, "it is known where it ended"
            return f"CRASH: {state.end} at {state.ended.origin}: {state.ended.words}"
        case End.BUDGET | End.INTERRUPTED:
            return f"INCOMPLETE, {state.end}: no disagreement so far{_at_hand(state)}"
        case End.DONE if silent:
            return f"INCOMPLETE: no disagreement, but not exercised: {', '.join(silent)}"
        case End.DONE:
            return f"HOLDS: {holds} clauses, no disagreement"
