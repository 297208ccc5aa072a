"""What a stream of cases is made of, counted from the cases and the model's answers.

A generator that quietly stops making something still passes every check. So what it has to make
is stated here as minima, and a test asserts them.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from allotment_conformance.engines.bulk.shapes import LEAST_WIDE
from allotment_conformance.wire.messages import Json
from allotment_model.answers import Category, Refusal

KINDS = ("user", "queue", "project")
FIELDS_OF_A_SIMPLE_CHANGE = 3
"""Event, host, and the one field that changes."""


@dataclass(slots=True, kw_only=True)
class Statistics:
    """Counts over the cases that were added.

    `wide` are parts that were dispatched on several hosts, `uneven` those of them whose buckets
    differ; `alters` are dispatched jobs with several alternatives, `later` those of them that
    another than the first won. A `refit` is a dispatch of a job that had pended before. `combined`
    are changes of a host that name several fields, `returns` limits that are set again in the
    session in which they were removed, `alike` cases in which a name is that of two kinds.
    `many_hosts` are cases that begin with a wide cluster, `spread` parts that were dispatched on as
    many hosts, `spread_unevenly` those of them whose buckets differ.
    """

    cases: int = 0
    several_sessions: int = 0
    with_limits: int = 0
    drained: int = 0
    cancels: int = 0
    jobs: int = 0
    dispatched: int = 0
    refits: int = 0
    compounds: int = 0
    wide: int = 0
    uneven: int = 0
    alters: int = 0
    later: int = 0
    hits: int = 0
    never: int = 0
    ends_accepted: int = 0
    combined: int = 0
    returns: int = 0
    alike: int = 0
    many_hosts: int = 0
    spread: int = 0
    spread_unevenly: int = 0
    events: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)
    categories: Counter[str] = field(default_factory=Counter)

    def add(self, case: Json, answers: Sequence[Json]) -> None:
        """Count one case and the model's answers to it."""
        self.cases += 1
        kinds = [event["event"] for event in case["events"]]
        self.events.update(kinds)
        self.several_sessions += "begin_session" in kinds
        self.with_limits += bool(case.get("cluster", {}).get("limits")) or "limit_set" in kinds
        self.many_hosts += len(case.get("cluster", {}).get("hosts", ())) >= LEAST_WIDE
        self._add_combinations(case["events"])
        accepted: dict[str, Json] = {}
        pended: set[str] = set()
        live: set[str] = set()
        dispatched_before = self.dispatched
        for event, answer in zip(case["events"], answers, strict=True):
            match answer["answer"]:
                case "refused":
                    self.refusals[answer["code"]] += 1
                case "ran":
                    self.cancels += event.get("cancel_at") is not None
                    for tried in answer["jobs"]:
                        self._add_tried(accepted[tried["job"]], tried, pended)
                    live |= {one["job"] for one in answer["jobs"]} - pended
                case _ if event["event"] == "submit":
                    accepted[event["job"]["name"]] = event["job"]
                case _ if event["event"] == "finish":
                    self.ends_accepted += 1
                    live.discard(event["job"])
        self.drained += self.dispatched > dispatched_before and not live

    def _add_combinations(self, events: Sequence[Json]) -> None:
        """Count what is in the events alone."""
        gone: list[Json] = []
        holders: set[tuple[str, str]] = set()
        for event in events:
            match event["event"]:
                case "host_change":
                    self.combined += len(event) > FIELDS_OF_A_SIMPLE_CHANGE
                case "limit_remove":
                    gone.append(event["limit"])
                case "limit_set":
                    name = {key: value for key, value in event["limit"].items() if key != "cap"}
                    self.returns += name in gone
                case "begin_session":
                    gone = []
                case "submit":
                    holders |= {(kind, event["job"][kind]) for kind in KINDS}
                case _:
                    pass
        self.alike += len({name for _kind, name in holders}) < len(holders)

    def _add_tried(self, job: Json, tried: Json, pended: set[str]) -> None:
        self.jobs += 1
        if tried["answer"] == "pending":
            self.categories[tried["reason"]] += 1
            self.hits += tried["cached"]
            self.never += tried["never"]
            pended.add(tried["job"])
        elif tried["answer"] == "dispatched":
            self.dispatched += 1
            self.refits += tried["job"] in pended
            pended.discard(tried["job"])
            self.compounds += len(tried["parts"]) > 1
            self.alters += len(job["request"]) > 1
            self.later += tried["alternative"] > 0
            for part in tried["parts"]:
                self.wide += len(part) > 1
                is_uneven = len({slots for _host, slots in part}) > 1
                self.uneven += is_uneven
                self.spread += len(part) >= LEAST_WIDE
                self.spread_unevenly += is_uneven and len(part) >= LEAST_WIDE

    @property
    def pended(self) -> int:
        """Tries that were answered `pending`."""
        return self.categories.total()

    def rows(self) -> list[tuple[str, str]]:
        """What to print: a name and a figure in each row."""
        shares = [(one.name, f"{one.share(self):.1%}, at least {one.least:.0%}") for one in MINIMA]
        counters = (("events", self.events), ("refused", self.refusals), ("pends", self.categories))
        return [
            ("cases", f"{self.cases:,}"),
            ("jobs tried", f"{self.jobs:,}"),
            *shares,
            *(
                (f"{what}: {name}", f"{n:,}")
                for what, of in counters
                for name, n in of.most_common()
            ),
        ]

    def complaints(self) -> list[str]:
        """The minima that were not reached, as a sentence each."""
        short = [
            f"{one.name}: {one.share(self):.2%}, at least {one.least:.0%} is wanted"
            for one in MINIMA
            if one.share(self) < one.least
        ]
        missing = [
            *(f"no event {name}" for name in EVENTS if not self.events[name]),
            *(f"no refusal {code.value}" for code in Refusal if not self.refusals[code.value]),
            *(f"no pend by {name}" for name in CATEGORIES if not self.categories[name]),
        ]
        return short + missing


