"""Paths on a command line: a word that can only be meant otherwise names no file.

`--json -- cat` would make a file of the name `--`, and an empty word would be the working folder.
Every subcommand is read here, so that none has to think of it.
"""

import inspect
from collections.abc import Callable
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

if TYPE_CHECKING:
    from typer.models import ParameterInfo

Function = Callable[..., int | None]


def signature_with_named_paths(function: Function) -> inspect.Signature:
    """The signature by which typer reads a subcommand's words, with each path looked at first."""
    signature = inspect.signature(function, eval_str=True)
    return signature.replace(parameters=[*map(_looked_at, signature.parameters.values())])


def _looked_at(parameter: inspect.Parameter) -> inspect.Parameter:
    """The same parameter, or for a path one that typer reads with `named_path`."""
    given = parameter.annotation
    kind, *told = get_args(given) if get_origin(given) is Annotated else (given,)
    if Path not in (kind, *get_args(kind)):
        return parameter
    info = _info(parameter, told)
    info.metavar = info.metavar or "PATH"
    info.parser = _reader(may_be_dash=info.allow_dash)
    return parameter.replace(annotation=Annotated[kind, info])


def _info(parameter: inspect.Parameter, told: list[Any]) -> "ParameterInfo":
    """What a subcommand tells typer of a parameter, to be changed; else what typer would assume."""
    import typer

    if told:
        [info] = told
        changed: ParameterInfo = copy(info)
        return changed
    made: ParameterInfo = (
        typer.Argument() if parameter.default is parameter.empty else typer.Option()
    )
    return made


def _reader(*, may_be_dash: bool) -> Callable[[str | Path], Path]:
    def read(word: str | Path) -> Path:
        return named_path(word, may_be_dash=may_be_dash)

    return read


def named_path(word: str | Path, *, may_be_dash: bool) -> Path:
    """The path that a word names; a path is a default. Raises `typer.BadParameter`.

    `may_be_dash`: whether `-` stands for standard input.
    """
    import typer

    if word == "":
        raise typer.BadParameter("the name is empty; name a file or a folder")
    if str(word).startswith("-") and not (may_be_dash and word == "-"):
        raise typer.BadParameter(
            f"a file or a folder is needed, and '{word}' is no name of one; "
            f"one that is called so is ./{word}"
        )
    try:
        Path(word).exists()
    except OSError as wrong:  # No system takes a name that is too long, for one.
        raise typer.BadParameter(f"'{word}' cannot be looked at: {wrong.strerror}") from wrong
    return Path(word)
