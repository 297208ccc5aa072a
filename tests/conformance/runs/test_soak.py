"""What a soak sends."""

from allotment_conformance.runs.soak import Soak, SoakOrder, _account, _cases
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE


def test_soak_refuses_events_of_every_kind() -> None:
    state = Soak(order=SoakOrder(adapter="the model", events=1500, seed=3))
    adapter = ModelAdapter()
    codes: dict[str, set[str]] = {}
    for case in _cases(state, MODEL_PROFILE):
        answers = adapter.run(case)
        for event, answer in zip(case["events"], answers, strict=True):
            if answer["answer"] == "refused":
                codes.setdefault(event["event"], set()).add(answer["code"])
        _account(state, case, answers)
    assert state.is_accounted_for
    assert state.refused > 50
    assert {"not-pending", "unknown-name"} >= codes["withdraw"] > set()
    assert {"not-running", "unknown-name"} >= codes["finish"] > set()
    assert 3 < len(codes["submit"])
