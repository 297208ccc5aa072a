"""The standard streams of the process: closed ones, and such as cannot be written any more."""

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any, Literal, TextIO

from allotment_conformance.errors import KitError
from allotment_conformance.exit_status import Exit

LOST = (errno.EPIPE, errno.ENOSPC, errno.EIO, errno.EBADF)
"""Why a stream that was open cannot be written."""


class OutputClosed(KitError):
    """Standard output was closed before the process began."""

    code = "output-closed"


class OutputLost(Exception):
    """Standard output cannot be written any more."""

    def __init__(self, reason: OSError) -> None:
        super().__init__(reason)
        self.reason = reason


def open_closed_streams() -> None:
    """Put an empty stream where one is closed, or files that are opened would take its place.

    What nobody wanted to hear goes nowhere; answers do not. Raises `OutputClosed`.
    """
    had_output = sys.stdout is not None
    if sys.stdin is None:
        sys.stdin = _nowhere("r")
    if not had_output:
        sys.stdout = _nowhere("w")
    if sys.stderr is None:
        sys.stderr = _nowhere("w")
    if not had_output:
        raise OutputClosed(
            "standard output is closed", remedy="Leave it open, or send it to /dev/null."
        )


class _Unheeded(FileIO):
    """A device: what cannot be written to it is given up."""

    def write(self, data: Any, /) -> int:
        """Write what can be written, and take all for written."""
        try:
            return super().write(data)
        except OSError:
            return len(data)


def give_up_unheard_errors() -> None:
    """From now on a standard error that cannot be written changes nothing else.

    What is told there, progress among it, is for who listens; the result stands elsewhere.
    """
    device = _Unheeded(sys.stderr.fileno(), "w", closefd=False)
    sys.stderr = TextIOWrapper(
        BufferedWriter(device), encoding="utf-8", errors="backslashreplace", line_buffering=True
    )


@contextmanager
def output_kept() -> Iterator[None]:
    """See that what was printed is written. Raises `OutputLost`, which click and rich do not know:
    at a reader that has left they end with status 1, which here is a disagreement.
    """
    try:
        yield
        sys.stdout.flush()
    except OSError as wrong:
        if wrong.errno not in LOST:
            raise
        raise OutputLost(wrong) from wrong
    except SystemExit as leaving:
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        raise OutputLost(leaving.__context__) from leaving


def without_output(wrong: OSError) -> int:
    """Tell that standard output cannot be written, if anybody still reads; the exit status.

    What is still buffered is given up, or Python would try once more as it ends.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if wrong.errno == errno.EPIPE:
        return Exit.NOBODY_READS
    print(f"allotment: the output cannot be written: {wrong.strerror}", file=sys.stderr)
    print("Send it where it can be written.", file=sys.stderr)
    return Exit.BAD_INPUT


def _nowhere(mode: Literal["r", "w"]) -> TextIO:
    """The null device, also for the processes that are started; it takes the lowest free place."""
    device = os.open(os.devnull, os.O_RDONLY if mode == "r" else os.O_WRONLY)
    os.set_inheritable(device, True)
    return TextIOWrapper(FileIO(device, mode), encoding="utf-8")
