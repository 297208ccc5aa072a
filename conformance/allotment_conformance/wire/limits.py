"""How much an allocator that runs as a program may take: time, memory, length of a line."""

from dataclasses import dataclass

KIB, MIB, GIB = 2**10, 2**20, 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Past any of these the program is killed and started anew.

    `answer_seconds` is how long the kit waits for the next answer. `memory_bytes` is what all of
    its processes hold resident. The last three bound what the kit itself keeps: the end of standard
    error, and the cases that are sent before an answer is read.
    """

    start_seconds: float = 30.0
    answer_seconds: float = 10.0
    stop_seconds: float = 5.0
    line_bytes: int = 16 * MIB
    memory_bytes: int = 2 * GIB
    stderr_bytes: int = 4 * KIB
    cases_ahead: int = 32
    bytes_ahead: int = 256 * KIB
