"""Progress on stderr: a live line on a terminal, a plain line now and then elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TypeVar

from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskProgressColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from allotment_conformance.runs.soak import Soak
from allotment_conformance.runs.verification import Verification

SECONDS_BETWEEN_LINES = 10.0
"""How often a log gets a line: one sees that it lives, and the log stays short."""


SLOW = 1.0
"""Seconds after which it is worth telling what is at hand: a case takes some milliseconds."""

State = TypeVar("State")

Watch = Callable[[State, float | None], None]
"""Is told of the state of things and of the part of the work that is done, None if unknown."""


@contextmanager
def progress(work: str, words: Callable[[State], str]) -> Iterator[Watch[State]]:
    """What to call after each share of the work, which is shown under its name.

    `words` tell of the state.
    """
    console = Console(stderr=True)
    if console.is_terminal:
        with _bar(console, work, words) as watch:
            yield watch
    else:
        yield _lines(work, words)


@contextmanager
def _bar(console: Console, work: str, words: Callable[[State], str]) -> Iterator[Watch[State]]:
    columns = (
        TextColumn(work),
        BarColumn(),
        TaskProgressColumn("{task.percentage:>3.0f} %"),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("starting", total=None)

        def watch(state: State, part: float | None) -> None:
            total = None if part is None else 1.0
            bar.update(task, total=total, completed=part or 0.0, description=words(state))

        yield watch


def _lines(work: str, words: Callable[[State], str]) -> Watch[State]:
    last = monotonic()

    def watch(state: State, part: float | None) -> None:
        nonlocal last
        if monotonic() - last >= SECONDS_BETWEEN_LINES:
            last = monotonic()
            done = "" if part is None else f"{part:4.0%}, "
            print(f"{work}: {done}{words(state)}", file=sys.stderr, flush=True)

    return watch


def words(state: Verification | Soak) -> str:
    """How far a verification, a check or a soak has come, and what takes long."""
    if isinstance(state, Soak):
        return f"{state.events:,} events{slow_words('what follows them', state.seconds_at_hand)}"
    wrong = f", {state.tally.failed} disagree" if state.tally.failed else ""
    told = f"{number_of(state.tally.cases, 'case')}, {state.tally.decisions:,} decisions{wrong}"
    one = state.at_hand
    return told if one is None else told + slow_words(one.origin, one.seconds)


def number_of(count: int, thing: str) -> str:
    """`1 case`, `2,000 cases`."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


def slow_words(what: str, seconds: float) -> str:
    """That something takes long, if it does."""
    return f", {what} has run for {seconds:.0f} s" if seconds >= SLOW else ""
