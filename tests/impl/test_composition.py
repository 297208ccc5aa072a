"""Alternatives, compounds and the cache around them: the errata's witnesses among them."""

import pytest

from impl.building import (
    BEGIN,
    RUN,
    Raw,
    cluster,
    entry,
    host,
    limit,
    outcomes,
    placed,
    primary,
    run,
    submit,
    tasks,
    waits,
)


def test_a_failed_compound_does_not_poison_the_cache() -> None:
    two = submit("two", [primary(1), primary(1)])
    found = outcomes(cluster(host("A", 1)), two, submit("one", [primary(1)]), RUN)
    assert [waits("two", "capacity"), placed("one", [("A", 1)])] == found


def test_a_hit_fails_its_primary_not_the_job() -> None:
    world = cluster(host("A", 1), host("B", 1))
    span = {"hosts_max": 1}
    big = submit("big", [primary(2, span=span)])
    alter = submit("alter", [primary(2, span=span)], [primary(1), primary(1)])
    found = outcomes(world, big, alter, RUN)
    assert [
        waits("big", "capacity", never=True),
        placed("alter", [("A", 1)], [("B", 1)], alternative=1),
    ] == found


def test_a_hit_inside_a_compound_fails_the_compound() -> None:
    big = submit("big", [primary(2)])
    found = run(
        cluster(host("A", 1)),
        big,
        submit("nested", [primary(1), primary(2)]),
        RUN,
        report=("books",),
    )[-1]
    assert waits("nested", "capacity", never=True, cached=True) == found["jobs"][1]
    assert {} == found["books"]["hosts"]


def test_cached_speaks_of_the_category_that_is_reported() -> None:
    world = cluster(host("A", 1))
    first = submit("i", [primary(2)])
    hit_then_miss = submit("j", [primary(2)], [primary(2, span={"hosts_min": 2})])
    miss_then_hit = submit("k", [primary(2, span={"tasks_per_host": 1})], [primary(2)])
    found = outcomes(world, first, hit_then_miss, miss_then_hit, RUN)
    assert [False, False, True] == [one["cached"] for one in found]


def test_a_hit_keeps_the_category_that_was_stored() -> None:
    raw = [primary(1, rusage=[entry("licence", 5)])]
    found = outcomes(cluster(host("A", 1)), submit("i", raw), submit("j", raw), RUN)
    assert [waits("i", "shared", True), waits("j", "shared", True, True)] == found


@pytest.mark.parametrize(
    ("category", "raw"),
    [
        ("span", primary(1, span={"hosts_min": 2})),
        ("select", primary(1, select={"number": 0})),
        ("shared", primary(1, rusage=[entry("licence", 5)])),
        ("limit", primary(2)),
        ("capacity", primary(3)),
    ],
)
def test_every_category_is_stored_and_hit(category: str, raw: Raw) -> None:
    world = cluster(host("A", 2), limits=(limit(1),))
    answer = run(world, submit("i", [raw]), submit("j", [raw]), RUN, report=("events",))[-1]
    first, second = answer["jobs"]
    assert ["filled", category] == first.pop("events")[-1]
    assert [["primary", 0, 0], ["hit", category]] == second.pop("events")
    assert [waits("i", category, True), waits("j", category, True, True)] == [first, second]


def test_equal_primaries_inside_one_request_hit() -> None:
    found = outcomes(cluster(host("A", 1)), submit("i", [primary(2)], [primary(2)]), RUN)
    assert [waits("i", "capacity", never=True, cached=True)] == found


def test_the_cache_lasts_one_session() -> None:
    world = cluster(host("A", 1))
    jobs = [submit("i", [primary(2)]), RUN, BEGIN, RUN]
    assert [waits("i", "capacity", never=True)] == outcomes(world, *jobs)


def test_what_is_known_of_a_request_lasts_one_session() -> None:
    full, request = submit("full", [primary(1)]), [primary(1)]
    jobs = [full, submit("i", request), submit("j", request), RUN]
    ended = [{"event": "finish", "job": "full"}, BEGIN, RUN]
    world = cluster(host("A", 1))
    assert [waits("i", "capacity"), waits("j", "capacity", cached=True)] == outcomes(world, *jobs)[
        1:
    ]
    again = [placed("i", [("A", 1)]), waits("j", "capacity")]
    assert again == outcomes(world, *jobs, *ended)


def test_a_request_with_an_untried_alternative_is_tried() -> None:
    world = cluster(host("A", 1), host("B", 1))
    hopeless, small = primary(1, rusage=[entry("mem", 5)]), primary(1)
    jobs = [submit(name, [hopeless], [small]) for name in "ijkl"]
    assert [
        placed("i", [("A", 1)], alternative=1),
        placed("j", [("B", 1)], alternative=1),
        waits("k", "capacity"),
        waits("l", "capacity", cached=True),
    ] == outcomes(world, *jobs, RUN)


def test_a_failed_compound_is_tried_again_for_an_equal_job() -> None:
    world = cluster(host("A", 2), host("B", 1), host("C", 1), host("D", 4))
    hopeless = primary(7, rusage=[entry("mem", 5)])
    first, last = (submit(name, [primary(2), primary(5)], [hopeless]) for name in "ij")
    parts = [("D", 2)], [("D", 2), ("A", 1), ("B", 1), ("C", 1)]
    assert [
        waits("i", "capacity"),
        placed("between", [("A", 1)]),
        placed("j", *parts),
    ] == outcomes(world, first, submit("between", [primary(1)]), last, RUN)


def test_min_changes_the_key_and_nothing_else() -> None:
    world = cluster(host("A", 1))
    raw = [{"tasks": tasks(2, 1)}]
    found = outcomes(world, submit("i", [primary(2)]), submit("j", raw), RUN)
    assert [waits("i", "capacity", never=True), waits("j", "capacity", never=True)] == found


def test_parts_debit_the_pool_one_after_another() -> None:
    raw = [primary(1, rusage=[entry("licence", 3)]), primary(1, rusage=[entry("licence", 3)])]
    world = cluster(host("A", 2), licence=5)
    assert [waits("j", "shared")] == outcomes(world, submit("j", raw), RUN)
    world = cluster(host("A", 2), licence=6)
    assert [placed("j", [("A", 1)], [("A", 1)])] == outcomes(world, submit("j", raw), RUN)


def test_parts_share_a_host_and_each_pays_per_host() -> None:
    raw = [primary(1, rusage=[entry("mem", 200, "host")])] * 2
    assert [waits("j", "capacity")] == outcomes(cluster(host("A", 2, 399)), submit("j", raw), RUN)
    answer = run(cluster(host("A", 2, 400)), submit("j", raw), RUN, report=("books",))[-1]
    assert [placed("j", [("A", 1)], [("A", 1)])] == answer["jobs"]
    assert {"A": {"slots": 2, "mem": 400}} == answer["books"]["hosts"]


def test_the_first_alternative_that_fits_wins() -> None:
    raw = [[primary(2, span={"ptile": 1})], [primary(2)], [primary(1), primary(1)]]
    found = outcomes(cluster(host("A", 2)), submit("j", *raw), RUN)
    assert [placed("j", [("A", 2)], alternative=1)] == found


def test_a_pool_is_given_back_by_a_failed_alternative() -> None:
    wants = [entry("licence", 5)]
    one_host = primary(3, rusage=wants, span={"hosts_max": 1})
    raw = [[one_host], [primary(1, rusage=wants), primary(2)]]
    found = outcomes(cluster(host("A", 1), host("B", 2), licence=5), submit("j", *raw), RUN)
    assert [placed("j", [("A", 1)], [("B", 2)], alternative=1)] == found
