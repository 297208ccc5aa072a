"""What a run answers for each job that was tried (SPEC.md 2.2)."""

from typing import TypeAlias

import msgspec

from allotment_impl.attempt import ProtocolEvent
from allotment_impl.cache import Category

Taken: TypeAlias = tuple[tuple[str, int], ...]
"""The hosts that one primary took with their slots, in bucket order, never merged (PAR-3)."""


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What every decision says; ``events`` is nothing unless they were asked for."""

    job: str
    events: tuple[ProtocolEvent, ...] | None = None


class Dispatched(Decision, frozen=True, kw_only=True):
    """The job runs: the alternative that won, and what each of its primaries took."""

    alternative: int
    parts: tuple[Taken, ...]


class Pending(Decision, frozen=True, kw_only=True):
    """The job waits: why, whether for ever, and whether that was known (WHY-1 … 3)."""

    reason: Category
    never: bool
    cached: bool


class Cancelled(Decision, frozen=True, kw_only=True):
    """The attempt was cancelled, and the job waits as before (CANCEL-1)."""


Outcome: TypeAlias = Dispatched | Pending | Cancelled
