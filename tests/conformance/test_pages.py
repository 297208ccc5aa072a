"""Every page: each command that it tells of is there, with the options that it tells of."""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import typer

from allotment_conformance.command_registry import load, registered_commands
from house.sources import ROOT

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md"), *ROOT.glob("*/samples/*/*.md")])
BLOCK = re.compile(r"^```[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`\n]+)`")
CALL = re.compile(r"\ballotment ([a-z]+)(?![a-z:])([^\n|>#]*)")


def calls(page: Path) -> Iterator[list[str]]:
    """Each call of `allotment` on a page, up to what is piped or behind `--`."""
    text = page.read_text(encoding="utf-8")
    for shown in [*BLOCK.findall(text), *SPAN.findall(BLOCK.sub("", text))]:
        for command, rest in CALL.findall(shown):
            yield [command, *rest.partition(" -- ")[0].split()]


@cache
def options_of(command: str) -> frozenset[str]:
    """How the options of a command are spelt."""
    app = typer.Typer()
    app.command()(load(registered_commands()[command]))
    parameters = typer.main.get_command(app).params
    return frozenset(name for one in parameters for name in one.opts if name.startswith("-"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_commands_exist_with_their_options(page: Path) -> None:
    for command, *words in calls(page):
        assert command in registered_commands(), words
        assert {word for word in words if word.startswith("--")} <= options_of(command), words
        if "--format" in words:
            assert words[words.index("--format") + 1] in ("terminal", "markdown", "junit")


def test_calls_are_found_on_pages() -> None:
    seen = {(command, word) for page in PAGES for command, *words in calls(page) for word in words}
    assert {
        ("check", "--ndjson"),
        ("check", "--seed"),
        ("promote", "--package"),
        ("report", "--output"),
        ("vectors", "--folder"),
    } <= seen
