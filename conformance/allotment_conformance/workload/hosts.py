"""Clusters in a few characters: `43x3` is 43 hosts of 3 slots, `10x4,5x8` are two kinds."""

import re
from typing import Any, ClassVar

from allotment_conformance.errors import KitError
from allotment_conformance.wire.messages import Json
from allotment_model.cluster import LARGEST_AMOUNT

MEMORY = "mem"
"""The host amount that stands for memory; one thousandth of it is one KB."""

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
            raise BadHosts(
                f"'{kind}' in the hosts '{text}' is not a number of hosts and their slots",
                remedy="Write 43x3 for 43 hosts of 3 slots, and 10x4,5x8 for two kinds of host.",
            )
        capacity = {"slots": int(match[2])}
        if memory_mb is not None:
            capacity[MEMORY] = memory_mb * KB_PER_MB
        first = len(hosts) + 1
        names = [f"h{number}" for number in range(first, first + int(match[1]))]
        hosts += [{"name": name, "capacity": dict(capacity)} for name in names]
    resources: dict[str, Any] = {} if memory_mb is None else {"resources": {"host": [MEMORY]}}
    return {**resources, "hosts": hosts}


def slots_of(cluster: Json) -> int:
    """How many slots the hosts of a cluster have together."""
    return sum(host["capacity"].get("slots", 0) for host in cluster["hosts"])


def has_memory(cluster: Json) -> bool:
    """Whether the hosts of a cluster have the amount `mem`."""
    return MEMORY in cluster.get("resources", {}).get("host", [])
