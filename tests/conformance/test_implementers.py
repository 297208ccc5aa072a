"""Every block of docs/implementers.md is run, in the order of the page."""

import os
import shutil
from pathlib import Path

import pytest

from conformance.page_blocks import run_blocks
from house.sources import ROOT

PAGE = (ROOT / "docs" / "implementers.md").read_text(encoding="utf-8")


def test_page_works_from_top_to_bottom(tmp_path: Path, with_allotment: dict[str, str]) -> None:
    if shutil.which("node") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("there is no node")
        pytest.skip("there is no node")
    kinds = run_blocks(PAGE, tmp_path, with_allotment)
    assert ["console", "js", "console", "console", "console", "console"] == kinds
