"""Checks an allocator with vectors alone: no model runs, only what is written is compared."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from allotment_conformance.engines.features import is_within
from allotment_conformance.verdict import normal
from allotment_conformance.verdict.received import NoAnswer, ask, received
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, Profile


@dataclass(slots=True, kw_only=True)
class Outcome:
    """How many vectors were asked, which were left out, and which were answered wrongly."""

    asked: int = 0
    left_out: int = 0
    wrong: list[str]

    @property
    def holds(self) -> bool:
        """Whether something was asked, and all of it answered rightly."""
        return self.asked > 0 and not self.wrong


def check(adapter: Adapter, profile: Profile, vectors: Iterable[Json]) -> Outcome:
    """Ask all vectors that the profile knows."""
    outcome = Outcome(wrong=[])
    for vector in vectors:
        if not is_askable(vector, profile):
            outcome.left_out += 1
            continue
        outcome.asked += 1
        if not agrees(adapter, profile, vector):
            outcome.wrong.append(vector["id"])
    return outcome


def is_askable(vector: Json, profile: Profile) -> bool:
    """Whether the implementation has the features, and takes the sizes."""
    known = set(vector["features"]) <= set(profile.features)
    return known and is_within(vector["case"], profile.largest)


def agrees(adapter: Adapter, profile: Profile, vector: Json) -> bool:
    """Whether the answers are one of the lists that are permitted."""
    case = vector["case"]
    report = [name for name in case.get("report", ()) if name in profile.features]
    told = received(ask(adapter, {**case, "report": report}), len(case["events"]))
    if any(isinstance(answer, NoAnswer) for answer in told):
        return False
    given = _normal(told, case, report, profile.declares)
    return any(
        given == _normal(answers, case, report, profile.declares) for answers in vector["permitted"]
    )


def _normal(
    answers: Iterable[Any], case: Json, report: Collection[str], declares: Collection[str]
) -> list[Json]:
    """The answers without what SPEC.md 2.2 and the profile leave open."""
    pairs = zip(answers, _hosts(case), strict=True)
    return [normal.answer(answer, declares, report, hosts) for answer, hosts in pairs]


def _hosts(case: Json) -> Iterator[int]:
    """How many hosts the cluster has in the session of each event, if all additions hold."""
    hosts, coming = len(case["cluster"]["hosts"]), 0
    for event in case["events"]:
        if event["event"] == "begin_session":
            hosts, coming = hosts + coming, 0
        coming += event["event"] == "host_add"
        yield hosts
