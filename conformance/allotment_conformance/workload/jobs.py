"""A job as a workload tells it, whatever the format, and what is counted while it is read."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

LATEST = 10**12
"""Seconds: far beyond any workload, and sums of it stay exact everywhere."""


class Skipped(StrEnum):
    """Why a job of a workload was not handed to the allocator, or was refused by it."""

    WRONG_NUMBER_OF_FIELDS = "line with a wrong number of fields"
    NOT_A_NUMBER = "field that is not a number of at most 18 digits"
    CARRIAGE_RETURN_INSIDE = "line with a carriage return inside"
    LINE_TOO_LONG = "line that is too long"
    PART_OF_A_JOB = "line that repeats a part of a checkpointed job"
    SUBMIT_TIME_UNKNOWN = "submit time unknown"
    PROCESSORS_UNKNOWN = "number of processors unknown"
    NO_PROCESSORS = "no processors"
    RUN_TIME_UNKNOWN = "run time unknown"
    TOO_LATE = "time beyond 10^12 seconds"
    TOO_MANY_TASKS = "more tasks than the allocator declares"
    TOO_LARGE_AMOUNT = "more of an amount than the allocator declares"
    REFUSED = "refused by the allocator"


class Remark(StrEnum):
    """What is odd about a workload, or was made up for it, though no job was lost by it."""

    EMPTY = "log without a job"
    CARRIAGE_RETURNS = "lines that end with a carriage return"
    NOT_UTF8 = "lines with bytes that are not UTF-8"
    UNSORTED = "jobs with a submit time before that of an earlier line"
    LATE = "jobs too far out of order, submitted when they were met"
    FRACTIONS = "jobs with a fraction in a whole number, rounded up"
    RUN_TIME_ASKED = "jobs that run for the time asked: the run time is unknown"
    NEVER_RAN = "pods that were never scheduled, run from creation to deletion"
    SELECT_MADE_UP = "pods with a made-up select: their gpu_spec is empty"
    USER_UNKNOWN = "jobs whose user is unknown"
    QUEUE_UNKNOWN = "jobs whose queue is unknown"
    GROUP_UNKNOWN = "jobs whose group, our project, is unknown"
    MEMORY_UNKNOWN = "jobs that ask for no memory: theirs is unknown"
    MEMORY_IGNORED = "jobs whose memory is ignored: --mem is not given"
    NAMED_BY_LINE = "jobs named by their line, too: the numbers do not ascend"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedJob:
    """One job as a workload tells it, with what is unknown already replaced or left out.

    Times are seconds. `amounts` are those of each task, in thousandths; one that is unknown is left
    out. `models`: the host's attribute `model` has to be one of these; none means any.
    """

    name: str
    submit_time: int
    run_time: int
    tasks: int
    amounts: Mapping[str, int]
    models: tuple[str, ...] = ()
    user: str
    queue: str
    project: str


@dataclass(slots=True, kw_only=True)
class Findings:
    """What was met while a workload was read.

    `jobs_promised` is how many jobs there will be, if the workload says so.
    """

    jobs_read: int = 0
    skipped: Counter[Skipped] = field(default_factory=Counter)
    remarks: Counter[Remark] = field(default_factory=Counter)
    headers: dict[str, str] = field(default_factory=dict)
    jobs_promised: int | None = None

    def remark(self, kind: Remark, holds: bool = True) -> None:
        """Count one more of the kind, if it holds."""
        if holds:
            self.remarks[kind] += 1


class Log(Protocol):
    """Where jobs come from."""

    @property
    def name(self) -> str:
        """How a person named it."""
        ...

    def jobs(self, findings: Findings) -> Iterator[LoggedJob]:
        """The jobs in the order in which they stand there.

        `findings` is written as they go by, and complete once the iterator has ended.
        """
        ...
