"""What an embedder hands over is checked for its types, and a wrong one changes nothing."""

from collections.abc import Callable
from typing import Any

import pytest

import allotment_impl
from allotment_impl import (
    Cancelled,
    Counts,
    Dispatched,
    InvalidClusterError,
    Job,
    LimitKind,
    LimitScope,
    MistypedError,
    RusageEntry,
    Scheduler,
    load_cluster,
)
from allotment_impl.allocators import SequentialAllocator
from allotment_impl.expressions import Number, Operation, Operator
from impl.building import cluster, host, read_cluster, scheduler

given: Any = allotment_impl
"""Its values, without the types that are declared for their fields."""

NOT_WHOLE: Any = 1.5

WORLD = cluster(host("A", 4, 1000))
SLOTS_OF_USERS = {
    "kind": LimitKind.USER,
    "scope": LimitScope.HOST,
    "resource": "slots",
    "each": True,
}


def job(name: Any = "j", most: Any = 1, least: Any = 1, **fields: Any) -> Job:
    """A job of one primary; the fields are those of the primary."""
    part = given.Primary(tasks=Counts(min=least, max=most), **fields)
    return Job(name=name, user="u", queue="q", project="p", request=((part,),))


def of_job(**fields: Any) -> Job:
    """A job with a field of its own that is wrong."""
    whom = {"name": "j", "user": "u", "queue": "q", "project": "p", "request": "{2*{-}}"}
    return Job(**{**whom, **fields})


def memory(amount: Any, resource: Any = "mem", per: Any = None) -> tuple[RusageEntry, ...]:
    return (RusageEntry(resource=resource, amount=amount, per=per),)


JOBS: list[tuple[Any, str]] = [
    (None, "job takes a Job, not None (NoneType)"),
    (of_job(name=3), "job.name takes a str, not 3 (int)"),
    (of_job(name=[]), "job.name takes a str, not [] (list)"),
    (of_job(user=None), "job.user takes a str"),
    (of_job(priority="hi"), "job.priority takes an int, not 'hi' (str)"),
    (of_job(priority=1.5), "job.priority takes an int"),
    (of_job(tasks=2), "job.tasks takes a Counts"),
    (of_job(request=None), "job.request takes a tuple or a str, not None (NoneType)"),
    (of_job(request=b"2*{-}"), "job.request takes a tuple or a str"),
    (of_job(request=((3,),)), "job.request[0][0] takes a Primary, not 3 (int)"),
    (job(most=1.5), "job.request[0][0].tasks.max takes an int, not 1.5 (float)"),
    (job(most=True), "job.request[0][0].tasks.max takes an int, not True (bool)"),
    (job(least="1"), "job.request[0][0].tasks.min takes an int"),
    (job(rusage=memory(0.1)), "job.request[0][0].rusage[0].amount takes an int"),
    (job(rusage=memory("5")), "job.request[0][0].rusage[0].amount takes an int"),
    (job(rusage=memory(5, per="task")), "job.request[0][0].rusage[0].per takes a Per"),
    (job(rusage=memory(5, resource=None)), "job.request[0][0].rusage[0].resource takes a str"),
    (job(span=given.Span(ptile=2.0)), "job.request[0][0].span.ptile takes an int"),
    (job(select="x"), "job.request[0][0].select takes a node of a select, not 'x' (str)"),
    (job(select=Number(NOT_WHOLE)), "job.request[0][0].select.thousandths takes an int"),
    (
        job(select=Operation(Operator.NOT, (Operation(Operator.PLUS, (Number(1),)),))),
        "job.request[0][0].select.arguments[0].arguments takes 2 of them for '+'",
    ),
]


@pytest.mark.parametrize(("wrong", "words"), JOBS, ids=[words for _, words in JOBS])
def test_a_mistyped_job_is_refused_and_changes_nothing(wrong: Any, words: str) -> None:
    found = scheduler(WORLD)
    found.submit(job("before"))
    with pytest.raises(MistypedError) as caught:
        found.submit(wrong)
    assert str(caught.value).startswith(words)
    assert ["before"] == found.pending()
    found.submit(job("after"))
    assert [True, True] == [isinstance(one, Dispatched) for one in found.run_session()]
    assert {"A": {"slots": 2}} == found.books().hosts


def test_a_wrong_type_is_found_behind_an_equal_job_that_was_right() -> None:
    found = scheduler(WORLD)
    found.submit(job("right", rusage=memory(1)))
    for number, wrong in enumerate((1.0, True)):
        with pytest.raises(MistypedError):
            found.submit(job(f"amount {number}", rusage=memory(wrong)))
        with pytest.raises(MistypedError):
            found.submit(job(f"tasks {number}", most=wrong, rusage=memory(1)))
    assert ["right"] == found.pending()


def test_lists_stand_for_tuples() -> None:
    found = scheduler(WORLD)
    part = given.Primary(tasks=Counts(min=1, max=2), rusage=list(memory(1)))
    found.submit(of_job(request=[[part]]))
    assert [Dispatched(job="j", alternative=0, parts=((("A", 2),),))] == found.run_session()


