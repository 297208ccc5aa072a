"""Streams are read back line by line, whole or cut short, in bounded memory; others are refused."""

from io import BytesIO

import pytest

from allotment_conformance.report import summary as reading
from allotment_conformance.report.stream import ClauseVerdict, line_of, storable
from allotment_conformance.report.summary import MOST_KEPT, NotAReport, Summary, read
from allotment_conformance.report.terminal import lines
from conformance.report.streams import (
    COUNTED,
    FAILED,
    STARTED,
    STREAMS,
    ended,
    summary_of,
    text_of,
)


def reading_of(text: bytes) -> Summary:
    return read(BytesIO(text), "run.ndjson")


def test_stream_is_read_as_it_was_recorded() -> None:
    records = STREAMS["wrong"]
    recorded = Summary()
    for record in records:
        recorded.add(record)
    assert recorded == reading_of(text_of(records))
    assert "WANT-4" in [row.id for row in recorded.table() if row.verdict == "broken"]


def test_stream_cut_anywhere_is_reported_as_incomplete() -> None:
    text = text_of(STREAMS["wrong"])
    first = len(line_of(STARTED))
    for length in [*range(first, len(text) - 1, 97), len(text) - 2]:
        seen = reading_of(text[:length])
        assert (3, None) == (seen.exit_status, seen.ended)
        assert "INCOMPLETE, the stream ends before the run did" in lines(seen)[-1]


def test_last_line_needs_no_end_of_line() -> None:
    assert 1 == reading_of(text_of(STREAMS["wrong"])[:-1]).exit_status


def test_rows_of_a_killed_run_never_hold() -> None:
    found = {row.id: row.verdict for row in summary_of("killed").table()}
    assert ClauseVerdict.SO_FAR is found["PLAN-1"]
    assert ClauseVerdict.BROKEN is found["WANT-4"]
    assert ClauseVerdict.HOLDS not in found.values()
    assert [] == summary_of("killed at once").table()


FIRST = line_of(STARTED)
END = line_of(ended(0, "HOLDS"))
DEEP = b'{"kind":"failure","version":1,"case":' + b"[" * 100_000 + b"\n"


@pytest.mark.parametrize(
    ("text", "place"),
    [
        (b"", "line 1: there is nothing"),
        (FIRST[:-20], "line 1: "),
        (b"[]\n", "line 1: "),
        (line_of(COUNTED), "line 1: no 'counted' can stand here"),
        (FIRST + FIRST, "line 2: no 'started' can stand here"),
        (FIRST + END + line_of(COUNTED), "line 3: no 'counted' can stand here"),
        (FIRST + b"\n" + END, "line 2: "),
        (FIRST + b"{\n" + END, "line 2: "),
        (FIRST + b"\xff\xfe\n" + END, "line 2: "),
        (FIRST + b'{"kind": "song", "version": 1}\n', "line 2: Invalid value 'song'"),
        (FIRST + END.replace(b'"version":1', b'"version":2'), "line 2: version 2 of the stream"),
        (FIRST + END.replace(b'"failing":0', b'"failing":"0"'), r"line 2: .*\$\.failing"),
        (FIRST + line_of(FAILED) * 2 + FIRST, "line 4: "),
        (
            FIRST + b'{"kind":"failure","version":1,"case":' + b"[" * 100_000 + b"\n" + END,
            "line 2: ",
        ),
        (FIRST + 2 * line_of(summary_of("holds").table()[0]), "line 3: clause PLAN-1"),
    ],
)
def test_other_files_are_refused_with_the_line(text: bytes, place: str) -> None:
    with pytest.raises(NotAReport, match=f"run.ndjson, {place}"):
        reading_of(text)


def test_unknown_field_is_ignored() -> None:
    assert 0 == reading_of(FIRST + END.replace(b"{", b'{"mood": "good", ', 1)).exit_status


def test_long_stream_keeps_the_first_failures_only() -> None:
    seen = reading_of(FIRST + line_of(FAILED) * 5_000 + END)
    assert MOST_KEPT == len(seen.failures)


def test_endless_line_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "LONGEST_LINE", 1_000)
    with pytest.raises(NotAReport, match="line 2: a line of 1,000 bytes or more"):
        reading_of(FIRST + b"x" * 100_000)


def test_whatever_was_answered_can_be_stored() -> None:
    circle: list[object] = []
    circle.append(circle)
    odd = {"a": "\ud800", "b": {1}, "c": 2**80, ("d",): 1}
    assert {"a": "?", "b": "{1}", "c": 2**80} == storable(odd)
    assert "not to be written as JSON" == storable(circle)
