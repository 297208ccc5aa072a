"""Say whether a program that speaks the protocol is alive, and what it declares."""

import shlex
from typing import Annotated

import typer

from allotment_conformance.verdict.smoke import smoke

Command = Annotated[
    list[str], typer.Argument(metavar="COMMAND", help="The program and its arguments, behind --.")
]


def command(command: Command) -> int:
    """Say whether a program that speaks the protocol is alive, and what it declares.

    It is started, asked one small case, and stopped.

    Example: allotment smoke -- node adapter.js

    Exit status: 0 all three went well, 1 one of them did not, 2 bad input.
    """
    seen = smoke(tuple(command))
    print(f"{shlex.join(command)}")
    print("\n".join(seen.lines()))
    return 0 if seen.is_well else 1