class Named(SequentialAllocator):
    """The allocator of single tasks under another name."""

    def __init__(self, name: Any) -> None:
        super().__init__()
        self.name = name


class Listed:
    """An allocator that names what it takes and does not say whether it takes it."""

    name = "listed"
    takes: tuple[int, ...] = (2, 3)

    def place(self, attempt: object, demand: object) -> None:
        """Nothing at all."""


CHANGES: list[tuple[Callable[[Any], object], str]] = [
    (lambda one: one.host_add(host("B", 1)), "host takes a Host"),
    (
        lambda one: one.host_add(given.Host(name="B", capacity={"slots": 1.5})),
        "host.capacity['slots'] takes an int, not 1.5 (float)",
    ),
    (
        lambda one: one.host_add(given.Host(name="B", capacity={}, attributes={"speed": 1.5})),
        "host.attributes['speed'] takes an int or a str, not 1.5 (float)",
    ),
    (
        lambda one: one.host_add(given.Host(name="B", capacity={}, open=1)),
        "host.open takes a bool, not 1 (int)",
    ),
    (lambda one: one.host_change(given.HostChange(host=3)), "change.host takes a str"),
    (
        lambda one: one.host_change(given.HostChange(host="A", attributes={"speed": True})),
        "change.attributes['speed'] takes an int or a str, not True (bool)",
    ),
    (lambda one: one.pool_change("licence", 1.5), "capacity takes an int"),
    (lambda one: one.pool_change(None, 1), "pool takes a str"),
    (
        lambda one: one.limit_set(given.Limit(**SLOTS_OF_USERS, cap=1.5)),
        "limit.cap takes an int",
    ),
    (
        lambda one: one.limit_remove(given.LimitIdentity(**{**SLOTS_OF_USERS, "kind": "user"})),
        "limit.kind takes a LimitKind, not 'user' (str)",
    ),
    (lambda one: one.finish([]), "name takes a str"),
    (lambda one: one.withdraw(3), "name takes a str"),
    (lambda one: one.run_session("3"), "cancel_at takes an int, not '3' (str)"),
    (
        lambda one: one.run_session(record_events="yes"),
        "record_events takes a bool, not 'yes' (str)",
    ),
    (
        lambda one: one.register_allocator(None),
        "allocator takes an object with name, takes and place, not None (NoneType)",
    ),
    (
        lambda one: one.register_allocator(Named(3)),
        "allocator.name takes a str, not 3 (int)",
    ),
    (
        lambda one: one.register_allocator(Named),
        "allocator takes an object with name, takes and place, not <class",
    ),
    (
        lambda one: one.register_allocator(Listed()),
        "allocator.takes takes a method, not (2, 3) (tuple)",
    ),
    (lambda one: one.register_allocator("parjob"), "allocator takes an object with name, takes"),
]


@pytest.mark.parametrize(("send", "words"), CHANGES, ids=[words for _, words in CHANGES])
def test_a_mistyped_event_is_refused_and_changes_nothing(
    send: Callable[[Any], object], words: str
) -> None:
    found = scheduler(WORLD)
    found.submit(job())
    with pytest.raises(MistypedError) as caught:
        send(found)
    assert str(caught.value).startswith(words)
    found.begin_session()
    assert [Dispatched(job="j", alternative=0, parts=((("A", 1),),))] == found.run_session()


def test_a_run_cannot_be_cancelled_before_its_first_poll() -> None:
    found = scheduler(WORLD)
    found.submit(job())
    with pytest.raises(ValueError, match="cancel_at is at least 0, not -1"):
        found.run_session(cancel_at=-1)
    assert ["j"] == found.pending()
    assert [Cancelled(job="j")] == found.run_session(cancel_at=0)


@pytest.mark.parametrize("path", [3, None, b"cluster.toml"])
def test_a_path_that_is_none_is_told(path: Any) -> None:
    with pytest.raises(MistypedError, match="path takes a str or a path, not "):
        load_cluster(path)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (None, "cluster takes a Cluster"),
        (
            given.Cluster(hosts=(given.Host(name="A", capacity={"slots": 1.5}),)),
            r"cluster.hosts\[0\].capacity\['slots'\] takes an int",
        ),
        (
            given.Cluster(hosts=(), pools={"licence": "1"}),
            r"cluster.pools\['licence'\] takes an int",
        ),
        (
            given.Cluster(hosts=(), resources=given.Resources(host=(3,))),
            r"cluster.resources.host\[0\] takes a str",
        ),
        (
            given.Cluster(hosts=(), resources=given.Resources(attributes={"x": "number"})),
            r"cluster.resources.attributes\['x'\] takes an AttributeType",
        ),
    ],
)
def test_a_mistyped_cluster_is_none(wrong: Any, words: str) -> None:
    with pytest.raises(InvalidClusterError, match=words):
        Scheduler(wrong)


def test_a_cluster_that_was_read_has_the_types() -> None:
    assert [] == Scheduler(read_cluster(WORLD)).pending()
