"""How the log that ships with the package was made; `data/sample.swf` holds what this writes.

A day and a half of a small cluster: many narrow jobs, wide ones that crowd them out, users who
submit nearly the same job several times, and a few of the flaws that real logs have.
"""

from collections.abc import Iterator
from random import Random
from typing import TypeVar

JOBS = 160
SEED = 4  # gives a mix in which waits, uneven splits and cache hits all occur

COMMENTS = """\
; Version: 2.2
; Computer: none, these jobs never ran
; Note: synthetic, made by allotment_conformance/workload/sample.py
; Note: part of Allotment, licensed under Apache-2.0
; MaxJobs: {jobs}
; MaxProcs: 20
; Queue: 1 short
; Queue: 2 long
"""

WIDTHS = (1, 1, 1, 1, 2, 2, 3, 4, 4, 5, 7, 7, 8, 8, 10, 11, 13)
WIDER_THAN_MOST = 20
KB = (-1, 200_000, 750_000, 1_500_000)

Item = TypeVar("Item")


def sample_log() -> str:
    """The text of the sample log, always the same."""
    lines = [" ".join(map(str, fields)) for fields in _jobs()]
    return COMMENTS.format(jobs=len(lines)) + "\n".join(lines) + "\n"


def _jobs() -> Iterator[list[int]]:
    """The fields of each job, -1 where the format says so of what is unknown."""
    draw, number, submit = _Draw(), 0, 0
    while number < JOBS:
        user, width = draw.below(8), draw.one_of(WIDTHS)
        if draw.below(40) == 0:
            width = WIDER_THAN_MOST
        typical_run = draw.one_of((40, 300, 300, 1_200, 5_000))
        submit += draw.below(2_400)
        for _ in range(draw.one_of((1, 1, 1, 2, 4))):
            number += 1
            submit += draw.below(30)
            run = typical_run // 2 + draw.below(typical_run)
            memory = draw.one_of(KB)
            queue = 1 if run < 1_000 else 2
            fields = [number, submit, -1, run, width, -1, -1, width, 2 * typical_run, memory, 1]
            yield _flawed([*fields, user, user % 3, -1, queue, -1, -1, -1])


def _flawed(fields: list[int]) -> list[int]:
    """The same job; a few have one of the flaws that real logs have."""
    match fields[0]:
        case 31:
            fields[4] = fields[7] = 0
        case 58:
            fields[3] = fields[8] = -1
        case 77:
            fields[3] = -1
        case 96:
            fields[1] -= 3_600
        case 120:
            fields[11] = -1
        case _:
            pass
    return fields


class _Draw:
    """Draws by the one method of `Random` whose values no version of Python changes."""

    def __init__(self) -> None:
        self._random = Random(SEED)

    def below(self, bound: int) -> int:
        """A whole number from 0 up to the bound, which is left out."""
        return int(self._random.random() * bound)

    def one_of(self, items: tuple[Item, ...]) -> Item:
        """One of the items."""
        return items[self.below(len(items))]
