"""The worked examples of SPEC.md, as a test reads them."""

import json
import re
from typing import Any

from house.sources import ROOT

BLOCK = re.compile(r"^```json example\n(.*?)^```", re.MULTILINE | re.DOTALL)


def spec_examples() -> list[dict[str, Any]]:
    """Each is a case with a further field `answers`."""
    text = (ROOT / "SPEC.md").read_text(encoding="utf-8")
    return [json.loads(block) for block in BLOCK.findall(text)]