EVENTS = (
    "begin_session",
    "submit",
    "run_session",
    "finish",
    "withdraw",
    "host_add",
    "host_change",
    "pool_change",
    "limit_set",
    "limit_remove",
)
CATEGORIES = tuple(one.value for one in Category if one is not Category.ERROR)
"""`error` is missing: an iterator of the model always starts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Minimum:
    """A share that a stream of cases has to reach."""

    name: str
    part: Callable[[Statistics], int]
    whole: Callable[[Statistics], int]
    least: float

    def share(self, of: Statistics) -> float:
        """The share in these statistics; nothing of nothing is none."""
        return self.part(of) / max(1, self.whole(of))


def _minimum(
    name: str,
    part: Callable[[Statistics], int],
    whole: Callable[[Statistics], int],
    least: float,
) -> Minimum:
    return Minimum(name=name, part=part, whole=whole, least=least)


def _pends_by(category: str) -> Minimum:
    return _minimum(
        f"pends by {category}", lambda s: s.categories[category], lambda s: s.pended, 0.03
    )


MINIMA = (
    _minimum("dispatched jobs", lambda s: s.dispatched, lambda s: s.jobs, 0.25),
    _minimum("pending jobs", lambda s: s.pended, lambda s: s.jobs, 0.30),
    _minimum("parts on several hosts", lambda s: s.wide, lambda s: s.dispatched, 0.08),
    _minimum("uneven plans among those", lambda s: s.uneven, lambda s: s.wide, 0.20),
    _minimum("compounds dispatched", lambda s: s.compounds, lambda s: s.dispatched, 0.10),
    _minimum("alters dispatched", lambda s: s.alters, lambda s: s.dispatched, 0.10),
    _minimum("a later alternative won", lambda s: s.later, lambda s: s.alters, 0.10),
    _minimum("dispatched after a pend", lambda s: s.refits, lambda s: s.dispatched, 0.02),
    _minimum("cache hits among pends", lambda s: s.hits, lambda s: s.pended, 0.10),
    _minimum("never among pends", lambda s: s.never, lambda s: s.pended, 0.20),
    _minimum("not never among pends", lambda s: s.pended - s.never, lambda s: s.pended, 0.20),
    *map(_pends_by, CATEGORIES),
    _minimum("refused events", lambda s: s.refusals.total(), lambda s: s.events.total(), 0.03),
    _minimum("ends accepted", lambda s: s.ends_accepted, lambda s: s.events["finish"], 0.40),
    _minimum("cases of several sessions", lambda s: s.several_sessions, lambda s: s.cases, 0.35),
    _minimum("cases with limits", lambda s: s.with_limits, lambda s: s.cases, 0.30),
    _minimum("cases that drain", lambda s: s.drained, lambda s: s.cases, 0.10),
    _minimum(
        "host changes of several", lambda s: s.combined, lambda s: s.events["host_change"], 0.20
    ),
    _minimum(
        "removed limits set again", lambda s: s.returns, lambda s: s.events["limit_remove"], 0.02
    ),
    _minimum("cases with namesakes", lambda s: s.alike, lambda s: s.cases, 0.05),
    _minimum("cases with a wide cluster", lambda s: s.many_hosts, lambda s: s.cases, 0.02),
    _minimum("parts on as many hosts", lambda s: s.spread, lambda s: s.many_hosts, 0.08),
    _minimum("uneven plans among these", lambda s: s.spread_unevenly, lambda s: s.spread, 0.20),
    _minimum("runs with a cancel", lambda s: s.cancels, lambda s: s.events["run_session"], 0.03),
)
"""Each buys that a fault of its kind meets enough cases; the figures are below what is measured."""
