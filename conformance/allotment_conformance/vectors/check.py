"""Checks an allocator with vectors alone: no model runs, only what is written is compared."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from allotment_conformance.engines.features import is_within
from allotment_conformance.verdict import normal
from allotment_conformance.verdict.received import NoAnswer, ask, received
from allotment_conformance.wire.adapter import Adapter
from allotment_conformance.wire.messages import Json, Profile
from allotment_conformance.wire.parts import in_parts


@dataclass(slots=True, kw_only=True)
class Outcome:
    """How many vectors were asked, how many left out, and which were answered wrongly.

    `left_out` by the profile, `too_many` because more answers are right than a vector lists.
    `interrupted`: Ctrl-C came before the last vector. `ended_badly` says how a program ended that
    did not end well.
    """

    asked: int = 0
    left_out: int = 0
    too_many: int = 0
    wrong: list[str]
    interrupted: bool = False
    ended_badly: str | None = None

    @property
    def holds(self) -> bool:
        """Whether something was asked, all of it answered rightly, and the program ended well."""
        return self.asked > 0 and not self.wrong and self.ended_badly is None


Watch = Callable[[Json, bool], None]
"""Is told of each vector that was asked, and whether it was answered rightly."""


def check(
    adapter: Adapter,
    profile: Profile,
    vectors: Iterable[Json],
    watch: Watch = lambda vector, holds: None,
) -> Outcome:
    """Ask all vectors that the profile knows. An interrupt ends the asking, not the report."""
    outcome = Outcome(wrong=[])
    try:
        for vector in vectors:
            _ask(adapter, profile, vector, outcome, watch)
    except KeyboardInterrupt:
        outcome.interrupted = True
    return outcome


def _ask(adapter: Adapter, profile: Profile, vector: Json, outcome: Outcome, watch: Watch) -> None:
    """One more vector, counted when it is answered."""
    if not is_askable(vector, profile):
        outcome.left_out += 1
        return
    holds = agrees(adapter, profile, vector)
    if not holds:
        outcome.wrong.append(vector["id"])
    outcome.asked += 1
    watch(vector, holds)


def is_askable(vector: Json, profile: Profile) -> bool:
    """Whether the implementation has the features, and takes the sizes."""
    known = set(vector["features"]) <= set(profile.features)
    return known and is_within(vector["case"], profile.largest)


def agrees(adapter: Adapter, profile: Profile, vector: Json) -> bool:
    """Whether the answers are one of the lists that are permitted."""
    case = in_parts(vector["case"], vector.get("parts", ()))
    report = [name for name in case.get("report", ()) if name in profile.features]
    told = received(ask(adapter, {**case, "report": report}), len(case["events"]))
    if any(isinstance(answer, NoAnswer) for answer in told):
        return False
    given = normal.answers(told, case, report, profile.declares)
    return any(
        given == normal.answers(answers, case, report, profile.declares)
        for answers in vector["permitted"]
    )
