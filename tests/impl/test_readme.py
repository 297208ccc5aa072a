"""The example of README.md runs as it stands, and prints what it says."""

import re
import subprocess
import sys

from house.sources import ROOT


def test_example_prints_what_it_says() -> None:
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    section = page.partition("## Embed the allocator")[2].partition("\n## ")[0]
    [code] = re.findall(r"^```python\n(.*?)^```", section, re.MULTILINE | re.DOTALL)
    told = re.findall(r"# (.*)", code)
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
    )
    assert ("", told) == (ran.stderr, ran.stdout.splitlines())
    assert 2 == len(told)
