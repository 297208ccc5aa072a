"""A job and its request: alternatives of primaries, as they are submitted."""

from dataclasses import dataclass
from enum import StrEnum

from allotment_model.cluster import LARGEST_TASKS, Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class Tasks:
    """Counts of tasks. TASKS-1: only `max` is placed."""

    min: int
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A number of a select, in thousandths."""

    thousandths: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A text of a select."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute:
    """The value of an attribute of the host that is looked at."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Defined:
    """1 on a host that has the attribute, else 0 (SELECT-4)."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An operator and its one or two operands; the operators are those of SPEC.md, 2.1."""

    operator: str
    operands: tuple["Expression", ...]


Expression = Number | Text | Attribute | Defined | Operation


class Per(StrEnum):
    """How often an amount counts: for each task, each claimed host, or once a primary."""

    TASK = "task"
    HOST = "host"
    JOB = "job"


@dataclass(frozen=True, slots=True, kw_only=True)
class RusageEntry:
    """One item of a rusage, in thousandths. `per` None is the default of RES-3 or SHARED-1."""

    resource: str
    amount: int
    per: Per | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """How a primary may be spread over hosts; the defaults do not bind (PLAN-9, PLAN-10)."""

    hosts_min: int = 1
    hosts_max: int = LARGEST_TASKS
    tasks_per_host: int = LARGEST_TASKS
    ptile: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Primary:
    """N equal tasks with one select, one rusage and one span."""

    tasks: Tasks | None = None
    select: Expression | None = None
    rusage: tuple[RusageEntry, ...] = ()
    span: Span = Span()


Compound = tuple[Primary, ...]
"""AND: its parts, in order."""

Alter = tuple[Compound, ...]
"""OR: its alternatives, in order. A bare primary is an alter of one compound of one part."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """What is submitted. A higher priority goes first."""

    name: str
    identity: Identity
    request: Alter
    priority: int = 0
    tasks: Tasks | None = None
