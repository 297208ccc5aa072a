"""The Standard Workload Format: one job a line, 18 numbers, comments that start with `;`.

A log is read as a stream, and no line of it is fatal: what cannot be used is counted by kind, so
that the lines with a job are always the jobs that were handed out plus the jobs that were skipped.
The format is defined at <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.
"""

import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from importlib.resources import files
from io import BufferedReader, TextIOWrapper
from pathlib import Path
from typing import ClassVar

from allotment_conformance.errors import KitError

FIELDS = 18
SAMPLE = "sample"
"""The word that names, in place of a path, the log that is part of this package."""

LONGEST_LINE = 65_536  # keeps memory bounded when a file is not text at all
MOST_HEADERS = 200  # keeps memory bounded; headers of real logs have about thirty lines
PARTS_OF_A_JOB = (2, 3, 4)  # status of lines that only repeat a stretch of a checkpointed job
GZIP_MAGIC = b"\x1f\x8b"
NUMBER = re.compile(r"([+-]?[0-9]{1,18})(?:\.([0-9]*))?")
HEADER = re.compile(r";\s*([A-Za-z]\w*)\s*:\s*(.*)")
NOT_UTF8 = re.compile("[\udc80-\udcff]")  # how undecodable bytes look once they are escaped


Bytes = BufferedReader | gzip.GzipFile
"""A log that is open for reading."""


class Skipped(StrEnum):
    """Why a job of a log was not handed to the allocator, or was refused by it."""

    WRONG_NUMBER_OF_FIELDS = "line with a wrong number of fields"
    NOT_A_NUMBER = "field that is not a number of at most 18 digits"
    LINE_TOO_LONG = "line that is too long"
    PART_OF_A_JOB = "line that repeats a part of a checkpointed job"
    SUBMIT_TIME_UNKNOWN = "submit time unknown"
    PROCESSORS_UNKNOWN = "number of processors unknown"
    NO_PROCESSORS = "no processors"
    RUN_TIME_UNKNOWN = "run time unknown"
    TOO_MANY_TASKS = "more processors than the allocator declares"
    TOO_MUCH_MEMORY = "more memory than the allocator declares"
    REFUSED = "refused by the allocator"


class Remark(StrEnum):
    """What is odd about a log, or was made up for it, though no job was lost by it."""

    EMPTY = "log without a job"
    BYTE_ORDER_MARK = "byte order mark"
    CARRIAGE_RETURNS = "lines that end with a carriage return"
    NOT_UTF8 = "lines with bytes that are not UTF-8"
    GZIP_CUT_SHORT = "compressed log that is cut short"
    GZIP_DAMAGED = "compressed log that is damaged"
    UNSORTED = "jobs with a submit time before that of an earlier line"
    LATE = "jobs too far out of order, submitted when they were met"
    FRACTIONS = "jobs with a fraction in a whole number, rounded up"
    RUN_TIME_ASKED = "jobs that run for the time asked: the run time is unknown"
    USER_UNKNOWN = "jobs whose user is unknown"
    QUEUE_UNKNOWN = "jobs whose queue is unknown"
    GROUP_UNKNOWN = "jobs whose group, our project, is unknown"
    MEMORY_UNKNOWN = "jobs that ask for no memory: theirs is unknown"
    MEMORY_IGNORED = "jobs whose memory is ignored: --mem is not given"
    NAMED_BY_LINE = "jobs named by their line, too: the numbers do not ascend"


class LogNotReadable(KitError):
    """The log cannot be opened."""

    code: ClassVar[str] = "log-not-readable"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoggedJob:
    """One job as a log tells it, with what is unknown already replaced or left out.

    Times are seconds; `memory_kb` is per processor, None if it is unknown.
    """

    name: str
    submit_time: int
    run_time: int
    processors: int
    memory_kb: int | None
    user: str
    queue: str
    project: str


@dataclass(slots=True, kw_only=True)
class Findings:
    """What was met while a log was read: jobs, jobs skipped by kind, remarks by kind, headers."""

    jobs_read: int = 0
    skipped: Counter[Skipped] = field(default_factory=Counter)
    remarks: Counter[Remark] = field(default_factory=Counter)
    headers: dict[str, str] = field(default_factory=dict)

    def remark(self, kind: Remark, holds: bool = True) -> None:
        """Count one more of the kind, if it holds."""
        if holds:
            self.remarks[kind] += 1


class _Unusable(Exception):
    """A line with a job that cannot be submitted."""

    def __init__(self, reason: Skipped) -> None:
        super().__init__(reason)
        self.reason = reason


@contextmanager
def open_log(log: str) -> Iterator[Bytes]:
    """The bytes of a log: a path, plain or compressed by gzip, or the word `sample`.

    Raises `LogNotReadable`. What is compressed is told by its first bytes, not by its name.
    """
    try:
        source = files(__package__) / "data" / "sample.swf" if log == SAMPLE else Path(log)
        stream = source.open("rb")
        assert isinstance(stream, BufferedReader)
        start = stream.peek(len(GZIP_MAGIC))
    except (OSError, ValueError) as error:
        raise LogNotReadable(
            f"the log '{log}' cannot be read: {getattr(error, 'strerror', None) or error}",
            remedy=f"Name a file in the Standard Workload Format, or '{SAMPLE}' for our own.",
        ) from error
    with stream:
        if start.startswith(GZIP_MAGIC):
            with gzip.GzipFile(fileobj=stream) as plain:
                yield plain
        else:
            yield stream


