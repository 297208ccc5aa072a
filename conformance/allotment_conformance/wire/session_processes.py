"""The processes of one POSIX session, as Linux lists them in /proc; elsewhere none are seen.

A child that is started in a session of its own is found again with all its descendants, also
those that changed their process group, as long as none of them starts another session.
"""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import sleep

PROC = Path("/proc")

ARE_SEEN = (PROC / "self" / "stat").exists()
"""Whether this system lists processes in a way that is known here."""

ROUNDS_OF_KILLING = 20
"""A process that forks while it is killed needs a second round, hardly ever a third."""

SECONDS_TO_DIE = 0.002
"""What a round waits for those that it has killed to be gone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """A process; `ended` ones only wait to be collected by their parent."""

    pid: int
    ended: bool
    resident_bytes: int
    cpu_seconds: float


def members(session: int) -> list[Member]:
    """The processes of a session, its leader among them."""
    return list(_members(session)) if ARE_SEEN else []


def _members(session: int) -> Iterator[Member]:
    page, ticks = os.sysconf("SC_PAGE_SIZE"), os.sysconf("SC_CLK_TCK")
    for name in os.listdir(PROC):
        if not name.isdigit() or not _may_be_in(session, int(name)):
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                told = file.read()
        except OSError:
            continue
        # The name of the program stands in parentheses and may itself hold some, and spaces.
        fields = told[told.rindex(b")") + 2 :].split()
        if int(fields[3]) == session:
            yield Member(
                pid=int(name),
                ended=fields[0] in (b"Z", b"X"),
                resident_bytes=int(fields[21]) * page,
                cpu_seconds=(int(fields[11]) + int(fields[12])) / ticks,
            )


def _may_be_in(session: int, pid: int) -> bool:
    """Whether a process has to be looked at: that takes ten times as long as asking for this."""
    try:
        return os.getsid(pid) == session
    except ProcessLookupError:
        return False
    except PermissionError:
        return True


def kill_all(session: int) -> None:
    """End every process of a session whose leader is a child that was not yet waited for.

    Until then no other process can have its number.
    """
    for _ in range(ROUNDS_OF_KILLING):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(session, signal.SIGKILL)
        living = [member.pid for member in members(session) if not member.ended]
        for pid in living:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        if not living:
            return
        sleep(SECONDS_TO_DIE)
