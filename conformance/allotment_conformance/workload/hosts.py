"""Clusters in a few characters: `43x3` is 43 hosts of 3 slots, `10x4,5x8` are two kinds."""

import re
from typing import Any, ClassVar

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json
from allotment_model.cluster import LARGEST_AMOUNT

MEMORY = "mem"
"""The host amount that stands for memory; one thousandth of it is one KB."""

MODEL = "model"
"""The attribute of a host that names the model of its GPUs."""

MOST_HOSTS = 1_000_000
"""Hosts of a cluster that is written in a few characters: ten times the largest in use."""

KIND = re.compile(r"\s*([0-9]{1,6})\s*[xX×]\s*([0-9]{1,9})\s*")
KB_PER_MB = 1000
MOST_MEMORY_MB = LARGEST_AMOUNT // KB_PER_MB
"""The most memory that a host can have (AMOUNT-1)."""


class BadHosts(KitError):
    """A text does not describe a cluster's hosts."""

    code: ClassVar[str] = "bad-hosts"


def cluster_of(text: str, *, memory_mb: int | None = None) -> Json:
    """The cluster of SPEC.md 2.1 that a text like `10x4,5x8` describes, hosts h1, h2, …

    With `memory_mb` each host also has that much of the amount `mem`. Raises `BadHosts`.
    """
    hosts: list[Json] = []
    for kind in text.split(","):
        match = KIND.fullmatch(kind)
        if match is None or 0 in (int(match[1]), int(match[2])):
            raise _bad_hosts(f"'{kind}' is not a number of hosts and their slots", text)
        if len(hosts) + int(match[1]) > MOST_HOSTS:
            raise _bad_hosts(f"there are more than {MOST_HOSTS:,} hosts", text)
        capacity = {"slots": int(match[2])}
        if memory_mb is not None:
            capacity[MEMORY] = memory_mb * KB_PER_MB
        first = len(hosts) + 1
        names = [f"h{number}" for number in range(first, first + int(match[1]))]
        hosts += [{"name": name, "capacity": dict(capacity)} for name in names]
    resources: dict[str, Any] = {} if memory_mb is None else {"resources": {"host": [MEMORY]}}
    return {**resources, "hosts": hosts}


def _bad_hosts(problem: str, text: str) -> BadHosts:
    return BadHosts(
        f"the hosts '{text}': {problem}",
        remedy="Write 43x3 for 43 hosts of 3 slots, and 10x4,5x8 for two kinds: 1 to 999,999 hosts "
        f"of 1 to 999,999,999 slots each, {MOST_HOSTS:,} hosts in all. Or name a node table, *.csv "
        "or *.csv.gz.",
    )


def amounts_of(cluster: Json) -> list[str]:
    """The host amounts of a cluster, `slots` apart."""
    declared: list[str] = cluster.get("resources", {}).get("host", [])
    return declared


def capacity_of(cluster: Json, resource: str) -> int:
    """How much the hosts of a cluster have together of `slots` or an amount."""
    return sum(host["capacity"].get(resource, 0) for host in cluster["hosts"])
