"""From the parser's reductions to the tree, checking what a grammar cannot say."""

import re
from dataclasses import dataclass
from typing import TypeAlias

from lark import Token, Transformer

from allotment_impl.expressions import (
    Attribute,
    Defined,
    Expression,
    Number,
    Operation,
    Operator,
    Text,
)
from allotment_impl.requests import Per
from allotment_impl.resreq.errors import (
    DecayValue,
    DuplicateSection,
    DurationValue,
    EmptySection,
    MissingValue,
    MixedHostKinds,
    ModifierTwice,
    NoTasks,
    Position,
    ResreqError,
    SpanOfZero,
    SpanValue,
    TooManyDigits,
    UsageWithoutResource,
    shortened,
)
from allotment_impl.resreq.host_kinds import kinds_meant
from allotment_impl.resreq.numbers import DIGITS_LARGEST, read_thousandths
from allotment_impl.resreq.tree import (
    Alternative,
    Rusage,
    Simple,
    SpanKind,
    SpanSection,
    Term,
    Tree,
    Usage,
    UsageItem,
)

_BINARY = {operator.value: operator for operator in Operator}
_UNARY = {"!": Operator.NOT, "-": Operator.MINUS}
_PERS = {per.value: per for per in Per}
_DURATION = re.compile(r"[0-9]+[smh]?")
_PREDEFINED = re.compile(r"""('!'|"!"|!)(\s*,\s*[A-Za-z_][\w.]*\s*:\s*[1-9][0-9]*)*""", re.ASCII)


@dataclass(frozen=True, slots=True)
class _Section:
    """A section as it was read, with its name and position."""

    name: str
    position: Position
    content: Expression | Rusage | SpanSection | str


@dataclass(frozen=True, slots=True)
class _Item:
    """A ``name=value`` of a usage: an amount, or a duration or decay."""

    name: str
    position: Position
    values: tuple[Token, ...]
    per: Token | None


Inner: TypeAlias = Simple | Token
"""What stands in braces: sections, or the ``-`` that says there are none."""


_BOUNDS = (SpanKind.HOSTS, SpanKind.PTILE, SpanKind.STRIPE)
"""The spans that allocation uses."""


