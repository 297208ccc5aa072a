"""Export the vectors, or check an allocator with them alone."""

from collections.abc import Iterable
from dataclasses import asdict
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.allocator import name_of
from allotment_conformance.commands.files import (
    CannotWrite,
    NotRecorded,
    check_writable,
    read_file,
    write_result,
)
from allotment_conformance.commands.profile_options import (
    Cache,
    Order,
    Per,
    RusageDefault,
    Splits,
    model_profile,
)
from allotment_conformance.errors import KitError
from allotment_conformance.exit_status import Exit
from allotment_conformance.named_paths import named_path
from allotment_conformance.report.plain import PlainRun
from allotment_conformance.report.recorder import recording
from allotment_conformance.report.verdict import NOT_STOPPED
from allotment_conformance.report.visible import visible
from allotment_conformance.vectors import build
from allotment_conformance.vectors.build import NotMade, axes_of
from allotment_conformance.vectors.check import Outcome, check
from allotment_conformance.vectors.export import export, vectors_for
from allotment_conformance.vectors.promote import vectors_in_folder
from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.legality import legal_profile
from allotment_conformance.wire.messages import Json, Profile
from allotment_model.oracle.profile import CacheKind, HostOrder, Split


class TooManyWords(KitError):
    """More is named than can be meant."""

    code = "too-many-words"


class Action(StrEnum):
    """What is to be done."""

    EXPORT = "export"
    CHECK = "check"
    UPDATE = "update"


Todo = Annotated[
    Action, typer.Argument(help="export DIR, check ADAPTER, check -- COMMAND, or update SPEC.md")
]
Folder = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="check: with the vectors of this folder or file instead."),
]
JsonFile = Annotated[
    Path | None, typer.Option("--json", metavar="FILE", help="check: write the result there, too.")
]
Stream = Annotated[
    Path | None,
    typer.Option("--ndjson", metavar="FILE", help="check: write records there, for `report`."),
]
Words = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="TARGET",
        help="A folder; module:Name?option=value&… or a program behind --; or the specification.",
    ),
]


def command(
    action: Todo,
    words: Words = None,
    host_order: Order = HostOrder.LISTED,
    split: Splits = Split.BALANCED,
    cache: Cache = CacheKind.TRANSPARENT,
    rusage_default: Per = RusageDefault.TASK,
    folder: Folder = None,
    json_file: JsonFile = None,
    ndjson: Stream = None,
) -> int:
    """Export the vectors, or check an allocator with them alone.

    `update` makes the vectors of the package anew from the model and the worked examples.

    Example: allotment vectors check --folder my-vectors -- node adapter.js

    Exit status: 0 done, or all vectors hold; 1 some do not; 2 bad input; 130 interrupted.
    """
    if (json_file or ndjson) is not None and action is not Action.CHECK:
        raise NotRecorded(f"{action} has no result", remedy="Leave out --json and --ndjson.")
    check_writable(json_file, ndjson)
    match action:
        case Action.EXPORT:
            profile = model_profile(host_order, cache, rusage_default, split)
            return _export(_only(words, "vectors"), profile)
        case Action.CHECK:
            outcome = _check(name_of(words or [DEFAULT_ADAPTER]), folder, ndjson)
            status = _exit_status(outcome)
            write_result(json_file, {**asdict(outcome), "exit_status": status})
            return status
        case Action.UPDATE:
            page = _only(words, "SPEC.md")
            build.update(read_file(page, remedy="Name the file SPEC.md."))
            return Exit.HOLDS


def _only(words: list[str] | None, default: str) -> Path:
    """What the one word names that is given, if any. Raises `TooManyWords`, `BadParameter`."""
    if words is not None and len(words) > 1:
        raise TooManyWords(f"'{words[1]}' is one word too many", remedy="Name one folder or file.")
    return named_path(words[0] if words else default, may_be_dash=False)


def _export(folder: Path, profile: Profile) -> int:
    try:
        count = export(folder, profile)
    except OSError as wrong:
        raise CannotWrite(
            f"{folder} cannot be written: {wrong.strerror}",
            remedy="Name a folder that you may write to.",
        ) from wrong
    print(f"{count} vectors are in {folder}, with a README that says how to use them.")
    return Exit.HOLDS


def _check(name: str, folder: Path | None, ndjson: Path | None) -> Outcome:
    """Ask the vectors, and print what came of it."""
    adapter = load_adapter(name)
    profile = legal_profile(adapter.start())
    not_made = NotMade()
    if folder is None:
        vectors: Iterable[Json] = vectors_for(profile, not_made)
    else:
        vectors = list(vectors_in_folder(folder, axes_of(profile)))
    with recording(ndjson) as stream:
        run = PlainRun(stream, "vectors", name)
        outcome = check(adapter, profile, vectors, partial(_note, run))
        outcome.left_out += not_made.left_out
        outcome.too_many = not_made.too_many
        adapter.close()
        outcome.ended_badly = str(adapter.stop_failure) if adapter.stop_failure else None
        run.end(_end(outcome), _exit_status(outcome), _verdict(outcome))
    print(f"{_counts(outcome)}.")
    if outcome.wrong:
        print("\n".join(["Answered wrongly:", *(f"  {name}" for name in outcome.wrong)]))
    if outcome.ended_badly is not None:
        print(f"It does not end well: {visible(outcome.ended_badly)}")
    if outcome.interrupted:
        print("INTERRUPTED: there are more vectors.")
    return outcome


def _note(run: PlainRun, vector: Json, holds: bool) -> None:
    """One more vector in the stream; of one that was answered wrongly why it is there."""
    run.item(vector["id"], holds, "" if holds else f"answered wrongly: {vector['why']}")


def _end(outcome: Outcome) -> str:
    return "interrupted" if outcome.interrupted else "done"


def _counts(outcome: Outcome) -> str:
    """How many were asked, and why not the others."""
    told = f"{outcome.asked:,} vectors asked, {outcome.left_out:,} left out by the profile"
    if not outcome.too_many:
        return told
    return f"{told}, {outcome.too_many:,} cases with more answers than a vector lists"


def _verdict(outcome: Outcome) -> str:
    """The last line of a report."""
    asked = _counts(outcome)
    if outcome.interrupted:
        return f"INTERRUPTED: {asked} so far, {len(outcome.wrong):,} answered wrongly"
    if outcome.holds:
        return f"HOLDS: {asked}"
    ended = "" if outcome.ended_badly is None else f"; {NOT_STOPPED}: {outcome.ended_badly}"
    return f"FAILS: {asked}, {len(outcome.wrong):,} answered wrongly{ended}"


def _exit_status(outcome: Outcome) -> int:
    if outcome.interrupted:
        return Exit.INTERRUPTED
    return Exit.HOLDS if outcome.holds else Exit.DISAGREEMENT
