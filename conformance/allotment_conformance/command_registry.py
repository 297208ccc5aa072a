"""The subcommands of `allotment`: found by entry point, imported only when one is used.

Starting the root command must stay cheap however many subcommands there are and however heavy they
are, so a summary is read from a module's source. Looking a module up by its full name would import
its parent packages; the lookup here walks down the packages' folders instead.
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from importlib.abc import InspectLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.metadata import entry_points
from importlib.util import find_spec

from allotment_conformance.errors import CommandNotInstalled, DependencyMissing, KitError
from allotment_conformance.extras import how_to_install

GROUP = "allotment.commands"


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredCommand:
    """A subcommand that some installed package offers.

    `module` is the full name of the module whose function `command` carries it out.
    """

    name: str
    module: str


def registered_commands() -> dict[str, RegisteredCommand]:
    """Every subcommand that is installed, by name in alphabetical order."""
    found = sorted(entry_points(group=GROUP), key=lambda entry: entry.name)
    return {entry.name: RegisteredCommand(name=entry.name, module=entry.module) for entry in found}


def summary_of(command: RegisteredCommand) -> str:
    """The first docstring line of the subcommand's module, read without importing anything."""
    spec = _locate(command.module)
    if spec is None:
        return f"(not installed: {command.module})"
    source = spec.loader.get_source(spec.name) if isinstance(spec.loader, InspectLoader) else None
    docstring = ast.get_docstring(ast.parse(source)) if source is not None else None
    return docstring.splitlines()[0] if docstring else "(no summary)"


def load(command: RegisteredCommand) -> Callable[..., int | None]:
    """The function that carries out the subcommand; imports its module.

    Raises `ModuleNotFoundError` for what is missing, which `refusal_for` puts into words.
    """
    function = import_module(command.module).command
    assert callable(function), f"{command.module}.command is not a function"
    loaded: Callable[..., int | None] = function
    return loaded


def refusal_for(command: RegisteredCommand, missing: ModuleNotFoundError) -> KitError | None:
    """What to tell a person whose subcommand met a missing module.

    None if the missing module is one of ours: then the fault is ours and no install mends it.
    """
    name = missing.name or ""
    top = name.partition(".")[0]
    if name == command.module or command.module.startswith(f"{name}."):
        return CommandNotInstalled(
            f"'{command.name}' is registered as {command.module}, which is not installed",
            remedy="Reinstall the package that offers it.",
        )
    if not top or top.startswith("allotment_"):
        return None
    return DependencyMissing(
        f"'{command.name}' needs the Python module '{top}', which is not installed",
        remedy=how_to_install(top),
    )


def _locate(module: str) -> ModuleSpec | None:
    """Where a module lies, found folder by folder so that no parent package is imported."""
    top, *below = module.split(".")
    spec = find_spec(top)
    name = top
    for part in below:
        if spec is None or spec.submodule_search_locations is None:
            return None
        name = f"{name}.{part}"
        spec = PathFinder.find_spec(name, spec.submodule_search_locations)
    return spec
