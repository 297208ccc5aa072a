"""Clusters are written in a few characters."""

import pytest

from allotment_conformance.workload.hosts import BadHosts, cluster_of, has_memory, slots_of


def test_kinds_of_hosts_are_numbered_through() -> None:
    cluster = cluster_of("2x4, 1x8")
    slots = [(host["name"], host["capacity"]["slots"]) for host in cluster["hosts"]]
    assert [("h1", 4), ("h2", 4), ("h3", 8)] == slots
    assert 16 == slots_of(cluster)
    assert not has_memory(cluster)


def test_memory_is_thousandths_of_a_megabyte() -> None:
    cluster = cluster_of("1x4", memory_mb=2)
    assert {"slots": 4, "mem": 2000} == cluster["hosts"][0]["capacity"]
    assert has_memory(cluster)


@pytest.mark.parametrize("text", ["", "3", "x3", "3x", "0x3", "3x0", "-1x3", "2x3,", "2x3;4x5"])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(BadHosts):
        cluster_of(text)
