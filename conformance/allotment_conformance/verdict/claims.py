"""Which clauses an implementation claims, by its profile (SPEC.md 2.4), and how each is shown."""

from allotment_conformance.wire.messages import Profile
from allotment_model.clauses import Clause, Evidence

CACHE_CLAUSES = frozenset({"CACHE-1", "CACHE-2", "CACHE-3", "CACHE-4", "CACHE-5", "CACHE-8"})
"""Those of the cache that show in answers; without a cache there is nothing to show."""

SEEN_IN_CACHED = frozenset({"CACHE-8", "WHY-3"})
"""Clauses that nothing but the field `cached` shows."""

BALANCED_ONLY = frozenset({"PLAN-1", "PLAN-2", "PLAN-3", "PAR-1", "PAR-4"})
"""Clauses about the order of plans, which a profile `split: any` leaves open."""

ORDERED_ONLY = frozenset({"HOST-9", "SEQ-1"})
"""Clauses about the order of hosts, which a profile `host_order: unspecified` leaves open."""

ALTERNATIVES_DIFFER = frozenset({"select", "rusage", "span", "ptile", "compound"})
"""Features by which one alternative may fit where another does not: their counts are the same
(INGEST-1). Compounds do so only where splits are balanced, else all that counts is the sum."""

HOSTS_PASSED_OVER = frozenset({"rusage", "limits"})
"""Features by which, with the most free host first, a bucket may pass over a host that a later one
takes. By slots alone it never does: whoever is passed over has no more than those behind."""

PLAIN_FEATURES = frozenset({"text", "priorities", "cancel", "events", "books"})
"""Features that change neither what a job asks for nor where it may go."""

LEAST_SIZES = {
    "PLAN-1": (1, 2),
    "PLAN-2": (3, 4),
    "PLAN-3": (2, 3),
    "HOST-3": (2, 3),
    "HOST-6": (2, 3),
    "HOST-7": (3, 4),
    "HOST-9": (2, 1),
    "PAR-1": (2, 2),
    "PAR-3": (2, 2),
    "PAR-4": (2, 3),
    "SEQ-1": (2, 1),
    "TASKS-1": (1, 2),
    "UNDO-1": (3, 4),
}
"""Hosts, and tasks of one job, without which no case of plain features tells the specification from
what it is without the clause."""

SEEN_IN_EVENTS = frozenset({"PLAN-4", "PLAN-8", "HOST-2", "HOST-4"})
"""*Inside* clauses that the protocol events show: which plans were taken, who was offered."""

ON_THE_CONTRACT = "on the plug-in contract, by the implementer's tests"
"""How *inside* clauses are shown that no message shows."""


def why_not_claimed(clause: Clause, profile: Profile) -> str | None:
    """What the profile lacks or leaves open, so that the clause cannot be checked; else None."""
    lacking = sorted(clause.features - set(profile.features))
    if lacking:
        return f"no {', '.join(lacking)}"
    if clause.id == "PLAN-11":
        return None if profile.split == "any" else "split: balanced"
    if clause.id in BALANCED_ONLY and profile.split == "any":
        return "split: any"
    if clause.id in ORDERED_ONLY and profile.host_order == "unspecified":
        return "host order: unspecified"
    if clause.id in CACHE_CLAUSES | SEEN_IN_CACHED and profile.cache == "none":
        return "no cache"
    if clause.id in ("CACHE-3", "CACHE-4") and profile.cache == "literal":
        return "cache: literal"
    if clause.id in ("HOST-3", "HOST-6") and not _passes_over(profile):
        return "no rusage or limits: the most free host first"
    if clause.id == "CACHE-4" and not _alternatives_differ(profile):
        return "no feature by which alternatives differ"
    if too_small := _too_small(clause, profile):
        return too_small
    if clause.evidence is Evidence.INSIDE and clause.id in SEEN_IN_EVENTS:
        return None if "events" in profile.features else "no events"
    return _undeclared(clause, profile)


def _passes_over(profile: Profile) -> bool:
    """Whether a bucket may pass over a host that a later, smaller one takes."""
    by_slots_alone = HOSTS_PASSED_OVER.isdisjoint(profile.features)
    return profile.host_order != "most_free" or not by_slots_alone


def _too_small(clause: Clause, profile: Profile) -> str | None:
    """Why no case within `largest` can show the clause, where that is known."""
    hosts, tasks = LEAST_SIZES.get(clause.id, (1, 1))
    if not PLAIN_FEATURES.issuperset(profile.features):
        return None
    if profile.largest.hosts < hosts:
        return f"largest: fewer than {hosts} hosts"
    return f"largest: fewer than {tasks} tasks" if profile.largest.tasks < tasks else None


def _alternatives_differ(profile: Profile) -> bool:
    """Whether one alternative of a job may be placed where another one is not."""
    needed = ALTERNATIVES_DIFFER - ({"compound"} if profile.split == "any" else set())
    return not needed.isdisjoint(profile.features)


def _undeclared(clause: Clause, profile: Profile) -> str | None:
    """The field of pending answers that a clause needs and the profile does not declare."""
    if clause.id in SEEN_IN_CACHED and "cached" not in profile.declares:
        return "cached is not declared"
    if clause.id in ("WHY-1", "CACHE-5") and "reason" not in profile.declares:
        return "reason is not declared"
    if clause.id == "WHY-2" and "never" not in profile.declares:
        return "never is not declared"
    return None