def read_jobs(stream: Bytes, findings: Findings, *, most: int | None = None) -> Iterator[LoggedJob]:
    """The jobs of a log in the order of its lines, those of at most the first `most` job lines.

    `findings` is written as the lines go by, and complete once the iterator has ended.
    """
    reader = _JobReader(findings)
    for number, line in enumerate(_lines(stream, findings), start=1):
        if findings.jobs_read == most:
            break
        text = line.strip()
        if text.startswith(";"):
            _note_header(text, findings)
        elif text:
            findings.jobs_read += 1
            try:
                yield reader.job_of(line, number)
            except _Unusable as unusable:
                findings.skipped[unusable.reason] += 1
    findings.remark(Remark.EMPTY, findings.jobs_read == 0)


def _lines(stream: Bytes, findings: Findings) -> Iterator[str]:
    """The lines of a log, with what is odd about each of them remarked.

    `newline=""` takes every kind of line end for one and keeps it, so that it can be counted.
    """
    text = TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline="")
    try:
        line = text.readline(LONGEST_LINE)
        findings.remark(Remark.BYTE_ORDER_MARK, line.startswith("\ufeff"))
        line = line.removeprefix("\ufeff") or text.readline(LONGEST_LINE)
        while line:
            findings.remark(Remark.CARRIAGE_RETURNS, "\r" in line)
            findings.remark(Remark.NOT_UTF8, NOT_UTF8.search(line) is not None)
            yield line
            while _is_cut(line):
                line = text.readline(LONGEST_LINE)
            line = text.readline(LONGEST_LINE)
    except EOFError:
        findings.remark(Remark.GZIP_CUT_SHORT)
    except (gzip.BadGzipFile, zlib.error):
        findings.remark(Remark.GZIP_DAMAGED)


def _is_cut(line: str) -> bool:
    """Whether a line was longer than what is read of it."""
    return len(line) >= LONGEST_LINE and line[-1] not in "\r\n"


def _note_header(line: str, findings: Findings) -> None:
    """Keep what a comment says about the log, such as `; MaxProcs: 128`."""
    if (match := HEADER.fullmatch(line)) and len(findings.headers) < MOST_HEADERS:
        findings.headers.setdefault(match[1], match[2].strip())


class _JobReader:
    """Makes jobs of lines; remembers only the largest job number, so that names are unique."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._largest_number = -1
        self._latest_submit_time = 0

    def job_of(self, line: str, number: int) -> LoggedJob:
        """The job of one line; raises `_Unusable`."""
        numbers = self._numbers(line)
        if numbers[11] in PARTS_OF_A_JOB:
            raise _Unusable(Skipped.PART_OF_A_JOB)
        if numbers[2] < 0:
            raise _Unusable(Skipped.SUBMIT_TIME_UNKNOWN)
        job = LoggedJob(
            processors=_processors(asked=numbers[8], used=numbers[5]),
            run_time=self._run_time(numbers[4], asked=numbers[9]),
            name=self._name(numbers[1], number),
            submit_time=numbers[2],
            memory_kb=numbers[10] if numbers[10] >= 0 else None,
            user=self._holder("user", numbers[12], Remark.USER_UNKNOWN),
            queue=self._holder("queue", numbers[15], Remark.QUEUE_UNKNOWN),
            project=self._holder("group", numbers[13], Remark.GROUP_UNKNOWN),
        )
        self._findings.remark(Remark.UNSORTED, job.submit_time < self._latest_submit_time)
        self._latest_submit_time = max(self._latest_submit_time, job.submit_time)
        return job

    def _numbers(self, line: str) -> list[int]:
        """The numbers of a line, counted from 1 as the format does, rounded up."""
        if _is_cut(line):
            raise _Unusable(Skipped.LINE_TOO_LONG)
        words = line.split()
        if len(words) != FIELDS:
            raise _Unusable(Skipped.WRONG_NUMBER_OF_FIELDS)
        matches = [NUMBER.fullmatch(word) for word in words]
        if None in matches:
            raise _Unusable(Skipped.NOT_A_NUMBER)
        numbers, has_fraction = [0], False
        for place, match in enumerate(filter(None, matches), start=1):
            whole, fraction = int(match[1]), (match[2] or "").strip("0")
            # The processor time of field 6 is the one number that the format lets be a fraction.
            has_fraction = has_fraction or bool(fraction and place != 6)
            numbers.append(whole + bool(fraction and not match[1].startswith("-")))
        self._findings.remark(Remark.FRACTIONS, has_fraction)
        return numbers

    def _run_time(self, used: int, *, asked: int) -> int:
        """Seconds that the job runs."""
        if used < 0 and asked < 0:
            raise _Unusable(Skipped.RUN_TIME_UNKNOWN)
        self._findings.remark(Remark.RUN_TIME_ASKED, used < 0)
        return asked if used < 0 else used

    def _name(self, job_number: int, line_number: int) -> str:
        """A name that no other job has, though a log may use a number twice."""
        if job_number > self._largest_number:
            self._largest_number = job_number
            return f"job{job_number}"
        self._findings.remark(Remark.NAMED_BY_LINE)
        return f"job{job_number}-line{line_number}"

    def _holder(self, kind: str, number: int, remark: Remark) -> str:
        """The name of a user, a queue or a group."""
        self._findings.remark(remark, number < 0)
        return f"{kind}{number}" if number >= 0 else "unknown"


def _processors(*, asked: int, used: int) -> int:
    """How many processors the job takes: as many as it asked for, if that is known."""
    processors = asked if asked >= 0 else used
    if processors < 0:
        raise _Unusable(Skipped.PROCESSORS_UNKNOWN)
    if processors == 0:
        raise _Unusable(Skipped.NO_PROCESSORS)
    return processors
