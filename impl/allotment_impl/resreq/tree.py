"""The tree of a request's text.

A tree is as the text says it, before any resource is known: a bare name in a select is an
``Attribute`` until ``lower`` decides. Equal trees mean the same; blanks, the order of sections,
needless brackets, and how a number was written (1G or 1024) are not in it.
"""

from dataclasses import dataclass
from enum import Enum

from allotment_impl.expressions import Expression
from allotment_impl.requests import Per


class SpanKind(Enum):
    """What a span speaks of."""

    HOSTS = "hosts"
    PTILE = "ptile"
    STRIPE = "stripe"
    BLOCK = "block"
    GTILE = "gtile"


@dataclass(frozen=True, slots=True)
class SpanSection:
    """A span: its kind, and its number or, where it has none, what else stands there."""

    kind: SpanKind
    number: int | None = None
    verbatim: str | None = None


@dataclass(frozen=True, slots=True)
class UsageItem:
    """An amount of one resource, in thousandths: one for each phase, the first counts."""

    resource: str
    phases: tuple[int, ...]
    per: Per | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """Amounts joined by ``:``, with the duration and the decay of all of them, kept as text."""

    items: tuple[UsageItem, ...]
    duration: tuple[str, ...] = ()
    decay: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Rusage:
    """Alternatives, in order, each of usages that all hold together."""

    alternatives: tuple[tuple[Usage, ...], ...]


@dataclass(frozen=True, slots=True)
class Simple:
    """The sections of one requirement. What allocation does not use is kept as text."""

    select: Expression | None = None
    rusage: Rusage | None = None
    span: SpanSection | None = None
    same: str | None = None
    order: str | None = None
    cu: str | None = None
    affinity: str | None = None


@dataclass(frozen=True, slots=True)
class Term:
    """A requirement for so many tasks; without a count, for the tasks that the job has left."""

    simple: Simple
    tasks: int | None = None


@dataclass(frozen=True, slots=True)
class Alternative:
    """Terms that all must be placed, and from which minute on they may be; kept."""

    terms: tuple[Term, ...]
    delay: int | None = None


@dataclass(frozen=True, slots=True)
class Tree:
    """A whole text: alternatives, in order."""

    alternatives: tuple[Alternative, ...]
