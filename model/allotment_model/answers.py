"""Answers: what the scheduler says to each event, and the codes and categories in them."""

from dataclasses import dataclass
from enum import StrEnum


class Refusal(StrEnum):
    """INGEST-2: why an event is refused. Of several that apply, the first here is the answer."""

    DUPLICATE_NAME = "duplicate-name"
    UNKNOWN_NAME = "unknown-name"
    NOT_RUNNING = "not-running"
    NOT_PENDING = "not-pending"
    IDENTITY_MISSING = "identity-missing"
    EMPTY_COMPOUND = "empty-compound"
    TASKS_RANGE = "tasks-range"
    COUNTS = "counts"
    SPAN_RANGE = "span-range"
    SLOTS_IN_RUSAGE = "slots-in-rusage"
    UNKNOWN_RESOURCE = "unknown-resource"
    NOT_AN_ATTRIBUTE = "not-an-attribute"
    TYPE = "type"
    PER_HOST_ON_POOL = "per-host-on-pool"
    PER_JOB_ON_HOST = "per-job-on-host"
    AMOUNT_RANGE = "amount-range"
    SYNTAX = "syntax"


class Category(StrEnum):
    """WHY-1: why a job is pending."""

    SPAN = "span"
    SELECT = "select"
    SHARED = "shared"
    LIMIT = "limit"
    CAPACITY = "capacity"
    ERROR = "error"


Part = tuple[tuple[str, int], ...]
"""PAR-3: host and slots of each claim of one primary, in bucket order."""

Note = tuple[str | int | tuple[int, ...], ...]
"""One protocol event of an attempt, as SPEC.md 2.2 lists them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dispatched:
    """The job runs: the alternative that won and the parts of its compound."""

    alternative: int
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pending:
    """The job waits; `never` is WHY-2, `cached` is WHY-3."""

    reason: Category
    never: bool
    cached: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Cancelled:
    """CANCEL-1: the attempt was cut short; the job waits."""


JobAnswer = Dispatched | Pending | Cancelled


@dataclass(frozen=True, slots=True, kw_only=True)
class Ok:
    """The event was accepted."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    """The event was refused and changed nothing."""

    code: Refusal


@dataclass(frozen=True, slots=True, kw_only=True)
class Tried:
    """What one job was answered in a run, and the protocol events of its attempt."""

    job: str
    answer: JobAnswer
    notes: tuple[Note, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """The answers of a run, in the order of trying."""

    jobs: tuple[Tried, ...]


Answer = Ok | Refused | Ran
