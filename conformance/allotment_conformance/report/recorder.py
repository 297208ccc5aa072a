"""Keeps the stream of a run while it goes on: folded in memory, and in a file if one is named."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from time import monotonic
from typing import TypeVar

from allotment_conformance.errors import KitError
from allotment_conformance.report import records, verdict
from allotment_conformance.report.stream import Canary, Declared, Ended, Record, line_of
from allotment_conformance.report.summary import Summary
from allotment_conformance.runs.canary import Flags, what_is_broken
from allotment_conformance.runs.canary import words as canary_words
from allotment_conformance.runs.check import Check
from allotment_conformance.runs.verification import Verification
from allotment_conformance.verdict.outcome import Level
from allotment_conformance.wire.failure import Failure
from allotment_conformance.wire.messages import Profile

SECONDS_BETWEEN_COUNTS = 1.0
"""What a killed run loses; an hour of them is some ten MB."""


class CannotRecord(KitError):
    """The file of a stream cannot be written, or not any more."""

    code = "cannot-record"


State = TypeVar("State")


class Recorder:
    """Takes records of one run; `summary` is what they tell so far."""

    def __init__(self, file: FileIO | None) -> None:
        """Write to the file, too."""
        self.summary = Summary()
        self._file = file
        self._told: set[str] = set()
        self._counted_at = monotonic()

    def add(self, record: Record) -> None:
        """One more record, in the file before anything else happens."""
        self.summary.add(record)
        if self._file is not None:
            _write(self._file, line_of(record))

    def see(self, state: Verification) -> None:
        """Take what is new of a run that goes on: failures at once, counts now and then."""
        self._see_news(state)
        if self.is_time():
            self.add(records.counted(state))

    def is_time(self) -> bool:
        """Whether counts are to be written again; that it was asked is noted."""
        is_time = monotonic() - self._counted_at >= SECONDS_BETWEEN_COUNTS
        if is_time:
            self._counted_at = monotonic()
        return is_time

    def end(
        self,
        state: Verification,
        level: Level | None,
        canary: Canary,
        status: int,
        places: records.Places,
    ) -> None:
        """All that a finished run says; `places` are where its counterexamples are kept."""
        self._see_news(state)
        self.add(records.counted(state))
        if isinstance(state, Check) and state.stop_failure is not None:
            self.add(records.not_stopped(state.stop_failure))
        for found in records.found(state, places):
            self.add(found)
        for row in records.table(state):
            self.add(row)
        self.add(canary)
        self.add(verdict.ended(state, level, canary, status))

    def end_at_start(self, failed: Failure, status: int) -> None:
        """All that is known of a program that does not start."""
        self.add(records.not_started(failed))
        self.add(
            Ended(
                end=verdict.NOT_STARTED,
                exit_status=status,
                verdict=f"NOT STARTED: {failed.name}",
                failing=0,
                seconds=0.0,
            )
        )

    def _see_news(self, state: Verification) -> None:
        """The profile, and failures, as far as they have not been told."""
        if self.summary.declared is None:
            self.add(Declared(profile=state.profile))
        for failure in records.failures(state):
            if failure.origin not in self._told:
                self._told.add(failure.origin)
                self.add(failure)


def _write(file: FileIO, line: bytes) -> None:
    """All of a line: one call may take less."""
    try:
        while line:
            line = line[file.write(line) :]
    except OSError as wrong:
        raise _cannot_record(file.name, wrong) from wrong


def seeing(
    see: Callable[[State], None], watch: Callable[[State, float], None]
) -> Callable[[State, float], None]:
    """A watch that shows the state of things to somebody else, too."""

    def watch_both(state: State, part: float) -> None:
        see(state)
        watch(state, part)

    return watch_both


@contextmanager
def recording(path: Path | None) -> Iterator[Recorder]:
    """A recorder that writes to the file, if one is named; it was seen to be writable."""
    if path is None:
        yield Recorder(None)
        return
    try:
        file = path.open("wb", buffering=0)
    except OSError as wrong:
        raise _cannot_record(str(path), wrong) from wrong
    with file:
        yield Recorder(file)


def _cannot_record(name: str, wrong: OSError) -> CannotRecord:
    return CannotRecord(
        f"{name} cannot be written: {wrong.strerror}",
        remedy="Name a file with room behind it, in a folder that you may write to.",
    )


def canary_of(profile: Profile, flags: Flags) -> Canary:
    """Whether an engine still finds what it must, as a record."""
    broken = what_is_broken(profile, flags)
    return Canary(alive=broken is None, words=canary_words(broken))
