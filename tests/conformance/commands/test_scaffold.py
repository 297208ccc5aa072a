"""`allotment scaffold`: what it writes is alive at once, and nothing is written over."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from allotment_conformance.scaffold.write import Language, templates

COMMANDS = {
    Language.C: ["./adapter"],
    Language.JS: ["node", "adapter.js"],
    Language.PYTHON: [sys.executable, "adapter.py"],
}


def lacking(language: Language) -> str | None:
    """Why the adapter of a language cannot be run here; None if it can."""
    if language is Language.JS:
        return None if shutil.which("node") else "there is no node"
    if language is Language.PYTHON:
        return None
    if shutil.which("cc") is None or shutil.which("make") is None:
        return "there is no C compiler or no make"
    probe = subprocess.run(
        ["cc", "-E", "-x", "c", "-"],
        input=b"#include <jansson.h>",
        capture_output=True,
        check=False,
    )
    return None if probe.returncode == 0 else "the header of Jansson is missing (libjansson-dev)"


def build(language: Language, folder: Path) -> None:
    """Build it, if it has to be; skip where that cannot be done, but never in CI."""
    if reason := lacking(language):
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    if language is Language.C:
        flags = "CFLAGS=-std=c11 -Wall -Wextra -Wpedantic -Werror -fsanitize=address,undefined"
        subprocess.run(["make", "--silent", flags], cwd=folder, check=True)


def test_other_language_is_told_what_to_translate(capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main(["scaffold", "--lang", "perl"])
    told = capsys.readouterr().err
    assert "no beginning in 'perl', only in c, js, python" in told
    assert "allotment scaffold --lang js" in told
    assert "docs/implementers.md" in told


@pytest.mark.parametrize("language", Language)
def test_what_is_written_is_alive(
    language: Language,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == main(["scaffold", "--lang", language, "deep/mine"])
    told = capsys.readouterr().out.splitlines()
    assert [f"wrote deep/mine/{name}" for name in templates(language)] == told[:-1]
    folder = tmp_path / "deep" / "mine"
    build(language, folder)
    monkeypatch.chdir(folder)
    assert 1 == main(["smoke", "--", *COMMANDS[language]])
    told = capsys.readouterr().out.splitlines()
    assert "start: alive" in told
    assert "  name            my-allocator 1" in told
    assert [line for line in told if line.startswith("run: error: not implemented: ")]
    assert "stop: ends with status 0" == told[-1]


FILLED_IN = '''"""The specification itself."""

from allotment_conformance.zoo.variants import Served

MODEL = Served(features="compound,rusage,books")
PROFILE = MODEL.start()
answers = MODEL.run
'''


def test_filled_in_it_is_exact(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert 0 == main(["scaffold", "--lang", "python"])
    (tmp_path / "answers.py").write_text(FILLED_IN)
    options = ["--level", "exact", "--cases", "20", "--processes", "1", "--start-timeout", "120"]
    assert 0 == main(["check", *options, "--", *COMMANDS[Language.PYTHON]])


@pytest.mark.parametrize("language", Language)
def test_nothing_is_written_over(
    language: Language, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    last = list(templates(language))[-1]
    (tmp_path / last).write_text("mine")
    assert 2 == main(["scaffold", "--lang", language, str(tmp_path)])
    assert f"{tmp_path / last}: there already" in capsys.readouterr().err
    assert [last] == [path.name for path in tmp_path.iterdir()]
    assert "mine" == (tmp_path / last).read_text()


def test_bad_input_exits_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "file").touch()
    for words in ([], ["--lang", "cobol"], ["--lang", "c", str(tmp_path / "file" / "below")]):
        assert 2 == main(["scaffold", *words])
        said = capsys.readouterr()
        assert ("", True) == (said.out, bool(said.err))
