"""How a command line names an allocator: as an adapter of Python, or as a program."""

from collections.abc import Sequence

from allotment_conformance.wire.adapter import is_adapter_name
from allotment_conformance.wire.process import program_name


def is_adapter(words: Sequence[str]) -> bool:
    """Whether this is `module:Name?option=value&…`; all else is a program and its arguments."""
    return len(words) == 1 and is_adapter_name(words[0])


def name_of(words: Sequence[str]) -> str:
    """The name of the adapter; words that are none are a program and its arguments."""
    return words[0] if is_adapter(words) else program_name(words)


def command_of(words: Sequence[str]) -> tuple[str, ...]:
    """How the program is started; nothing for an adapter of Python."""
    return () if is_adapter(words) else tuple(words)
