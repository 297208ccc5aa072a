"""The Standard Workload Format: one job a line, 18 numbers, comments that start with `;`.

A log is read as a stream. A file that is not whole text is refused, but no line of it is fatal:
what cannot be used is counted by kind, so that the lines with a job are always the jobs that were
handed out plus the jobs that were skipped. Each line ends in its own way, with LF or CR LF.
The format is defined at <https://www.cs.huji.ac.il/labs/parallel/workload/swf.html>.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from io import TextIOWrapper
from pathlib import Path

from allotment_conformance.workload.hosts import MEMORY
from allotment_conformance.workload.jobs import Findings, LoggedJob, Remark, Skipped
from allotment_conformance.workload.text_files import (
    NOT_UTF8,
    Bytes,
    check,
    has_line_feeds,
    opened,
)

FIELDS = 18
SAMPLE = "sample"
"""The word that names, in place of a path, the log that is part of this package."""

LONGEST_LINE = 65_536  # keeps memory bounded when a file is not text at all
MOST_HEADERS = 200  # keeps memory bounded; headers of real logs have about thirty lines
PARTS_OF_A_JOB = (2, 3, 4)  # status of lines that only repeat a stretch of a checkpointed job
NUMBER = re.compile(r"([+-]?[0-9]{1,18})(?:\.([0-9]*))?")
COUNT = re.compile(r"[0-9]{1,18}")
HEADER = re.compile(r";\s*([A-Za-z]\w*)\s*:\s*(.*)")


class _Unusable(Exception):
    """A line with a job that cannot be submitted."""

    def __init__(self, reason: Skipped) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True, kw_only=True)
class SwfLog:
    """A log: a path, plain or compressed by gzip, or the word `sample`.

    At most its first `most` job lines are read. Raises `WorkloadNotReadable`.
    """

    name: str
    most: int | None = None

    def __post_init__(self) -> None:
        """Refuse a file that is not whole before anything is made of it."""
        check(self._source(), self.name, one_kind_of_ends=False)

    def jobs(self, findings: Findings) -> Iterator[LoggedJob]:
        """The jobs in the order of their lines."""
        ends_with_feed = has_line_feeds(self._source())
        with opened(self._source()) as stream:
            lines = _lines(stream, findings, ends_with_feed=ends_with_feed)
            yield from _jobs_of(lines, findings, most=self.most)

    def _source(self) -> Traversable:
        if self.name == SAMPLE:
            return files(__package__) / "data" / "sample.swf"
        return Path(self.name)


def _jobs_of(lines: Iterator[str], findings: Findings, *, most: int | None) -> Iterator[LoggedJob]:
    """The jobs of a log in the order of its lines, those of at most the first `most` job lines.

    `findings` is written as the lines go by, and complete once the iterator has ended.
    """
    findings.jobs_promised = most
    reader = _JobReader(findings)
    for number, line in enumerate(lines, start=1):
        if findings.jobs_read == most:
            break
        text = line.strip()
        if text.startswith(";") and "\r" not in text:
            _note_header(text, findings, most)
        elif text:
            findings.jobs_read += 1
            try:
                yield reader.job_of(line, number)
            except _Unusable as unusable:
                findings.skipped[unusable.reason] += 1
    findings.remark(Remark.EMPTY, findings.jobs_read == 0)


def _lines(stream: Bytes, findings: Findings, *, ends_with_feed: bool) -> Iterator[str]:
    """The lines of a log, with what is odd about each of them remarked.

    Where no line ends with a line feed, each carriage return is told as one.
    """
    newline = "\n" if ends_with_feed else None
    text = TextIOWrapper(stream, encoding="utf-8", errors="surrogateescape", newline=newline)
    while line := text.readline(LONGEST_LINE):
        is_odd = line.endswith("\r\n" if ends_with_feed else "\n")
        findings.remark(Remark.CARRIAGE_RETURNS, is_odd)
        findings.remark(Remark.NOT_UTF8, NOT_UTF8.search(line) is not None)
        yield line
        while _is_cut(line):
            line = text.readline(LONGEST_LINE)


def _is_cut(line: str) -> bool:
    """Whether a line was longer than what is read of it."""
    return len(line) >= LONGEST_LINE and not line.endswith("\n")


def _note_header(line: str, findings: Findings, most: int | None) -> None:
    """Keep what a comment says about the log, such as `; MaxProcs: 128`."""
    if (match := HEADER.fullmatch(line)) and len(findings.headers) < MOST_HEADERS:
        name, value = match[1], match[2].strip()
        if name not in findings.headers and name == "MaxJobs" and COUNT.fullmatch(value):
            findings.jobs_promised = min(int(value), int(value) if most is None else most)
        findings.headers.setdefault(name, value)


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
            tasks=_processors(asked=numbers[8], used=numbers[5]),
            run_time=self._run_time(numbers[4], asked=numbers[9]),
            name=self._name(numbers[1], number),
            submit_time=numbers[2],
            amounts={MEMORY: numbers[10]} if numbers[10] >= 0 else {},
            user=self._holder("user", numbers[12], Remark.USER_UNKNOWN),
            queue=self._holder("queue", numbers[15], Remark.QUEUE_UNKNOWN),
            project=self._holder("group", numbers[13], Remark.GROUP_UNKNOWN),
        )
        self._findings.remark(Remark.UNSORTED, job.submit_time < self._latest_submit_time)
        self._latest_submit_time = max(self._latest_submit_time, job.submit_time)
        return job

    def _numbers(self, line: str) -> list[int]:
        """The numbers of a line, counted from 1 as the format does, rounded up."""
        if "\r" in line.strip():
            raise _Unusable(Skipped.CARRIAGE_RETURN_INSIDE)
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
