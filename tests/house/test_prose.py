"""Prose is wrapped, so that a page reads well as a text and a change shows as what it is."""

import re
from pathlib import Path

import pytest

from house.sources import ROOT, repository_files

LONGEST = 100
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
UNBROKEN = re.compile(r"\||#|\s*(?:[-*] )?\S+$")
"""Rows of tables, headings, and lines of one word, which cannot be broken."""
SPAN = re.compile(r"`[^`\n]+`")


def too_long(page: str) -> list[str]:
    """The lines of prose that could be shorter; what stands in a code span is one word."""
    prose = FENCED.sub("", page).splitlines()
    as_words = ((line, SPAN.sub(lambda span: span[0].replace(" ", "_"), line)) for line in prose)
    return [line for line, words in as_words if len(line) > LONGEST and not UNBROKEN.match(words)]


PAGES = [
    path for path in repository_files() if path.suffix == ".md" and "templates" not in path.parts
]


@pytest.mark.parametrize("page", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_prose_is_wrapped(page: Path) -> None:
    assert [] == too_long(page.read_text(encoding="utf-8"))


def test_long_line_is_found() -> None:
    assert ["word " * 30] == too_long("short\n" + "word " * 30 + "\n| a | " + "b " * 60 + "|\n")
