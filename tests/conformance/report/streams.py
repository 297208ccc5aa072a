"""Streams of runs that went in every way that there is, for the tests of reports."""

from io import BytesIO

from allotment_conformance.report.clauses import rows
from allotment_conformance.report.stream import (
    Canary,
    Counted,
    Declared,
    Ended,
    Failed,
    Found,
    Record,
    SliceRow,
    Started,
    Versions,
    line_of,
)
from allotment_conformance.report.summary import Summary, read
from allotment_conformance.verdict.outcome import Level
from allotment_conformance.wire.profiles import MODEL_PROFILE

ODD_WORDS = "a|b `c` ```d``` <e> & \x00\x1b[31m\x07 \ufffe ✓"
"""Signs that Markdown, HTML, XML or a terminal would take for their own, or cannot hold."""

STARTED = Started(
    command="check",
    adapter=f"./adapter '{ODD_WORDS}'",
    at="2026-02-03T04:05:06Z",
    versions=Versions(kit="0.1.0", protocol=1, python="3.11.7"),
    cases=10,
    seed=1,
    budget=None,
    processes=2,
    level=Level.PERMITTED,
)
COUNTED = Counted(
    seconds=1.25,
    cases=10,
    decisions=20,
    attempts_inside=20,
    cancelled=1,
    skipped=0,
    failed=2,
    probed={"PLAN-1": 5, "WANT-4": 3},
    exercised={"PLAN-1": 4, "WANT-4": 1},
    processor_seconds={"comparison": 0.5, "making_cases": 0.25},
    outcomes={"exact": 8, "violation that is safe": 2},
    events={"exact": 30},
    drifts={"cache: declared none, observed literal": 1},
)
FAILED = Failed(origin="bulk case 3 of seed 1", outcome="crash", words=ODD_WORDS, stderr="oh\nno")
FOUND = Found(
    origin="bulk case 2 of seed 1",
    reproduced=True,
    case={"events": []},
    difference="dispatched or pending",
    words=f"Disagreement at event 1\n  {ODD_WORDS}",
    place="counterexamples/0f3a62b1c9d4",
    clauses=["WANT-4"],
)
ALIVE, DEAD = Canary(alive=True, words="was found"), Canary(alive=False, words="was not found")


def ended(status: int, verdict: str, end: str = "done") -> Ended:
    """The last record of a run."""
    return Ended(
        end=end,
        exit_status=status,
        verdict=verdict,
        failing=int(status == 1),
        seconds=1.25,
        not_exercised=["PLAN-9"] if status == 3 else [],
    )


def run(
    *between: Record, status: int, verdict: str, canary: Canary = ALIVE, end: str = "done"
) -> list[Record]:
    """A whole stream."""
    found = [one for one in between if isinstance(one, Found)]
    table = rows(MODEL_PROFILE, COUNTED, found=found, finished=end == "done")
    head: list[Record] = [STARTED, Declared(profile=MODEL_PROFILE), COUNTED]
    return [*head, *between, *table, canary, ended(status, verdict, end)]


NOT_STARTED = Failed(at="start", origin="the start", outcome="crash", words="it ended")
STOPPED_BADLY = Failed(at="stop", origin="the end", outcome="timeout", words="still running")

WORLD = Started(
    command="exhaust",
    adapter="my_scheduler:Adapter",
    at="2026-02-03T04:05:06Z",
    versions=STARTED.versions,
    processes=2,
    scope="small",
)


def world(
    *last: Record, finished: bool = True, as_recounted: bool = True, canary: Canary = ALIVE
) -> list[Record]:
    """The stream of an exhaustion of two slices, up to its end if `last` has one."""
    counts = {"cases": 12, "alike": 2, "run": 10, "sessions": 20, "decisions": 30, "skipped": 1}
    rows = [
        SliceRow(name="splits", finished=True, counts=counts, recounted=12, as_recounted=True),
        SliceRow(name="pools", finished=False, counts={}, recounted=9, as_recounted=True),
        SliceRow(
            name="pools",
            finished=finished,
            counts=counts,
            recounted=12 if as_recounted else 9,
            as_recounted=as_recounted,
        ),
    ]
    return [WORLD, Declared(profile=MODEL_PROFILE), *rows, *([canary] if last else []), *last]


STREAMS: dict[str, list[Record]] = {
    "holds": run(status=0, verdict="HOLDS: level exact, 62 clauses"),
    "broken and allowed": run(
        FOUND, status=0, verdict="SAFE: level safety, 2 of 300 cases answered otherwise"
    ),
    "wrong": run(FOUND, FAILED, status=1, verdict="FAILS at level permitted"),
    "does not stop": run(STOPPED_BADLY, status=1, verdict="FAILS at level permitted"),
    "not exercised": run(status=3, verdict="INCOMPLETE: not exercised: PLAN-9"),
    "interrupted": run(status=130, verdict="INCOMPLETE, interrupted", end="interrupted"),
    "kit broken": run(status=4, verdict="KIT BROKEN", canary=DEAD, end="kit broken"),
    "world holds": world(ended(0, "HOLDS: all cases of 2 slices, recounted")),
    "world wrong": world(ended(1, "DISAGREEMENT: smallest in its slice"), finished=False),
    "world miscounted": world(ended(3, "INCOMPLETE: not all cases"), as_recounted=False),
    "world killed": world(finished=False),
    "not started": [STARTED, NOT_STARTED, ended(1, "NOT STARTED: crash", "not started")],
    "killed": run(FOUND, FAILED, status=1, verdict="")[:5],
    "killed at once": [STARTED],
}
"""By how they ended; those that were killed did not."""


def text_of(records: list[Record]) -> bytes:
    """The stream as it stands in a file."""
    return b"".join(map(line_of, records))


def summary_of(name: str) -> Summary:
    """A stream, read."""
    return read(BytesIO(text_of(STREAMS[name])), name)
