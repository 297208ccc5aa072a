"""The indexed engine answers as the walk over plans and hosts does, bit for bit."""

from collections import Counter

import pytest

from allotment_impl import Adapter, indexes, ledger, rooms
from impl.building import (
    RUN,
    Raw,
    cluster,
    entry,
    host,
    job,
    outcomes,
    primary,
    read_job,
    scheduler,
    submit,
)
from impl.rivals import Sessions, count_shapes

OPTIONS = [
    {"host_order": order, "cache": cache, "rusage_default": default}
    for order in ("listed", "most_free")
    for cache, default in (("transparent", "task"), ("none", "host"))
]
CATEGORIES = ("span", "select", "shared", "limit", "capacity")


def small_case(seed: int) -> Raw:
    """A session on a handful of hosts."""
    return Sessions(seed, hosts=4 + seed % 6, widest=18).case(rounds=6, jobs=4)


def agree(case: Raw, options: dict[str, str], seen: Counter[str]) -> None:
    """Both engines answer a case alike; what they answer is counted."""
    index, walk = Adapter(engine="indexed", **options), Adapter(engine="iterative", **options)
    expected = walk.run(case)
    assert expected == index.run(case)
    count_shapes(expected, seen)
    scheduler = index._scheduler
    assert scheduler is not None
    seen["evictions"] += getattr(scheduler._engine, "evictions", 0)


def statistics(title: str, seen: Counter[str]) -> None:
    """Print what was met, and hold the shares that make the comparison worth something."""
    print(f"\n{title}: {dict(sorted(seen.items()))}")
    assert seen["uneven"] >= 0.2 * seen["plans"]
    assert seen["pending"] >= 0.2 * seen["decisions"]
    assert seen["dispatched"] >= 0.2 * seen["decisions"]
    assert [] == [one for one in CATEGORIES if not seen[one]]
    assert seen["live limits"] >= 3
    for shape in ("never", "cancelled", "compound", "later alternative"):
        assert seen[shape], shape


