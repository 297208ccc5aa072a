"""Sessions: the order of the queue, books that add up, and where every job is."""

from dataclasses import replace

import pytest

from allotment_model.accounts import Account, capacity
from allotment_model.answers import Category, Dispatched, Ok, Pending, Ran, Refusal, Refused
from allotment_model.cluster import IdentityKind
from allotment_model.events import (
    BeginSession,
    Event,
    Finish,
    HostAdd,
    LimitSet,
    RunSession,
    Submit,
    Withdraw,
)
from allotment_model.oracle.invariants import check_invariants
from allotment_model.request import Per
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.state import State, initial
from model.worlds import (
    change,
    cluster,
    host,
    job,
    limit,
    moments,
    primary,
    random_session,
    replay,
    submitted,
    tried,
    use,
)

ONE_SLOT = cluster(host("A", 1))
ANN = limit(IdentityKind.USER, "ann")


def drained(state: State) -> State:
    """The state after all live jobs have finished and a session has begun."""
    for name in state.live:
        state, _answer = step(state, Finish(job=name), SPEC)
    return step(state, BeginSession(), SPEC)[0]


@pytest.mark.parametrize("first", range(5000, 5200, 50))
def test_drained_books_are_zero(first: int) -> None:
    busy = 0
    for seed in range(first, first + 50):
        state, _answers = replay(*random_session(seed))
        busy += bool(state.books)
        assert {} == drained(state).books
    assert busy > 20


def test_every_state_is_sound() -> None:
    for seed in range(5200, 5300):
        for moment in moments(random_session(seed)):
            assert [] == check_invariants(moment.after)


def test_commit_stays_within_capacity_or_earlier_use() -> None:
    for seed in range(5300, 5360):
        for moment in moments(random_session(seed)):
            for account, used in moment.after.books.items():
                before = moment.before.books.get(account, 0)
                if isinstance(moment.event, RunSession):
                    assert 0 < used <= max(capacity(moment.after.cluster, account), before)


def place_of(name: str, state: State) -> list[str]:
    """Where a job is."""
    places = {
        "pending": state.pending,
        "live": state.live,
        "finished": state.finished,
        "withdrawn": state.withdrawn,
    }
    return [place for place, names in places.items() if name in names]


def test_every_job_is_where_its_events_led() -> None:
    for seed in range(5400, 5480):
        expected, ending = dict[str, str](), list[str]()
        for moment in moments(random_session(seed)):
            match moment.event, moment.answer:
                case Submit(job=one), Ok():
                    expected[one.name] = "pending"
                case Withdraw(job=name), Ok():
                    expected[name] = "withdrawn"
                case Finish(job=name), Ok():
                    ending.append(name)
                case BeginSession(), _:
                    expected |= dict.fromkeys(ending, "finished")
                    ending = []
                case _, Ran(jobs=jobs):
                    placed = [t.job for t in jobs if isinstance(t.answer, Dispatched)]
                    expected |= dict.fromkeys(placed, "live")
                case _:
                    pass
            assert {name: [place] for name, place in expected.items()} == {
                name: place_of(name, moment.after) for name in expected
            }


def test_each_job_is_tried_once_a_session() -> None:
    for seed in range(5500, 5560):
        session = set[str]()
        for moment in moments(random_session(seed)):
            if isinstance(moment.event, BeginSession):
                session = set()
            if isinstance(moment.answer, Ran):
                names = [one.job for one in moment.answer.jobs]
                assert session.isdisjoint(names)
                session |= set(names)


def test_priority_then_submission_orders_the_queue() -> None:
    jobs = [job(name, (primary(),), priority=p) for name, p in [("a", 0), ("b", 2), ("c", 2)]]
    _state, answers = replay(ONE_SLOT, submitted(*jobs))
    ran = answers[-1]
    assert isinstance(ran, Ran)
    assert ["b", "c", "a"] == [one.job for one in ran.jobs]


def test_pending_job_blocks_nobody() -> None:
    answers = tried(ONE_SLOT, job("a", (primary(2),)), job("b", (primary(1),)))
    assert [Pending, Dispatched] == [type(one) for one in answers]


def test_finish_frees_at_the_next_session_only() -> None:
    events: list[Event] = [*submitted(job("a", (primary(),))), Finish(job="a")]
    events += [Submit(job=job("b", (primary(),))), RunSession(), BeginSession(), RunSession()]
    _state, answers = replay(ONE_SLOT, events)
    runs = [one.jobs[0].answer for one in answers if isinstance(one, Ran)]
    assert [Dispatched, Pending, Dispatched] == [type(one) for one in runs]


