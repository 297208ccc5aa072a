"""Every block of docs/implementers.md is run, in the order of the page."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from house.sources import ROOT

PAGE = (ROOT / "docs" / "implementers.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """A PATH on which `allotment` is found, and node."""
    if shutil.which("node") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no node")
        pytest.skip("there is no node")
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "allotment"
    main = "from allotment_conformance.cli import main; exit(main())"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -c "{main}" "$@"\n')
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def pattern_of(expected: list[str]) -> str:
    """The whole of an output; `…` stands for anything in a line, alone for any lines."""
    lines = [
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected
    ]
    return "".join(lines)


def run_console(block: str, folder: Path, environment: dict[str, str]) -> None:
    """Run each command, and compare what it says with what the page shows below it."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, *expected = part.splitlines()
        completed = subprocess.run(
            ["/bin/sh", "-c", command],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        status = re.search(r"# exit (\d)", command)
        told = completed.stdout + completed.stderr
        assert (int(status[1]) if status else 0) == completed.returncode, told
        assert re.fullmatch(pattern_of(expected), completed.stdout), (expected, told)


def test_page_works_from_top_to_bottom(tmp_path: Path, environment: dict[str, str]) -> None:
    kinds = []
    for language, name, block in BLOCK.findall(PAGE):
        kinds.append(language)
        if language == "js":
            (tmp_path / name).write_text(block)
        else:
            run_console(block, tmp_path, environment)
    assert ["console", "js", "console", "console", "console", "console"] == kinds
    assert PAGE.count("```") == 2 * len(kinds)