@pytest.mark.parametrize("options", OPTIONS, ids=lambda found: "-".join(found.values()))
def test_engines_agree_on_small_worlds(options: dict[str, str]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        agree(small_case(seed), options, seen)
    statistics("small worlds", seen)
    assert (seen["cached"] > 0) == (options["cache"] == "transparent")


@pytest.mark.parametrize("order", ["listed", "most_free"])
def test_engines_agree_on_large_worlds(order: str) -> None:
    seen: Counter[str] = Counter()
    # Nearly all jobs of session 2 pend: the walk takes as long for it as for all the others.
    for seed in range(3, 11):
        hosts, widest = (300, 60) if seed % 4 == 3 else (100, 90)
        case = Sessions(seed, hosts, widest).case(rounds=8, jobs=12)
        agree(case, {"host_order": order, "cache": ("none", "transparent")[seed % 2]}, seen)
    statistics("large worlds", seen)


@pytest.mark.parametrize("order", ["listed", "most_free"])
def test_engines_agree_beyond_what_a_byte_holds(order: str) -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        case = Sessions(seed, hosts=6, widest=800, tall=0.8).case(rounds=6, jobs=4)
        case["cluster"]["limits"] = []
        agree(case, {"host_order": order}, seen)
    print(f"\ntall hosts: {dict(sorted(seen.items()))}")
    assert seen["tall"] >= 0.2 * seen["plans"]


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_more_slots_than_any_request_still_order_hosts(engine: str) -> None:
    world = cluster(host("A", 2**20), host("B", 2**20 + 2), host("C", 2**20 + 1))
    jobs = [submit(name, [primary(1)]) for name in "ijk"]
    found = outcomes(world, *jobs, RUN, engine=engine, host_order="most_free")
    assert [[[["B", 1]]], [[["B", 1]]], [[["C", 1]]]] == [one["parts"] for one in found]


@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_equal_jobs_are_answered_alike_with_and_without_an_attempt(engine: str) -> None:
    """Only without protocol events is a job answered from what is known of its request."""
    cached = 0
    for seed in range(40):
        case = small_case(seed)
        case["events"] = [one for event in case["events"] for one in twice(event)]
        tried = Adapter(engine=engine).run({**case, "report": ["events", "books"]})
        for one in [found for answer in tried for found in answer.get("jobs", [])]:
            del one["events"]
            cached += one.get("cached", False)
        assert tried == Adapter(engine=engine).run(case)
    assert cached > 400


def twice(event: Raw) -> list[Raw]:
    """A submission with an equal one behind it; any other event as it is."""
    if event["event"] != "submit":
        return [event]
    again = {**event["job"], "name": event["job"]["name"] + " again"}
    return [event, {**event, "job": again}]


@pytest.mark.parametrize("order", ["listed", "most_free"])
def test_engines_agree_on_thousands_of_hosts(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "INDEX_BYTES", 0)
    monkeypatch.setattr(indexes, "INDEXES_LEAST", 4)
    seen: Counter[str] = Counter()
    for seed in range(7):
        hosts, rounds = (2000, 4) if seed == 6 else (1000, 6)
        case = Sessions(seed, hosts, widest=60, tall=0, full=0.95).case(rounds, jobs=10)
        agree(case, {"host_order": order, "cache": ("none", "transparent")[seed % 2]}, seen)
    statistics("1000 and 2000 hosts", seen)
    assert seen["evictions"] > 20


@pytest.mark.parametrize("order", ["listed", "most_free"])
def test_engines_agree_however_little_is_kept(order: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexes, "INDEX_BYTES", 0)
    monkeypatch.setattr(indexes, "INDEXES_LEAST", 2)
    monkeypatch.setattr(indexes, "STANDINGS_KEPT", 2)
    monkeypatch.setattr(ledger, "TOUCHED_LEAST", 3)
    seen: Counter[str] = Counter()
    for seed in range(60):
        case = small_case(seed)
        agree(case, {"host_order": order}, seen)
    statistics("little kept", seen)
    assert seen["evictions"] > 100


@pytest.mark.parametrize("repairs", [0, 10_000])
@pytest.mark.parametrize(("finds", "mapped"), [(0, 0), (10_000, 0), (10_000, 10_000)])
def test_engines_agree_whichever_way_is_quicker(
    repairs: int, finds: int, mapped: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rooms, "REPAIRS_LEAST", repairs)
    monkeypatch.setattr(rooms, "FINDS_MOST", finds)
    monkeypatch.setattr(rooms, "MAPPED_MOST", mapped)
    monkeypatch.setattr(rooms, "WINDOW", 3)
    seen: Counter[str] = Counter()
    for seed in range(40):
        case = small_case(seed)
        agree(case, OPTIONS[seed % len(OPTIONS)], seen)
    statistics("ways", seen)


LIMIT: Raw = {"kind": "user", "scope": "host", "resource": "slots", "each": True, "cap": 1}


@pytest.mark.parametrize("limits", [[], [LIMIT], [LIMIT, {**LIMIT, "kind": "project"}]])
@pytest.mark.parametrize("select", [None, {"defined": "os"}])
def test_indexes_stay_within_their_bytes(
    limits: list[Raw], select: Raw | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the columns of limits, also where the last change made the only limit."""
    monkeypatch.setattr(indexes, "INDEX_BYTES", 300_000)
    hosts = [host(f"h{number}", 2, 100, attributes={"os": "a"}) for number in range(100)]
    found = scheduler(cluster(*hosts, limits=tuple(limits)), cache="none")
    kept = found._engine._indexes  # type: ignore[attr-defined]
    for number in range(200):
        wants = {"rusage": [entry("mem", number // 2)], **({"select": select} if select else {})}
        name = f"u{number % 100}"
        found.submit(read_job(job(f"j{number}", [primary(1, **wants)], user=name, project=name)))
    assert 200 == len(found.run_session())
    columns = {id(column): column for one in kept._indexes.values() for column in one.limits}
    held = sum(len(one.bytes) + 4095 for one in kept._indexes.values())
    held += sum(100 for one in kept._indexes.values() if select)
    held += sum(column.values.nbytes for column in columns.values())
    assert held == kept.bytes <= 300_000
    assert len(columns) == len(kept._limits)
    assert (kept.evictions > 0) == (kept.bytes > 290_000)
