"""List the allocators that test the kit, or hunt them with every engine."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from allotment_conformance.commands.files import NotRecorded, check_writable, write_result
from allotment_conformance.commands.run_options import JsonFile, SomeProcesses, Stream
from allotment_conformance.errors import KitError, NotBoth
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.plain import PlainRun
from allotment_conformance.report.recorder import recording
from allotment_conformance.runs.canary import what_is_broken
from allotment_conformance.runs.pool import Lost
from allotment_conformance.runs.verification import processors
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.profiles import MODEL_PROFILE
from allotment_conformance.wire.serve import serve_here
from allotment_conformance.zoo import hunt, matrix
from allotment_conformance.zoo import roll_call as roll
from allotment_conformance.zoo.calibration import CALIBRATION
from allotment_conformance.zoo.catalogue import MUTANTS, mutant
from allotment_conformance.zoo.hunt import Trail

Names = Annotated[
    list[str] | None, typer.Argument(metavar="NAME", help="Hunt these with every engine.")
]
Page = Annotated[
    Path | None,
    typer.Option("--update", metavar="FILE", help="Hunt all; renew the page and what is kept."),
]
Served = Annotated[bool, typer.Option("--serve", help="Serve the one that is named (protocol.md).")]
Listed = Annotated[
    bool, typer.Option("--list", help="Say who there is: what is done, too, if nobody is named.")
]
RollCall = Annotated[
    bool, typer.Option("--roll-call", help="Judge everybody again on little, in seconds.")
]


class CannotUpdate(KitError):
    """The page of the zoo cannot be read or written."""

    code = "cannot-update"


class NotOne(KitError):
    """Not exactly one allocator was named."""

    code = "not-one"


def command(
    names: Names = None,
    listed: Listed = False,
    update: Page = None,
    serve: Served = False,
    roll_call: RollCall = False,
    processes: SomeProcesses = None,
    json_file: JsonFile = None,
    ndjson: Stream = None,
) -> int:
    """List the allocators that test the kit, or hunt them with every engine.

    Example: allotment check -- allotment zoo --serve int32-ledger

    Exit status: 0 listed, or all that were hunted are found; 1 some are not, or a right one is
    flagged; 2 bad input; 3 a process that hunted is gone; 4 the kit itself is broken;
    130 interrupted.
    """
    if listed and (names or update or serve or roll_call):
        raise NotBoth("--list says who there is, and does nothing else", remedy="Leave it out.")
    check_writable(json_file, ndjson)
    wanted = processes or processors()
    judges = not serve and bool(roll_call or update or names)
    if ndjson is not None and not judges:
        raise NotRecorded("nobody is judged", remedy="Leave out --ndjson, or name somebody.")
    if serve:
        return _serve(names or [])
    if not judges:
        status, result = _list()
    else:
        with recording(ndjson) as stream:
            run = PlainRun(stream, "zoo", "", processes=1 if roll_call else wanted)
            status, result = (
                _roll_call(run) if roll_call else _hunt(names or [], update, wanted, run)
            )
            run.end(status.name.lower(), status, _verdict(status, run))
    write_result(json_file, {**result, "exit_status": status})
    return status


def _verdict(status: Exit, run: PlainRun) -> str:
    """The last line of a report."""
    words = {
        Exit.HOLDS: "HOLDS",
        Exit.DISAGREEMENT: "FAILS",
        Exit.KIT_BROKEN: "KIT BROKEN: nobody was judged",
    }
    return f"{words.get(status, 'INCOMPLETE')}: {run.failing:,} were not judged rightly"


def _hunt(
    names: list[str], update: Path | None, processes: int, run: PlainRun
) -> tuple[Exit, Json]:
    """Hunt those that are named, or all to renew the page."""
    broken = what_is_broken(MODEL_PROFILE, hunt.flags)
    if broken is not None:
        print(f"KIT BROKEN: {broken}; nobody was hunted")
        return Exit.KIT_BROKEN, {"broken": broken}
    if update is not None:
        if not update.is_file():
            raise CannotUpdate(f"there is no page '{update}'", remedy="It is docs/zoo.md.")
        trails, cut = matrix.update(update, processes), None
        for name, trail in trails.items():
            _note(run, name, trail)
    else:
        known = [mutant(_spelled(name)).id for name in names]
        trails, cut = _trails(known, processes, run)
    print("\n".join(matrix.table(trails)))
    hunted = {name: asdict(trail) for name, trail in trails.items()}
    if cut is not None:
        print(f"{cut.name}: {len(trails)} of {len(names)} were hunted to the end")
        return cut, {"hunted": hunted}
    found = all(trail.engines for trail in trails.values())
    return Exit.HOLDS if found else Exit.DISAGREEMENT, {"hunted": hunted}


def _note(run: PlainRun, name: str, trail: Trail) -> None:
    """One more who was hunted."""
    after = (f"{engine} after {n}" for engine, n in trail.found_after.items() if n is not None)
    run.item(name, bool(trail.engines), ", ".join(after) or "found by nobody")


def _trails(
    names: list[str], processes: int, run: PlainRun
) -> tuple[dict[str, Trail], Exit | None]:
    """The trail of each, or of those before the hunt was cut; and how it was cut."""
    before: dict[str, Trail] = {}

    def watch(name: str, trail: Trail) -> None:
        before[name] = trail
        _note(run, name, trail)

    try:
        return matrix.matrix(names, min(len(names), processes), watch), None
    except KeyboardInterrupt:
        return before, Exit.INTERRUPTED
    except Lost as lost:
        print(f"the process that hunted {lost.share} is gone: {lost.words}", file=sys.stderr)
        return before, Exit.INCOMPLETE


def _spelled(name: str) -> str:
    """The id of the zoo that is meant: rules are named with blanks where they are defined."""
    return name.replace(" ", "-")


def _serve(names: list[str]) -> int:
    """One of the zoo, wrong or odd, over standard input and output."""
    if len(names) != 1:
        raise NotOne("one has to be named to be served", remedy="See the names: allotment zoo")
    name = _spelled(names[0])
    odd = {one.id: one for one in CALIBRATION}
    made = odd[name].make() if name in odd else mutant(name).make()
    serve_here(made)
    return Exit.HOLDS


def _roll_call(run: PlainRun) -> tuple[Exit, Json]:
    """Everybody again: who is wrong on the case that is kept, who is odd on some cases."""
    missed = roll.missed(lambda name, right: run.item(name, right, _judged("found", right)))
    flagged = roll.flagged(lambda name, right: run.item(name, right, _judged("right", right)))
    print(f"{len(MUTANTS)} wrong allocators, not found on their smallest case: {_named(missed)}")
    print(f"{len(CALIBRATION)} odd and right ones, flagged: {_named(flagged)}")
    status = Exit.DISAGREEMENT if missed or flagged else Exit.HOLDS
    return status, {"missed": missed, "flagged": flagged}


def _judged(word: str, right: bool) -> str:
    return word if right else f"not {word}"


def _named(names: list[str]) -> str:
    return ", ".join(names) or "none"


def _list() -> tuple[Exit, Json]:
    """Everybody, with what is wrong or odd."""
    names = [*(one.id for one in MUTANTS), *(one.id for one in CALIBRATION)]
    width = max(map(len, names))
    for one in MUTANTS:
        print(f"{one.id:<{width}}  {one.kind:<16}  {one.what} ({', '.join(one.clauses)})")
    for odd in CALIBRATION:
        print(f"{odd.id:<{width}}  {'right':<16}  {odd.what}")
    wrong = [
        {"id": one.id, "kind": one.kind, "what": one.what, "clauses": one.clauses}
        for one in MUTANTS
    ]
    right = [{"id": odd.id, "what": odd.what} for odd in CALIBRATION]
    return Exit.HOLDS, {"wrong": wrong, "right": right}
