"""What the bulk generator makes, in figures that are printed and held."""

from allotment_conformance.engines.bulk import cases
from allotment_conformance.engines.statistics import MINIMA, Statistics
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.wire.profiles import MODEL_PROFILE


def statistics_of(seed: int, count: int) -> Statistics:
    """The statistics of so many bulk cases."""
    counted = Statistics()
    for case in cases(seed, count, MODEL_PROFILE):
        counted.add(case, ModelAdapter().run(case))
    return counted


def test_generator_makes_what_it_claims() -> None:
    counted = statistics_of(seed=1, count=3000)
    for name, figure in counted.rows():
        print(f"{name:32} {figure}")
    assert [] == counted.complaints()


def test_complaints_name_what_is_missing() -> None:
    complaints = Statistics().complaints()
    assert "no refusal syntax" in complaints
    assert "no event host_add" in complaints
    assert "no pend by shared" in complaints
    assert any(one.startswith("uneven plans among those: 0.00%") for one in complaints)
    assert len(complaints) > len(MINIMA)


def test_counts_are_those_of_the_answers() -> None:
    primary = {"tasks": {"min": 3, "max": 3}}
    job = {"user": "u", "queue": "q", "project": "p"}
    alternatives = [[{**primary, "span": {"hosts_max": 1}}], [primary]]
    case = {
        "cluster": {
            "hosts": [
                {"name": "A", "capacity": {"slots": 2}},
                {"name": "B", "capacity": {"slots": 1}},
            ]
        },
        "events": [
            {"event": "submit", "job": {"name": "j", **job, "request": alternatives}},
            {"event": "submit", "job": {"name": "k", **job, "request": alternatives[:1]}},
            {"event": "run_session"},
            {"event": "finish", "job": "j"},
            {"event": "finish", "job": "k"},
        ],
    }
    counted = Statistics()
    counted.add(case, ModelAdapter().run(case))
    assert (2, 1, 1) == (counted.jobs, counted.dispatched, counted.pended)
    assert (1, 1) == (counted.alters, counted.later)
    assert (1, 1) == (counted.wide, counted.uneven)
    assert (1, 1) == (counted.hits, counted.never)
    assert {"not-running": 1} == counted.refusals
    assert (1, 1) == (counted.ends_accepted, counted.drained)


def test_wide_clusters_are_counted_by_what_is_spread_over_them() -> None:
    hosts = [{"name": f"n{number}", "capacity": {"slots": 2}} for number in range(9)]
    jobs = [
        {
            "event": "submit",
            "job": {
                "name": f"j{tasks}",
                "user": "u",
                "queue": "q",
                "project": "p",
                "request": [[{"tasks": {"min": tasks, "max": tasks}}]],
            },
        }
        for tasks in (17, 18, 8)
    ]
    counted = Statistics()
    for each in jobs:
        case = {"cluster": {"hosts": hosts}, "events": [each, {"event": "run_session"}]}
        counted.add(case, ModelAdapter().run(case))
    few = {"cluster": {"hosts": hosts[:8]}, "events": []}
    counted.add(few, [])
    assert (4, 3) == (counted.cases, counted.many_hosts)
    assert (2, 1) == (counted.spread, counted.spread_unevenly)
