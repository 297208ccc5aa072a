"""Blocks of the pages: files that a reader writes, and commands with what they say."""

import re
import subprocess
from pathlib import Path

BLOCK = re.compile(r"^```(\w+) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def run_blocks(page: str, folder: Path, environment: dict[str, str]) -> list[str]:
    """Write each file of a page and run each command, in its order; the languages of its blocks."""
    blocks = BLOCK.findall(page)
    for language, name, block in blocks:
        if language == "console":
            _run_console(block, folder, environment)
        else:
            (folder / name).write_text(block)
    assert page.count("```") == 2 * len(blocks)
    return [language for language, _name, _block in blocks]


def _run_console(block: str, folder: Path, environment: dict[str, str]) -> None:
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
        assert re.fullmatch(_pattern_of(expected), completed.stdout), (expected, told)


def _pattern_of(expected: list[str]) -> str:
    """The whole of an output; `…` stands for anything in a line, alone for any lines."""
    lines = [
        r"(?:.*\n)*" if line == "…" else ".*".join(map(re.escape, line.split("…"))) + r"\n"
        for line in expected
    ]
    return "".join(lines)
