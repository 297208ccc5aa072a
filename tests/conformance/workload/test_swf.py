"""Logs are read as a stream, and whatever cannot be used is counted by kind."""

import gzip
from pathlib import Path

import pytest

from allotment_conformance.workload import swf, text_files
from allotment_conformance.workload.jobs import Findings, LoggedJob, Remark, Skipped
from allotment_conformance.workload.swf import SwfLog
from allotment_conformance.workload.text_files import WorkloadNotReadable
from conformance.workload.logs import line


def read(
    folder: Path, content: str | bytes, *, most: int | None = None
) -> tuple[list[LoggedJob], Findings]:
    """The jobs of a log with that content, and what was found."""
    path = folder / "test.swf"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    findings = Findings()
    jobs = list(SwfLog(name=str(path), most=most).jobs(findings))
    assert findings.jobs_read == len(jobs) + findings.skipped.total()
    return jobs, findings


def test_job_has_the_fields_of_its_line(tmp_path: Path) -> None:
    told = line(number=5, submit=60, run=30, used=2, asked=4, time_asked=90, memory=100)
    expected = LoggedJob(
        name="job5",
        submit_time=60,
        run_time=30,
        tasks=4,
        amounts={"mem": 100},
        user="user7",
        queue="queue3",
        project="group2",
    )
    jobs, findings = read(tmp_path, told)
    assert [expected] == jobs
    assert not findings.remarks


def test_unknown_fields_are_replaced_and_remarked(tmp_path: Path) -> None:
    told = line(used=2, asked=-1, run=-1, time_asked=90, user=-1, group=-1, queue=-1)
    [job], findings = read(tmp_path, told)
    assert (2, 90, {}) == (job.tasks, job.run_time, job.amounts)
    assert ("unknown", "unknown", "unknown") == (job.user, job.queue, job.project)
    assert {
        Remark.RUN_TIME_ASKED: 1,
        Remark.USER_UNKNOWN: 1,
        Remark.GROUP_UNKNOWN: 1,
        Remark.QUEUE_UNKNOWN: 1,
    } == findings.remarks


@pytest.mark.parametrize(
    ("planted", "kind"),
    [
        ("1 2 3", Skipped.WRONG_NUMBER_OF_FIELDS),
        (line() + " 1", Skipped.WRONG_NUMBER_OF_FIELDS),
        (line(user="ada"), Skipped.NOT_A_NUMBER),
        (line(submit="1e3"), Skipped.NOT_A_NUMBER),
        (line(run="nan"), Skipped.NOT_A_NUMBER),
        (line(run="٣"), Skipped.NOT_A_NUMBER),
        (line(asked="9" * 5000), Skipped.NOT_A_NUMBER),
        ("1 " * swf.LONGEST_LINE, Skipped.LINE_TOO_LONG),
        (f"{line(number=8)}\r{line(number=9)}", Skipped.CARRIAGE_RETURN_INSIDE),
        (f"; a note\r{line(number=9)}", Skipped.CARRIAGE_RETURN_INSIDE),
        (f"{line(number=8)}\r; a note", Skipped.CARRIAGE_RETURN_INSIDE),
        (line(status=3), Skipped.PART_OF_A_JOB),
        (line(submit=-1), Skipped.SUBMIT_TIME_UNKNOWN),
        (line(asked=-1, used=-1), Skipped.PROCESSORS_UNKNOWN),
        (line(asked=0), Skipped.NO_PROCESSORS),
        (line(asked=-1, used=0), Skipped.NO_PROCESSORS),
        (line(run=-1), Skipped.RUN_TIME_UNKNOWN),
    ],
)
def test_unusable_line_is_counted(tmp_path: Path, planted: str, kind: Skipped) -> None:
    lines = [line(number=1), planted, line(number=3)]
    jobs, findings = read(tmp_path, "\n".join(lines))
    assert ["job1", "job3"] == [job.name for job in jobs]
    assert {kind: 1} == findings.skipped
    assert 3 == findings.jobs_read


