"""How a conversation with a program can fail. No two ways are merged, and none is a verdict."""

import signal
from dataclasses import dataclass
from enum import StrEnum

from allotment_conformance.errors import KitError

STDERR = "end of its standard error"
"""Before what a program wrote there last, since the case was sent: it may have been busy with
another one still, where cases are sent ahead."""


class Ending(StrEnum):
    """What became of a case, or of the start or stop of a program, that has no usable answer."""

    ERROR = "error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    MEMORY = "too much memory"
    PROTOCOL = "protocol error"
    LEFT_BEHIND = "processes left behind"


class Fault(StrEnum):
    """The kinds of protocol error."""

    UTF8 = "invalid UTF-8"
    JSON = "invalid JSON"
    NUMBER = "not a number of this protocol"
    SHAPE = "wrong shape"
    COUNT = "wrong number of answers"
    UNKNOWN_ID = "unknown id"
    TWICE = "answered twice"
    LONG_LINE = "line too long"
    OUTPUT_AFTER_STOP = "output after stop"
    OTHER_PROFILE = "another profile after a new start"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What happened, in one sentence, and the end of what the program wrote to standard error.

    `fault` says of which kind a protocol error is. `at_start`: the program did not get as far as
    being asked anything.
    """

    ending: Ending
    words: str
    fault: Fault | None = None
    stderr: str = ""
    at_start: bool = False

    @property
    def name(self) -> str:
        """The ending, with the kind of a protocol error: what is counted apart."""
        return str(self.ending) if self.fault is None else f"{self.ending}: {self.fault}"

    def __str__(self) -> str:
        return f"{self.name}: {self.words}"


class ProtocolBroken(Exception):
    """A line of the program is no message of the protocol."""

    def __init__(self, fault: Fault, words: str) -> None:
        super().__init__(words)
        self.fault = fault
        self.words = words


class AdapterFailed(KitError):
    """A program gave no usable answer; `failure` says in which way."""

    code = "adapter-failed"

    def __init__(self, failure: Failure) -> None:
        told = f"\nIts standard error ends with:\n{failure.stderr}" if failure.stderr else ""
        super().__init__(
            f"the allocator failed: {failure}",
            remedy=f"See docs/protocol.md for what a program has to answer.{told}",
        )
        self.failure = failure


def status_words(status: int) -> str:
    """How a process ended, by its status; a negative one is the number of a signal."""
    if status >= 0:
        return f"it ended with status {status}"
    try:
        name = signal.Signals(-status).name
    except ValueError:
        name = f"signal {-status}"
    return f"it was ended by {name}"
