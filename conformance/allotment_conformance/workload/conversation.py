"""What is said to an allocator and what it says, kept and looked at."""

import json
from time import perf_counter
from typing import IO, Protocol

from allotment_conformance.counterexample import words
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


class Conversation:
    """An allocator that is asked; `seconds` is how long it took to answer.

    What it was sent is kept in a file: that is the proof of a fault if nothing shorter is one.
    """

    def __init__(self, adapter: Adapter, sent: IO[str]) -> None:
        self.adapter = adapter
        self.seconds = 0.0
        self._sent = sent

    def run(self, case: Json) -> list[Answer]:
        """One answer for each event. Raises `AllocatorFailed`."""
        self._sent.write(as_json(case) + "\n")
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

    def whole_case(self) -> Json:
        """Everything that was sent so far, as one case."""
        self._sent.seek(0)
        whole: Json = {"events": []}
        for line in self._sent:
            case = json.loads(line)
            whole["events"] += case.pop("events")
            whole |= case
        return whole
