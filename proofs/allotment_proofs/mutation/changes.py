"""The changes of a function: those of Cosmic Ray, and one field or member read for another.

Cosmic Ray is imported only where its changes are made.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType

LEFT_ALONE = re.compile(r"core/(ReplaceBinaryOperator_(BitOr|Pow)_\w+|\w+_Is(Not)?)")
"""Not made: the model's `|` and `**` stand in annotations and join dictionaries, they count
nothing; and what `is` says of a symbol says nothing of its values."""


FIELDS = (
    *((".*", ("user", "queue", "project")), (".*", ("per_task", "per_host", "per_job"))),
    *(("tasks|one", ("min", "max")), ("key", ("tasks_min", "tasks_max"))),
    *(
        (".*span", ("hosts_min", "hosts_max", "tasks_per_host")),
        (".*resources", ("host", "shared")),
    ),
    *(("IdentityKind", ("USER", "QUEUE", "PROJECT")), ("Scope", ("HOST", "CLUSTER"))),
    *(("Per", ("TASK", "HOST", "JOB")), ("AttributeType", ("NUMBER", "TEXT"))),
)
"""Fields of one class and type, and members of one enumeration: on whose right side they stand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A changed function: its changed lines before and after, and its whole source after."""

    operator: str
    before: str
    after: str
    source: str


def changes_of(function: FunctionType) -> Iterator[Change]:
    """Every change that Cosmic Ray knows of a function, and of its fields, one place at a time."""
    source = textwrap.dedent(inspect.getsource(function))
    for operator, after in (*_by_cosmic_ray(source), *by_field(source)):
        before_lines, after_lines = changed_lines(source, after)
        yield Change(operator=operator, before=before_lines, after=after_lines, source=after)


def _by_cosmic_ray(source: str) -> Iterator[tuple[str, str]]:
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments() or LEFT_ALONE.fullmatch(name):
            continue
        occurrence = 0
        while (after := mutate_code(source, operator(), occurrence)) is not None:
            yield name.removeprefix("core/"), after
            occurrence += 1


def by_field(source: str) -> Iterator[tuple[str, str]]:
    """A source with each field or member exchanged for each other of its kind."""
    lines = source.splitlines(keepends=True)
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Attribute) or node.end_lineno is None:
            continue
        for owner, names in FIELDS:
            if node.attr in names and re.fullmatch(owner, ast.unparse(node.value)):
                line, end = lines[node.end_lineno - 1], node.end_col_offset or 0
                for name in names:
                    if name != node.attr:
                        changed = line[: end - len(node.attr)] + name + line[end:]
                        number = node.end_lineno
                        yield "Field", "".join((*lines[: number - 1], changed, *lines[number:]))


def changed_lines(before: str, after: str) -> tuple[str, str]:
    """The lines in which two sources differ, of each joined to one."""
    one, other = before.splitlines(), after.splitlines()
    while one and other and one[0] == other[0]:
        del one[0], other[0]
    while one and other and one[-1] == other[-1]:
        del one[-1], other[-1]
    before_line, after_line = (" ".join(map(str.strip, lines)) for lines in (one, other))
    return before_line, after_line
