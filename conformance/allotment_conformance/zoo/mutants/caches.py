"""Faults of the cache: what is remembered too long, too widely, or not at all."""

from collections.abc import Mapping
from typing import Any

from allotment_conformance.wire.messages import Json
from allotment_conformance.zoo.workbench.bench import Workbench
from allotment_conformance.zoo.workbench.things import Job, Primary, Reader


class _HashingReader(Reader):
    def key_of_needs(self, needs: Mapping[str, tuple[int, int, int]]) -> object:
        return sum(sum(amounts) for amounts in needs.values()) % 251


class HashAsIdentity(Workbench):
    """The rusage stands in the key as a hash of a few bits, and nothing else of it (E4)."""

    name = "hash-as-identity"
    breaks = "CACHE-1"
    kind = "key-field"
    reader_type = _HashingReader


class _PaddedReader(Reader):
    def job(self, sent: Json, number: int) -> Job:
        job = super().job(sent, number)
        job.keys = [[(key, number % 2) for key in keys] for keys in job.keys]
        return job


class KeyPadding(Workbench):
    """The key is compared as memory, and in every other job its padding is not zero (E3)."""

    name = "key-padding"
    breaks = "CACHE-8 CACHE-1"
    kind = "key-field"
    reader_type = _PaddedReader


class _NamelessReader(Reader):
    def key_of_needs(self, needs: Mapping[str, tuple[int, int, int]]) -> object:
        return tuple(sorted(needs.values()))


class KeyWithoutResourceNames(Workbench):
    """The key has the amounts of a rusage, and not what they are amounts of."""

    name = "key-without-resource-names"
    breaks = "CACHE-1"
    kind = "key-field"
    reader_type = _NamelessReader


class _PerlessReader(Reader):
    def key_of_needs(self, needs: Mapping[str, tuple[int, int, int]]) -> object:
        return tuple(sorted((name, sum(amounts)) for name, amounts in needs.items()))


class KeyWithoutPer(Workbench):
    """The key adds up what is asked for each task, each host and the whole."""

    name = "key-without-per"
    breaks = "CACHE-1"
    kind = "key-field"
    reader_type = _PerlessReader


class SortingReader(Reader):
    """Puts the operands of a select in a fixed order in the key."""

    def key(self, part: Primary, holders: Mapping[str, str]) -> object:
        """The key of the primary with that select."""
        select = None if part.select is None else self._in_order(part.select)
        sorted_part = Primary(part.tasks_min, part.tasks, select, part.needs, part.span)
        return super().key(sorted_part, holders)

    def sorts(self, operator: str) -> bool:
        """Whether the operands of an operator are sorted: here of every one."""
        return True

    def _in_order(self, node: Json) -> Json:
        if "args" not in node:
            return node
        operands = [self._in_order(operand) for operand in node["args"]]
        return {**node, "args": sorted(operands, key=str) if self.sorts(node["op"]) else operands}


class KeyWithSortedOperands(Workbench):
    """The operands of a select are sorted in the key: a < b and b < a are one."""

    name = "key-with-sorted-operands"
    breaks = "CACHE-1"
    kind = "key-field"
    reader_type = SortingReader


class StaleSelect(Workbench):
    """What is known of a select and a host outlives a change of the host's attributes."""

    name = "stale-select"
    breaks = "SESSION-2 HOST-1"
    kind = "stale"

    def reset(self) -> None:
        """Keeps what is known of selects."""
        known = dict(self.passing)
        super().reset()
        self.passing.update(known)


class StaleHostIndex(Workbench):
    """A host that is added is not in the order of hosts until the session after next."""

    name = "stale-host-index"
    breaks = "SESSION-2 HOST-1"
    kind = "stale"

    def restart(self, cluster: Json) -> None:
        """Nothing is late."""
        super().restart(cluster)
        self.late = list(self.index)

    def reset(self) -> None:
        """The order of hosts as it was one session ago."""
        super().reset()
        self.index, self.late = self.late, self.index


