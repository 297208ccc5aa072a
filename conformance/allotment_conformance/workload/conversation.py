"""What is said to an allocator and what it says, kept and looked at."""

import json
from io import RawIOBase
from tempfile import TemporaryFile, gettempdir
from time import perf_counter
from typing import ClassVar, Protocol, cast

from allotment_conformance.counterexample import words
from allotment_conformance.errors import KitError
from allotment_conformance.verdict.disagreement import Kind
from allotment_conformance.verdict.received import NoAnswer, ask, received
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Answer, Json, as_json, read_answers


class Answers(Protocol):
    """Whoever answers the cases of a simulation."""

    def run(self, case: Json) -> list[Answer]:
        """One answer for each event."""
        ...


class AllocatorFailed(Exception):
    """An allocator raised, or answered what is no answer or cannot be so, to `event`.

    All three are in words.
    """

    def __init__(self, *, event: str, expected: str, actual: str) -> None:
        super().__init__(event)
        self.event = event
        self.expected = expected
        self.actual = actual


class CannotKeep(KitError):
    """What is sent to the allocator, the proof of a fault, finds no room any more."""

    code: ClassVar[str] = "cannot-keep"

    def __init__(self, words: str) -> None:
        """Of the error of the system, in words."""
        super().__init__(
            f"what is sent is kept in a temporary file in {gettempdir()}, which cannot be written: "
            f"{words}",
            remedy="Make room there, name another folder by TMPDIR, raise `ulimit -f`, or send "
            "less (--limit-jobs).",
        )
        self.words = words


def room() -> RawIOBase:
    """A file without a name, to keep what is sent. Raises `CannotKeep`.

    Nothing of it waits in a buffer, so that all that does not fit is told where it is written.
    """
    try:
        return cast("RawIOBase", TemporaryFile("w+b", buffering=0))
    except OSError as wrong:
        raise CannotKeep(str(wrong.strerror)) from wrong


class Conversation:
    """An allocator that is asked; `seconds` is how long it took to answer.

    What it was sent is kept in a file: that is the proof of a fault if nothing shorter is one.
    """

    def __init__(self, adapter: Adapter, sent: RawIOBase) -> None:
        self.adapter = adapter
        self.seconds = 0.0
        self._sent = sent

    def run(self, case: Json) -> list[Answer]:
        """One answer for each event. Raises `AllocatorFailed`, and `CannotKeep`."""
        self._keep(case)
        events = case["events"]
        started = perf_counter()
        try:
            came = ask(self.adapter, case)
        finally:
            self.seconds += perf_counter() - started
        told = received(came, len(events))
        for event, answer in zip(events, told, strict=True):
            if isinstance(answer, NoAnswer):
                crashed = answer.kind is Kind.CRASH
                raise AllocatorFailed(
                    event=words.event(events[-1] if crashed else event),
                    expected="an answer to each event",
                    actual=f"it raised {answer.words}" if crashed else answer.words,
                )
        return read_answers(told)

    def _keep(self, case: Json) -> None:
        rest = f"{as_json(case)}\n".encode()
        try:
            while rest:
                rest = rest[self._sent.write(rest) or 0 :]
        except OSError as wrong:
            raise CannotKeep(str(wrong.strerror)) from wrong

    def whole_case(self) -> Json:
        """Everything that was sent so far, as one case."""
        self._sent.seek(0)
        whole: Json = {"events": []}
        for line in self._sent.readall().splitlines():
            case = json.loads(line)
            whole["events"] += case.pop("events")
            whole |= case
        return whole
