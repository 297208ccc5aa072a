"""The model computes each N-th decision only: what is found then, and what is not."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from allotment_conformance.wire.adapter import DEFAULT_ADAPTER, load_adapter
from allotment_conformance.wire.messages import Json
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.workload.hosts import cluster_of
from allotment_conformance.workload.simulation import simulate
from allotment_conformance.workload.summary import Ending, Report
from allotment_conformance.workload.swf import SwfLog
from allotment_model.rules import SPEC
from conformance.workload.logs import line, write_log

SAMPLE = SwfLog(name="sample")


class WrongOnce(ModelAdapter):
    """The model, with one rule replaced in the run of one case."""

    def __init__(self, case: int, **changes: Any) -> None:
        super().__init__()
        self.wrong_case = case
        self.wrong = replace(SPEC, **changes)
        self.cases = 0

    def run(self, case: Json) -> list[Json]:
        """The answers."""
        self.rules = self.wrong if self.cases == self.wrong_case else SPEC
        self.cases += 1
        return super().run(case)


def last_first(ledger: Any, rules: Any) -> Any:
    """A wrong order of hosts; there is room on all of them."""
    return list(ledger.cluster.hosts.values())[::-1]


def one_job_a_session(folder: Path, jobs: int) -> SwfLog:
    """A log whose n-th session has one decision, and places one task."""
    lines = [line(number=n, submit=n, run=1000, asked=1) for n in range(jobs)]
    return SwfLog(name=write_log(folder, lines))


@pytest.mark.parametrize("wrong", range(7))
def test_wrong_decision_is_found_if_it_is_computed(tmp_path: Path, wrong: int) -> None:
    allocator = WrongOnce(wrong, host_order=last_first)
    log = one_job_a_session(tmp_path, 7)
    report = simulate(log, cluster_of("5x3"), allocator, against_model=True, every=3)
    assert (Ending.DIFFERENCE if wrong % 3 == 0 else Ending.COMPLETE) is report.ending
    if report.difference is not None:
        assert ("1 slot on h1" in report.difference.expected) == (wrong < 3)
        assert report.difference.actual.endswith("1 slot on h5")
        assert 1 <= wrong + 1 <= report.jobs_read


def never_computed(report: Report) -> bool:
    """Whether the model has computed the first decision alone."""
    return report.decisions_compared == 1


def test_job_without_room_is_found_though_it_is_not_computed(tmp_path: Path) -> None:
    allocator = WrongOnce(1, fits=lambda wanted, left: True)
    log = one_job_a_session(tmp_path, 2)
    report = simulate(log, cluster_of("1x1"), allocator, against_model=True, every=100)
    assert report.difference is not None
    assert "job job1 is pending: capacity" in report.difference.expected
    assert "job job1 is dispatched" in report.difference.actual
    assert never_computed(report)


def test_uneven_plan_that_is_none_is_found_though_it_is_not_computed(tmp_path: Path) -> None:
    lines = [line(), line(number=2, submit=1, asked=4)]
    log = SwfLog(name=write_log(tmp_path, lines))
    allocator = WrongOnce(1, plans=lambda tasks, span: iter([(3, 1)]))
    report = simulate(log, cluster_of("2x3"), allocator, against_model=True, every=100)
    assert Ending.DIFFERENCE is report.ending
    assert never_computed(report)


@pytest.mark.parametrize(("every", "ending"), [(2, Ending.DIFFERENCE), (100, Ending.COMPLETE)])
def test_hit_of_a_wrong_entry_is_found_if_it_is_computed(
    tmp_path: Path, every: int, ending: Ending
) -> None:
    lines = [line(), *(line(number=n, submit=1) for n in (2, 3))]
    log = SwfLog(name=write_log(tmp_path, lines))
    allocator = WrongOnce(1, fits=lambda wanted, left: False, is_never=lambda *asked: False)
    report = simulate(log, cluster_of("5x3"), allocator, against_model=True, every=every)
    assert ending is report.ending


@pytest.mark.parametrize(
    "changes",
    [
        {"is_cached": lambda hit: False},
        {"category_of_hit": lambda stored: type(stored)("select")},
        {"queue_order": lambda priority, number: (priority, -number)},
        {"may_fill": lambda parts_before: False},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_order_and_hits_are_always_compared(changes: dict[str, Any]) -> None:
    wrong = ModelAdapter(replace(SPEC, **changes))
    report = simulate(SAMPLE, cluster_of("5x3"), wrong, against_model=True, every=10**6)
    assert Ending.DIFFERENCE is report.ending
    assert never_computed(report)


@pytest.mark.parametrize("order", ["listed", "most_free"])
def test_sample_of_right_decisions_agrees(order: str) -> None:
    allocator = load_adapter(f"{DEFAULT_ADAPTER}?host_order={order}")
    report = simulate(SAMPLE, cluster_of("5x3"), allocator, against_model=True, every=7)
    assert Ending.COMPLETE is report.ending
    assert -(-report.decisions // 7) == report.decisions_compared
