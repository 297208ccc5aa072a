"""The example of README.md: the command that it names prints what it shows."""

import re
import shlex
from pathlib import Path

import pytest

from allotment_conformance.cli import main
from house.sources import ROOT


def test_verify_prints_what_the_page_says(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    [command] = re.findall(r"^allotment (verify .*)$", page, re.MULTILINE)
    [told] = re.findall(r"exits 1 with\n\n```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert 1 == main(shlex.split(command))
    assert f"\n{told}\n" in capsys.readouterr().out
