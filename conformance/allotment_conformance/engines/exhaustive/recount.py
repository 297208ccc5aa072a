"""Counts the cases of each slice again, from the bounds alone.

Nothing here enumerates points or imports what does: each count is a formula in the bounds, or a
loop over numbers. If the enumerator drops a case or makes one twice, the two counts differ.

Where names may be exchanged without changing anything, a half of the cases is the other half with
the names exchanged, but for those that the exchange leaves as they are. So of `all` cases with
`fixed` such ones (all + fixed) / 2 are not alike.
"""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from math import comb
from typing import Any

from allotment_conformance.engines.exhaustive import bounds as of
from allotment_conformance.engines.exhaustive.bounds import Bounds


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many cases a slice has, and how many of them are not like an earlier one."""

    cases: int
    unlike: int


def recount(bounds: Bounds) -> Count:
    """The count of the slice with these bounds."""
    return _COUNTS[type(bounds)](bounds)


def _lists(of_items: int, least: int, most: int) -> int:
    """How many lists of `least` to `most` items there are."""
    return sum(of_items**length for length in range(least, most + 1))


def _all(cases: int) -> Count:
    return Count(cases=cases, unlike=cases)


def _halved(cases: int, fixed: int) -> Count:
    return Count(cases=cases, unlike=(cases + fixed) // 2)


def _splits(b: of.Splits) -> Count:
    return _all(_lists(b.slots + 1, 0, b.hosts) * b.tasks)


def _spans(b: of.Spans) -> Count:
    job = b.tasks * (b.span + 1) ** 3 * (b.ptile + 1)
    return _all(_lists(b.slots + 1, 1, b.hosts) * _lists(job, 1, b.jobs))


def _compounds(b: of.Compounds) -> Count:
    """Requests by the number of tasks that all their alternatives have."""
    with_tasks = [0] * (b.parts * b.tasks + 1)
    for length in range(1, b.parts + 1):
        for tasks in product(range(1, b.tasks + 1), repeat=length):
            with_tasks[sum(tasks)] += 1
    requests = sum(_lists(compounds, 1, b.alternatives) for compounds in with_tasks)
    return _all(_lists(b.slots + 1, 0, b.hosts) * _lists(requests, 1, b.jobs))


def _queues(b: of.Queues) -> Count:
    return _all(b.slots * _lists((b.priority + 1) * b.tasks, 1, b.jobs))


def _pools(b: of.Pools) -> Count:
    entries = 3 * b.amount
    part = b.tasks * (1 + entries)
    return _all(b.slots * (b.pool + 1) * _lists(_lists(part, 1, b.parts), 1, b.jobs))


def _amounts(b: of.Amounts) -> Count:
    entries = 3 * (b.amount + 1)
    job = b.tasks * _lists(entries, 0, b.entries)
    return _all(_lists(b.slots * (b.memory + 2), 1, b.hosts) * _lists(job, 1, b.jobs))


def _sets_of_limits(names: int, cap: int, most: int) -> int:
    return sum(comb(names, many) * (cap + 1) ** many for many in range(most + 1))


def _limits(b: of.Limits) -> Count:
    """The first job has one of two names of each kind; exchanged, it has the other."""
    names = b.kinds * 3 * 2
    jobs = _lists(2**b.kinds * b.tasks, 1, b.jobs)
    cases = _lists(b.slots, 1, b.hosts) * _sets_of_limits(names, b.cap, b.limits) * jobs
    return Count(cases=cases, unlike=cases // 2**b.kinds)


def _holdings(b: of.Holdings) -> Count:
    names = 3 * (2 + 2 + 1)
    jobs = _lists(2 * b.tasks * (b.memory + 1) * (b.pool + 1), 1, b.jobs)
    hosts = _lists(b.slots * (b.memory + 1), 1, b.hosts)
    cases = hosts * (b.pool + 1) * _sets_of_limits(names, b.cap, b.limits) * jobs
    return Count(cases=cases, unlike=cases // 2)


def _selects(b: of.Selects) -> Count:
    """A case stays as it is if each host has equal attributes and no atom speaks of one."""
    values = b.value + 2

    def cases(atoms: int, of_host: int) -> int:
        terms = 2 * atoms
        selects = sum(terms * (2 * terms) ** more for more in range(b.terms))
        return _lists(of_host, 1, b.hosts) * _lists(1 + selects, 1, b.jobs)

    return _halved(
        cases(2 * b.atoms_of_one + b.atoms_of_none, values**2), cases(b.atoms_of_none, values)
    )


def _sessions(b: of.Sessions) -> Count:
    host = (b.slots + 1) * 4 * (b.slots + 2)
    before = _lists(3 * b.tasks, 0, b.jobs_before)
    return _all(_lists(host, 1, b.hosts) * before * _lists(b.tasks, 0, b.jobs_after))


def _changes(b: of.Changes) -> Count:
    pools = (b.pool + 1) * (b.pool + 2)
    limits = (b.cap + 2) * 2 * (b.cap + 2)
    job = b.tasks * (b.amount + 1)
    before, after = _lists(2 * job, 0, b.jobs_before), _lists(job, 0, b.jobs_after)
    return _all(pools * limits * before * after)


def _words(b: of.Words) -> Count:
    """A word stays as it is if it names no job."""
    letters = 2 * b.letters_of_a_job + b.letters_of_none
    return _halved(_lists(letters, 1, b.length), _lists(b.letters_of_none, 1, b.length))


def _counts(b: of.Counts) -> Count:
    given = (b.count + 1) ** 2
    requests = _lists(_lists(1 + given, 1, b.parts), 1, b.alternatives)
    return _all(b.slots * _lists(_lists(given, 0, b.of_job) * requests, 1, b.jobs))


def _refusals(b: of.Refusals) -> Count:
    return _all(sum(comb(b.defects, many) for many in range(b.together + 1)))


_COUNTS: dict[type[Bounds], Callable[[Any], Count]] = {
    of.Splits: _splits,
    of.Spans: _spans,
    of.Compounds: _compounds,
    of.Queues: _queues,
    of.Pools: _pools,
    of.Amounts: _amounts,
    of.Limits: _limits,
    of.Holdings: _holdings,
    of.Selects: _selects,
    of.Sessions: _sessions,
    of.Changes: _changes,
    of.Words: _words,
    of.Counts: _counts,
    of.Refusals: _refusals,
}
