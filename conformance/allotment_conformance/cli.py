"""The `allotment` command: finds the subcommand that is meant and hands over to it.

Exit status: 0 all holds, 1 a disagreement, 2 the command line or the input is refused,
3 incomplete, 4 the kit itself is broken, 130 interrupted, 141 nobody reads the output any more
(128 + SIGPIPE, as a shell has it). Nothing heavy is imported before a subcommand is known.
"""

import gc
import signal
import sys
from collections.abc import Callable, Sequence
from functools import wraps
from importlib.metadata import version
from typing import Any

from allotment_conformance.command_registry import (
    RegisteredCommand,
    load,
    refusal_for,
    registered_commands,
    summary_of,
)
from allotment_conformance.errors import KitError, UnknownCommand, UnknownOption
from allotment_conformance.exit_status import Exit
from allotment_conformance.named_paths import signature_with_named_paths
from allotment_conformance.report.visible import visible
from allotment_conformance.standard_streams import (
    OutputLost,
    give_up_unheard_errors,
    open_closed_streams,
    output_kept,
    without_output,
)

OBJECTS_BETWEEN_COLLECTIONS = 50_000
"""As many as are made while a subcommand is imported: they stay, and it took a fifth of the start
to look through them for garbage again and again."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `allotment` with the given words, by default those of the process; its exit status."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if arguments is None:  # This is the process: what asks it to end is heard as Ctrl-C is.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    try:
        open_closed_streams()
        if arguments is None:
            give_up_unheard_errors()
        with output_kept():
            return _dispatch(words)
    except KitError as refusal:
        print(visible(f"allotment: {refusal}\n{refusal.remedy}"), file=sys.stderr)
        return Exit.BAD_INPUT
    except OutputLost as lost:
        return without_output(lost.reason)
    except KeyboardInterrupt:
        return _interrupted()


def _interrupted() -> int:
    """Say that somebody ended it before there was anything to tell; the exit status."""
    print("allotment: interrupted", file=sys.stderr)
    return Exit.INTERRUPTED


def help_text() -> str:
    """What `allotment --help` prints: how to call it and one line for each subcommand."""
    commands = registered_commands()
    width = max(map(len, commands), default=0)
    lines = [f"  {name:<{width}}  {summary_of(one)}".rstrip() for name, one in commands.items()]
    return "\n".join(
        [
            "Usage: allotment COMMAND [OPTIONS] [ARGUMENTS]",
            "",
            "Check slot allocators against their executable specification.",
            "",
            "Commands:",
            *(lines or ["  (none is installed)"]),
            "",
            "Options:",
            "  -h, --help  Show this text; after a command, that command's own.",
            "  --version   Show the version.",
        ]
    )


def _dispatch(words: Sequence[str]) -> int:
    """Answer the root's own options, or run the subcommand that the first word names."""
    match words:
        case []:
            print(help_text(), file=sys.stderr)
            return Exit.BAD_INPUT
        case ["-h" | "--help", *_]:
            print(help_text())
            return Exit.HOLDS
        case ["--version", *_]:
            print(f"allotment {version('allotment')}")
            return Exit.HOLDS
        case [word, *rest]:
            return _run(_named(word), rest)
        case _:
            raise AssertionError(f"not a list of words: {words!r}")


def _named(word: str) -> RegisteredCommand:
    """The subcommand of that name."""
    commands = registered_commands()
    if word in commands:
        return commands[word]
    if word.startswith("-"):
        raise UnknownOption(
            f"there is no option '{word}' before the command",
            remedy="See: allotment --help",
        )
    known = ", ".join(commands) or "none is installed"
    raise UnknownCommand(f"there is no command '{word}'", remedy=f"Known commands: {known}")


def _run(command: RegisteredCommand, words: Sequence[str]) -> int:
    """Import the subcommand, let typer parse its words, run it; its exit status."""
    try:
        return _run_with_typer(load(command), f"allotment {command.name}", words)
    except ModuleNotFoundError as missing:
        refusal = refusal_for(command, missing)
        if refusal is None:
            raise
        raise refusal from missing


def _run_with_typer(function: Callable[..., int | None], path: str, words: Sequence[str]) -> int:
    """Parse the words by the function's annotations and call it; its exit status.

    Typer's own rendering is switched off: it colours piped output on some CI services.
    """
    import typer

    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(context_settings={"help_option_names": ["-h", "--help"]})(_exiting(function))
    try:
        typer.main.get_command(app)(args=list(words), prog_name=path)
    except SystemExit as leaving:
        if isinstance(leaving.code, int):
            return leaving.code
        raise
    raise AssertionError("typer returned instead of leaving with a status")


def _exiting(function: Callable[..., int | None]) -> Callable[..., None]:
    """The same subcommand, leaving with the status that it returned: typer drops return values."""

    @wraps(function)
    def leave_with_status(*arguments: Any, **options: Any) -> None:
        try:
            with output_kept():
                status = function(*arguments, **options)
        except KeyboardInterrupt:  # Typer would leave with the same status, and say nothing.
            status = _interrupted()
        raise SystemExit(Exit.HOLDS if status is None else status)

    vars(leave_with_status)["__signature__"] = signature_with_named_paths(function)
    return leave_with_status
