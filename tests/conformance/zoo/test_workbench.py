"""The workbench is exact: the zoo's mutants differ from it, and it differs from nothing."""

import pytest

from allotment_conformance.engines.bulk import case_of
from allotment_conformance.runs.work import questions, shares
from allotment_conformance.verdict.compare import Oracle
from allotment_conformance.wire.adapter import load_adapter
from allotment_conformance.wire.messages import NotACase, read_profile
from allotment_conformance.zoo.workbench import Workbench
from allotment_conformance.zoo.workbench.bench import UnknownAxis
from house.spec_examples import spec_examples


@pytest.mark.parametrize(
    ("cases", "axes"),
    [
        (1_000, {}),
        (150, {"host_order": "most_free"}),
        (150, {"cache": "none"}),
        (150, {"cache": "literal"}),
        (150, {"rusage_default": "host"}),
    ],
    ids=str,
)
def test_workbench_is_exact(cases: int, axes: dict[str, str]) -> None:
    bench = Workbench(**axes)
    profile = read_profile(bench.start())
    wrong = [
        question.origin
        for share in shares(cases, seed=17)
        for question in questions(share, profile)
        if Oracle(profile).judge(question.case, bench.run(question.case)).disagreement
    ]
    assert [] == wrong


def test_worked_examples_are_answered() -> None:
    for example in spec_examples():
        case = {field: value for field, value in example.items() if field != "answers"}
        assert example["answers"] == Workbench().run(case)


def test_scheduler_goes_on_without_a_cluster() -> None:
    bench = Workbench()
    with pytest.raises(NotACase):
        bench.run({"events": []})
    profile = read_profile(bench.start())
    case = next(
        case
        for number in range(50)
        if len((case := case_of(3, number, profile))["events"]) > 6
        and not any("cancel_at" in event for event in case["events"])
    )
    whole = bench.run(case)
    first = bench.run({**case, "events": case["events"][:4]})
    rest = bench.run({"events": case["events"][4:], "report": case.get("report", [])})
    assert whole == first + rest


def test_workbench_can_be_named() -> None:
    adapter = load_adapter("allotment_conformance.zoo.workbench:Workbench?cache=none")
    assert "none" == adapter.start()["cache"]
    with pytest.raises(UnknownAxis):
        load_adapter("allotment_conformance.zoo.workbench:Workbench?colour=red")
