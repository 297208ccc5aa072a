"""`make bench` still runs, with all its parts, and tells what it promises."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from conformance.samples.test_c_sample import missing_tool
from house.sources import ROOT

PAGE = ROOT / "docs" / "performance.md"
MIXES = {"saturated", "hopeless", "trivial", "wide", "many signatures", "compound"}
SECTIONS = ("Goals", "Ratios", "Decisions a second", "Growth", "Many signatures", "The kit")


@pytest.mark.xdist_group("c-sample")
def test_quick_benchmarks_fill_the_page(tmp_path: Path) -> None:
    in_ci = os.environ.get("CI") == "true"
    if reason := missing_tool():
        if in_ci:
            pytest.fail(reason)
        pytest.skip(reason)
    extra = all(find_spec(name) is not None for name in ("accasim", "matplotlib"))
    assert extra or not in_ci, "CI installs what `make bench` needs"
    shutil.copy(PAGE, tmp_path)
    words: list[str | Path] = [
        sys.executable,
        ROOT / "benchmarks",
        "--quick",
        "--json",
        tmp_path / "figures.json",
    ]
    words += ["--docs", tmp_path] if extra else []
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    figures = json.loads((tmp_path / "figures.json").read_text(encoding="utf-8"))
    assert MIXES == {cell["mix"] for cell in figures["cells"]}
    assert {"c", "iterative"} <= set(figures["cells"][0])
    assert extra == ("accasim_queue" in figures["cells"][0])
    assert [] == [title for title in SECTIONS if f"### {title}\n" not in done.stdout]
    if extra:
        page = (tmp_path / "performance.md").read_text(encoding="utf-8")
        assert done.stdout.strip() in page
        assert {"hosts.svg", "tasks.svg", "signatures.svg"} == {
            file.name for file in (tmp_path / "plots").iterdir()
        }
