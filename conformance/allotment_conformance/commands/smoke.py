"""Say whether a program that speaks the protocol is alive, and what it declares."""

import shlex

from allotment_conformance.commands.run_options import LIMITS, Command, Timeout
from allotment_conformance.exit_status import Exit
from allotment_conformance.report.visible import visible
from allotment_conformance.runs.smoke import smoke
from allotment_conformance.wire.limits import Limits


def command(
    command: Command,
    start_timeout: Timeout = LIMITS.start_seconds,
    answer_timeout: Timeout = LIMITS.answer_seconds,
) -> int:
    """Say whether a program that speaks the protocol is alive, and what it declares.

    It is started, asked one small case with a job that fits and one that waits, and stopped.

    Example: allotment smoke -- node adapter.js

    Exit status: 0 all three went well, 1 one of them did not, 2 bad input.
    """
    limits = Limits(start_seconds=start_timeout, answer_seconds=answer_timeout)
    seen = smoke(tuple(command), limits)
    print(shlex.join(command))
    print(visible("\n".join(seen.lines())))
    return Exit.HOLDS if seen.is_well else Exit.DISAGREEMENT
