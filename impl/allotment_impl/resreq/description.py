"""A request in plain words: the tree of its text, what allocation uses of it, and what not."""

from collections.abc import Iterator
from typing import Any

import msgspec

from allotment_impl.expressions import (
    Attribute,
    Defined,
    Expression,
    Number,
    Operation,
    Text,
    node,
)
from allotment_impl.requests import Primary
from allotment_impl.resreq.lowering import Lowered
from allotment_impl.resreq.numbers import write_thousandths
from allotment_impl.resreq.printer import print_select, print_tree, sections_of
from allotment_impl.resreq.tree import Tree


def describe(tree: Tree, lowered: Lowered) -> dict[str, Any]:
    """Everything that is known of a text, as builtins.

    ``text`` is the canonical text, ``request`` what a case of SPEC.md 2.1 would hold.
    """
    return {
        "text": print_tree(tree),
        "tree": [
            {
                "delay": alternative.delay,
                "terms": [
                    {"tasks": term.tasks, **sections_of(term.simple)} for term in alternative.terms
                ],
            }
            for alternative in tree.alternatives
        ],
        "request": [[_primary(primary) for primary in parts] for parts in lowered.request],
        "used": [[_words(primary) for primary in parts] for parts in lowered.request],
        "kept": list(lowered.kept),
        "warnings": list(lowered.warnings),
    }


def outline(description: dict[str, Any]) -> Iterator[str]:
    """The description as lines for a person."""
    yield f"text: {description['text']}"
    yield "tree:"
    for number, alternative in enumerate(description["tree"], start=1):
        delay = alternative["delay"]
        yield f"  alternative {number}{'' if delay is None else f', delayed by {delay}'}"
        for term in alternative["terms"]:
            tasks = term["tasks"]
            yield f"    {'the tasks of the job' if tasks is None else _tasks(tasks)}"
            for name, content in term.items():
                if name != "tasks":
                    yield f"      {name}: {content}"
    yield "allocation uses:"
    for number, parts in enumerate(description["used"], start=1):
        yield f"  alternative {number}: {' and '.join(parts)}"
    for title, lines in (
        ("kept, not used", description["kept"]),
        ("warnings", description["warnings"]),
    ):
        yield f"{title}:{'' if lines else ' none'}"
        yield from (f"  {line}" for line in lines)


def _tasks(count: int) -> str:
    return "1 task" if count == 1 else f"{count} tasks"


def _words(primary: Primary) -> str:
    """What allocation uses of one primary."""
    words = ["the job's tasks" if primary.tasks is None else _tasks(primary.tasks.max)]
    if primary.select is not None:
        words.append(f"on hosts with {print_select(primary.select)}")
    for entry in primary.rusage:
        per = "" if entry.per is None else f" for each {entry.per.value}"
        words.append(f"{write_thousandths(entry.amount)} of {entry.resource}{per}")
    span = primary.span
    if span is not None and span.hosts_max is not None:
        words.append("on one host")
    if span is not None and span.ptile is not None:
        words.append(f"{span.ptile} on each host")
    if span is not None and span.tasks_per_host is not None:
        words.append(f"at most {span.tasks_per_host} on each host")
    return ", ".join(words)


def _primary(primary: Primary) -> dict[str, Any]:
    """A primary as SPEC.md 2.1 has it, what is left out left out."""
    fields = {
        "tasks": primary.tasks,
        "rusage": primary.rusage or None,
        "span": primary.span,
    }
    written: dict[str, Any] = {
        name: _without_nothing(msgspec.to_builtins(value))
        for name, value in fields.items()
        if value is not None
    }
    if primary.select is not None:
        written["select"] = _expression(primary.select)
    return written


def _without_nothing(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_without_nothing(one) for one in value]
    if isinstance(value, dict):
        return {name: one for name, one in value.items() if one is not None}
    return value


def _expression(expression: Expression) -> dict[str, Any]:
    match node(expression):
        case Number(thousandths):
            return {"number": thousandths}
        case Text(text):
            return {"text": text}
        case Attribute(name):
            return {"attribute": name}
        case Defined(name):
            return {"defined": name}
        case Operation(operator, arguments):
            return {"op": operator.value, "args": [_expression(one) for one in arguments]}
