"""Every worked example of SPEC.md is answered by the allocator as the page says."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from allotment_impl import Adapter

SPEC = Path(__file__).parents[2] / "SPEC.md"
BLOCKS = re.findall(r"^```json example\n(.*?)^```$", SPEC.read_text("utf-8"), re.S | re.M)
EXAMPLES: list[dict[str, Any]] = [json.loads(block) for block in BLOCKS]


def test_the_page_has_its_examples() -> None:
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("cache", ["transparent", "none"])
@pytest.mark.parametrize("engine", ["indexed", "iterative"])
def test_answers_as_the_page_says(example: dict[str, Any], cache: str, engine: str) -> None:
    case = {field: value for field, value in example.items() if field != "answers"}
    assert example["answers"] == Adapter(cache=cache, engine=engine).run(case)
