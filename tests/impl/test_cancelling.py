"""Cancelled attempts: at every poll of a run, nothing but the cache of before may stay."""

import pytest
from hypothesis import given, settings

from allotment_impl import (
    Adapter,
    Attempt,
    Cancelled,
    CandidateHosts,
    Claim,
    Demand,
    Dispatched,
    SplitPlans,
    place_by_plans,
)
from impl.building import (
    RUN,
    Raw,
    cluster,
    entry,
    host,
    job,
    limit,
    placed,
    primary,
    read_job,
    run,
    scheduler,
    submit,
    waits,
)
from impl.workloads import cases

WORLD = cluster(
    host("A", 3, 400),
    host("B", 1, 100),
    host("C", 2, 100),
    licence=9,
    limits=(limit(6), limit(5, scope="host", kind="queue", name="q")),
)
WANTS = [entry("mem", 100), entry("licence", 1)]
JOBS = [
    submit("first", [primary(1)], priority=3),
    submit("wide", [primary(9)], [primary(5, rusage=WANTS), primary(4)], priority=2),
    submit("uneven", [primary(3, rusage=WANTS, span={"hosts_min": 2})], priority=1),
    submit("again", [primary(9)]),
]


def cancelled_at(point: int) -> Raw:
    return {"event": "run_session", "cancel_at": point}


def state(adapter: Adapter) -> tuple[object, list[str]]:
    found = adapter._scheduler
    assert found is not None
    return found.books(), found.pending()


