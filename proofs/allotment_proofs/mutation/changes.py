"""The changes of a function that Cosmic Ray makes; it is imported only where they are made."""

import inspect
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from types import FunctionType

LEFT_ALONE = re.compile(r"core/(ReplaceBinaryOperator_(BitOr|Pow)_\w+|\w+_Is(Not)?)")
"""Not made: the model's `|` and `**` stand in annotations and join dictionaries, they count
nothing; and what `is` says of a symbol says nothing of its values."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A changed function: its changed lines before and after, and its whole source after."""

    operator: str
    before: str
    after: str
    source: str


def changes_of(function: FunctionType) -> Iterator[Change]:
    """Every change that Cosmic Ray knows of a function, one place at a time."""
    from cosmic_ray.mutating import mutate_code
    from cosmic_ray.plugins import get_operator, operator_names

    source = textwrap.dedent(inspect.getsource(function))
    for name in operator_names():
        operator = get_operator(name)
        if operator.arguments() or LEFT_ALONE.fullmatch(name):
            continue
        occurrence = 0
        while (after := mutate_code(source, operator(), occurrence)) is not None:
            before_lines, after_lines = changed_lines(source, after)
            yield Change(
                operator=name.removeprefix("core/"),
                before=before_lines,
                after=after_lines,
                source=after,
            )
            occurrence += 1


def changed_lines(before: str, after: str) -> tuple[str, str]:
    """The lines in which two sources differ, of each joined to one."""
    one, other = before.splitlines(), after.splitlines()
    while one and other and one[0] == other[0]:
        del one[0], other[0]
    while one and other and one[-1] == other[-1]:
        del one[-1], other[-1]
    before_line, after_line = (" ".join(map(str.strip, lines)) for lines in (one, other))
    return before_line, after_line
