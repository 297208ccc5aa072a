"""What can be wrong with an answer, and where."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from allotment_conformance.wire.messages import Json
from allotment_model.oracle.profile import DECLARABLE
from allotment_model.state import State


class Kind(StrEnum):
    """In what two answers to one event differ; of several, the first here is reported."""

    CRASH = "crash"
    MALFORMED = "malformed"
    COUNT = "number of answers"
    ACCEPTANCE = "accepted or refused"
    CODE = "refusal code"
    QUEUE = "jobs tried, and their order"
    CANCELLED = "cancelled"
    DECISION = "dispatched or pending"
    ALTERNATIVE = "alternative"
    PLACEMENT = "hosts and slots"
    REASON = "reason"
    NEVER = "never"
    CACHED = "cached"
    BOOKS = "books"
    EVENTS = "protocol events"


@dataclass(frozen=True, slots=True, kw_only=True)
class Disagreement:
    """The first answer of a case that the specification does not allow.

    `step` counts the events from 0. `expected` and `actual` are whole answers; `actual` is a text
    when the allocator crashed or sent no message. `job` names the job whose answer differs, and
    `before` is the scheduler before the event. `clause` is the one that is broken where the profile
    leaves choices, and the canonical answer is not among them. `one_of_several`: others than the
    expected answer may have been right, too. `declares` are the fields of a pending answer that
    mean something.
    """

    step: int
    event: Json
    kind: Kind
    expected: Json
    actual: Any
    job: str | None
    before: State
    clause: str | None = None
    one_of_several: bool = False
    declares: frozenset[str] = DECLARABLE
