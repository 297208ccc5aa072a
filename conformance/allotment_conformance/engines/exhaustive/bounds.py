"""How large each slice is, in each scope. The enumerator and the recount share this and no more.

A field that names a thing bounds it from above: `hosts=3` is "up to three hosts". What it is
bounded by from below, the slice says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import StrEnum


class Scope(StrEnum):
    """How much of the world: what one waits for at every change, or what one waits for once."""

    SMALL = "small"
    MEDIUM = "medium"


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """The bounds of one slice, by the slice's name."""

    slice: str

    def numbers(self) -> dict[str, int]:
        """The bounds by name."""
        names = [field.name for field in fields(self) if field.name != "slice"]
        return {name: getattr(self, name) for name in names}

    def words(self) -> str:
        """For a person."""
        return ", ".join(f"{name.replace('_', ' ')} {n}" for name, n in self.numbers().items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Splits(Bounds):
    """One job of 1 to `tasks` tasks; 0 to `hosts` hosts of 0 to `slots` slots."""

    hosts: int
    slots: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans(Bounds):
    """Jobs with a span, each bound left out or 1 to `span`, ptile or 1 to `ptile`; some hosts."""

    hosts: int
    slots: int
    jobs: int
    tasks: int
    span: int
    ptile: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Compounds(Bounds):
    """Jobs of alternatives, with as many tasks as each other, of parts of 1 to `tasks` tasks."""

    hosts: int
    slots: int
    jobs: int
    alternatives: int
    parts: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Queues(Bounds):
    """1 to `jobs` jobs of priority 0 to `priority` on one host of 1 to `slots` slots."""

    slots: int
    jobs: int
    priority: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools(Bounds):
    """Jobs of parts, each with at most one entry, of 1 to `amount`, on a pool; one host."""

    slots: int
    pool: int
    jobs: int
    parts: int
    tasks: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Amounts(Bounds):
    """Jobs with 0 to `entries` entries on a host amount; hosts lack it or have 0 to `memory`."""

    hosts: int
    slots: int
    memory: int
    jobs: int
    entries: int
    amount: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits(Bounds):
    """0 to `limits` limits on slots, of the first `kinds` kinds; two names of each kind."""

    hosts: int
    slots: int
    kinds: int
    limits: int
    cap: int
    jobs: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings(Bounds):
    """0 to `limits` limits of users on slots, a host amount and a pool, which jobs may use."""

    hosts: int
    slots: int
    memory: int
    pool: int
    limits: int
    cap: int
    jobs: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Selects(Bounds):
    """Jobs without select or with one of up to `terms` terms, on hosts with two attributes.

    A term is an atom, negated or not. `atoms_of_one` atoms speak of one attribute and, with the
    names exchanged, of the other; `atoms_of_none` speak of none. A host lacks an attribute or
    gives it 0 to `value` halves.
    """

    hosts: int
    value: int
    jobs: int
    terms: int
    atoms_of_one: int
    atoms_of_none: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Sessions(Bounds):
    """Two sessions. Jobs of the first stay, finish or are withdrawn; hosts change, or not.

    A host is open or closed all the time, closes or opens, and may get 0 to `slots` slots.
    """

    hosts: int
    slots: int
    jobs_before: int
    jobs_after: int
    tasks: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes(Bounds):
    """Two sessions in which a pool and a limit may change; one host of two slots."""

    pool: int
    cap: int
    jobs_before: int
    jobs_after: int
    tasks: int
    amount: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Words(Bounds):
    """1 to `length` events: some of a job and, alike, of another, and some of neither."""

    length: int
    letters_of_a_job: int
    letters_of_none: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts(Bounds):
    """Counts of 0 to `count` tasks, or none, at each primary and, if `of_job` is 1, at the job."""

    slots: int
    jobs: int
    alternatives: int
    parts: int
    of_job: int
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusals(Bounds):
    """A job with 0 to `together` of `defects` defects."""

    defects: int
    together: int


SMALL = (
    Splits(slice="splits", hosts=3, slots=4, tasks=6),
    Spans(slice="spans", hosts=2, slots=2, jobs=1, tasks=4, span=2, ptile=3),
    Spans(slice="span pairs", hosts=2, slots=1, jobs=2, tasks=2, span=1, ptile=1),
    Compounds(slice="compounds", hosts=2, slots=2, jobs=2, alternatives=2, parts=2, tasks=2),
    Queues(slice="queues", slots=3, jobs=3, priority=2, tasks=2),
    Pools(slice="pools", slots=2, pool=3, jobs=1, parts=2, tasks=2, amount=1),
    Amounts(slice="amounts", hosts=2, slots=2, memory=2, jobs=1, entries=2, amount=1, tasks=2),
    Amounts(slice="amount pairs", hosts=1, slots=2, memory=1, jobs=2, entries=1, amount=1, tasks=2),
    Limits(slice="limits", hosts=2, slots=1, kinds=3, limits=1, cap=1, jobs=2, tasks=2),
    Limits(slice="limit pairs", hosts=2, slots=2, kinds=1, limits=2, cap=2, jobs=1, tasks=2),
    Holdings(
        slice="holdings", hosts=1, slots=2, memory=1, pool=1, limits=1, cap=1, jobs=1, tasks=2
    ),
    Selects(slice="selects", hosts=1, value=1, jobs=1, terms=2, atoms_of_one=6, atoms_of_none=2),
    Selects(
        slice="select pairs", hosts=1, value=1, jobs=2, terms=1, atoms_of_one=6, atoms_of_none=2
    ),
    Sessions(slice="sessions", hosts=1, slots=1, jobs_before=2, jobs_after=1, tasks=2),
    Changes(slice="changes", pool=1, cap=1, jobs_before=1, jobs_after=1, tasks=2, amount=1),
    Words(slice="words", length=3, letters_of_a_job=3, letters_of_none=8),
    Counts(slice="counts", slots=1, jobs=1, alternatives=1, parts=2, of_job=1, count=2),
    Counts(slice="count pairs", slots=2, jobs=2, alternatives=1, parts=1, of_job=0, count=2),
    Refusals(slice="refusals", defects=14, together=2),
)
"""Some tens of thousands of sessions: some seconds."""

MEDIUM = (
    Splits(slice="splits", hosts=5, slots=5, tasks=8),
    Spans(slice="spans", hosts=3, slots=3, jobs=1, tasks=4, span=2, ptile=3),
    Spans(slice="span pairs", hosts=2, slots=2, jobs=2, tasks=2, span=1, ptile=1),
    Compounds(slice="compounds", hosts=3, slots=2, jobs=2, alternatives=2, parts=2, tasks=3),
    Queues(slice="queues", slots=4, jobs=4, priority=2, tasks=2),
    Pools(slice="pools", slots=2, pool=3, jobs=2, parts=2, tasks=2, amount=1),
    Amounts(slice="amounts", hosts=3, slots=2, memory=2, jobs=1, entries=2, amount=1, tasks=2),
    Amounts(slice="amount pairs", hosts=1, slots=2, memory=1, jobs=2, entries=2, amount=1, tasks=2),
    Limits(slice="limits", hosts=2, slots=1, kinds=3, limits=2, cap=1, jobs=2, tasks=2),
    Limits(slice="limit pairs", hosts=2, slots=2, kinds=1, limits=2, cap=2, jobs=2, tasks=2),
    Holdings(
        slice="holdings", hosts=1, slots=2, memory=1, pool=1, limits=2, cap=1, jobs=1, tasks=2
    ),
    Selects(slice="selects", hosts=2, value=1, jobs=1, terms=2, atoms_of_one=6, atoms_of_none=2),
    Selects(
        slice="select pairs", hosts=2, value=1, jobs=2, terms=1, atoms_of_one=6, atoms_of_none=2
    ),
    Sessions(slice="sessions", hosts=2, slots=1, jobs_before=2, jobs_after=1, tasks=2),
    Changes(slice="changes", pool=1, cap=1, jobs_before=2, jobs_after=1, tasks=2, amount=1),
    Words(slice="words", length=5, letters_of_a_job=3, letters_of_none=8),
    Counts(slice="counts", slots=1, jobs=1, alternatives=2, parts=2, of_job=1, count=2),
    Counts(slice="count pairs", slots=2, jobs=2, alternatives=1, parts=2, of_job=0, count=2),
    Refusals(slice="refusals", defects=14, together=14),
)
"""More than a million sessions: some minutes."""

BOUNDS: Mapping[Scope, tuple[Bounds, ...]] = {Scope.SMALL: SMALL, Scope.MEDIUM: MEDIUM}
"""All slices of a scope, in the order in which they are run."""
