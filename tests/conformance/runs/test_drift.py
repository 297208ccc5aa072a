"""Profile drift is told of a run only where one other profile explains all of it."""

import pytest

from allotment_conformance.engines.all_directed import ALL_DIRECTED
from allotment_conformance.runs.check_work import CheckTally
from allotment_conformance.verdict.outcome import Outcome
from allotment_conformance.wire.profiles import MODEL_PROFILE


def test_drift_by_chance_is_not_named() -> None:
    tally = CheckTally(failed=3)
    tally.outcomes.update({Outcome.DRIFT: 2, Outcome.SAFE: 1})
    tally.drifts.update({"host_order": 2, "cache": 1})
    tally.settle_drift(MODEL_PROFILE)
    assert {Outcome.SAFE: 3} == dict(tally.outcomes)
    assert not tally.drifts


MOST_FREE = "host_order: declared listed, observed most_free"


@pytest.mark.parametrize(
    ("passed", "drifts"), [("thousandth-host", {MOST_FREE: 1}), ("host-order", {})]
)
def test_drift_has_to_explain_what_passes_too(passed: str, drifts: dict[str, int]) -> None:
    """One failure looks like another order; a case that passes does, or does not."""
    [number] = [at for at, one in enumerate(ALL_DIRECTED) if one.name == passed]
    tally = CheckTally(failed=1, exact=[number])
    tally.outcomes.update({Outcome.DRIFT: 1, Outcome.EXACT: 1})
    tally.drifts.update({MOST_FREE: 1})
    tally.settle_drift(MODEL_PROFILE)
    assert drifts == dict(tally.drifts)
    assert (1 - len(drifts)) == tally.outcomes[Outcome.SAFE]
