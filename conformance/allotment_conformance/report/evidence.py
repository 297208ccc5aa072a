"""The survey of clauses for a person, and as plain data."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from allotment_conformance.evidence.links import Kind, Link
from allotment_conformance.evidence.survey import Row, Survey
from allotment_conformance.report.terminal import terminal
from allotment_conformance.wire.messages import Json

HEADINGS = ("clause", "", *Kind, "gaps")


def print_survey(found: Survey, *, gaps_only: bool) -> None:
    """A row for each clause, then every gap in words."""
    console = terminal()
    shown = [row for row in found.rows if row.gaps or not gaps_only]
    if shown:
        console.print(_table(shown, found))
    for gap in found.gaps:
        console.print(f"{gap.clause}: {gap.told}", markup=False, soft_wrap=True)
    console.print(verdict(found), markup=False, soft_wrap=True)


def _table(rows: Sequence[Row], found: Survey) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for heading in HEADINGS:
        is_word = heading in ("clause", "", Kind.MODEL)
        table.add_column(
            str(heading), justify="left" if is_word else "right", no_wrap=heading == "clause"
        )
    for row in rows:
        table.add_row(
            row.clause.id,
            row.clause.title,
            _first(row.of(Kind.MODEL)),
            *(_count(row, kind, found) for kind in (Kind.THEOREM, Kind.SHOWN, Kind.WRONG)),
            Text(str(len(row.gaps) or ""), style="bold red"),
        )
    return table


def _first(links: Sequence[Link]) -> str:
    more = f" +{len(links) - 1}" if len(links) > 1 else ""
    return f"{links[0].name}{more}" if links else "-"


def _count(row: Row, kind: Kind, found: Survey) -> Text:
    number = sum(not link.broken for link in row.of(kind))
    if number:
        return Text(str(number))
    if kind in row.excused:
        return Text("n/a", style="dim")
    return Text(found.unread.get(kind, "-"), style="dim")


def verdict(found: Survey) -> str:
    """The last line: whether anything is missing."""
    unread = ", ".join(f"{kind}: {why}" for kind, why in found.unread.items())
    marks = sum(len(row.excused) for row in found.rows)
    if found.gaps:
        return f"GAPS: {len(found.gaps)}" + (f" ({unread})" if unread else "")
    if unread:
        return f"INCOMPLETE: no gap in what could be read ({unread})"
    links = sum(len(row.links) for row in found.rows)
    return f"NO GAP: {len(found.rows)} clauses, {links} links, {marks} not applicable"


def print_clause(row: Row, found: Survey) -> None:
    """Everything that speaks for one clause."""
    lines = [f"{row.clause.id}: {row.clause.title} ({row.clause.evidence})"]
    for kind in Kind:
        lines += (f"  {kind}: {_told(link)}" for link in row.of(kind))
        if kind in row.excused:
            lines.append(f"  {kind}: not applicable, {row.excused[kind]}")
        if kind in found.unread:
            lines.append(f"  {kind}: {found.unread[kind]}")
    lines += (f"  gap: {gap.told}" for gap in row.gaps)
    terminal().print("\n".join(lines), markup=False, soft_wrap=True)


def _told(link: Link) -> str:
    """A link in words."""
    heading = "fails under" if link.kind is Kind.SHOWN else "seen by"
    seen = f" ({heading}: {', '.join(link.seen_in)})" if link.seen_in else ""
    return f"{link.name}{seen}" + (f": {link.broken}" if link.broken else "")


def result_of(found: Survey, status: int) -> Json:
    """The survey as plain data."""
    return {
        "status": status,
        "clauses": [_row_json(row) for row in found.rows],
        "gaps": [{"clause": gap.clause, "told": gap.told} for gap in found.gaps],
        "unread": {str(kind): why for kind, why in found.unread.items()},
    }


def _row_json(row: Row) -> Json:
    return {
        "clause": row.clause.id,
        "title": row.clause.title,
        "evidence": str(row.clause.evidence),
        **{
            str(kind): [
                {"name": link.name, "seen_in": list(link.seen_in), "broken": link.broken}
                for link in row.of(kind)
            ]
            for kind in Kind
        },
        "not_applicable": {str(kind): reason for kind, reason in row.excused.items()},
        "gaps": [gap.told for gap in row.gaps],
    }
