"""Every example of docs/resreq.md means what the page says."""

import re
import shlex

import pytest

from allotment_impl.commands.resreq import command
from allotment_impl.resreq import ResreqError, lower, parse
from allotment_impl.resreq.description import describe
from house.sources import ROOT

PAGE = (ROOT / "docs" / "resreq.md").read_text(encoding="utf-8")
EXAMPLES = [
    tuple(part.strip() for part in line.split("→"))
    for block in re.findall(r"^```resreq\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for line in block.splitlines()
]


def meaning(text: str) -> str:
    """What allocation uses of a text, or the reason for which it is refused."""
    try:
        tree = parse(text)
        used = describe(tree, lower(tree))["used"]
    except ResreqError as error:
        return type(error).__name__
    return " or ".join(" and ".join(parts) for parts in used)


@pytest.mark.parametrize(("text", "told"), EXAMPLES)
def test_example(text: str, told: str) -> None:
    assert told == meaning(text)


def test_console_example(capsys: pytest.CaptureFixture[str]) -> None:
    [block] = re.findall(r"^```console\n\$ allotment resreq (.*?)^```", PAGE, re.M | re.S)
    call, _, output = block.partition("\n")
    [text] = shlex.split(call)
    assert 2 == command(text)
    assert output == capsys.readouterr().err


def test_there_are_examples() -> None:
    assert len(EXAMPLES) > 40
