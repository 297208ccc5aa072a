"""What is known of a run: its stream, folded record by record into a bounded summary."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import BinaryIO, TypeVar

import msgspec

from allotment_conformance.errors import KitError
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.clauses import rows
from allotment_conformance.report.stream import (
    VERSION,
    Canary,
    ClauseRow,
    Counted,
    Declared,
    Ended,
    Failed,
    Figures,
    Found,
    ItemRow,
    Record,
    SliceRow,
    Started,
)

MOST_KEPT = 20
"""Failures, and counterexamples, that a report tells one by one; the counts tell of all."""

MOST_ROWS = 1_000
"""Far more clauses, or slices, than there are: a stream is read with bounded memory."""

MOST_ITEMS = 100_000
"""Far more vectors than there are, likewise."""

A_STREAM = "Give what --ndjson FILE has written."
"""The remedy for what is no stream."""

LONGEST_LINE = 16 * 2**20
"""Bytes of a record; a case that was made small has some hundreds."""


Kept = TypeVar("Kept", Failed, Found)


class NotAReport(KitError):
    """A file is not the stream of a run; the message names the line."""

    code = "not-a-report"


class _Misplaced(Exception):
    """A record stands where none of its kind can stand."""


@dataclass(slots=True, kw_only=True)
class Summary:
    """What a stream has told. `failures` and `found` are the first `MOST_KEPT`."""

    started: Started | None = None
    declared: Declared | None = None
    counted: Counted | None = None
    failures: list[Failed] = field(default_factory=list)
    program_failures: list[Failed] = field(default_factory=list)
    found: list[Found] = field(default_factory=list)
    rows: dict[str, ClauseRow] = field(default_factory=dict)
    slices: dict[str, SliceRow] = field(default_factory=dict)
    items: dict[str, ItemRow] = field(default_factory=dict)
    figures: Figures | None = None
    canary: Canary | None = None
    ended: Ended | None = None

    def add(self, record: Record) -> None:
        """One more record. Raises `_Misplaced`."""
        if (self.started is None) is not isinstance(record, Started) or self.ended is not None:
            raise _Misplaced(f"no '{_kind(record)}' can stand here")
        match record:
            case Started():
                self.started = record
            case Declared():
                self.declared = record
            case Counted():
                self.counted = record
            case Failed(at="case"):
                _keep(self.failures, record)
            case Failed():
                _keep(self.program_failures, record)
            case Found():
                _keep(self.found, record)
            case ClauseRow() | SliceRow() | ItemRow():
                self._add_row(record)
            case Figures():
                self.figures = record
            case Canary():
                self.canary = record
            case Ended():
                self.ended = record

    def _add_row(self, row: ClauseRow | SliceRow | ItemRow) -> None:
        """One more row of a table. Raises `_Misplaced`."""
        match row:
            case ClauseRow():
                if row.id in self.rows or len(self.rows) == MOST_ROWS:
                    raise _Misplaced(f"clause {row.id} is told twice, or is one too many")
                self.rows[row.id] = row
            case SliceRow():
                if len(self.slices) == MOST_ROWS:
                    raise _Misplaced(f"slice '{row.name}' is one too many")
                self.slices[row.name] = row
            case ItemRow():
                if row.name in self.items or len(self.items) == MOST_ITEMS:
                    raise _Misplaced(f"item '{row.name}' is told twice, or is one too many")
                self.items[row.name] = row

    @property
    def asked(self) -> Started:
        """What was asked: every stream that `read` takes begins with it."""
        assert self.started is not None, "a stream begins with what was asked"
        return self.started

    @property
    def unanswered(self) -> list[Failed]:
        """The cases without usable answers."""
        return [one for one in self.failures if not one.answered]

    @property
    def wrong_items(self) -> list[ItemRow]:
        """The things looked at one by one that do not hold."""
        return [one for one in self.items.values() if not one.holds]

    @property
    def not_made_small(self) -> list[Failed]:
        """The first failure of each signature of which no case was made small."""
        small = {one.signature for one in self.found}
        first: dict[str, Failed] = {}
        for one in self.failures:
            if one.answered and one.signature not in small:
                first.setdefault(one.signature, one)
        return list(first.values())

    @property
    def exit_status(self) -> int:
        """That of the run; 3 if the stream ends before the run did."""
        return Exit.INCOMPLETE if self.ended is None else self.ended.exit_status

    @property
    def verdict(self) -> str:
        """That of the run, or that there is none."""
        if self.ended is not None:
            return self.ended.verdict
        seen, words = self.counted, "nothing was counted"
        if seen is not None:
            words = f"{seen.cases:,} cases so far, {seen.failed + seen.no_answers:,} of them wrong"
        elif self.slices:
            run = sum(one.counts.get("run", 0) for one in self.slices.values())
            words = f"{run:,} cases so far that agree"
        elif self.items:
            words = f"{len(self.items):,} looked at so far, {len(self.wrong_items):,} do not hold"
        elif self.figures is not None:
            words = "figures so far"
        return f"INCOMPLETE, the stream ends before the run did: {words}"

    def table(self) -> list[ClauseRow]:
        """The rows of all clauses: those of the run's end, or else from what was counted."""
        if self.rows or self.declared is None or self.counted is None:
            return list(self.rows.values())
        profile = self.declared.profile
        return list(rows(profile, self.counted, found=self.found, finished=False))


def _kind(record: Record) -> str:
    return str(type(record).__struct_config__.tag)


def _keep(kept: list[Kept], record: Kept) -> None:
    if len(kept) < MOST_KEPT:
        kept.append(record)


def read(file: BinaryIO, name: str) -> Summary:
    """The summary of a stream; what is cut short at its end is left out. Raises `NotAReport`."""
    summary = Summary()
    for number, line in enumerate(_lines(file, name), start=1):
        try:
            summary.add(_record(line))
        except (_Misplaced, ValueError, RecursionError) as wrong:
            if not line.endswith(b"\n") and summary.started is not None:
                break
            raise NotAReport(f"{name}, line {number}: {wrong}", remedy=A_STREAM) from wrong
    if summary.started is None:
        raise NotAReport(f"{name}, line 1: there is nothing", remedy=A_STREAM)
    return summary


def _lines(file: BinaryIO, name: str) -> Iterator[bytes]:
    for number in count(1):
        line = file.readline(LONGEST_LINE)
        if not line:
            return
        if len(line) == LONGEST_LINE:
            raise NotAReport(
                f"{name}, line {number}: a line of {LONGEST_LINE:,} bytes or more", remedy=A_STREAM
            )
        yield line


class _Head(msgspec.Struct):
    kind: str
    version: int


def _record(line: bytes) -> Record:
    """The record of a line. Raises `ValueError`: `msgspec.ValidationError` is one."""
    head = msgspec.json.decode(line, type=_Head)
    if head.version != VERSION:
        raise ValueError(f"version {head.version} of the stream; this kit reads {VERSION}")
    record: Record = msgspec.json.decode(line, type=Record)
    return record
