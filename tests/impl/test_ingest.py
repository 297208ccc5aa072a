"""Submission: counts are reconciled, rusage summed, keys told apart by content."""

from typing import Any

import pytest

from allotment_impl.demand import Demand, HostWant
from allotment_impl.ingest import Ingest
from allotment_impl.refusals import Refused
from allotment_impl.requests import Job, Per
from allotment_impl.vocabulary import Vocabulary
from impl.building import (
    Raw,
    cluster,
    demand_of,
    entry,
    job,
    primary,
    read_cluster,
    read_job,
    tasks,
)

VOCABULARY = Vocabulary.declare(read_cluster(cluster()).resources)


def ingest(raw: Raw, default: Per = Per.TASK) -> list[list[Demand]]:
    found = Ingest(VOCABULARY, default).demands(read_job(raw), name_is_taken=False)
    return [list(parts) for parts in found]


def code(raw: Raw) -> str:
    with pytest.raises(Refused) as raised:
        ingest(raw)
    return raised.value.code.value


@pytest.mark.parametrize(
    ("request_", "job_tasks", "expected"),
    [
        ([[{}]], tasks(3, 2), [[3]]),
        ([[{"tasks": tasks(3, 2)}]], tasks(3, 2), [[3]]),
        ([[{"tasks": tasks(3, 2)}]], None, [[3]]),
        ([[primary(1), primary(2)]], tasks(3), [[1, 2]]),
        ([[primary(1), primary(2)]], None, [[1, 2]]),
        ([[{}], [primary(1), primary(2)]], tasks(3), [[3], [1, 2]]),
        ([[primary(3)], [primary(1), primary(2)]], None, [[3], [1, 2]]),
        ([[primary(2**20), primary(2**20)]], None, [[2**20, 2**20]]),
    ],
)
def test_counts_that_agree(request_: Any, job_tasks: Raw | None, expected: Any) -> None:
    fields = {} if job_tasks is None else {"tasks": job_tasks}
    found = ingest(job("j", *request_, **fields))
    assert expected == [[demand.tasks for demand in parts] for parts in found]


@pytest.mark.parametrize(
    ("request_", "job_tasks"),
    [
        ([[{}]], None),
        ([[{"tasks": tasks(3, 1)}]], tasks(3, 2)),
        ([[primary(2)]], tasks(3)),
        ([[primary(1), {}]], tasks(3)),
        ([[primary(1), {}]], None),
        ([[{}, {}]], tasks(3)),
        ([[primary(1), primary(1)]], tasks(3)),
        ([[{"tasks": tasks(1)}, {"tasks": tasks(2, 1)}]], tasks(3)),
        ([[primary(1)], [primary(2)]], None),
        ([[primary(2)], [{"tasks": tasks(2, 1)}]], None),
        ([[primary(2)], [{}]], None),
        ([[{}], [primary(2)]], tasks(3)),
    ],
)
def test_counts_that_do_not_agree(request_: Any, job_tasks: Raw | None) -> None:
    fields = {} if job_tasks is None else {"tasks": job_tasks}
    assert "counts" == code(job("j", *request_, **fields))


def test_entries_of_one_resource_are_one_want() -> None:
    demand = demand_of(
        primary(
            4,
            rusage=[
                entry("mem", 100),
                entry("mem", 50, "task"),
                entry("mem", 7, "host"),
                entry("licence", 3),
                entry("licence", 2, "task"),
                entry("licence", 1, "job"),
            ],
        )
    )
    assert (HostWant(0, 1, 0), HostWant(1, 150, 7)) == demand.host_wants
    assert ((0, 12),) == demand.shared_wants


def test_a_want_is_slots_tasks_and_one_host() -> None:
    assert 4 * 150 + 7 == HostWant(1, 150, 7).of(4)


def test_zeros_want_nothing() -> None:
    demand = demand_of(primary(4, rusage=[entry("mem", 0), entry("licence", 0, "task")]))
    assert (HostWant(0, 1, 0),) == demand.host_wants
    assert () == demand.shared_wants


def test_per_left_out_follows_the_profile() -> None:
    raw = job("j", [primary(2, rusage=[entry("mem", 5), entry("licence", 5)])])
    [[by_task]], [[by_host]] = ingest(raw, Per.TASK), ingest(raw, Per.HOST)
    assert HostWant(1, 5, 0) == by_task.host_wants[1]
    assert HostWant(1, 0, 5) == by_host.host_wants[1]
    assert by_task.shared_wants == by_host.shared_wants == ((0, 5),)


