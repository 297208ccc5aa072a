"""The cluster: what is declared, the hosts in their order, the pools and the limits."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

SLOTS = "slots"
"""The one resource that every host has; it counts whole slots, all others count thousandths."""

LARGEST_AMOUNT = 2**53 - 1
"""AMOUNT-1: the largest amount; JavaScript reads the number after the next one wrongly."""

LARGEST_TASKS = 2**20
"""The largest count of tasks that a primary may ask for."""


class AttributeType(StrEnum):
    """What the values of an attribute are."""

    NUMBER = "number"
    TEXT = "text"


class IdentityKind(StrEnum):
    """By which part of a job's identity a limit counts (LIMIT-1)."""

    USER = "user"
    QUEUE = "queue"
    PROJECT = "project"


class Scope(StrEnum):
    """Whether a limit counts on each host by itself or over the cluster (LIMIT-2)."""

    HOST = "host"
    CLUSTER = "cluster"


@dataclass(frozen=True, slots=True, kw_only=True)
class Resources:
    """RES-1: what is declared, once per cluster; `slots` is always there and not listed."""

    host: frozenset[str] = frozenset()
    shared: frozenset[str] = frozenset()
    attributes: Mapping[str, AttributeType]


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A host. RES-2: an amount that `capacity` lacks is zero; an attribute may be lacking.

    Numbers in `attributes` are thousandths.
    """

    name: str
    capacity: Mapping[str, int]
    attributes: Mapping[str, int | str]
    open: bool = True


class LimitId(NamedTuple):
    """What makes two limits the same limit. `name` None is the form *each* (LIMIT-1)."""

    kind: IdentityKind
    name: str | None
    scope: Scope
    resource: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster:
    """The configuration: hosts by name in cluster order, pool capacities, caps by limit."""

    resources: Resources
    hosts: Mapping[str, Host]
    pools: Mapping[str, int]
    limits: Mapping[LimitId, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Identity:
    """On whose behalf a job runs."""

    user: str
    queue: str
    project: str

    def holder(self, kind: IdentityKind) -> str:
        """The name that a limit of this kind counts for."""
        match kind:
            case IdentityKind.USER:
                return self.user
            case IdentityKind.QUEUE:
                return self.queue
            case IdentityKind.PROJECT:
                return self.project