class TreeBuilder(Transformer[Token, Tree]):
    """Makes the tree while the parser runs; the methods bear the names of the grammar's rules.

    Every method raises the ``ResreqError`` of what it finds. With ``zeros`` counts and bounds of
    zero are none of it.
    """

    def __init__(self, zeros: bool) -> None:
        super().__init__()
        self._zeros = zeros

    def number(self, children: list[Token]) -> Expression:
        """A number of a select, in thousandths."""
        return Number(read_thousandths(str(children[0]), _position(children[0])))

    def attribute(self, children: list[Token]) -> Expression:
        """A bare name: an attribute or, once resources are known, a text."""
        return Attribute(str(children[0]))

    def text(self, children: list[Token]) -> Expression:
        """A quoted text."""
        if len(children[0]) == 2:
            raise MissingValue("an empty text", _position(children[0]), "a value in the quotes")
        return Text(str(children[0][1:-1]))

    def defined(self, children: list[Token]) -> Expression:
        """A question whether a host has an attribute."""
        return Defined(str(children[1]))

    def unary(self, children: tuple[Token, Expression]) -> Expression:
        """A sign and its argument."""
        return Operation(_UNARY[children[0]], (children[1],))

    def binary(self, children: tuple[Expression, Token, Expression]) -> Expression:
        """An operator between its arguments."""
        left, operator, right = children
        return Operation(_BINARY[operator], (left, right))

    def select(self, children: tuple[Token, Expression]) -> _Section:
        """A condition in brackets."""
        return _Section("select", _position(children[0]), children[1])

    def kept(self, children: list[Token]) -> _Section:
        """A section that is kept as it stands."""
        name, _, rest = children[0].partition("[")
        content = rest[:-1].strip()
        if not content:
            raise EmptySection(f"{name.strip()}[] is empty", _position(children[0]), "a value")
        return _Section(name.strip(), _position(children[0]), content)

    def span(self, children: tuple[Token, Token, Token | None]) -> _Section:
        """A span."""
        opening, key, value = children
        span = _span(SpanKind(str(key)), value, _position(key))
        if span.number == 0 and not (self._zeros and span.kind in _BOUNDS):
            assert value is not None, "it is zero"
            raise SpanOfZero(f"{key}={shortened(value.strip())}", _position(value))
        return _Section("span", _position(opening), span)

    def item(self, children: list[Token | None]) -> _Item:
        """One ``name=value`` of a usage."""
        name, *values, per = children
        assert name is not None
        return _Item(str(name), _position(name), tuple([one for one in values if one]), per)

    def usage(self, children: list[_Item]) -> Usage:
        """Items joined by ``:``; the duration and decay are those of all."""
        items: list[UsageItem] = []
        modifiers: dict[str, tuple[str, ...]] = {}
        for item in children:
            if item.name not in ("duration", "decay"):
                items.append(_usage_item(item))
                continue
            if item.name in modifiers:
                raise ModifierTwice(f"{item.name} stands twice in one usage", item.position)
            modifiers[item.name] = _modifier(item)
        if not items:
            raise UsageWithoutResource("a usage without a resource", children[0].position)
        return Usage(tuple(items), modifiers.get("duration", ()), modifiers.get("decay", ()))

    def usages(self, children: list[Usage]) -> tuple[Usage, ...]:
        """Usages that hold together."""
        return tuple(children)

    def rusage(self, children: list[Token | tuple[Usage, ...]]) -> _Section:
        """Alternatives of usages."""
        opening = children[0]
        assert isinstance(opening, Token)
        alternatives = tuple([one for one in children if not isinstance(one, Token)])
        return _Section("rusage", _position(opening), Rusage(alternatives))

    def simple(self, children: list[Expression | _Section | None]) -> Simple:
        """A leading condition, sections, or both."""
        contents: dict[str, object] = {}
        positions: dict[str, Position] = {}
        for child in children:
            if isinstance(child, _Section):
                if child.name in contents:
                    raise DuplicateSection(f"a second {child.name}", child.position)
                contents[child.name] = child.content
                positions[child.name] = child.position
            elif child is not None:
                contents["select"] = child
        simple = Simple(**contents)  # type: ignore[arg-type]
        ptile = None if simple.span is None else simple.span.verbatim
        if ptile is not None and len(kinds_meant(ptile, simple.same)) > 1:
            raise MixedHostKinds("a ptile mixes host types and models", positions["span"])
        return simple

    def term(self, children: tuple[Token, Inner]) -> Term:
        """A part of a compound: a count and its requirement."""
        opening, inner = children
        count = _count(opening.partition("*")[0].strip(), _position(opening))
        if count == 0 and not self._zeros:
            raise NoTasks("a part of no tasks", _position(opening), "a count of at least 1")
        return Term(_simple(inner), count)

    def last(self, children: list[Inner]) -> Term:
        """The last part of a compound may leave its count to the job."""
        return Term(_simple(children[0]))

    def compound(self, children: list[Term | None]) -> tuple[Term, ...]:
        """Parts that all must be placed."""
        return tuple([term for term in children if term is not None])

    def alternative(self, children: tuple[Inner | tuple[Term, ...], Token | None]) -> Alternative:
        """What stands in braces, with its delay."""
        inner, delay = children
        terms = inner if isinstance(inner, tuple) else (Term(_simple(inner)),)
        minutes = None if delay is None else _count(delay[1:].strip(), _position(delay))
        return Alternative(terms, minutes)

    def alternatives(self, children: list[Alternative]) -> Tree:
        """Alternatives, in order."""
        return Tree(tuple(children))

    def bare(self, children: list[Simple]) -> Tree:
        """One requirement without braces."""
        return Tree((Alternative((Term(children[0]),)),))

    def start(self, children: list[tuple[Term, ...]]) -> Tree:
        """A compound without alternatives."""
        return Tree((Alternative(children[0]),))


def _position(token: Token) -> Position:
    assert token.line is not None
    assert token.column is not None
    return Position(token.line, token.column)


def _simple(inner: Inner) -> Simple:
    return inner if isinstance(inner, Simple) else Simple()


def _count(digits: str, position: Position) -> int:
    if len(digits) > DIGITS_LARGEST:
        raise TooManyDigits(f"a number of {len(digits)} digits", position)
    return int(digits)


def _usage_item(item: _Item) -> UsageItem:
    phases = tuple([read_thousandths(str(value), _position(value)) for value in item.values])
    per = None if item.per is None else _PERS[item.per[1:].strip()]
    return UsageItem(item.name, phases, per)


def _modifier(item: _Item) -> tuple[str, ...]:
    """The values of a duration or decay, one for each phase."""
    fault: type[ResreqError] = DurationValue if item.name == "duration" else DecayValue
    if item.per is not None:
        raise fault(f"a {item.name} is not for each {item.per[1:].strip()}", _position(item.per))
    for value in item.values:
        legal = _DURATION.fullmatch(value) if item.name == "duration" else value in ("0", "1")
        if not legal:
            raise fault(f"{item.name}={shortened(value)}", _position(value))
    return tuple([str(value) for value in item.values])


def _span(kind: SpanKind, value: Token | None, position: Position) -> SpanSection:
    """A span with the value that its kind takes."""
    if value is None:
        if kind is SpanKind.STRIPE:
            return SpanSection(kind)
        raise SpanValue(f"{kind.value} has no value", position)
    text = value.strip()
    number = _count(text, position) if text.isdecimal() and text.isascii() else None
    if kind is SpanKind.HOSTS and text != "0":
        number = {"1": 1, "-1": -1}.get(text)
    if number is not None:
        return SpanSection(kind, number)
    if kind in (SpanKind.PTILE, SpanKind.GTILE) and _PREDEFINED.fullmatch(text):
        return SpanSection(kind, verbatim="".join(text.split()))
    raise SpanValue(f"{kind.value}={shortened(text)}", _position(value))
