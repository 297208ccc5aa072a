"""Clusters are written in a few characters."""

import pytest

from allotment_conformance.workload.hosts import (
    BadHosts,
    amounts_of,
    capacity_of,
    cluster_of,
)


def test_kinds_of_hosts_are_numbered_through() -> None:
    cluster = cluster_of("2x4, 1x8")
    slots = [(host["name"], host["capacity"]["slots"]) for host in cluster["hosts"]]
    assert [("h1", 4), ("h2", 4), ("h3", 8)] == slots
    assert 16 == capacity_of(cluster, "slots")
    assert [] == amounts_of(cluster)


def test_memory_is_thousandths_of_a_megabyte() -> None:
    cluster = cluster_of("1x4", memory_mb=2)
    assert {"slots": 4, "mem": 2000} == cluster["hosts"][0]["capacity"]
    assert ["mem"] == amounts_of(cluster)
    assert 2000 == capacity_of(cluster, "mem")


@pytest.mark.parametrize(
    "text",
    ["", "3", "x3", "3x", "0x3", "3x0", "-1x3", "2x3,", "2x3;4x5", "1000000x1", "999999x1,2x1"],
)
def test_other_texts_are_refused_and_the_bounds_named(text: str) -> None:
    with pytest.raises(BadHosts) as refusal:
        cluster_of(text)
    assert "1 to 999,999 hosts of 1 to 999,999,999 slots" in refusal.value.remedy
