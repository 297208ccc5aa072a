"""The adapter: profile, options, cases that go on with the scheduler of the one before."""

import json

import pytest

from allotment_impl import Adapter, MalformedCaseError
from impl.building import BEGIN, RUN, Raw, cluster, entry, host, limit, placed, primary, run, submit

CASE = {"cluster": cluster(host("A", 2)), "events": [submit("j", [primary(2)])]}


def test_the_profile_says_what_can_be_asked() -> None:
    profile = Adapter().start()
    assert "allotment-indexed" == profile["name"]
    assert 13 == len(set(profile["features"]))
    assert ["reason", "never", "cached"] == profile["declares"]
    assert {"tasks": 2**20, "hosts": 100_000, "amount": 2**53 - 1} == profile["largest"]
    assert ("listed", "balanced", "transparent", "task") == tuple(
        profile[axis] for axis in ("host_order", "split", "cache", "rusage_default")
    )
    assert profile == json.loads(json.dumps(profile))


def test_events_are_claimed_by_the_walk_alone() -> None:
    walk, index = Adapter(engine="iterative").start(), Adapter(engine="indexed").start()
    assert "allotment-iterative" == walk["name"]
    assert {"events"} == set(walk["features"]) - set(index["features"])
    with pytest.raises(ValueError, match="no feature 'events'"):
        Adapter(features="events")
    assert ["events"] == Adapter(features="events", engine="iterative").start()["features"]


def test_options_are_declared() -> None:
    profile = Adapter(
        host_order="most_free", rusage_default="host", cache="none", features="alter,compound"
    ).start()
    assert ("most_free", "host", "none") == tuple(
        profile[axis] for axis in ("host_order", "rusage_default", "cache")
    )
    assert ["compound", "alter"] == profile["features"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": "listed"}, "no option 'order'; there are 'host_order', 'rusage_default', "),
        ({"cache": "literal"}, "'cache' cannot be 'literal'; it is one of 'transparent', 'none'"),
        ({"host_order": "unspecified"}, "'listed', 'most_free'"),
        ({"rusage_default": "job"}, "'task', 'host'"),
        ({"engine": "fast"}, "'engine' cannot be 'fast'; it is one of 'indexed', 'iterative'"),
        ({"features": "alter,fairness"}, "no feature 'fairness'; there are compound"),
    ],
)
def test_a_wrong_option_is_told_with_the_legal_ones(options: dict[str, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Adapter(**options)


def test_a_case_without_cluster_goes_on() -> None:
    adapter = Adapter()
    adapter.run(CASE)
    assert [placed("j", [("A", 2)])] == adapter.run({"events": [RUN]})[0]["jobs"]
    assert [{"answer": "refused", "code": "duplicate-name"}] == adapter.run(
        {"events": CASE["events"]}
    )


def test_a_case_with_cluster_starts_afresh() -> None:
    adapter = Adapter()
    assert [{"answer": "ok"}] == adapter.run(CASE) == adapter.run(CASE)


def test_the_first_case_needs_a_cluster_also_after_closing() -> None:
    adapter = Adapter()
    for _ in range(2):
        with pytest.raises(MalformedCaseError, match="cluster"):
            adapter.run({"events": []})
        adapter.run(CASE)
        adapter.close()
    adapter.close()


def test_books_come_with_every_answer() -> None:
    raw = primary(2, rusage=[entry("mem", 5), entry("licence", 7)])
    caps = (limit(9), limit(9, scope="host", kind="project", name="p"))
    world = cluster(host("B", 1), host("A", 2, 10), licence=9, limits=caps)
    answers = run(world, submit("j", [raw]), RUN, submit("j", [raw]), BEGIN, report=("books",))
    nothing: Raw = {"hosts": {}, "pools": {}, "limits": []}
    full = {
        "hosts": {"A": {"slots": 2, "mem": 10}},
        "pools": {"licence": 7},
        "limits": [
            {
                "kind": "user",
                "each": True,
                "scope": "cluster",
                "resource": "slots",
                "holder": "u",
                "host": None,
                "used": 2,
            },
            {
                "kind": "project",
                "name": "p",
                "scope": "host",
                "resource": "slots",
                "holder": "p",
                "host": "A",
                "used": 2,
            },
        ],
    }
    assert [nothing, full, full, full] == [one["books"] for one in answers]


def test_answers_are_plain_builtins() -> None:
    world = cluster(host("A", 2, 10), licence=9, limits=(limit(9),))
    jobs = [submit("j", [primary(2)]), submit("k", [primary(3)]), submit("l", [primary(0)])]
    answers = run(world, *jobs, RUN, report=("books", "events"))
    assert answers == json.loads(json.dumps(answers))


def test_without_reports_nothing_is_reported() -> None:
    answers = run(cluster(host("A", 2)), submit("j", [primary(2)]), RUN)
    assert [{"answer"}, {"answer", "jobs"}] == [set(one) for one in answers]
    assert {"job", "answer", "alternative", "parts"} == set(answers[1]["jobs"][0])
