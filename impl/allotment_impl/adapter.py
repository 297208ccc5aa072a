"""The adapter: cases in, answers out, as a conformance kit drives an implementation (2.4)."""

from typing import Any, assert_never

from allotment_impl.decisions import Outcome
from allotment_impl.engines import EngineKind
from allotment_impl.refusals import AMOUNT_LARGEST, TASKS_LARGEST, Refused
from allotment_impl.requests import Cluster
from allotment_impl.scheduler import InvalidClusterError, Scheduler
from allotment_impl.wire import (
    Answer,
    BeginSession,
    Case,
    Event,
    Finish,
    HostAddEvent,
    HostChangeEvent,
    LimitRemoveEvent,
    LimitSetEvent,
    MalformedCaseError,
    PoolChangeEvent,
    Report,
    RunSession,
    Submit,
    Withdraw,
    read_case,
    write_books,
    write_outcome,
)

NAME = "allotment"
VERSION = "0.1.0"

FEATURES = (
    "compound",
    "alter",
    "select",
    "rusage",
    "span",
    "ptile",
    "shared",
    "limits",
    "priorities",
    "host-changes",
    "cancel",
    "events",
    "books",
    "text",
)
"""What it can be asked: everything."""

ITERATIVE_ONLY = ("events",)
"""What is promised for the walk over plans and hosts alone; an index makes no such steps."""

HOSTS_LARGEST = 100_000
"""Above the largest clusters that are in use; each bucket's search walks the hosts."""

AXES = {"host_order": "listed", "rusage_default": "task", "cache": "transparent"}
"""The options of the profile with the values they have when they are left out."""

DEFAULTS = {**AXES, "engine": EngineKind.INDEXED.value}
"""The options of a scheduler with the values they have when they are left out."""


class Adapter:
    """Runs cases on a ``Scheduler`` of its own."""

    def __init__(self, **options: str) -> None:
        """Take the options of the profile; raises ``ValueError`` for one that is not legal.

        They are ``host_order``, ``rusage_default`` and ``cache`` with the values of SPEC.md 2.4,
        ``engine`` (``indexed`` or ``iterative``), and ``features``, those of the declared features
        that are wanted, joined by commas.
        """
        wanted = options.pop("features", None)
        for option in options:
            if option not in DEFAULTS:
                legal = ", ".join(repr(name) for name in (*DEFAULTS, "features"))
                raise ValueError(f"there is no option {option!r}; there are {legal}")
        self._options = {**DEFAULTS, **options}
        self._features = _narrowed(wanted, _features_of(self._options["engine"]))
        Scheduler(Cluster(hosts=()), **self._options)
        self._scheduler: Scheduler | None = None

    def start(self) -> dict[str, Any]:
        """The profile: who answers, and what can be asked (2.4)."""
        return {
            "name": f"{NAME}-{self._options['engine']}",
            "version": VERSION,
            "features": list(self._features),
            "split": "balanced",
            **{axis: self._options[axis] for axis in AXES},
            "declares": ["reason", "never", "cached"],
            "largest": {
                "tasks": TASKS_LARGEST,
                "hosts": HOSTS_LARGEST,
                "amount": AMOUNT_LARGEST,
            },
        }

    def run(self, case: dict[str, Any]) -> list[Answer]:
        """One answer for each event of a case (2.1, 2.2).

        Raises ``MalformedCaseError``, before anything is changed, for a case that is none.
        """
        read = read_case(case)
        scheduler = self._scheduler_for(read)
        self._scheduler = scheduler
        books = Report.BOOKS in read.report
        answers = []
        for event in read.events:
            answer = _answer(scheduler, event, Report.EVENTS in read.report)
            if books:
                answer["books"] = write_books(scheduler.books())
            answers.append(answer)
        return answers

    def close(self) -> None:
        """Let go of the scheduler."""
        self._scheduler = None

    def _scheduler_for(self, case: Case) -> Scheduler:
        if case.cluster is not None:
            try:
                return Scheduler(case.cluster, **self._options)
            except InvalidClusterError as error:
                raise MalformedCaseError(f"not a case: {error} - at `$.cluster`") from error
        if self._scheduler is None:
            raise MalformedCaseError("not a case: the first has no `cluster` - at `$`")
        return self._scheduler


def _features_of(engine: str) -> tuple[str, ...]:
    if engine == EngineKind.ITERATIVE.value:
        return FEATURES
    return tuple(feature for feature in FEATURES if feature not in ITERATIVE_ONLY)


def _narrowed(wanted: str | None, features: tuple[str, ...]) -> tuple[str, ...]:
    if wanted is None:
        return features
    names = [name for name in wanted.split(",") if name]
    for name in names:
        if name not in features:
            legal = ", ".join(features)
            raise ValueError(f"there is no feature {name!r}; there are {legal}")
    return tuple(feature for feature in features if feature in names)


def _answer(scheduler: Scheduler, event: Event, record_events: bool) -> Answer:
    try:
        outcomes = _send(scheduler, event, record_events)
    except Refused as refusal:
        return {"answer": "refused", "code": refusal.code.value}
    if outcomes is None:
        return {"answer": "ok"}
    return {"answer": "ran", "jobs": [write_outcome(outcome) for outcome in outcomes]}


def _send(scheduler: Scheduler, event: Event, record_events: bool) -> list[Outcome] | None:
    """Call the method of an event; only a run has something to say."""
    match event:
        case Submit():
            scheduler.submit(event.job)
        case BeginSession():
            scheduler.begin_session()
        case RunSession():
            return scheduler.run_session(event.cancel_at, record_events=record_events)
        case Finish():
            scheduler.finish(event.job)
        case Withdraw():
            scheduler.withdraw(event.job)
        case HostAddEvent():
            scheduler.host_add(event.host)
        case HostChangeEvent():
            scheduler.host_change(event)
        case PoolChangeEvent():
            scheduler.pool_change(event.pool, event.capacity)
        case LimitSetEvent():
            scheduler.limit_set(event.limit)
        case LimitRemoveEvent():
            scheduler.limit_remove(event.limit)
        case _:
            assert_never(event)
    return None