@pytest.fixture(params=["indexed", "iterative"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def polls_of_a_run(engine: str) -> int:
    adapter = Adapter(engine=engine)
    adapter.run({"cluster": WORLD, "events": [*JOBS, RUN]})
    assert adapter._scheduler is not None
    return adapter._scheduler._token.polls


def test_there_are_many_points_to_cancel_at() -> None:
    assert polls_of_a_run("iterative") >= 20
    assert polls_of_a_run("indexed") >= 7


def test_every_point_cancels_one_attempt_and_leaves_the_others(engine: str) -> None:
    plain = run(WORLD, *JOBS, RUN, engine=engine)[-1]["jobs"]
    seen = set()
    for point in range(polls_of_a_run(engine)):
        found = run(WORLD, *JOBS, cancelled_at(point), engine=engine)[-1]["jobs"]
        [cancelled] = [one for one in found if one["answer"] == "cancelled"]
        assert {"job": cancelled["job"], "answer": "cancelled"} == cancelled
        seen.add(cancelled["job"])
        before = [one["job"] for one in plain].index(cancelled["job"])
        assert plain[:before] == found[:before]
        assert len(plain) == len(found)
    assert {"first", "wide", "uneven"} <= seen


@pytest.mark.clause("CANCEL-1", broken_by="a cancelled attempt keeps its claims")
def test_a_cancelled_attempt_leaves_books_and_queue_as_they_were(engine: str) -> None:
    for point in range(200):
        adapter = Adapter(engine=engine)
        adapter.run({"cluster": WORLD, "events": [JOBS[0], RUN, JOBS[1]]})
        before = state(adapter)
        [answer] = adapter.run({"events": [cancelled_at(point)], "report": ["events"]})
        [entry_] = answer["jobs"]
        if entry_["answer"] != "cancelled":
            assert point >= {"indexed": 2, "iterative": 10}[engine]
            return
        assert before == state(adapter)
        balance: list[list[object]] = []
        for kind, *rest in entry_["events"]:
            if kind == "claimed":
                balance.append(rest)
            elif kind == "reversed":
                balance.remove(rest)
        assert [] == balance
    raise AssertionError("the run never came to its end")


def test_the_search_that_was_cancelled_fills_nothing(engine: str) -> None:
    hopeless = [submit("i", [primary(9)]), submit("j", [primary(9)])]
    for point in range({"indexed": 1, "iterative": 3}[engine]):
        found = run(WORLD, *hopeless, cancelled_at(point), engine=engine)[-1]["jobs"]
        assert {"job": "i", "answer": "cancelled"} == found[0]
        assert waits("j", "limit", never=True) | {"reason": found[1]["reason"]} == found[1]


def test_what_was_filled_before_the_cancelled_search_stays(engine: str) -> None:
    alter = submit("i", [primary(9)], [primary(9, span={"hosts_min": 2})])
    points = range(polls_of_a_run(engine))
    filled = set()
    for point in points:
        events = [alter, submit("j", [primary(9)]), cancelled_at(point)]
        first, second = run(WORLD, *events, engine=engine)[-1]["jobs"]
        if first["answer"] == "cancelled":
            filled.add(second["cached"])
    assert {True, False} == filled


def test_a_cancelled_job_is_tried_again_in_the_next_session_only(engine: str) -> None:
    adapter = Adapter(engine=engine)
    events = [JOBS[0], cancelled_at(0), RUN, {"event": "begin_session"}, RUN]
    answers = adapter.run({"cluster": WORLD, "events": events})
    assert [{"job": "first", "answer": "cancelled"}] == answers[1]["jobs"]
    assert [] == answers[2]["jobs"]
    assert [placed("first", [("A", 1)])] == answers[4]["jobs"]


def test_a_point_after_the_last_poll_cancels_nothing(engine: str) -> None:
    found = run(WORLD, *JOBS, cancelled_at(polls_of_a_run(engine)), engine=engine)
    assert run(WORLD, *JOBS, RUN, engine=engine) == found


def test_an_allocator_may_be_cancelled_from_outside(engine: str) -> None:
    found = scheduler(WORLD, engine=engine)

    class Watching:
        name = "watching"

        def takes(self, demand: object) -> bool:
            found.cancel()
            return False

        def place(self, attempt: object, demand: object) -> None:
            raise AssertionError("it takes nothing")

    found.register_allocator(Watching())
    found.submit(read_job(job("j", [primary(2)])))
    assert [Cancelled(job="j")] == found.run_session()
    assert ["j"] == found.pending()


def test_a_cancellation_after_an_attempts_last_poll_is_the_next_ones(engine: str) -> None:
    found = scheduler(WORLD, engine=engine)

    class Late:
        name = "late"

        def takes(self, demand: object) -> bool:
            return True

        def place(self, attempt: Attempt, demand: Demand) -> list[Claim] | None:
            claims = place_by_plans(attempt, demand, SplitPlans, CandidateHosts)
            if not found.live():
                found.cancel()
            return claims

    found.register_allocator(Late())
    for name in ("first", "second", "third"):
        found.submit(read_job(job(name, [primary(1)])))
    answers = [type(one) for one in found.run_session()]
    assert [Dispatched, Cancelled, Dispatched] == answers


def test_a_cancellation_between_runs_cancels_nothing(engine: str) -> None:
    found = scheduler(WORLD, engine=engine)
    found.cancel()
    found.submit(read_job(job("j", [primary(1)])))
    assert [Dispatched] == [type(one) for one in found.run_session()]


@pytest.mark.parametrize("kind", ["indexed", "iterative"])
@settings(max_examples=60, deadline=None)
@given(case=cases(configuration=False))
def test_cancelling_never_leaks_on_any_workload(kind: str, case: Raw) -> None:
    prefix = [one for one in case["events"] if one["event"] != "run_session"]
    for point in (0, 1, 2, 5, 9, 14):
        adapter = Adapter(cache="none", engine=kind)
        plain = Adapter(cache="none", engine=kind)
        given_ = {"cluster": case["cluster"], "events": prefix}
        adapter.run(given_)
        plain.run(given_)
        [found] = adapter.run({"events": [cancelled_at(point)]})
        stopped = [one["job"] for one in found["jobs"] if one["answer"] == "cancelled"]
        assert len(stopped) <= 1
        names = [one["job"] for one in found["jobs"]]
        withdrawn = [{"event": "withdraw", "job": name} for name in stopped]
        *_, expected = plain.run({"events": [*withdrawn, RUN]})
        rest = [one for one in found["jobs"] if one["job"] not in stopped]
        assert expected["jobs"] == rest
        assert names == [one["job"] for one in found["jobs"]]
        assert state(plain)[0] == state(adapter)[0]