def test_finish_and_withdraw_have_their_codes() -> None:
    events: list[Event] = [*submitted(job("a", (primary(),)), job("b", (primary(),)))]
    events += [Finish(job="a"), Finish(job="a"), Finish(job="b"), Finish(job="c")]
    events += [Withdraw(job="b"), Withdraw(job="b"), Withdraw(job="a"), Withdraw(job="c")]
    _state, answers = replay(ONE_SLOT, [*events, BeginSession(), Finish(job="a")])
    not_running, unknown = Refused(code=Refusal.NOT_RUNNING), Refused(code=Refusal.UNKNOWN_NAME)
    not_pending = Refused(code=Refusal.NOT_PENDING)
    expected = [Ok(), not_running, not_running, unknown, Ok(), not_pending, not_pending, unknown]
    assert [*expected, Ok(), not_running] == answers[3:]


def test_withdrawn_job_is_not_tried() -> None:
    state, answers = replay(
        ONE_SLOT, [Submit(job=job("a", (primary(),))), Withdraw(job="a"), RunSession()]
    )
    assert Ran(jobs=()) == answers[-1]
    assert {"a"} == state.withdrawn


def test_new_limit_counts_what_already_runs() -> None:
    start = cluster(host("A", 4))
    events: list[Event] = [*submitted(job("a", (primary(2),))), LimitSet(limit=ANN, cap=3)]
    state, answers = replay(start, [*events, BeginSession(), *submitted(job("b", (primary(2),)))])
    assert 2 == state.books[Account("slots", None, ANN, "ann")]
    ran = answers[-1]
    assert isinstance(ran, Ran)
    assert Pending(reason=Category.LIMIT, never=False, cached=False) == ran.jobs[0].answer


def test_limit_set_again_counts_afresh() -> None:
    start = cluster(host("A", 4), limits={ANN: 4})
    events: list[Event] = [*submitted(job("a", (primary(2),))), Finish(job="a")]
    state, _answers = replay(start, [*events, LimitSet(limit=ANN, cap=1), BeginSession()])
    assert {} == state.books


@pytest.mark.parametrize("closed", [True, False])
def test_closed_host_takes_no_new_work(closed: bool) -> None:
    events: list[Event] = [*submitted(job("a", (primary(),))), change("A", is_open=not closed)]
    state, answers = replay(
        cluster(host("A", 2)), [*events, BeginSession(), *submitted(job("b", (primary(),)))]
    )
    ran = answers[-1]
    assert isinstance(ran, Ran)
    assert closed == isinstance(ran.jobs[0].answer, Pending)
    assert 2 - closed == state.books[Account("slots", "A")]


def test_cut_capacity_leaves_zero_free_and_zero_wants_alone() -> None:
    start = cluster(host("A", 4, mem=4000))
    memory = primary(1, use("mem", 4000))
    events: list[Event] = [*submitted(job("a", (memory,))), change("A", mem=1000), BeginSession()]
    jobs = (job("b", (primary(1),)), job("c", (primary(1, use("mem", 1)),)))
    state, answers = replay(start, [*events, *submitted(*jobs)])
    ran = answers[-1]
    assert isinstance(ran, Ran)
    assert [Dispatched, Pending] == [type(one.answer) for one in ran.jobs]
    assert 4000 == state.books[Account("mem", "A")]


def test_changed_pool_and_added_host_are_used_next_session() -> None:
    events: list[Event] = [HostAdd(host=host("B", 2)), *submitted(job("a", (primary(2),)))]
    _state, answers = replay(ONE_SLOT, [*events, BeginSession(), RunSession()])
    runs = [one.jobs[0].answer for one in answers if isinstance(one, Ran)]
    assert Dispatched(alternative=0, parts=((("B", 2),),)) == runs[1]


def test_amounts_of_parts_are_charged_for_each() -> None:
    start = cluster(host("A", 2, mem=1000))
    part = primary(1, use("mem", 1000, Per.HOST))
    assert isinstance(tried(start, job("a", (part, part)))[0], Pending)
    assert isinstance(tried(start, job("a", (part, primary(1))))[0], Dispatched)


def test_failed_compound_leaves_state_but_for_the_try() -> None:
    start = cluster(host("A", 2))
    state, _answers = replay(start, [Submit(job=job("c", (primary(2), primary(1))))])
    after, _answer = step(state, RunSession(), SPEC)
    assert replace(state, tried=frozenset({"c"})) == after


@pytest.mark.clause("HOST-8", broken_by="a failed start is an exhaustion")
def test_iterator_that_cannot_start_is_an_error() -> None:
    rules = replace(SPEC, search_starts=lambda: False)
    start = cluster(host("A", 1), pools={"lic": 1000})
    one = job("j", (primary(1, use("lic", 500, Per.JOB)),), (primary(1),))
    state, answers = replay(start, submitted(one, job("k", (primary(1),))), rules)
    ran = answers[-1]
    assert isinstance(ran, Ran)
    error = Pending(reason=Category.ERROR, never=False, cached=False)
    assert [error, error] == [tried_one.answer for tried_one in ran.jobs]
    assert ({}, ({},)) == (state.books, state.caches)


def test_first_session_starts_empty() -> None:
    state = initial(ONE_SLOT)
    assert ({}, ({},), {}) == (state.books, state.caches, state.live)