GREATER = {"op": ">", "args": [{"attribute": "speed"}, {"number": 1}]}
LESS = {"op": "<", "args": [{"number": 1}, {"attribute": "speed"}]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"rusage": [entry("mem", 1), entry("mem", 2)]}, {"rusage": [entry("mem", 3, "task")]}),
        ({"rusage": []}, {"rusage": [entry("mem", 0), entry("licence", 0)]}),
        ({"rusage": [entry("licence", 5)]}, {"rusage": [entry("licence", 5, "job")]}),
        (
            {"rusage": [entry("mem", 1), entry("licence", 2)]},
            {"rusage": [entry("licence", 2), entry("mem", 1)]},
        ),
        ({}, {"span": {}}),
        ({}, {"span": {"hosts_min": 1, "hosts_max": 2**20, "tasks_per_host": 2**20}}),
        ({"select": GREATER}, {"select": GREATER}),
    ],
)
def test_the_same_content_is_the_same_key(one: Raw, other: Raw) -> None:
    first, second = demand_of(primary(4, **one)).key, demand_of(primary(4, **other)).key
    assert first == second
    assert hash(first) == hash(second)


@pytest.mark.parametrize(
    ("fields", "identity"),
    [
        ({"tasks": tasks(4, 3)}, {}),
        ({"tasks": tasks(5)}, {}),
        ({"select": GREATER}, {}),
        ({"select": LESS}, {}),
        ({"rusage": [entry("mem", 1)]}, {}),
        ({"rusage": [entry("mem", 1, "host")]}, {}),
        ({"rusage": [entry("licence", 1)]}, {}),
        ({"rusage": [entry("licence", 1, "task")]}, {}),
        ({"span": {"hosts_min": 2}}, {}),
        ({"span": {"hosts_max": 2}}, {}),
        ({"span": {"tasks_per_host": 2}}, {}),
        ({"span": {"ptile": 2}}, {}),
        ({}, {"user": "v"}),
        ({}, {"queue": "v"}),
        ({}, {"project": "v"}),
    ],
)
def test_any_field_that_differs_is_another_key(fields: Raw, identity: dict[str, str]) -> None:
    plain = demand_of(primary(4)).key
    assert plain != demand_of(primary(4) | fields, **identity).key


def test_per_task_and_per_job_of_one_task_are_two_keys() -> None:
    keys = {demand_of(primary(1, rusage=[entry("licence", 1, per)])).key for per in ("task", "job")}
    assert 2 == len(keys)


def test_a_key_is_not_equal_to_its_content() -> None:
    key = demand_of(primary(1)).key
    assert key != key.content


def test_every_demand_has_a_key_at_submission() -> None:
    found = ingest(job("j", [primary(1), primary(2)], [{}], tasks=tasks(3)))
    keys = [demand.key for parts in found for demand in parts]
    assert 3 == len(set(keys))
    assert all(key.content for key in keys)


def test_a_compound_and_an_alter_keep_their_shapes() -> None:
    assert [1] == [len(parts) for parts in ingest(job("j", [primary(2)]))]
    assert [2] == [len(parts) for parts in ingest(job("j", [primary(1), primary(1)]))]
    alter = ingest(job("j", [primary(2)], [primary(1), primary(1)]))
    assert [1, 2] == [len(parts) for parts in alter]


def test_equal_jobs_share_their_demands_and_no_others_do() -> None:
    ingesting = Ingest(VOCABULARY, Per.TASK)

    def demands(**fields: Any) -> object:
        raw = job("j", [primary(2, rusage=[entry("mem", 5)])], **fields)
        return ingesting.demands(read_job(raw), name_is_taken=False)

    assert demands() is demands()
    assert demands() is demands(priority=3)
    assert demands() is not demands(user="v")


def test_a_request_that_was_accepted_before_still_needs_a_free_name() -> None:
    ingesting, raw = Ingest(VOCABULARY, Per.TASK), read_job(job("j", [primary(2)]))
    ingesting.demands(raw, name_is_taken=False)
    with pytest.raises(Refused, match="duplicate-name"):
        ingesting.demands(raw, name_is_taken=True)


def test_only_so_many_requests_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("allotment_impl.ingest.REQUESTS_KEPT", 2)
    monkeypatch.setattr("allotment_impl.ingest.SHAPES_KEPT", 2)
    ingesting = Ingest(VOCABULARY, Per.TASK)
    found = [
        ingesting.demands(
            read_job(job("j", [primary(2, rusage=[entry("mem", amount)])])), name_is_taken=False
        )
        for amount in (1, 2, 3, 1)
    ]
    assert found[0] is not found[3]
    assert 2 == len(ingesting._accepted) == len(ingesting._shapes)


def test_a_request_made_of_lists_is_as_good() -> None:
    raw = read_job(job("j", [primary(2)]))
    lists = Job(
        name="j",
        user="u",
        queue="q",
        project="p",
        request=[list(raw.request[0])],  # type: ignore[arg-type]
    )
    [[demand]] = Ingest(VOCABULARY, Per.TASK).demands(lists, name_is_taken=False)
    assert 2 == demand.tasks
