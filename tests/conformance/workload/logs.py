"""Logs for tests, written line by line."""

from collections.abc import Iterable
from pathlib import Path

FIELD = {
    "number": 1,
    "submit": 2,
    "run": 4,
    "used": 5,
    "asked": 8,
    "time_asked": 9,
    "memory": 10,
    "status": 11,
    "user": 12,
    "group": 13,
    "queue": 15,
}
"""The place of each field of the format that a test may set."""

USUAL = {"number": 1, "submit": 0, "run": 10, "asked": 1, "user": 7, "group": 2, "queue": 3}


def line(**fields: int | str) -> str:
    """One job: what is not given is usual, or unknown."""
    words = ["-1"] * 18
    for name, value in {**USUAL, **fields}.items():
        words[FIELD[name] - 1] = str(value)
    return " ".join(words)


def write_log(folder: Path, lines: Iterable[str], *, name: str = "test.swf") -> str:
    """Write a log; its path."""
    path = folder / name
    path.write_text("".join(f"{one}\n" for one in lines), encoding="utf-8")
    return str(path)
