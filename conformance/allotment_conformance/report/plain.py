"""The stream of a run without clauses: things that are looked at one by one, and figures."""

from collections.abc import Iterator, Mapping
from time import monotonic
from typing import Any

from allotment_conformance.report.recorder import Recorder
from allotment_conformance.report.stream import (
    Command,
    Ended,
    Figures,
    ItemRow,
    Started,
    now,
    storable,
    versions,
)


class PlainRun:
    """A run of a command that has no clauses, record by record."""

    def __init__(
        self,
        stream: Recorder,
        command: Command,
        adapter: str,
        *,
        processes: int = 1,
        seed: int | None = None,
    ) -> None:
        """It begins with what is asked of whom."""
        self.stream = stream
        self.failing = 0
        self._begun = monotonic()
        stream.add(
            Started(
                command=command,
                adapter=adapter,
                at=now(),
                versions=versions(),
                processes=processes,
                seed=seed,
            )
        )

    def item(self, name: str, holds: bool, words: str = "") -> None:
        """One more thing was looked at."""
        self.failing += not holds
        self.stream.add(ItemRow(name=name, holds=holds, words=storable(words)))

    def figures(self, told: Mapping[str, Any], *, at_once: bool = False) -> None:
        """All figures until now; they are written about once a second, and at once at the end."""
        if at_once or self.stream.is_time():
            self.stream.add(Figures(figures=dict(_flat(told))))

    def end(self, end: str, status: int, verdict: str) -> None:
        """How it ended."""
        self.stream.add(
            Ended(
                end=end,
                exit_status=status,
                verdict=verdict,
                failing=self.failing,
                seconds=round(monotonic() - self._begun, 3),
            )
        )


def _flat(told: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    """Figures by name, those of inner objects behind the name of the outer one."""
    for name, value in told.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{name}: ")
        else:
            yield f"{above}{name}", value
