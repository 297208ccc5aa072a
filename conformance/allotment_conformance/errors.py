"""The refusals that the kit expects and explains to a person.

Anything that is not a `KitError` is a fault of the kit itself and may crash with a traceback.
"""

from typing import Any, ClassVar


class KitError(Exception):
    """An expected refusal: what is wrong, and what the person can do about it.

    Each reason is a class of its own with a stable `code`. The command line prints the message and
    the remedy to stderr and exits 2.
    """

    code: ClassVar[str]

    def __init__(self, message: str, *, remedy: str) -> None:
        assert message, "a refusal says what is wrong"
        assert remedy, "a refusal says what to do about it"
        super().__init__(message)
        self.remedy = remedy

    def __reduce__(self) -> tuple[Any, ...]:
        """A refusal in another process arrives here as it was, however its class makes it."""
        return _same, (type(self), self.args, self.__dict__)


def _same(kind: type[KitError], args: tuple[object, ...], attributes: dict[str, Any]) -> KitError:
    """A refusal of that class with what it holds."""
    refusal = kind.__new__(kind, *args)
    refusal.__dict__.update(attributes)
    return refusal


class UnknownCommand(KitError):
    """The first word of the command line names no registered subcommand."""

    code = "unknown-command"


class UnknownOption(KitError):
    """An option stands before the subcommand that the root command does not have."""

    code = "unknown-option"


class CommandNotInstalled(KitError):
    """A subcommand is registered, but the module that holds it is not there."""

    code = "command-not-installed"


class DependencyMissing(KitError):
    """A subcommand needs a Python module that is not installed."""

    code = "dependency-missing"


class NotBoth(KitError):
    """Two options were given that ask for different things."""

    code = "not-both"
