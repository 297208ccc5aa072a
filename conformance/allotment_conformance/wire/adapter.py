"""Adapters: how the kit speaks with an allocator, and how one is named on a command line."""

from importlib import import_module
from typing import Protocol
from urllib.parse import parse_qsl

from allotment_conformance.errors import KitError
from allotment_conformance.extras import how_to_install
from allotment_conformance.wire.guarded import Guarded, failed
from allotment_conformance.wire.messages import Json

DEFAULT_ADAPTER = "allotment_impl:Adapter"


class Adapter(Protocol):
    """An allocator under test. One conversation is `start`, any number of `run`, `close`."""

    def start(self) -> Json:
        """The profile that it declares (SPEC.md 2.4)."""
        ...

    def run(self, case: Json) -> list[Json]:
        """The answers to a case's events (SPEC.md 2.2). No `cluster`: the scheduler goes on."""
        ...

    def close(self) -> None:
        """Give up what is held; no call follows."""
        ...


class BadAdapterName(KitError):
    """An adapter's name has not the form `module:Name?option=value&…`."""

    code = "bad-adapter-name"


class AdapterNotFound(KitError):
    """The module of an adapter, or the class in it, is not there."""

    code = "adapter-not-found"


class BadAdapterOption(KitError):
    """An adapter does not take the options that were given."""

    code = "bad-adapter-option"


def is_adapter_name(words: str) -> bool:
    """Whether words look like `module:Name?option=value&…`, not like a program."""
    target = words.partition("?")[0]
    return target.count(":") == 1 and not any(sign in target for sign in " /")


def load_adapter(name: str) -> Guarded:
    """The adapter that a text like `module:Name?option=value&…` names.

    The module is imported and the class called with each option as a keyword argument of type
    text. A `KitError` that the class raises itself goes through.
    """
    target, _, query = name.partition("?")
    module_name, colon, attribute = target.partition(":")
    if not (colon and attribute.isidentifier() and _is_dotted(module_name)):
        raise BadAdapterName(
            f"'{name}' is not the name of an adapter",
            remedy="Write it as module:Name, for example my_scheduler.adapter:Adapter",
        )
    options = _options(name, query)
    factory = getattr(_module(module_name), attribute, None)
    if not callable(factory):
        raise AdapterNotFound(
            f"the module '{module_name}' has no class '{attribute}'",
            remedy="Check the spelling behind the colon.",
        )
    try:
        adapter = factory(**options)
    except (KeyboardInterrupt, KitError):
        raise
    except (TypeError, ValueError) as wrong:
        raise BadAdapterOption(
            f"'{target}' does not take these options: {wrong}",
            remedy="Change what stands behind the question mark, or see the adapter's own help.",
        ) from wrong
    except BaseException as raised:
        raise failed(f"'{target}' cannot be made", raised) from raised
    lacking = [name for name in ("start", "run", "close") if not hasattr(adapter, name)]
    if lacking:
        raise AdapterNotFound(
            f"'{target}' makes no adapter: it has no {', '.join(lacking)}",
            remedy="Name a class with start, run and close.",
        )
    return Guarded(adapter, name)


def _is_dotted(name: str) -> bool:
    return all(part.isidentifier() for part in name.split("."))


def _options(name: str, query: str) -> dict[str, str]:
    """What stands behind the question mark."""
    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=bool(query))
    except ValueError as wrong:
        raise BadAdapterName(
            f"the options of '{name}' cannot be read: {wrong}",
            remedy="Write them as option=value, joined by &",
        ) from wrong
    options = dict(pairs)
    if len(options) < len(pairs):
        raise BadAdapterName(
            f"an option of '{name}' is there twice", remedy="Give each option once."
        )
    return options


def _module(name: str) -> object:
    """The imported module; what it imports itself may be missing, too, and is named then."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        lacking = missing.name or ""
        if name == lacking or name.startswith(f"{lacking}."):
            raise AdapterNotFound(
                f"there is no module '{lacking}' in this environment",
                remedy="Install it, or add its folder to PYTHONPATH.",
            ) from missing
        raise AdapterNotFound(
            f"the module '{name}' needs '{lacking}', which is not installed",
            remedy=how_to_install(lacking.partition(".")[0]),
        ) from missing
