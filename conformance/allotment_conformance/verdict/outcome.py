"""Outcomes of a case, and which of them a level of a check allows. None are merged."""

from collections.abc import Mapping
from enum import StrEnum


class Level(StrEnum):
    """What has to hold, the weakest first; each holds wherever the next one does.

    Safety: nothing is oversubscribed, hosts are distinct, tasks are placed exactly, and jobs are
    accounted for. Permitted: what the declared profile allows. Exact: the answers of the model.
    """

    SAFETY = "safety"
    PERMITTED = "permitted"
    EXACT = "exact"


class Outcome(StrEnum):
    """What the specification says to the answers of a case.

    A case without usable answers has no outcome here; it is counted by how it failed.
    """

    EXACT = "exact"
    PERMITTED = "permitted"
    DRIFT = "profile drift"
    SAFE = "violation that is safe"
    UNSAFE = "violation that is unsafe"
    SKIPPED = "skipped: too many choices"


HOLDS_AT: Mapping[Outcome, Level | None] = {
    Outcome.EXACT: Level.EXACT,
    Outcome.SKIPPED: Level.EXACT,
    Outcome.PERMITTED: Level.PERMITTED,
    Outcome.DRIFT: Level.SAFETY,
    Outcome.SAFE: Level.SAFETY,
    Outcome.UNSAFE: None,
}
"""The strongest level that an outcome does not break. What drifts is right for another profile."""

ORDER = tuple(Level)


def breaks(outcome: Outcome, level: Level) -> bool:
    """Whether a case with this outcome breaks what the level asks for."""
    holds = HOLDS_AT[outcome]
    return holds is None or ORDER.index(holds) < ORDER.index(level)


def answered(counts: Mapping[str, int]) -> list[Outcome]:
    """The outcomes of cases with answers, of counts that hold failures of programs as well."""
    return [outcome for outcome in Outcome if counts.get(outcome)]


def strongest(counts: Mapping[str, int]) -> Level | None:
    """The strongest level that all cases with answers keep; None if not even safety, or no case."""
    seen = answered(counts)
    if not seen:
        return None
    kept = [level for level in ORDER if not any(breaks(outcome, level) for outcome in seen)]
    return kept[-1] if kept else None
