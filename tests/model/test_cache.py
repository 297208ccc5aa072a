"""The cache: what a key is, when it is filled, what a hit does, and that placements stay."""

from dataclasses import replace

import pytest

from allotment_model.answers import Category, Dispatched, Pending, Ran
from allotment_model.cache import Key
from allotment_model.cluster import AttributeType, Resources
from allotment_model.events import BeginSession, RunSession, Submit
from allotment_model.ingest import keys_of
from allotment_model.request import Defined, Job, Number, Operation, Per, Primary, Span, Tasks
from allotment_model.rules import SPEC
from allotment_model.scheduler import step
from allotment_model.variants.attempts import fill_never
from model.sceptic import Freedom
from model.states import ask_of, sessions_followed
from model.worlds import (
    RESOURCES,
    cluster,
    host,
    job,
    moments,
    primary,
    random_session,
    replay,
    tried,
    use,
)

HOST = cluster(host("A", 1), pools={"lic": 1000})
HIT = Pending(reason=Category.CAPACITY, never=True, cached=True)
CORES, AGE = Defined(name="cores"), Defined(name="age")


def key_of(part: Primary, one: Job = job("j")) -> Key:  # noqa: B008 - a frozen value
    """The key of a primary in a job like this one."""
    ((key,),) = keys_of(replace(one, request=((part,),)), RESOURCES, SPEC)
    return key


def test_equal_requests_have_equal_keys() -> None:
    summed = primary(2, use("mem", 1), use("lic", 5, None), use("mem", 2), use("disk", 0))
    plain = primary(2, use("lic", 5, Per.JOB), use("mem", 3, None), span=Span(hosts_min=1))
    assert key_of(summed) == key_of(plain)
    assert hash(key_of(summed)) == hash(key_of(plain))


@pytest.mark.parametrize(
    "other",
    [
        primary((1, 2)),
        primary((2, 3)),
        primary(2, select=CORES),
        primary(2, use("mem", 1)),
        primary(2, use("mem", 1, Per.HOST)),
        primary(2, use("disk", 1)),
        primary(2, span=Span(hosts_min=2)),
        primary(2, span=Span(hosts_max=2)),
        primary(2, span=Span(tasks_per_host=2)),
        primary(2, span=Span(ptile=2)),
    ],
)
def test_each_field_of_a_request_changes_the_key(other: Primary) -> None:
    assert key_of(primary(2)) != key_of(other)


@pytest.mark.parametrize("field", ["user", "queue", "project"])
def test_each_part_of_the_identity_changes_the_key(field: str) -> None:
    one = job("j")
    other = replace(one, identity=replace(one.identity, **{field: "other"}))
    assert key_of(primary(), one) != key_of(primary(), other)


def test_name_priority_and_job_counts_are_not_in_the_key() -> None:
    other = job("k", priority=3, tasks=Tasks(min=1, max=1))
    assert key_of(primary(1)) == key_of(primary(None), other)


def test_different_trees_are_different_keys() -> None:
    both = Operation(operator="&&", operands=(CORES, AGE))
    flipped = Operation(operator="&&", operands=(AGE, CORES))
    assert key_of(primary(select=both)) != key_of(primary(select=flipped))
    one, other = Number(thousandths=1), Number(thousandths=2)
    assert key_of(primary(select=one)) != key_of(primary(select=other))


def test_key_does_not_follow_later_changes() -> None:
    resources = Resources(attributes={"cores": AttributeType.NUMBER})
    assert keys_of(job("j", (primary(),)), resources, SPEC) == ((key_of(primary()),),)


def test_second_equal_failure_is_cached() -> None:
    answers = tried(HOST, *(job(name, (primary(2),)) for name in "abc"))
    assert [replace(HIT, cached=False), HIT, HIT] == answers


@pytest.mark.parametrize(
    ("reason", "part"),
    [
        (Category.SPAN, primary(1, span=Span(hosts_min=2))),
        (Category.SELECT, primary(1, select=CORES)),
        (Category.SHARED, primary(1, use("lic", 2000, Per.JOB))),
        (Category.CAPACITY, primary(2)),
    ],
)
def test_hit_has_the_category_that_was_stored(reason: Category, part: Primary) -> None:
    answers = tried(HOST, job("a", (part,)), job("b", (part,)))
    assert [replace(HIT, reason=reason, cached=False), replace(HIT, reason=reason)] == answers


def test_compound_does_not_poison_the_cache() -> None:
    answers = tried(HOST, job("one", (primary(), primary())), job("two", (primary(),)))
    assert Dispatched(alternative=0, parts=((("A", 1),),)) == answers[1]


def test_hit_lets_the_next_alternative_be_tried() -> None:
    start = cluster(host("A", 1), host("B", 1))
    two = primary(2, span=Span(hosts_max=1))
    answers = tried(start, job("one", (two,)), job("two", (two,), (primary(2),)))
    assert Dispatched(alternative=1, parts=((("A", 1), ("B", 1)),)) == answers[1]


def test_hit_within_a_compound_fails_it() -> None:
    answers = tried(HOST, job("one", (primary(2),)), job("two", (primary(1), primary(2))))
    assert replace(HIT, never=True) == answers[1]


def test_second_of_equal_alternatives_is_a_hit() -> None:
    assert [HIT] == tried(HOST, job("one", (primary(2),), (primary(2),)))


def test_part_behind_others_is_not_filled_in() -> None:
    answers = tried(HOST, job("one", (primary(1), primary(2))), job("two", (primary(2),)))
    assert [False, False] == [one.cached for one in answers if isinstance(one, Pending)]


def test_session_begins_with_an_empty_cache() -> None:
    state, answers = replay(
        HOST, [Submit(job=job("a", (primary(2),))), RunSession(), BeginSession(), RunSession()]
    )
    assert isinstance(answers[-1], Ran)
    assert replace(HIT, cached=False) == answers[-1].jobs[0].answer
    assert 1 == len(state.caches[0])
    assert ({},) == step(state, BeginSession(), SPEC)[0].caches


def decisions(seed: int, fills: bool) -> list[object]:
    """What a session decides, but for what the cache may change."""
    rules = SPEC if fills else replace(SPEC, may_fill=fill_never)
    found: list[object] = []
    for moment in moments(random_session(seed), rules):
        if not isinstance(moment.answer, Ran):
            found.append(moment.answer)
            continue
        for one in moment.answer.jobs:
            answer = one.answer.never if isinstance(one.answer, Pending) else one.answer
            found.append((one.job, answer))
    return found


@pytest.mark.parametrize("first", range(3000, 3300, 50))
def test_sessions_decide_alike_without_the_cache(first: int) -> None:
    for seed in range(first, first + 50):
        assert decisions(seed, True) == decisions(seed, False)


def test_cached_keys_fail_after_every_event() -> None:
    cached = 0
    for state, sceptic in sessions_followed(random_session(seed) for seed in range(3300, 3380)):
        (cache,) = state.caches
        for key in cache:
            cached += 1
            assert [] == sceptic.legal(ask_of(key), sceptic.held(), Freedom.NONE)
    assert cached > 500
