"""``print_tree``: from a tree to a text that parses to the same tree."""

from allotment_impl.expressions import (
    UNARY,
    Attribute,
    Defined,
    Expression,
    Number,
    Operation,
    Operator,
    Text,
    node,
)
from allotment_impl.resreq.numbers import write_thousandths
from allotment_impl.resreq.tree import Alternative, Rusage, Simple, SpanSection, Tree, Usage

_LEVELS = (
    (Operator.OR,),
    (Operator.AND,),
    (Operator.EQUAL, Operator.UNEQUAL),
    (Operator.LESS, Operator.LESS_EQUAL, Operator.GREATER, Operator.GREATER_EQUAL),
    (Operator.PLUS, Operator.SUBTRACT),
    (Operator.TIMES, Operator.DIVIDE),
)
_LOOSENESS = {operator: place for place, level in enumerate(_LEVELS) for operator in level}
_SIGN = len(_LEVELS)
"""How tightly signs bind: tighter than every operator between two arguments."""


def print_tree(tree: Tree) -> str:
    """The canonical text of a tree that ``parse`` made, or could have made."""
    if len(tree.alternatives) == 1 and tree.alternatives[0].delay is None:
        [alternative] = tree.alternatives
        if len(alternative.terms) == 1 and alternative.terms[0].tasks is None:
            return print_simple(alternative.terms[0].simple) or "{-}"
        return _print_terms(alternative)
    return " || ".join(_print_alternative(one) for one in tree.alternatives)


def _print_alternative(alternative: Alternative) -> str:
    if len(alternative.terms) == 1 and alternative.terms[0].tasks is None:
        body = print_simple(alternative.terms[0].simple) or "-"
    else:
        body = _print_terms(alternative)
    delay = "" if alternative.delay is None else f"@{alternative.delay}"
    return f"{{{body}}}{delay}"


def _print_terms(alternative: Alternative) -> str:
    return " + ".join(
        f"{'' if term.tasks is None else f'{term.tasks}*'}{{{print_simple(term.simple) or '-'}}}"
        for term in alternative.terms
    )


def print_simple(simple: Simple) -> str:
    """The sections of one requirement; empty if it has none."""
    return " ".join(f"{name}[{content}]" for name, content in sections_of(simple).items())


def sections_of(simple: Simple) -> dict[str, str]:
    """The sections that one requirement has, by name, each with its content as text."""
    sections = {
        "select": None if simple.select is None else print_select(simple.select),
        "rusage": None if simple.rusage is None else print_rusage(simple.rusage),
        "span": None if simple.span is None else print_span(simple.span),
        "same": simple.same,
        "order": simple.order,
        "cu": simple.cu,
        "affinity": simple.affinity,
    }
    return {name: content for name, content in sections.items() if content is not None}


def print_rusage(rusage: Rusage) -> str:
    """The content of an rusage section."""
    return " || ".join(", ".join(map(_print_usage, usages)) for usages in rusage.alternatives)


def _print_usage(usage: Usage) -> str:
    items = [
        f"{item.resource}={_print_phases(tuple(map(write_thousandths, item.phases)))}"
        f"{'' if item.per is None else f'/{item.per.value}'}"
        for item in usage.items
    ]
    return ":".join(items) + print_modifiers(usage)


def print_modifiers(usage: Usage) -> str:
    """The duration and decay of a usage, each behind a colon; empty if it has none."""
    duration = f":duration={_print_phases(usage.duration)}" if usage.duration else ""
    decay = f":decay={_print_phases(usage.decay)}" if usage.decay else ""
    return duration + decay


def _print_phases(values: tuple[str, ...]) -> str:
    return values[0] if len(values) == 1 else f"({' '.join(values)})"


def print_span(span: SpanSection) -> str:
    """The content of a span section."""
    value = span.verbatim if span.number is None else str(span.number)
    return span.kind.value if value is None else f"{span.kind.value}={value}"


def print_select(select: Expression) -> str:
    """The content of a select section, with no bracket that is not needed."""
    return _print_expression(select, 0)


def _print_expression(expression: Expression, around: int) -> str:
    """An expression inside one that binds so tightly."""
    match node(expression):
        case Number(thousandths):
            return write_thousandths(thousandths)
        case Text(text):
            return f'"{text}"' if "'" in text else f"'{text}'"
        case Attribute(name):
            return name
        case Defined(name):
            return f"defined({name})"
        case Operation(operator, arguments):
            return _print_operation(operator, arguments, around)


def _print_operation(operator: Operator, arguments: tuple[Expression, ...], around: int) -> str:
    if operator in UNARY:
        sign = "!" if operator is Operator.NOT else "-"
        return sign + _print_expression(arguments[0], _SIGN)
    own = _LOOSENESS[operator]
    left, right = arguments
    text = f"{_print_expression(left, own)} {operator.value} {_print_expression(right, own + 1)}"
    return f"({text})" if own < around else text
