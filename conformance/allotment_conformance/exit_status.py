"""What `allotment` says to whoever started it."""

from enum import IntEnum


class Exit(IntEnum):
    """The exit statuses of all commands; each command's help says which of them it has.

    `BAD_INPUT` is anything that was refused before there was a result, `INCOMPLETE` a run that
    found nothing wrong and did not do all that was asked, `NOBODY_READS` a closed standard output.
    """

    HOLDS = 0
    DISAGREEMENT = 1
    BAD_INPUT = 2
    INCOMPLETE = 3
    KIT_BROKEN = 4
    INTERRUPTED = 130
    NOBODY_READS = 141
