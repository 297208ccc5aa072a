"""The drawing of a counterexample: hosts as rows of slots, with who holds or claims each.

It shows the scheduler before the disagreement, and on top of it what the one answer and the other
claim up to the job in question. The terminal and the SVG show the same rows.
"""

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from allotment_conformance.counterexample import words
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.verdict.disagreement import Disagreement
from allotment_model.cluster import SLOTS
from allotment_model.state import State

MOST_HOSTS, MOST_SLOTS = 12, 16
"""What a person takes in at a glance; more hosts are counted, more slots written as a number."""

Claims = Mapping[str, list[tuple[str, int]]]
"""On each host the jobs that claim slots there, each with how many."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """Some slots of a host: `free`, `held`, `claimed`, or `too much`: claimed and not there.

    Those that are free have no `job`; that of the others may have an empty name.
    """

    kind: str
    job: str | None
    slots: int

    @property
    def is_there(self) -> bool:
        """Whether the host has these slots."""
        return self.kind != "too much"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One host: its slots from left to right, and whether it takes new work."""

    host: str
    cells: tuple[Cell, ...]
    closed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """What one side says: the rows with its claims, and hosts that are not drawn."""

    title: str
    rows: tuple[Row, ...]
    left_out: int


def sides(found: Disagreement) -> tuple[Side, Side]:
    """What the specification and the allocator say, of the same hosts.

    Hosts that either claims come before the others where not all are drawn.
    """
    before = found.before
    expected, actual = (_claims(one, found.job) for one in (found.expected, found.actual))
    names = list(before.cluster.hosts)
    claimed = expected.keys() | actual.keys()
    drawn = [n for n in names if n in claimed] + [n for n in names if n not in claimed]
    kept = set(drawn[:MOST_HOSTS])
    permitted = "One of the permitted answers" if found.one_of_several else "The specification"
    return (
        _side(permitted, before, kept, expected),
        _side("The allocator", before, kept, actual),
    )


def _side(title: str, before: State, kept: Container[str], claims: Claims) -> Side:
    names = list(before.cluster.hosts)
    strange = [name for name in claims if name not in before.cluster.hosts]
    rows = [_row(before, name, claims.get(name, [])) for name in names if name in kept]
    rows += [_row(before, name, claims[name]) for name in strange[:MOST_HOSTS]]
    return Side(title=title, rows=tuple(rows), left_out=len(names) + len(strange) - len(rows))


def _row(before: State, name: str, claims: list[tuple[str, int]]) -> Row:
    host = before.cluster.hosts.get(name)
    slots = host.capacity.get(SLOTS, 0) if host is not None else 0
    taken = [("held", job, n) for job, n in _held(before, name)]
    taken += [("claimed", job, n) for job, n in claims]
    cells: list[Cell] = []
    for kind, job, n in taken:
        room = max(0, min(n, slots - sum(cell.slots for cell in cells)))
        cells += _cells(kind, job, room) + _cells("too much", job, n - room)
    cells += _cells("free", None, slots - sum(n for _kind, _job, n in taken))
    return Row(host=legible(name), cells=tuple(cells), closed=host is not None and not host.open)


def _cells(kind: str, job: str | None, slots: int) -> list[Cell]:
    name = None if job is None else legible(job)
    return [Cell(kind=kind, job=name, slots=slots)] if slots > 0 else []


def _held(before: State, host: str) -> Iterator[tuple[str, int]]:
    """The slots that live jobs have on a host."""
    for name, allocation in before.live.items():
        claims = (claim for placement in allocation.placements for claim in placement.claims)
        yield from ((name, claim.slots) for claim in claims if claim.host == host)


def _claims(answer: Any, job: str | None) -> dict[str, list[tuple[str, int]]]:
    """What is claimed on each host by the jobs of an answer, up to the job in question."""
    claims: dict[str, list[tuple[str, int]]] = {}
    for one in answer.get("jobs", []) if isinstance(answer, dict) else []:
        for host, slots in (claim for part in one.get("parts", []) for claim in part):
            claims.setdefault(host, []).append((one["job"], slots))
        if one["job"] == job:
            break
    return claims


def has_claims(found: Disagreement) -> bool:
    """Whether either side claims something, so that there is something to draw."""
    return any(_claims(answer, found.job) for answer in (found.expected, found.actual))


def letters_of(drawn: Sequence[Side]) -> dict[str, str]:
    """What stands for each job that is drawn: a letter, from the 27th job on with a number."""
    jobs = dict.fromkeys(
        cell.job
        for side in drawn
        for row in side.rows
        for cell in row.cells
        if cell.job is not None
    )
    turns = (divmod(number, len(LETTERS)) for number in range(len(jobs)))
    return {
        job: LETTERS[letter] + (str(turn) if turn else "")
        for job, (turn, letter) in zip(jobs, turns, strict=True)
    }


def rows_of_text(found: Disagreement) -> list[str]:
    """The drawing for a terminal: a letter for each job, a dot for a free slot."""
    drawn = sides(found)
    letters = letters_of(drawn)
    lines = [f"{letter} = job {words.name(job)}" for job, letter in letters.items()]
    for side in drawn:
        lines.append(side.title)
        lines += [f"  {words.name(row.host)} {_cells_of_text(row, letters)}" for row in side.rows]
        lines += [f"  and {side.left_out:,} more hosts"] if side.left_out else []
    return lines


def _cells_of_text(row: Row, letters: Mapping[str, str]) -> str:
    """`[ab.]` and behind the bracket what was claimed and is not there."""
    inside = "".join(
        _repeated("." if cell.job is None else letters[cell.job], cell.slots)
        for cell in row.cells
        if cell.is_there
    )
    outside = "".join(
        _repeated(letters[cell.job], cell.slots)
        for cell in row.cells
        if cell.job is not None and not cell.is_there
    )
    closed = " closed" if row.closed else ""
    return f"[{inside}]" + (f" {outside} too much" if outside else "") + closed


def _repeated(letter: str, slots: int) -> str:
    return letter * slots if slots <= MOST_SLOTS else f"{letter}×{slots:,} "
