"""Every block of docs/pending.md is run, in the order of the page."""

from pathlib import Path

from conformance.page_blocks import run_blocks
from house.sources import ROOT

PAGE = (ROOT / "docs" / "pending.md").read_text(encoding="utf-8")


def test_page_works_from_top_to_bottom(tmp_path: Path, with_allotment: dict[str, str]) -> None:
    assert ["json", *["console"] * 3] == run_blocks(PAGE, tmp_path, with_allotment)
