"""Why a job pends: the order of the categories, and what `never` promises."""

from dataclasses import replace

import pytest

from allotment_model.answers import Category, Dispatched, Pending, Ran
from allotment_model.cluster import Cluster, IdentityKind, Scope
from allotment_model.events import BeginSession, Finish, RunSession
from allotment_model.request import Defined, Job, Per, Primary, Span
from allotment_model.rules import SPEC
from allotment_model.runs import try_job
from allotment_model.state import Queued, State
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

NO_PLAN = Span(hosts_min=2, hosts_max=1)
FAULTS = {
    Category.SPAN: primary(9, span=NO_PLAN),
    Category.SELECT: primary(9, select=Defined(name="cores")),
    Category.SHARED: primary(9, use("lic", 9000, Per.JOB)),
    Category.LIMIT: primary(1),
    Category.CAPACITY: primary(9),
}
LIMITED = cluster(host("A", 1), pools={"lic": 1000}, limits={limit(IdentityKind.USER, "ann"): 0})


def pending(start: Cluster, one: Job) -> Pending:
    """The answer to a job that pends."""
    (answer,) = tried(start, one)
    assert isinstance(answer, Pending)
    return answer


@pytest.mark.parametrize(("reason", "part"), FAULTS.items())
def test_each_category_is_told(reason: Category, part: Primary) -> None:
    assert reason is pending(LIMITED, job("j", (part,))).reason


def test_first_category_that_holds_is_told() -> None:
    span, select, shared = NO_PLAN, Defined(name="cores"), use("lic", 9000, Per.JOB)
    for reason, part in {
        Category.SPAN: primary(1, shared, select=select, span=span),
        Category.SELECT: primary(1, shared, select=select),
        Category.SHARED: primary(1, shared),
    }.items():
        assert reason is pending(LIMITED, job("j", (part,))).reason


def test_no_hosts_is_select() -> None:
    assert Category.SELECT is pending(cluster(), job("j", (primary(),))).reason


def test_closed_host_may_pass_the_select() -> None:
    start = cluster(host("A", 1, is_open=False))
    assert Pending(reason=Category.CAPACITY, never=False, cached=False) == pending(
        start, job("j", (primary(),))
    )


def test_limit_on_a_pool_is_limit() -> None:
    capped = limit(IdentityKind.USER, None, "lic")
    start = cluster(host("A", 1), pools={"lic": 2000}, limits={capped: 500})
    part = primary(1, use("lic", 1000, Per.JOB))
    assert Category.LIMIT is pending(start, job("j", (part,))).reason


def test_limit_is_blamed_only_if_it_alone_stands_in_the_way() -> None:
    part = primary(2)
    assert Category.CAPACITY is pending(LIMITED, job("j", (part,))).reason


def test_compound_has_the_category_of_its_failed_part() -> None:
    start = cluster(host("A", 1), pools={"lic": 1000})
    lic = use("lic", 1000, Per.JOB)
    one = job("j", (primary(1, lic), primary(1, lic)))
    assert Category.SHARED is pending(start, one).reason


def test_alter_has_the_category_of_its_last_alternative() -> None:
    one = job("j", (primary(9),), (primary(9, span=NO_PLAN),))
    assert Category.SPAN is pending(LIMITED, one).reason


def test_never_of_an_alter_needs_all_alternatives() -> None:
    start = cluster(host("A", 2), host("B", 0))
    hopeless = primary(2, span=Span(hosts_min=2))
    possible = primary(2)
    holder = job("h", (primary(1),))
    answers = tried(start, holder, job("j", (possible,), (hopeless,)))
    assert Pending(reason=Category.CAPACITY, never=False, cached=False) == answers[1]


def test_never_of_a_compound_needs_one_part() -> None:
    start = cluster(host("A", 2))
    assert pending(start, job("j", (primary(1), primary(3)))).never
    assert not pending(start, job("k", (primary(1), primary(2)))).never


def test_room_can_hurt_a_compound() -> None:
    start = cluster(host("A", 2), host("B", 1), host("C", 1), host("D", 4))
    jobs = (job("j", (primary(2), primary(5))), job("k", (primary(1),)))
    _state, answers = replay(start, [*submitted(*jobs), BeginSession(), RunSession()])
    ran = answers[-1]
    assert isinstance(ran, Ran)
    parts = ((("D", 2),), (("D", 2), ("A", 1), ("B", 1), ("C", 1)))
    assert Dispatched(alternative=0, parts=parts) == ran.jobs[0].answer


def test_cut_cap_makes_never_true() -> None:
    per_host = limit(IdentityKind.USER, None, "slots", Scope.HOST)
    start = cluster(host("A", 4), limits={per_host: 1})
    assert pending(start, job("j", (primary(2),))).never


def test_never_ignores_what_is_in_use_and_closed() -> None:
    start = cluster(host("A", 1), host("B", 1, is_open=False))
    answers = tried(start, job("a", (primary(1),)), job("b", (primary(2),)))
    assert Pending(reason=Category.CAPACITY, never=False, cached=False) == answers[1]


def test_capacity_raised_makes_never_false_again() -> None:
    events = (*submitted(job("j", (primary(2),))), change("A", slots=2), BeginSession())
    _state, answers = replay(cluster(host("A", 1)), (*events, RunSession()))
    assert [True, Dispatched] == [
        one.jobs[0].answer.never if isinstance(one.jobs[0].answer, Pending) else Dispatched
        for one in answers
        if isinstance(one, Ran)
    ]


def states_of_one_configuration(seed: int) -> tuple[list[State], list[Queued]]:
    """States that a session reaches before its first change, and the jobs it says never to."""
    session, states, hopeless = random_session(seed, 40), [], []
    for moment in moments(session):
        if moment.before.cluster != session[0]:
            break
        states.append(moment.before)
        jobs = moment.answer.jobs if isinstance(moment.answer, Ran) else ()
        for one in jobs:
            if isinstance(one.answer, Pending) and one.answer.never:
                hopeless.append(moment.before.pending[one.job])
    return states, hopeless


def test_never_is_kept_in_every_state() -> None:
    promises = 0
    for seed in range(4000, 4120):
        states, hopeless = states_of_one_configuration(seed)
        for queued in hopeless:
            for state in states[::2]:
                promises += 1
                alone = replace(state, pending={queued.job.name: queued}, tried=frozenset())
                _after, one = try_job(alone, queued.job.name, {}, SPEC)
                assert isinstance(one.answer, Pending)
                assert one.answer.never
    assert promises > 1000


def test_never_false_of_a_primary_can_be_placed_when_drained() -> None:
    for seed in range(4200, 4260):
        for moment in moments(random_session(seed)):
            if not isinstance(moment.answer, Ran):
                continue
            for one in moment.answer.jobs:
                queued = moment.before.pending[one.job]
                if isinstance(one.answer, Pending) and [1] == [len(p) for p in queued.keys]:
                    hosts = moment.before.cluster.hosts.items()
                    opened = {name: replace(on, open=True) for name, on in hosts}
                    drained = replace(moment.before.cluster, hosts=opened)
                    (answer,) = tried(drained, queued.job)
                    assert one.answer.never == isinstance(answer, Pending)


def test_finish_waits_for_the_session_before_room_is_made() -> None:
    jobs = (job("a", (primary(1),)), job("b", (primary(1),)))
    state, answers = replay(cluster(host("A", 1)), [*submitted(*jobs), Finish(job="a")])
    assert {"a"} == state.finishing
    assert isinstance(answers[2], Ran)
