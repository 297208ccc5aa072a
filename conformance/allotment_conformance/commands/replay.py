"""Ask an allocator counterexamples again: FIXED, FAILED, ERROR or UNSURE."""

import json
import sys
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.allocator import is_adapter
from allotment_conformance.commands.files import check_writable, read_json_file, write_result
from allotment_conformance.commands.run_options import JsonFile
from allotment_conformance.counterexample.asking import OverWire
from allotment_conformance.counterexample.directory import read
from allotment_conformance.counterexample.legible import legible
from allotment_conformance.counterexample.replay import Replayed, replay
from allotment_conformance.errors import KitError
from allotment_conformance.exit_status import Exit
from allotment_conformance.runs.again import replayed
from allotment_conformance.runs.tally import KeptCase, Replay
from allotment_conformance.wire.failure import AdapterFailed
from allotment_conformance.wire.guarded import AdapterNotStarted
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.process import ProcessAdapter

STATUS = {
    Replay.FAILED: Exit.DISAGREEMENT,
    Replay.ERROR: Exit.BAD_INPUT,
    Replay.UNSURE: Exit.INCOMPLETE,
    Replay.FIXED: Exit.HOLDS,
}
"""The exit status of each outcome, the worst first."""

Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The directory of a counterexample.")]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="[DIR...] [ADAPTER]",
        help="More of them; then module:Name?option=value&…, or a program behind --. "
        "Default: the one that failed.",
    ),
]


class NoAllocator(KitError):
    """Neither the command line nor the directory says whom to ask."""

    code = "no-allocator"


def command(folder: Folder, words: Words = None, json_file: JsonFile = None) -> int:
    """Ask an allocator counterexamples again: FIXED, FAILED, ERROR or UNSURE.

    Without an allocator the one is asked that failed, as the directory names it.

    Example: allotment replay counterexamples/0f3a62b1c9d4 -- node adapter.js

    Exit status: 1 failed again, or without usable answers; else 2 an error: it cannot be asked, or
    bad input; else 3 unsure: right now, but so it was when it was asked again at once; 0 all are
    fixed.
    """
    check_writable(json_file)
    folders, asked = _parted(folder, words or [])
    kept = [read(one) for one in folders]
    whom = [asked or _failed_once(one) for one in folders]
    outcomes = []
    for place, adapter, case in zip(folders, whom, kept, strict=True):
        outcomes.append(_outcome(adapter, case))
        named = [str(place)] if len(folders) > 1 else []
        told = [*named, outcomes[-1].outcome, legible(outcomes[-1].words)]
        print(": ".join(filter(None, told)))
    came = {one.outcome for one in outcomes}
    status = next(status for outcome, status in STATUS.items() if outcome in came)
    write_result(json_file, {"replayed": list(map(_record, outcomes)), "exit_status": status})
    return status


def _parted(first: Path, words: Sequence[str]) -> tuple[list[Path], list[str]]:
    """The directories, and the allocator behind them: what is a directory is no program."""
    more = list(takewhile(lambda word: Path(word).is_dir(), words))
    return [first, *map(Path, more)], list(words[len(more) :])


def _outcome(words: Sequence[str], kept: KeptCase) -> Replayed:
    """What becomes of it; an allocator that does not start is an error."""
    try:
        return _replayed(words, kept)
    except (AdapterFailed, AdapterNotStarted) as failed:
        return Replayed(name=kept.name, outcome=Replay.ERROR, words=str(failed))


def _record(one: Replayed) -> Json:
    return {"counterexample": one.name, "outcome": one.outcome, "words": one.words}


def _failed_once(folder: Path) -> list[str]:
    """The command or the adapter that the directory names."""
    told = read_json_file(folder / "versions.json", remedy="Name the allocator.")
    words = told.get("command") or [told.get("adapter")]
    if not (isinstance(words, list) and all(isinstance(one, str) for one in words)):
        raise NoAllocator(
            f"{folder} does not say which allocator failed", remedy="Name it behind the folder."
        )
    print(f"Asking the one that failed: {legible(json.dumps(words))}", file=sys.stderr)
    return words


def _replayed(words: Sequence[str], kept: KeptCase) -> Replayed:
    """Somebody is started, asked, and stopped."""
    if is_adapter(words):
        return replayed(words[0], kept)
    program = ProcessAdapter(words)
    try:
        return replay(OverWire(program, legal_profile(program.start())), kept)
    finally:
        program.close()