class CacheEmptiedByChangesOnly(Workbench):
    """The cache is emptied where finishes and changes are treated, so only if there are some."""

    name = "cache-emptied-by-changes-only"
    breaks = "CACHE-2"
    kind = "stale-neg-cache"

    def begin_session(self) -> None:
        """Keeps the cache when nothing waits."""
        waits = self.waiting or any(job.stage == "ending" for job in self.jobs.values())
        cache = {} if waits else dict(self.cache)
        super().begin_session()
        self.cache.update(cache)


class CacheKeptOverChanges(Workbench):
    """A session that begins with a change of the configuration keeps the cache."""

    name = "cache-kept-over-changes"
    breaks = "CACHE-2"
    kind = "stale-neg-cache"

    def begin_session(self) -> None:
        """Keeps the cache when a change waits."""
        cache = dict(self.cache) if self.waiting else {}
        super().begin_session()
        self.cache.update(cache)


class FilledByACancel(Workbench):
    """The primary that was being searched when an attempt was cancelled counts as hopeless."""

    name = "filled-by-a-cancel"
    breaks = "CANCEL-1 CACHE-3"
    kind = "stale-neg-cache"

    def place_compound(self, job: Job, number: int) -> tuple[str, bool] | None:
        """Remembers where the attempt is."""
        self.alternative = number
        return super().place_compound(job, number)

    def cancelled(self, job: Job) -> None:
        """Fills the key of a first part that was cut."""
        if len(job.claims) <= 1:
            self.cache[job.keys[self.alternative][0]] = "capacity"
        super().cancelled(job)


class FirstPartFilledForALaterOne(Workbench):
    """What placed a job is remembered as what had failed, when a later part fails."""

    name = "first-part-filled-for-a-later-one"
    breaks = "CACHE-3"
    kind = "stale-neg-cache"

    def place_compound(self, job: Job, number: int) -> tuple[str, bool] | None:
        """Fills the key of the first part, whichever failed."""
        failure = super().place_compound(job, number)
        if failure is not None and len(job.request[number]) > 1 and not failure[1]:
            self.cache.setdefault(job.keys[number][0], failure[0])
        return failure


class NoHitsInACompound(Workbench):
    """The cache is asked for bare primaries, and not inside a compound."""

    name = "no-hits-in-a-compound"
    breaks = "CACHE-4"
    kind = "reason"

    def place_compound(self, job: Job, number: int) -> tuple[str, bool] | None:
        """With an empty cache, where there are several parts."""
        if len(job.request[number]) == 1:
            return super().place_compound(job, number)
        cache, self.cache = self.cache, {}
        failure = super().place_compound(job, number)
        self.cache = {**cache, **self.cache}
        return failure


class HitWithTheLastReason(Workbench):
    """One place holds the category of the last failure, and every hit reads it there."""

    name = "hit-with-the-last-reason"
    breaks = "CACHE-5"
    kind = "reason"

    def fill(self, key: object, reason: str) -> None:
        """All entries get this category."""
        super().fill(key, reason)
        self.cache = dict.fromkeys(self.cache, reason)


class CacheOfOne(Workbench):
    """The cache has one entry, the last one."""

    name = "cache-of-one"
    breaks = "CACHE-8 CACHE-3"
    kind = "degenerate"

    def fill(self, key: object, reason: str) -> None:
        """Forgets the others."""
        self.cache.clear()
        super().fill(key, reason)


class DispatchEmptiesTheCache(Workbench):
    """A dispatch empties the cache, as if room could only grow by it."""

    name = "dispatch-empties-the-cache"
    breaks = "CACHE-3 UNDO-4"
    kind = "reason"

    def attempt(self, job: Job) -> dict[str, Any]:
        """Forgets what is known, once a job is placed."""
        told = super().attempt(job)
        if told["answer"] == "dispatched":
            self.cache.clear()
        return told
