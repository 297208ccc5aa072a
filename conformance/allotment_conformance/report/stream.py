"""The stream of a run: what it has shown so far, a record a line, written while it goes on.

Every report is a function of it alone. A run that is killed leaves a stream without its last
record, and that much can still be reported.
"""

import json
from datetime import UTC, datetime
from enum import StrEnum
from importlib.metadata import version
from platform import python_version
from typing import Any, Literal

import msgspec

from allotment_conformance.verdict.outcome import Level
from allotment_conformance.wire.envelope import VERSION as VERSION_OF_PROTOCOL
from allotment_conformance.wire.messages import Json, Profile
from allotment_model.clauses import Evidence

VERSION = 1
"""Of the stream. It rises when a reader has to do something else; a new field does not do that."""


class ClauseVerdict(StrEnum):
    """What a run says of one clause.

    A run that did not come to its end, or in which a case failed, never says `holds`.
    """

    HOLDS = "holds"
    SO_FAR = "unbroken so far"
    PERHAPS = "perhaps broken"
    BROKEN = "broken"
    NOT_CLAIMED = "not claimed"
    NOT_EXERCISED = "not exercised"
    NOT_CHECKED = "not checked here"


Command = Literal["check", "exhaust", "verify", "simulate", "soak", "vectors", "zoo"]
"""Whose run it is; a soak is one of `verify`."""

WITHOUT_CANARY: tuple[Command, ...] = ("simulate", "vectors", "zoo")
"""Runs that end without a word on the kit itself."""


