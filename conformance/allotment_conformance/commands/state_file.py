"""A small file that lets a run that was cut short go on where it stood."""

import os
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from time import monotonic

from allotment_conformance.commands.files import read_json_file, text_of, write_file
from allotment_conformance.errors import KitError
from allotment_conformance.runs.exhaustion import Exhaustion, SliceTally, counts
from allotment_conformance.wire.messages import Json, plain

FORMAT = "allotment-exhaustion-state/1"

SECONDS_BETWEEN_WRITES = 2.0
"""What a killed run loses at most; writing more often would cost more than that saves."""


REMEDY = "Give the words of the run that wrote it, or remove it to begin anew."


class OtherRun(KitError):
    """The file belongs to a run of another allocator, scope or version."""

    code = "other-run"


class StateFile:
    """Keeps the counts of an exhaustion in a file, and takes the file away at the end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.written = monotonic()

    def recall(self, state: Exhaustion) -> None:
        """Put back what the file says, if there is one. Raises `OtherRun`, `CannotRead`."""
        if not self.path.exists():
            self.keep(state, at_once=True)
            return
        kept = read_json_file(self.path, remedy=REMEDY)
        try:
            for field, value in _order(state).items():
                if kept[field] != value:
                    raise self._refusal(f"{field} is not the same")
            pairs = zip(state.slices, kept["done"], strict=True)
            state.slices[:] = [_with_counts(one, done) for one, done in pairs]
        except (KeyError, TypeError, ValueError) as wrong:
            raise self._refusal("it is no such file") from wrong

    def _refusal(self, why: str) -> OtherRun:
        return OtherRun(
            f"{self.path} does not continue this run: {why}",
            remedy=REMEDY,
        )

    def keep(self, state: Exhaustion, *, at_once: bool = False) -> None:
        """Write the file anew, if it is time; a run that is killed meanwhile leaves the old one."""
        if at_once or monotonic() - self.written >= SECONDS_BETWEEN_WRITES:
            done = [{**counts(one), "finished": one.finished} for one in state.slices]
            new = self.path.with_name(f"{self.path.name}.new")
            write_file(new, text_of({**_order(state), "done": done}))
            os.replace(new, self.path)
            self.written = monotonic()

    def forget(self) -> None:
        """There is nothing left to continue."""
        self.path.unlink(missing_ok=True)


def _order(state: Exhaustion) -> Json:
    """What must be the same for a run to be continued; processes may differ."""
    return {
        "format": FORMAT,
        "version": version("allotment"),
        "adapter": state.order.adapter,
        "profile": plain(state.profile),
        "scope": str(state.order.scope),
        "slices": [{"name": one.slice, **one.numbers()} for one in state.order.slices],
    }


def _with_counts(tally: SliceTally, kept: Json) -> SliceTally:
    """The tally as it was kept. Raises `KeyError`, `TypeError`, `ValueError` if it is none."""
    told = {name: kept[name] for name in counts(tally)}
    if not all(type(number) is int and number >= 0 for number in told.values()):
        raise ValueError("counts are whole numbers, 0 or more")
    return replace(tally, finished=bool(kept["finished"]), **told)
