"""A program with its three pipes: what it is sent and says, moved in pieces, never without bound.

Nothing here blocks for longer than it is told, and no thread is needed: whoever waits for a line
moves the bytes of all three pipes meanwhile. The program runs in a session of its own, so that it
can be ended with all that it has started.
"""

import os
import selectors
import subprocess
import weakref
from collections import deque
from collections.abc import Sequence
from time import monotonic

from allotment_conformance.errors import KitError
from allotment_conformance.wire.limits import Limits
from allotment_conformance.wire.session_processes import kill_all, members

PIECE = 2**16
"""Bytes that are read at a time: what a pipe holds by default."""

REST_PIECES = 64
"""Pieces of standard error that are still read when the program is gone; a pipe holds fewer."""


class CannotRun(KitError):
    """The system refuses to run the command."""

    code = "cannot-run"


class Child:
    """A running program. `lines` are those that it wrote and nobody took yet.

    `stderr_length` counts the bytes of standard error that were read, those not kept included.
    `is_silent`: its standard output has ended. `is_overlong`: it wrote a line beyond the limit.
    """

    def __init__(self, command: Sequence[str], limits: Limits) -> None:
        self._process = _started(command)
        self.session = self._process.pid
        self.lines: deque[bytes] = deque()
        self.is_silent = self.is_overlong = False
        self._limits = limits
        self._unsent: deque[memoryview] = deque()
        self._partial = bytearray()
        self._stderr, self.stderr_length = b"", 0
        self._selector = selectors.DefaultSelector()
        self._open()
        self.seconds_used = 0.0
        self._finalizer = weakref.finalize(self, _end, self._process)

    def _open(self) -> None:
        """Watch what the program writes. Writing to it is watched only while there is something."""
        pipes = (self._process.stdin, self._process.stdout, self._process.stderr)
        self._pipes = [pipe for pipe in pipes if pipe is not None]
        assert len(self._pipes) == len(pipes), "all three are pipes"
        for pipe in self._pipes:
            os.set_blocking(pipe.fileno(), False)
        self._stdin, self._stdout, self._stderr_pipe = (pipe.fileno() for pipe in self._pipes)
        self._selector.register(self._stdout, selectors.EVENT_READ)
        self._selector.register(self._stderr_pipe, selectors.EVENT_READ)

    def send(self, line: bytes) -> None:
        """Put a line behind those that wait to be written."""
        if not self._unsent:
            self._selector.register(self._stdin, selectors.EVENT_WRITE)
        self._unsent.append(memoryview(line))

    def exchange(self, seconds: float) -> None:
        """Move what can be moved; wait at most so long for there to be something."""
        for key, _events in self._selector.select(seconds):
            if key.fd == self._stdout:
                self._read_lines()
            elif key.fd == self._stderr_pipe:
                self._read_stderr()
            else:
                self._write()

    def _write(self) -> None:
        try:
            written = os.write(self._stdin, self._unsent[0])
        except BlockingIOError:
            return
        except BrokenPipeError:
            # The program reads no more. What it still says, or how it ended, tells why.
            self._unsent.clear()
            written = 0
        if self._unsent:
            self._unsent[0] = self._unsent[0][written:]
            if not self._unsent[0]:
                self._unsent.popleft()
        if not self._unsent:
            self._selector.unregister(self._stdin)

    def _read_lines(self) -> None:
        piece = _read(self._stdout)
        if piece is None:
            return
        if not piece:
            self.is_silent = True
            self._selector.unregister(self._stdout)
        start = len(self._partial)
        self._partial += piece
        end = self._partial.rfind(b"\n", start)
        longest = 0
        if end >= 0:
            lines = bytes(self._partial[:end]).split(b"\n")
            longest = max(map(len, lines))
            self.lines.extend(lines)
            del self._partial[: end + 1]
        if max(longest, len(self._partial)) > self._limits.line_bytes:
            self.is_overlong = True
            self.lines.clear()
            self._partial.clear()

    def _read_stderr(self) -> bool:
        """Keep the end of what was written; whether there may be more."""
        piece = _read(self._stderr_pipe)
        if piece is None:
            return False
        if not piece:
            self._selector.unregister(self._stderr_pipe)
            return False
        self._stderr = (self._stderr + piece)[-self._limits.stderr_bytes :]
        self.stderr_length += len(piece)
        return True

    @property
    def unfinished_line(self) -> bytes:
        """What was written behind the last end of a line."""
        return bytes(self._partial)

    def stderr(self, start: int = 0) -> str:
        """The end of standard error, without its first `start` bytes; no UTF-8 is replaced."""
        behind = self.stderr_length - start
        kept = self._stderr[-behind:] if behind else b""
        return kept.decode("utf-8", errors="replace").strip()

    def close_stdin(self) -> None:
        """Tell the program that nothing more will come."""
        if self._unsent:
            self._selector.unregister(self._stdin)
            self._unsent.clear()
        self._pipes[0].close()

    @property
    def is_sent(self) -> bool:
        """Whether everything was written."""
        return not self._unsent

    def has_ended(self) -> bool:
        """Whether the program itself is gone; what it has started may still hold its output."""
        if not hasattr(os, "waitid"):
            return self._process.poll() is not None
        if self._process.returncode is not None:
            return True
        options = os.WEXITED | os.WNOHANG | os.WNOWAIT
        return os.waitid(os.P_PID, self.session, options) is not None

    def resident_bytes(self) -> int:
        """Memory of the program and all that it has started."""
        return sum(member.resident_bytes for member in members(self.session))

    def used_seconds(self) -> float:
        """Processor time of the program and of what it has started and still runs."""
        if self._process.returncode is None:
            told = sum(member.cpu_seconds for member in members(self.session))
            self.seconds_used = max(told, self.seconds_used)
        return self.seconds_used

    def companions(self) -> int:
        """How many processes, besides the program itself, are still running in its session."""
        others = (member for member in members(self.session) if member.pid != self.session)
        return sum(not member.ended for member in others)

    def wait_for_end(self, seconds: float) -> bool:
        """Read on until the program is gone, at most so long; whether it is."""
        until = monotonic() + seconds
        while not self.has_ended():
            left = until - monotonic()
            if left <= 0:
                return False
            # Where nothing is left to be read, the selector would return at once or not at all.
            self.exchange(min(left, 0.02))
        return True

    def end(self) -> int:
        """Kill whatever still runs and collect it; the program's status. Nothing follows."""
        self.used_seconds()
        status = _end(self._process)
        for _ in range(REST_PIECES):
            if self._stderr_pipe not in self._selector.get_map() or not self._read_stderr():
                break
        self._finalizer.detach()
        self._selector.close()
        for pipe in self._pipes:
            pipe.close()
        return status


def _started(command: Sequence[str]) -> "subprocess.Popen[bytes]":
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
    except (OSError, ValueError) as wrong:
        reason = wrong.strerror if isinstance(wrong, OSError) else str(wrong)
        raise CannotRun(
            f"'{command[0]}' cannot be run: {reason}",
            remedy="Give the command as you would type it, with its path if it is not on PATH.",
        ) from wrong


def _read(pipe: int) -> bytes | None:
    """What is there; None if nothing is, empty if nothing will come any more."""
    try:
        return os.read(pipe, PIECE)
    except BlockingIOError:
        return None


def _end(process: "subprocess.Popen[bytes]") -> int:
    if process.returncode is None:
        kill_all(process.pid)
    return process.wait()