class _Record(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind"):
    version: Literal[1] = 1


class Versions(msgspec.Struct, frozen=True, kw_only=True):
    """Of what was at work; that of the allocator is in its profile."""

    kit: str
    protocol: int
    python: str


class Started(_Record, frozen=True, kw_only=True, tag="started"):
    """The first record: what was asked of whom, by which versions. `at` is the time of day, in UTC.

    `adapter` is a name as `allotment verify` takes it, or a command line; `zoo` has none. An
    exhaustion has a scope where the others have cases of a seed.
    """

    command: Command
    adapter: str
    at: str
    versions: Versions
    processes: int
    cases: int | None = None
    seed: int | None = None
    budget: float | None = None
    level: Level | None = None
    scope: str | None = None


class Declared(_Record, frozen=True, kw_only=True, tag="declared"):
    """The allocator has started, and this is its profile (SPEC.md 2.4)."""

    profile: Profile


class Counted(_Record, frozen=True, kw_only=True, tag="counted"):
    """All that was counted from the start of the run until now; the last of these stands.

    `probed` and `exercised` count cases by clause, `outcomes` cases by what came of them, `events`
    their events likewise. A check alone has the latter two and what follows them, but for
    `cancels_asked`: the runs that asked for a cancellation and tried a job.
    """

    seconds: float
    cases: int
    decisions: int
    attempts_inside: int
    cancelled: int
    skipped: int
    failed: int
    probed: dict[str, int]
    exercised: dict[str, int]
    processor_seconds: dict[str, float]
    outcomes: dict[str, int] = {}
    events: dict[str, int] = {}
    drifts: dict[str, int] = {}
    unsafe: list[str] = []
    starts: int = 0
    asked_again: int = 0
    no_answers: int = 0
    cancels_asked: int = 0


class Failed(_Record, frozen=True, kw_only=True, tag="failure"):
    """Something that went wrong `at` a case, at the start or at the stop of a program.

    `outcome` is in what the answers differed, or how the program failed; `answered`: there were
    answers. Then `signature` says which failure it is, and `clause` which one the difference
    belongs to, as far as can be told before the case is made small. Not all are told: `counted`
    tells how many there were.
    """

    at: Literal["case", "start", "stop"] = "case"
    origin: str
    outcome: str
    words: str
    answered: bool = False
    signature: str = ""
    clause: str = ""
    stderr: str = ""
    case: Json | None = None


class Found(_Record, frozen=True, kw_only=True, tag="counterexample"):
    """A case made small, and `words` that tell of it. `difference` as for `Failed.outcome`, and
    `signature` as there. `before` counts other cases, asked before it, without which it does not
    fail.

    One of `clauses` and `perhaps` is broken by it, the likeliest stands first; a single one is only
    guessed if it is `surmised`. `faults` are those of the zoo that answer alike, none if the
    failure does not come each time. `expected` and
    `actual` are answers to the event `step`, counted from 0, if there were answers;
    `one_of_several`: others than the expected one are permitted, too. `place` is the directory in
    which it is kept, empty if it could not be.
    """

    origin: str
    reproduced: bool
    case: Json
    difference: str
    words: str
    signature: str = ""
    before: int = 0
    place: str = ""
    clauses: list[str] = []
    perhaps: list[str] = []
    surmised: bool = False
    faults: list[str] = []
    step: int | None = None
    job: str | None = None
    expected: Any = None
    one_of_several: bool = False
    actual: Any = None


class ClauseRow(_Record, frozen=True, kw_only=True, tag="clause"):
    """What a run says of one clause, in the order of SPEC.md, and what speaks for it.

    For an *answer* clause `probed` is how many cases were probed with a variant that breaks it,
    `exercised` how many of them it would have answered differently. For an *inside* clause both
    are the attempts that were compared. `shown` says it in words.
    """

    id: str
    title: str
    evidence: Evidence
    probed: int
    exercised: int
    shown: str
    verdict: ClauseVerdict


class SliceRow(_Record, frozen=True, kw_only=True, tag="slice"):
    """What was done of a slice of the small world until now; the last one of its name stands.

    `recounted` is how many cases there are by the bounds alone, `as_recounted` false if a finished
    slice had others.
    """

    name: str
    finished: bool
    counts: dict[str, int]
    recounted: int
    as_recounted: bool


class ItemRow(_Record, frozen=True, kw_only=True, tag="item"):
    """One of many things that a run looks at by itself: a vector, an allocator of the zoo."""

    name: str
    holds: bool
    words: str = ""


class Figures(_Record, frozen=True, kw_only=True, tag="figures"):
    """All figures of a simulation or a soak from its start until now; the last of these stands."""

    figures: dict[str, Any]


class Canary(_Record, frozen=True, kw_only=True, tag="canary"):
    """Whether the kit found an allocator that is wrong on purpose, and did not flag a right one."""

    alive: bool
    words: str


class Ended(_Record, frozen=True, kw_only=True, tag="ended"):
    """The last record: how the run ended, its exit status, and its verdict in one line.

    `reached` is the strongest level that all answers keep, None if not even safety or none came;
    only a check has levels. `not_exercised` are the clauses that are claimed and that no case has
    exercised, `remarks` what else is to be known of the run.
    """

    end: str
    exit_status: int
    verdict: str
    failing: int
    seconds: float
    reached: Level | None = None
    stopped_early: bool = False
    memory_is_limited: bool = True
    not_exercised: list[str] = []
    remarks: list[str] = []


Record = (
    Started
    | Declared
    | Counted
    | Failed
    | Found
    | ClauseRow
    | SliceRow
    | ItemRow
    | Figures
    | Canary
    | Ended
)


def now() -> str:
    """The time of day, in UTC."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def versions() -> Versions:
    """Those of this run."""
    return Versions(kit=version("allotment"), protocol=VERSION_OF_PROTOCOL, python=python_version())


def line_of(record: Record) -> bytes:
    """A record as it stands in the file."""
    return msgspec.json.encode(record) + b"\n"


def storable(value: Any) -> Any:
    """What an allocator said, as JSON can hold it: it may have sent what JSON cannot."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr, skipkeys=True)
    except (ValueError, RecursionError):
        return "not to be written as JSON"
    return json.loads(text.encode("utf-8", "replace"))
