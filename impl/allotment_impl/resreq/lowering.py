"""``lower``: from a tree to the request that ``Scheduler.submit`` takes.

Here the declared resources decide what a bare name means. Allocation uses tasks, select, rusage
and span; whatever else the text says is reported as kept, and what surprises people as a warning.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from allotment_impl.expressions import (
    Attribute,
    Defined,
    Expression,
    Number,
    Operation,
    Operator,
    Text,
)
from allotment_impl.requests import (
    AttributeType,
    Counts,
    Primary,
    Request,
    Resources,
    RusageEntry,
    Span,
)
from allotment_impl.resreq.errors import NoLocalHost, TooManyAlternatives
from allotment_impl.resreq.printer import print_modifiers, print_span
from allotment_impl.resreq.tree import Alternative, Simple, SpanKind, SpanSection, Term, Tree, Usage
from allotment_impl.vocabulary import SLOTS

PARTS_LARGEST = 16 * 1024
"""The most parts that a text may come to, over all alternatives: more than can be written out
within the bound on texts, and few enough for a submission to check."""

_EQUALITIES = (Operator.EQUAL, Operator.UNEQUAL)
_HOST_KINDS = ("type", "model")
"""The attributes for which a bare ``any`` stands for every value."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """A request, what of the text is kept but not used, and warnings, each once and in order."""

    request: Request
    kept: tuple[str, ...]
    warnings: tuple[str, ...]


def lower(tree: Tree, resources: Resources | None = None) -> Lowered:
    """The request of a tree, under the declared resources of a cluster.

    Without resources no name is judged, and a bare name right of == or != is a text. Raises a
    ``ResreqError`` for what has no meaning here; names, types and bounds are judged by ``submit``.
    """
    lowering = _Lowering(resources)
    size = sum(prod(map(_choices, one.terms)) * len(one.terms) for one in tree.alternatives)
    if size > PARTS_LARGEST:
        raise TooManyAlternatives(f"the text comes to more than {PARTS_LARGEST} parts")
    request = tuple(
        parts for alternative in tree.alternatives for parts in lowering.alternative(alternative)
    )
    if resources is None:
        lowering.judge_without_cluster()
    return Lowered(request, tuple(lowering.kept), tuple(lowering.warnings))


def _choices(term: Term) -> int:
    """How many alternatives the rusage of a term holds."""
    rusage = term.simple.rusage
    return 1 if rusage is None else len(rusage.alternatives)


class _Lowering:
    """Lowers one tree; collects what is kept and the warnings, as keys, so that each is once."""

    __slots__ = ("_asked", "_read", "_resources", "kept", "warnings")

    def __init__(self, resources: Resources | None) -> None:
        self._resources = resources
        self._read: dict[str, None] = {}
        self._asked: dict[str, None] = {}
        self.kept: dict[str, None] = {}
        self.warnings: dict[str, None] = {}

    def alternative(self, alternative: Alternative) -> Iterator[tuple[Primary, ...]]:
        """One compound for each choice out of the rusages of its terms, the first terms slowest."""
        if alternative.delay is not None:
            self._keep(f"@{alternative.delay}")
            self._warn("a delay is not waited for: the alternative counts from the first session")
        return product(*map(self._term, alternative.terms))

    def _term(self, term: Term) -> list[Primary]:
        simple = term.simple
        tasks = None if term.tasks is None else Counts(min=term.tasks, max=term.tasks)
        select = None if simple.select is None else self._select(simple.select)
        span = None if simple.span is None else self._span(simple.span)
        self._keep_sections(simple)
        rusages = ((),) if simple.rusage is None else simple.rusage.alternatives
        return [
            Primary(tasks=tasks, select=select, rusage=self._rusage(usages), span=span)
            for usages in rusages
        ]

    def _keep_sections(self, simple: Simple) -> None:
        for name in ("same", "order", "cu", "affinity"):
            content = getattr(simple, name)
            if content is not None:
                self._keep(f"{name}[{content}]")

    def _rusage(self, usages: tuple[Usage, ...]) -> tuple[RusageEntry, ...]:
        entries = []
        for usage in usages:
            self._judge_usage(usage)
            for item in usage.items:
                self._asked[item.resource] = None
                if len(item.phases) > 1:
                    self._keep(f"the later phases of {item.resource}")
                    self._warn(f"only the first phase of {item.resource} counts, all the time")
                entries.append(
                    RusageEntry(resource=item.resource, amount=item.phases[0], per=item.per)
                )
        return tuple(entries)

    def _judge_usage(self, usage: Usage) -> None:
        modifiers = print_modifiers(usage)
        if not modifiers:
            return
        names = ", ".join(item.resource for item in usage.items)
        self._keep(f"{modifiers[1:]} of {names}")
        self._warn(f"{names}: held as long as the job runs, whatever duration and decay say")
        if len(usage.items) > 1:
            self._warn(f"duration and decay are those of all of {names}; a comma would part them")
        if usage.decay and not usage.duration:
            self._warn(f"the decay of {names} has no duration, and says nothing")

    def _span(self, span: SpanSection) -> Span | None:
        """The span that allocation knows, or nothing with a word on why."""
        match span.kind, span.number:
            case SpanKind.HOSTS, (0 | 1) as most:
                return Span(hosts_max=most)
            case SpanKind.PTILE, int(tasks):
                return Span(ptile=tasks)
            case SpanKind.STRIPE, int(tasks):
                return Span(tasks_per_host=tasks)
            case (SpanKind.STRIPE, None) | (SpanKind.HOSTS, _):
                return None
            case _:
                self._keep(f"span[{print_span(span)}]")
                self._warn(f"{print_span(span)} means nothing here: tasks are split as without it")
                return None

    def _select(self, expression: Expression) -> Expression:
        """The expression with its bare values told from its attributes."""
        match expression:
            case Attribute(name) | Defined(name):
                self._judge_name(name)
                return expression
            case Operation(operator, (left, right)) if operator in _EQUALITIES:
                return self._equality(operator, left, right)
            case Operation(operator, arguments):
                if operator is Operator.NOT and isinstance(arguments[0], Attribute):
                    name = arguments[0].name
                    self._warn(
                        f"a host without {name} is left out, also by !{name}; "
                        f"!defined({name}) asks for hosts without it"
                    )
                return Operation(operator, tuple(map(self._select, arguments)))
            case _:
                return expression

    def _equality(self, operator: Operator, left: Expression, right: Expression) -> Expression:
        """A comparison of two sides of which one may be a bare value."""
        if self._is_bare_value(right, left):
            bare, other = right, left
        elif self._is_bare_value(left, right):
            bare, other = left, right
        else:
            return Operation(operator, (self._select(left), self._select(right)))
        assert isinstance(bare, Attribute)
        if isinstance(other, Attribute) and other.name in _HOST_KINDS:
            if bare.name == "any":
                self._warn(f"{other.name}=={bare.name} holds on every host")
                return Number(1000 if operator is Operator.EQUAL else 0)
            if bare.name == "local":
                raise NoLocalHost(f"{other.name}=={bare.name} asks where the job comes from")
        value = Text(bare.name)
        if bare is right:
            return Operation(operator, (self._select(left), value))
        return Operation(operator, (value, self._select(right)))

    def _is_bare_value(self, side: Expression, other: Expression) -> bool:
        """Whether a side is a text without quotes: a name that no attribute has, beside an
        attribute that is a text. Beside a quoted text it is an attribute, perhaps misspelt.
        """
        if not isinstance(side, Attribute) or not isinstance(other, Attribute):
            return False
        if self._resources is None:
            return True
        attributes = self._resources.attributes
        is_text = attributes.get(other.name) is AttributeType.TEXT or other.name in _HOST_KINDS
        return is_text and side.name not in attributes

    def judge_without_cluster(self) -> None:
        """Warn of what no cluster can accept, whatever it declares (RES-1)."""
        for name in self._read:
            if name == SLOTS:
                self._warn("select reads slots, which every host has as an amount: it is refused")
            elif name in self._asked:
                self._warn(
                    f"select reads {name} as an attribute and rusage asks for it as an amount; "
                    "no cluster declares a name as both: it is refused"
                )
        if SLOTS in self._asked:
            self._warn("rusage asks for slots, of which every task takes one: it is refused")

    def _judge_name(self, name: str) -> None:
        self._read[name] = None
        resources = self._resources
        if resources is None or name in resources.attributes:
            return
        if name == SLOTS or name in resources.host or name in resources.shared:
            self._warn(f"select reads {name}, which is an amount and no attribute: it is refused")
        else:
            self._warn(f"{name} is not declared: the request is refused")

    def _keep(self, what: str) -> None:
        self.kept[what] = None

    def _warn(self, what: str) -> None:
        self.warnings[what] = None
