"""What the rules cost: counted as the model counts, and as all placements show."""

from itertools import permutations, product
from math import comb
from pathlib import Path
from random import Random

import msgspec
import pytest

from allotment_conformance.wire import to_model
from allotment_conformance.wire.messages import Cluster as SentCluster
from allotment_conformance.wire.messages import Json, Primary
from allotment_conformance.wire.model_adapter import ModelAdapter
from allotment_conformance.workload.books import Books, asked_by
from allotment_conformance.workload.compounds import (
    HOSTS_MOST,
    Sizes,
    compositions,
    compound_gap,
    fits_together,
    is_placed,
)
from allotment_conformance.workload.gap import measure
from allotment_conformance.workload.hosts import cluster_of
from allotment_conformance.workload.swf import SwfLog
from allotment_model.accounts import Account, open_ledger
from allotment_model.cluster import SLOTS, Identity
from allotment_model.ingest import keys_of
from allotment_model.oracle.choices import is_placeable_any
from allotment_model.request import Job
from allotment_model.rules import SPEC
from conformance.workload.logs import line, write_log

WHO = Identity(user="u", queue="q", project="p")


def some_cluster(draw: Random) -> Json:
    """Hosts with slots and memory."""
    hosts = [
        {"name": f"h{n}", "capacity": {"slots": draw.randrange(5), "mem": draw.randrange(4000)}}
        for n in range(draw.randrange(1, 6))
    ]
    return {"resources": {"host": ["mem"]}, "hosts": hosts}


@pytest.mark.parametrize("seed", range(20))
def test_any_split_is_judged_as_the_model_does(seed: int) -> None:
    draw, found = Random(seed), set[bool]()
    for _ in range(40):
        cluster = some_cluster(draw)
        books, used = Books(cluster), dict[Account, int]()
        for host in cluster["hosts"]:
            slots = draw.randrange(host["capacity"]["slots"] + 1)
            mem = draw.randrange(host["capacity"]["mem"] + 1)
            books.debit(host["name"], {"slots": slots, "mem": mem}, 1)
            used |= {Account(SLOTS, host["name"]): slots, Account("mem", host["name"]): mem}
        tasks = {"min": 1, "max": draw.randrange(1, 9)}
        entry = {"resource": "mem", "amount": draw.randrange(1, 900), "per": "task"}
        sent = msgspec.convert({"tasks": tasks, "rusage": [entry]}, Primary)
        model = to_model.cluster(msgspec.convert(cluster, SentCluster))
        job = Job(name="j", identity=WHO, request=((to_model.primary(sent),),))
        [[key]] = keys_of(job, model.resources, SPEC)
        expected = is_placeable_any(key, open_ledger(model, used), SPEC)
        assert expected == books.holds(asked_by(sent), [one["name"] for one in cluster["hosts"]])
        found.add(expected)
    assert {True, False} == found


def test_pend_that_another_split_would_spare_is_counted(tmp_path: Path) -> None:
    jobs = [
        line(number=1, submit=0, asked=5, run=5),
        line(number=2, submit=1, asked=6, run=5),
        line(number=3, submit=2, asked=1, run=50),
        line(number=4, submit=3, asked=4, run=5),
    ]
    log = SwfLog(name=write_log(tmp_path, jobs))
    gap = measure(log, cluster_of("1x4,1x1"), ModelAdapter(), slots=2).splits
    assert (4, 3) == (gap.jobs, gap.jobs_of_several_tasks)
    assert {"job1", "job2", "job4"} == gap.pended
    assert {"job1", "job4"} == gap.would_fit
    assert {"job1"} == gap.only_by_rule
    assert (3, 2) == (gap.pends, gap.pends_that_would_fit)


def test_books_are_given_back_when_jobs_end() -> None:
    one, other = (
        measure(SwfLog(name="sample"), cluster_of("5x3"), ModelAdapter(), slots=2, cycle=cycle)
        for cycle in (1, 3600)
    )
    for gap in (one.splits, other.splits):
        assert 0 < len(gap.would_fit) < len(gap.pended) < gap.jobs
        assert 0 < gap.pends_that_would_fit < gap.pends
    assert one.splits != other.splits


def test_known_compounds_are_judged() -> None:
    assert not is_placed((4, 1), (1, 4))
    assert fits_together((4, 1), (1, 4))
    assert is_placed((1, 4), (1, 4))
    assert not fits_together((1, 1, 4), (1, 5))
    assert not is_placed((2, 1, 1, 4), (2, 5))


def placed_in_some_way(hosts: Sizes, compound: Sizes) -> bool:
    """Whether balanced plans fit together, by trying every host for every bucket."""
    plans = [
        [sorted([part // k + (n < part % k) for n in range(k)]) for k in range(1, part + 1)]
        for part in compound
    ]
    for chosen in product(*plans):
        if any(len(plan) > len(hosts) for plan in chosen):
            continue
        for taken in product(*(permutations(range(len(hosts)), len(plan)) for plan in chosen)):
            free = list(hosts)
            for plan, places in zip(chosen, taken, strict=True):
                for bucket, place in zip(plan, places, strict=True):
                    free[place] -= bucket
            if min(free) >= 0:
                return True
    return False


def test_joint_search_finds_what_there_is() -> None:
    for total, number in product(range(1, 6), (1, 2, 3)):
        for hosts in compositions(total, number):
            for parts, tasks in product((2, 3), range(2, total + 1)):
                for compound in compositions(tasks, parts):
                    assert placed_in_some_way(hosts, compound) == fits_together(hosts, compound)
                    if is_placed(hosts, compound):
                        assert fits_together(hosts, compound)


def test_every_case_of_the_small_world_is_tried() -> None:
    slots = 7
    gap = compound_gap(slots)
    clusters = {n: sum(comb(n - 1, k - 1) for k in range(1, HOSTS_MOST + 1)) for n in range(1, 8)}
    compounds = {n: (n - 1) + comb(n - 1, 2) for n in range(1, slots + 1)}
    expected = sum(
        clusters[total] * compounds[tasks] for total in clusters for tasks in range(2, total + 1)
    )
    assert expected == gap.cases == gap.placed + gap.lost_to_greed + gap.lost_to_balance
    assert min(gap.placed, gap.lost_to_greed, gap.lost_to_balance) > 0
    assert ((2, 3), (1, 4)) == gap.example
    assert gap == compound_gap(slots)
