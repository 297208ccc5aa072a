"""The key of a primary, and the session's cache of primaries that are known to fail."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from allotment_model.answers import Category
from allotment_model.cluster import Identity, Resources
from allotment_model.request import Expression, Job, Per, Primary, RusageEntry, Span, Tasks

if TYPE_CHECKING:
    from allotment_model.rules import Rules


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """WANT-2: the summed entries of one resource, in thousandths, for each `per`."""

    resource: str
    per_task: int = 0
    per_host: int = 0
    per_job: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """CACHE-1: all that the search reads of a job. Equal keys, equal verdicts."""

    tasks_min: int
    tasks_max: int
    select: Expression | None
    rusage: tuple[Need, ...]
    span: Span
    identity: Identity


Cache = Mapping[Key, Category]
"""The category with which each key failed in this session."""


def key_of(primary: Primary, tasks: Tasks, job: Job, resources: Resources, rules: "Rules") -> Key:
    """CACHE-1: the key, by content and in normal form."""
    return Key(
        tasks_min=tasks.min,
        tasks_max=tasks.max,
        select=primary.select,
        rusage=normal_rusage(primary.rusage, resources, rules),
        span=primary.span,
        identity=job.identity,
    )


def normal_rusage(
    entries: Iterable[RusageEntry], resources: Resources, rules: "Rules"
) -> tuple[Need, ...]:
    """WANT-2, CACHE-1: one need a resource, summed, defaults filled in, zeros dropped."""
    sums: dict[str, dict[Per, int]] = {}
    for entry in entries:
        of_resource = sums.setdefault(entry.resource, dict.fromkeys(Per, 0))
        per = entry.per or default_per(entry.resource, resources, rules)
        of_resource[per] = rules.add_entry(of_resource[per], entry.amount)
    return tuple(
        Need(
            resource=resource,
            per_task=sums[resource][Per.TASK],
            per_host=sums[resource][Per.HOST],
            per_job=sums[resource][Per.JOB],
        )
        for resource in sorted(sums)
        if any(sums[resource].values())
    )


def default_per(resource: str, resources: Resources, rules: "Rules") -> Per:
    """RES-3, SHARED-1: what an entry without `per` means."""
    return Per.JOB if resource in resources.shared else rules.rusage_default


def cache_key(key: Key) -> Key:
    """CACHE-1: requests are told apart by the whole key."""
    return key


def emptied(cache: Cache) -> Cache:
    """CACHE-2, CACHE-7: what a session begins with: nothing, whatever was there."""
    return {}


def category_of_hit(stored: Category) -> Category:
    """CACHE-5, WHY-3: a hit reports the category that was stored."""
    return stored


def hit_ends_attempt() -> bool:
    """CACHE-4: a hit fails its primary only; the next alternative is tried."""
    return False
