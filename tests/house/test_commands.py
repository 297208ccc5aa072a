"""What every subcommand owes a person, whichever package offers it."""

import re
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.command_registry import registered_commands

COMMANDS = sorted(registered_commands())

WITH_FILE = {
    "check": ["--", "true"],
    "clauses": [],
    "contracts": [],
    "exhaust": [],
    "gap": ["sample", "sample"],
    "prove": [],
    "replay": ["a-directory"],
    "simulate": ["sample", "--hosts", "1x1"],
    "vectors": ["check"],
    "verify": [],
    "zoo": [],
}
"""The commands that write a result to a file, and what else they need to begin."""


def help_of(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    assert 0 == main([command, "--help"])
    return capsys.readouterr().out


@pytest.mark.parametrize("command", COMMANDS)
def test_help_has_an_example(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    told = " ".join(help_of(command, capsys).split())
    assert "Example: allotment " in told
    assert f"allotment {command}" in told.partition("Example: ")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_whether_a_result_is_written(
    command: str, capsys: pytest.CaptureFixture[str]
) -> None:
    told = help_of(command, capsys)
    writes = any(name in " ".join(told.split()) for name in ("--json FILE", "--json PATH"))
    assert writes is (command in WITH_FILE)


PLACE = re.compile(r"(--[a-z-]+)(?:, -\w)? (?:FILE|DIR|FOLDER|OUT|PATH)\b")


@pytest.mark.parametrize("command", COMMANDS)
def test_no_option_takes_a_word_for_a_file_that_is_none(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    for option in PLACE.findall(help_of(command, capsys)):
        for word in ("--", "-x", ""):
            assert 2 == main([command, option, word])
            said = capsys.readouterr()
            assert ("", True) == (said.out, option in said.err), (option, word)
    assert [] == list(tmp_path.iterdir())


def test_options_that_name_files_are_found(capsys: pytest.CaptureFixture[str]) -> None:
    found = [PLACE.findall(help_of(command, capsys)) for command in ("check", "report", "prove")]
    of_check = ["--json", "--ndjson", "--case", "--counterexamples"]
    of_prove = ["--json", "--smtlib", "--affected-by", "--witnesses"]
    assert [of_check, ["--output"], of_prove] == found


@pytest.mark.parametrize("command", WITH_FILE)
def test_file_that_cannot_be_written_is_refused_before_the_work(
    command: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 2 == main([command, "--json", "no/such/folder/out.json", *WITH_FILE[command]])
    said = capsys.readouterr()
    assert ("", True) == (said.out, "out.json" in said.err or "no/such/folder" in said.err)
    assert [] == list(tmp_path.iterdir())