@pytest.mark.parametrize(
    ("content", "kind", "count"),
    [
        (b"; only: comments\n\n", Remark.EMPTY, 1),
        (f"{line()}\r\n{line(number=2)}".encode(), Remark.CARRIAGE_RETURNS, 1),
        (f"{line()}\r{line(number=2)}\r".encode(), Remark.CARRIAGE_RETURNS, 2),
        (f"; a\r\n\r\n{line()}\n{line(number=2)}\r\n".encode(), Remark.CARRIAGE_RETURNS, 3),
        (f"{line()}\r\r\n{line(number=2)}\n".encode(), Remark.CARRIAGE_RETURNS, 1),
        (b"; Note: caf\xe9\n" + line().encode(), Remark.NOT_UTF8, 1),
        (f"{line(submit=9)}\n{line(number=2, submit=8)}".encode(), Remark.UNSORTED, 1),
        (line(run="10.5").encode(), Remark.FRACTIONS, 1),
        (f"{line()}\n{line()}".encode(), Remark.NAMED_BY_LINE, 1),
    ],
)
def test_oddity_is_remarked(tmp_path: Path, content: bytes, kind: Remark, count: int) -> None:
    jobs, findings = read(tmp_path, content)
    assert {kind: count} == findings.remarks
    assert not findings.skipped
    assert findings.jobs_read == len(jobs)


@pytest.mark.parametrize("chunk", [1, 7, 1 << 20])
def test_each_line_ends_in_its_own_way(
    tmp_path: Path, chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_files, "CHUNK", chunk)
    ends = ("\n", "\r\n", "\r", "\n", "\r\n", "\r", "\r", "\n", "")
    told = "".join(line(number=number) + end for number, end in enumerate(ends))
    for content in (told.encode(), gzip.compress(told.encode())):
        jobs, findings = read(tmp_path, content)
        assert ["job0", "job1", "job4", "job8"] == [job.name for job in jobs]
        assert {Skipped.CARRIAGE_RETURN_INSIDE: 2} == findings.skipped
        assert {Remark.CARRIAGE_RETURNS: 2} == findings.remarks


def test_long_line_goes_on_behind_a_carriage_return(tmp_path: Path) -> None:
    long = "1 " * (swf.LONGEST_LINE // 2 - 1) + " \r" + line(number=2)
    jobs, findings = read(tmp_path, f"{line()}\n{long}\n{line(number=3)}\n")
    assert ["job1", "job3"] == [job.name for job in jobs]
    assert {Skipped.LINE_TOO_LONG: 1} == findings.skipped


def test_bytes_that_are_no_text_are_counted(tmp_path: Path) -> None:
    jobs, findings = read(tmp_path, bytes(range(256)) * 300)
    assert [] == jobs
    assert 0 < findings.jobs_read == findings.skipped.total()


def test_fraction_is_rounded_up(tmp_path: Path) -> None:
    jobs, _ = read(tmp_path, f"{line(run='10.5')}\n{line(number=2, run='10.0')}")
    assert [11, 10] == [job.run_time for job in jobs]


def test_repeated_number_gives_another_name(tmp_path: Path) -> None:
    jobs, _ = read(tmp_path, "; comment\n" + "\n".join([line(number=4)] * 3))
    assert ["job4", "job4-line3", "job4-line4"] == [job.name for job in jobs]


def test_headers_are_kept(tmp_path: Path) -> None:
    content = f"; MaxJobs: 2 \n;MaxProcs:128\n; a note\n; MaxJobs: 3\n{line()}"
    _, findings = read(tmp_path, content)
    assert {"MaxJobs": "2", "MaxProcs": "128"} == findings.headers


def test_only_the_first_jobs_are_read(tmp_path: Path) -> None:
    lines = [line(number=1), "broken", line(number=3), line(number=4)]
    jobs, findings = read(tmp_path, "\n".join(lines), most=3)
    assert ["job1", "job3"] == [job.name for job in jobs]
    assert 3 == findings.jobs_read


def test_compressed_log_is_known_by_its_bytes(tmp_path: Path) -> None:
    jobs, findings = read(tmp_path, gzip.compress(line().encode()))
    assert ["job1"] == [job.name for job in jobs]
    assert not findings.remarks


@pytest.mark.parametrize("place", [40, -6])
def test_damaged_compressed_log_is_refused(tmp_path: Path, place: int) -> None:
    content = bytearray(gzip.compress("\n".join(line(number=n) for n in range(99)).encode()))
    content[place] ^= 0xFF
    with pytest.raises(WorkloadNotReadable, match="decompress"):
        read(tmp_path, bytes(content))


def test_missing_log_is_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent", "a\0b"):
        with pytest.raises(WorkloadNotReadable):
            SwfLog(name=str(path))


def test_promised_jobs_are_at_most_those_asked_for(tmp_path: Path) -> None:
    for header, most, promised in (("7", None, 7), ("7", 3, 3), ("2", 3, 2), ("many", 3, 3)):
        _, findings = read(tmp_path, f"; MaxJobs: {header}\n{line()}", most=most)
        assert promised == findings.jobs_promised
